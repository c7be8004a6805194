//! Claims and mistakes as JSON: one object per line.

use keyscape_diagnostics::{
    bytes::hex,
    claim::{unknown_reason, warnings},
    json::{put_datum, put_record},
};
use keyscape_layout::{
    Datum, Diagnostic, Layout, Record, Sources, Span,
    model::{KeyspaceId, Segment},
};
use keyscape_prover::{
    AllocationFault, Claim, Counterexample, Fault, Partner, Row, ScanFault, ScannedRow, Verdict,
};
use serde::Serialize;
use serde_json::{Value, json};

/// A mistake.
#[derive(Debug, Serialize)]
pub struct ErrorLine {
    /// `file`, `layout` or `accept`.
    pub error: &'static str,
    pub message: String,
    /// The file that cannot be read; a mistake in a file has its name in `span`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A [`span_object`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl ErrorLine {
    /// Describes a mistake of a layout.
    pub fn new(sources: &Sources, diagnostic: &Diagnostic) -> Self {
        Self {
            error: "layout",
            message: diagnostic.message.clone(),
            file: None,
            span: Some(span_object(sources, diagnostic.span)),
            help: diagnostic.help.clone(),
        }
    }
}

/// Returns a claim with its verdict.
pub fn claim_object(layout: &Layout, claim: &Claim) -> Value {
    let keyspace = layout.keyspace(claim.keyspace);
    let (verdict, found, reason) = match &claim.verdict {
        Verdict::Proved => ("proved", None, None),
        Verdict::Refuted(found) => ("refuted", Some(&**found), None),
        Verdict::Unknown(unknown) => ("unknown", None, Some(unknown_reason(layout, unknown))),
    };
    let warnings = warnings(layout, std::slice::from_ref(claim), claim).into_iter();
    let warning = |text: keyscape_diagnostics::message::Message| {
        present(json!({"message": text.title, "help": text.help}))
    };
    // A fault without another keyspace is in the counterexample.
    let is_listed = |found: &&Partner| found.keyspace.is_some() || found.undecided.is_some();
    let partners = claim.partners.iter().filter(is_listed);
    let shape = |found: &Counterexample| counterexample(layout, claim, &found.fault);
    present(json!({
        "rule": claim.rule.code(),
        "store": layout.store(claim.store).name,
        "keyspace": keyspace.name,
        "scan": claim.scan.and_then(|index| keyspace.scans.get(index)).map(|scan| &scan.name),
        "split": claim.split.and_then(|index| keyspace.splits.get(index)).map(|split| &split.name),
        "field": claim.field,
        "verdict": verdict,
        // The bytes that may follow the leading part of a scan that is exact in its tight form.
        "tight": claim.tight.as_ref().map(|form| {
            present(json!({"low": hex(&form.low), "high": form.high.as_deref().map(hex)}))
        }),
        "plain": claim.plain.as_deref().map(shape),
        "warnings": unless_empty(warnings.map(warning)),
        "accepted": claim.accepted,
        "partners": unless_empty(partners.map(|found| partner(layout, found))),
        "counterexample": found.map(shape),
        "minimal": found.map(|found| found.minimal),
        "span": span_object(&layout.sources, claim.span),
        "fix": found.map_or_else(Vec::new, |found| fixes(&layout.sources, found)),
        "reason": reason,
    }))
}

/// Removes the members that are `null`, because they do not apply.
pub(crate) fn present(mut object: Value) -> Value {
    if let Value::Object(members) = &mut object {
        members.retain(|_, value| !value.is_null());
    }
    object
}

fn unless_empty(list: impl Iterator<Item = Value>) -> Option<Vec<Value>> {
    Some(list.collect()).filter(|list: &Vec<Value>| !list.is_empty())
}

/// Returns a place in a file. Lines and columns start at one, columns count characters, the end is
/// exclusive.
pub fn span_object(sources: &Sources, span: Span) -> Value {
    let (start, end) = (sources.start(span), sources.end(span));
    json!({
        "file": path(sources, span),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}

fn path(sources: &Sources, span: Span) -> &str {
    sources.get(span.file).map_or("", |file| &file.path)
}

fn partner(layout: &Layout, found: &Partner) -> Value {
    let reason = found.undecided.as_ref().map(|reason| unknown_reason(layout, reason));
    present(json!({
        "keyspace": found.keyspace.map(|id| &layout.keyspace(id).name),
        "verdict": if reason.is_some() { "unknown" } else { "refuted" },
        "accepted": found.accepted,
        "reason": reason,
    }))
}

/// Lists the fixes. `edit` applies one: `text` replaces the bytes from `start` to `end`, exclusive.
fn fixes(sources: &Sources, found: &Counterexample) -> Vec<Value> {
    let fixes = found.fixes.iter().map(|fix| {
        let edit = json!({
            "file": path(sources, fix.replaces),
            "start": fix.replaces.start,
            "end": fix.replaces.end,
            "text": fix.edit,
        });
        present(json!({
            "text": fix.text,
            "effect": fix.effect.words(),
            "replaces": span_object(sources, fix.replaces),
            "edit": edit,
            "idle_accepts": Some(&fix.idle_accepts).filter(|accepts| !accepts.is_empty()),
        }))
    });
    fixes.collect()
}

/// Returns a counterexample, whose members depend on the rule.
fn counterexample(layout: &Layout, claim: &Claim, fault: &Fault) -> Value {
    let row = |found: &Row| row(layout, found);
    match fault {
        Fault::Disjoint { collisions, more } => {
            let collisions = collisions.iter();
            let collisions = collisions.map(|found| readings(layout, [&found.here, &found.there]));
            json!({"collisions": collisions.collect::<Vec<_>>(), "more": more})
        }
        Fault::Unambiguous { a, b } => readings(layout, [a, b]),
        Fault::ScanExact(ScannedRow { fault, asked, interval, row: found }) => present(json!({
            "fault": match fault {
                ScanFault::Foreign => "foreign",
                ScanFault::Missed => "missed",
            },
            "asked": fields(layout, claim.keyspace, asked),
            "start": hex(&interval.low),
            "end": interval.high.as_deref().map(hex),
            "row": row(found),
        })),
        Fault::Ordered { lower, higher } => json!({
            "disorder": if lower.key == higher.key { "tied" } else { "reversed" },
            "lower": row(lower),
            "higher": row(higher),
        }),
        Fault::Lossless { a, b, bytes } => {
            json!({"values": [datum_json(a), datum_json(b)], "bytes": hex(bytes)})
        }
        // `length` is that of the key or record.
        Fault::Bounded { backend, row: found, length, long, record } => present(json!({
            "backend": backend.name,
            "longest_key": backend.longest_key,
            "length": length,
            "row": row(found),
            "long": long.as_ref().map(row),
            "record": record.as_ref().map(|record| hex(&record.bytes)),
        })),
        Fault::Allocated { fault, row: found } => {
            let (fault, other) = match fault {
                AllocationFault::OutsideRange { .. } => ("outside range", None),
                AllocationFault::Nested { .. } => ("nested outside ranges", None),
                AllocationFault::Retired { .. } => ("retired prefix", None),
                AllocationFault::Comparable { other } => {
                    ("comparable prefixes", Some(&layout.keyspace(*other).name))
                }
            };
            present(json!({"fault": fault, "other": other, "row": row(found)}))
        }
        Fault::Indexed { missing, a, b, entry, .. } => {
            json!({"missing": missing, "rows": [row(a), row(b)], "entry": hex(entry)})
        }
        Fault::Splittable { row: found, cuts, separators } => {
            let split =
                claim.split.and_then(|index| layout.keyspace(claim.keyspace).splits.get(index));
            let parts = split.map_or_else(Vec::new, |split| split.parts(&found.key, cuts));
            let parts: Vec<String> = parts.into_iter().map(hex).collect();
            json!({"cuts": cuts, "separators": separators, "parts": parts, "row": row(found)})
        }
    }
}

/// Returns a key with two readings.
fn readings(layout: &Layout, rows: [&Row; 2]) -> Value {
    let reading = |row: &Row| {
        let fields = fields(layout, row.keyspace, &row.fields);
        json!({"keyspace": layout.keyspace(row.keyspace).name, "fields": fields})
    };
    json!({"key": hex(&rows[0].key), "readings": rows.map(reading)})
}

/// Returns a key with one reading.
fn row(layout: &Layout, row: &Row) -> Value {
    json!({
        "key": hex(&row.key),
        "keyspace": layout.keyspace(row.keyspace).name,
        "fields": fields(layout, row.keyspace, &row.fields),
    })
}

fn fields(layout: &Layout, keyspace: KeyspaceId, record: &Record) -> Value {
    record_json(&layout.keyspace(keyspace).key, record)
}

/// Returns a value of an unknown type.
pub(crate) fn datum_json(datum: &Datum) -> Value {
    let mut text = Vec::new();
    put_datum(None, datum, &mut text);
    parsed(&text)
}

/// Returns the fields of a record as an object.
pub(crate) fn record_json(segments: &[Segment], record: &Record) -> Value {
    let mut text = Vec::new();
    put_record(segments, record, &mut text);
    parsed(&text)
}

fn parsed(text: &[u8]) -> Value {
    // INVARIANT: `put_datum` and `put_record` write JSON; the round-trip tests show it.
    serde_json::from_slice(text).unwrap_or_default()
}
