//! Claims and mistakes as JSON: one object per line.

use keyscape_diagnostics::{
    bytes::hex,
    json::{put_datum, put_record},
};
use keyscape_layout::{
    Datum, Diagnostic, Layout, Record, Sources, Span,
    model::{KeyspaceId, Segment},
};
use keyscape_prover::{
    AllocationFault, Claim, Counterexample, Disorder, Fault, Partner, Row, ScanFault, Verdict,
};
use serde::Serialize;
use serde_json::value::RawValue;

/// A claim, and what was decided.
#[derive(Debug, Serialize)]
pub struct ClaimLine<'a> {
    rule: &'static str,
    store: &'a str,
    keyspace: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tight: Option<TightObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<CounterexampleObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partners: Vec<PartnerObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<CounterexampleObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<bool>,
    span: SpanObject<'a>,
    fix: Vec<FixObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The bytes that may follow the leading part of a scan that is exact in its tight form only.
#[derive(Debug, Serialize)]
struct TightObject {
    low: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<String>,
}

/// A warning about a proved claim.
#[derive(Debug, Serialize)]
struct WarningObject {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// Another keyspace with which a claim about two keyspaces does not hold.
#[derive(Debug, Serialize)]
struct PartnerObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    keyspace: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A mistake.
#[derive(Debug, Serialize)]
pub struct ErrorLine<'a> {
    /// `file`, `layout` or `accept`.
    pub error: &'static str,
    pub message: String,
    /// The file that cannot be read; a mistake in a file has its name in `span`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A place in a file. Lines and columns start at one, columns count characters, the end is
/// exclusive.
#[derive(Debug, Serialize)]
pub struct SpanObject<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Debug, Serialize)]
struct FixObject<'a> {
    text: &'a str,
    effect: &'static str,
    replaces: SpanObject<'a>,
    edit: EditObject<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    idle_accepts: &'a [String],
}

/// The edit that applies a fix: `text` replaces the bytes from `start` to `end`, exclusive.
#[derive(Debug, Serialize)]
struct EditObject<'a> {
    file: &'a str,
    start: u32,
    end: u32,
    text: &'a str,
}

/// A counterexample; the keys depend on the rule.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CounterexampleObject<'a> {
    /// KS001 and KS008.
    Collisions { collisions: Vec<KeyObject<'a>>, more: usize },
    /// KS002.
    Readings(KeyObject<'a>),
    /// KS003.
    Scan {
        fault: &'static str,
        asked: Box<RawValue>,
        start: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        end: Option<String>,
        row: RowObject<'a>,
    },
    /// KS004.
    Order { disorder: &'static str, lower: RowObject<'a>, higher: RowObject<'a> },
    /// KS005.
    Loss { values: [Box<RawValue>; 2], bytes: String },
    /// KS006.
    Limit {
        backend: &'static str,
        longest_key: usize,
        /// The length of the key or record.
        length: usize,
        row: RowObject<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        long: Option<RowObject<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<String>,
    },
    /// KS007.
    Allocation {
        fault: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        other: Option<&'a str>,
        row: RowObject<'a>,
    },
    /// KS009.
    Index { missing: String, rows: [RowObject<'a>; 2], entry: String },
    /// KS010.
    Split { cuts: Vec<usize>, separators: Vec<usize>, parts: Vec<String>, row: RowObject<'a> },
}

/// A key with several readings.
#[derive(Debug, Serialize)]
struct KeyObject<'a> {
    key: String,
    readings: Vec<ReadingObject<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReadingObject<'a> {
    pub(crate) keyspace: &'a str,
    pub(crate) fields: Box<RawValue>,
}

/// A key with one reading.
#[derive(Debug, Serialize)]
pub(crate) struct RowObject<'a> {
    pub(crate) key: String,
    pub(crate) keyspace: &'a str,
    pub(crate) fields: Box<RawValue>,
}

impl<'a> ClaimLine<'a> {
    /// Describes a claim with its verdict.
    pub fn new(layout: &'a Layout, claim: &'a Claim) -> Self {
        let keyspace = layout.keyspace(claim.keyspace);
        let (verdict, counterexample, reason) = match &claim.verdict {
            Verdict::Proved => ("proved", None, None),
            Verdict::Refuted(counterexample) => ("refuted", Some(counterexample), None),
            Verdict::Unknown(unknown) => (
                "unknown",
                None,
                Some(keyscape_diagnostics::claim::unknown_reason(layout, unknown)),
            ),
        };
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let split = claim.split.and_then(|index| keyspace.splits.get(index));
        Self {
            rule: claim.rule.code(),
            store: &layout.store(claim.store).name,
            keyspace: &keyspace.name,
            scan: scan.map(|scan| scan.name.as_str()),
            split: split.map(|split| split.name.as_str()),
            field: claim.field.as_deref(),
            verdict,
            tight: claim.tight.as_ref().map(|form| TightObject {
                low: hex(&form.low),
                high: form.high.as_deref().map(hex),
            }),
            plain: claim.plain.as_ref().map(|found| shape(layout, claim, found)),
            warnings: keyscape_diagnostics::claim::warnings(
                layout,
                std::slice::from_ref(claim),
                claim,
            )
            .into_iter()
            .map(|found| WarningObject { message: found.title, help: found.help })
            .collect(),
            accepted: claim.accepted.as_deref(),
            partners: partners(layout, claim),
            counterexample: counterexample.map(|found| shape(layout, claim, found)),
            minimal: counterexample.map(|found| found.minimal),
            span: SpanObject::new(&layout.sources, claim.span),
            fix: counterexample.map_or_else(Vec::new, |found| fixes(&layout.sources, found)),
            reason,
        }
    }
}

impl<'a> ErrorLine<'a> {
    /// Describes a mistake of a layout.
    pub fn new(sources: &'a Sources, diagnostic: &Diagnostic) -> Self {
        Self {
            error: "layout",
            message: diagnostic.message.clone(),
            file: None,
            span: Some(SpanObject::new(sources, diagnostic.span)),
            help: diagnostic.help.clone(),
        }
    }
}

impl<'a> SpanObject<'a> {
    /// Converts a span to lines and columns.
    pub fn new(sources: &'a Sources, span: Span) -> Self {
        let (start, end) = (sources.start(span), sources.end(span));
        Self {
            file: path(sources, span),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// Returns the partners of a claim. A fault without another keyspace is in the counterexample.
fn partners<'a>(layout: &'a Layout, claim: &'a Claim) -> Vec<PartnerObject<'a>> {
    let says_more = |found: &&Partner| found.keyspace.is_some() || found.undecided.is_some();
    claim.partners.iter().filter(says_more).map(|found| partner(layout, found)).collect()
}

fn partner<'a>(layout: &'a Layout, found: &'a Partner) -> PartnerObject<'a> {
    let reason = found.undecided.as_ref();
    PartnerObject {
        keyspace: found.keyspace.map(|id| layout.keyspace(id).name.as_str()),
        verdict: if reason.is_some() { "unknown" } else { "refuted" },
        accepted: found.accepted.as_deref(),
        reason: reason.map(|reason| keyscape_diagnostics::claim::unknown_reason(layout, reason)),
    }
}

fn path(sources: &Sources, span: Span) -> &str {
    sources.get(span.file).map_or("", |file| &file.path)
}

fn fixes<'a>(sources: &'a Sources, found: &'a Counterexample) -> Vec<FixObject<'a>> {
    let fixes = found.fixes.iter().map(|fix| FixObject {
        text: &fix.text,
        effect: fix.effect.words(),
        replaces: SpanObject::new(sources, fix.replaces),
        edit: EditObject {
            file: path(sources, fix.replaces),
            start: fix.replaces.start,
            end: fix.replaces.end,
            text: &fix.edit,
        },
        idle_accepts: &fix.idle_accepts,
    });
    fixes.collect()
}

fn shape<'a>(
    layout: &'a Layout,
    claim: &Claim,
    found: &Counterexample,
) -> CounterexampleObject<'a> {
    match &found.fault {
        Fault::Disjoint { collisions, more } | Fault::StructureTyped { collisions, more } => {
            let collisions = collisions
                .iter()
                .map(|collision| readings(layout, [&collision.here, &collision.there]))
                .collect();
            CounterexampleObject::Collisions { collisions, more: *more }
        }
        Fault::Unambiguous { a, b } => CounterexampleObject::Readings(readings(layout, [a, b])),
        Fault::ScanExact { fault, asked, start, end, row: found } => CounterexampleObject::Scan {
            fault: match fault {
                ScanFault::Foreign => "foreign",
                ScanFault::Missed => "missed",
            },
            asked: fields(layout, claim.keyspace, asked),
            start: hex(start),
            end: end.as_deref().map(hex),
            row: row(layout, found),
        },
        Fault::Ordered { lower, higher, disorder } => CounterexampleObject::Order {
            disorder: match disorder {
                Disorder::Reversed => "reversed",
                Disorder::Tied => "tied",
            },
            lower: row(layout, lower),
            higher: row(layout, higher),
        },
        Fault::Lossless { a, b, bytes } => {
            CounterexampleObject::Loss { values: [a, b].map(datum_json), bytes: hex(bytes) }
        }
        Fault::Bounded { backend, row: found, length, long, record } => {
            CounterexampleObject::Limit {
                backend: backend.name,
                longest_key: backend.longest_key,
                length: *length,
                row: row(layout, found),
                long: long.as_ref().map(|found| row(layout, found)),
                record: record.as_ref().map(|record| hex(&record.bytes)),
            }
        }
        Fault::Allocated { fault, row: found } => {
            let (fault, other) = match fault {
                AllocationFault::OutsideRange { .. } => ("outside range", None),
                AllocationFault::Nested { .. } => ("nested outside ranges", None),
                AllocationFault::Retired { .. } => ("retired prefix", None),
                AllocationFault::Comparable { other } => {
                    ("comparable prefixes", Some(layout.keyspace(*other).name.as_str()))
                }
            };
            CounterexampleObject::Allocation { fault, other, row: row(layout, found) }
        }
        Fault::Indexed { missing, a, b, entry, .. } => CounterexampleObject::Index {
            missing: missing.clone(),
            rows: [a, b].map(|found| row(layout, found)),
            entry: hex(entry),
        },
        Fault::Splittable { row: found, cuts, separators } => {
            let keyspace = layout.keyspace(claim.keyspace);
            let split = claim.split.and_then(|index| keyspace.splits.get(index));
            let parts = split.map_or_else(Vec::new, |split| split.parts(&found.key, cuts));
            CounterexampleObject::Split {
                cuts: cuts.clone(),
                separators: separators.clone(),
                parts: parts.into_iter().map(hex).collect(),
                row: row(layout, found),
            }
        }
    }
}

fn readings<'a>(layout: &'a Layout, rows: [&Row; 2]) -> KeyObject<'a> {
    let reading = |row: &Row| ReadingObject {
        keyspace: &layout.keyspace(row.keyspace).name,
        fields: fields(layout, row.keyspace, &row.fields),
    };
    KeyObject { key: hex(&rows[0].key), readings: rows.iter().map(|row| reading(row)).collect() }
}

fn row<'a>(layout: &'a Layout, row: &Row) -> RowObject<'a> {
    RowObject {
        key: hex(&row.key),
        keyspace: &layout.keyspace(row.keyspace).name,
        fields: fields(layout, row.keyspace, &row.fields),
    }
}

/// Returns a value of an unknown type.
pub(crate) fn datum_json(datum: &Datum) -> Box<RawValue> {
    let mut text = Vec::new();
    put_datum(None, datum, &mut text);
    raw(text)
}

fn fields(layout: &Layout, keyspace: KeyspaceId, record: &Record) -> Box<RawValue> {
    record_json(&layout.keyspace(keyspace).key, record)
}

/// Returns the fields of a record as an object.
pub(crate) fn record_json(segments: &[Segment], record: &Record) -> Box<RawValue> {
    let mut text = Vec::new();
    put_record(segments, record, &mut text);
    raw(text)
}

fn raw(text: Vec<u8>) -> Box<RawValue> {
    let raw = String::from_utf8(text).ok().and_then(|text| RawValue::from_string(text).ok());
    // INVARIANT: `write` produces JSON; the round-trip tests show it.
    raw.unwrap_or_else(|| RawValue::NULL.to_owned())
}
