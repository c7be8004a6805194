//! Scans: what each reads, and what was decided about it.

use super::{ClaimFacts, Decided, Example, Outcome, pattern};
use keyscape_layout::{
    Record, encode_segments,
    model::{Keyspace, KeyspaceId, Place, Scan, Segment, Type},
};
use keyscape_prover::{Interval, Query};

/// A declared read.
#[derive(Debug)]
pub(crate) struct ScanFacts {
    pub(crate) name: String,
    /// The paths of the leading fields.
    pub(crate) leading: Vec<String>,
    /// The fields in whose order rows come.
    pub(crate) by: Vec<String>,
    /// Keyspaces whose rows may lie between.
    pub(crate) also: Vec<String>,
    /// What the keys that it reads begin with: `0x02 {owner}`.
    pub(crate) begins: String,
    /// Where it ends, if the deployed code says so itself.
    pub(crate) ends: Option<String>,
    /// Which bytes follow the beginning, where only those are read: the first, and the first beyond.
    pub(crate) following: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// What it reads for the values of the example key.
    pub(crate) reads: Option<Reads>,
    /// Whether it reads its rows and no others.
    pub(crate) exact: Outcome,
    /// Whether its order holds.
    pub(crate) ordered: Option<Outcome>,
}

/// An interval of keys for real values.
#[derive(Debug)]
pub(crate) struct Reads {
    pub(crate) low: Vec<u8>,
    /// The first key beyond; `None` if it reads to the last key.
    pub(crate) high: Option<Vec<u8>>,
}

/// The scans of a keyspace.
pub(super) fn all(
    decided: Decided<'_>,
    id: KeyspaceId,
    example: Option<&Example>,
    claims: &[ClaimFacts],
) -> Vec<ScanFacts> {
    let keyspace = decided.layout.keyspace(id);
    let queries = decided.queries.get(id.0 as usize).map_or(&[][..], Vec::as_slice);
    let scans = keyspace.scans.iter().enumerate();
    scans
        .map(|(index, scan)| {
            let query = queries.get(index).and_then(Option::as_ref);
            let reads = example.and_then(|example| reads(keyspace, scan, query, &example.record));
            let outcome = |rule: &str| {
                let of =
                    |claim: &&ClaimFacts| claim.rule == rule && claim.scan_index == Some(index);
                claims.iter().find(of).map(|claim| claim.outcome)
            };
            let also = scan.also.iter().map(|&id| decided.layout.keyspace(id).name.clone());
            ScanFacts {
                name: scan.name.clone(),
                leading: scan.leading.iter().map(|path| path.join(".")).collect(),
                by: scan.by.clone(),
                also: also.collect(),
                begins: begins(keyspace, scan),
                ends: scan.asked.as_ref().and_then(|asked| {
                    asked.end.as_ref().map(|end| pattern::segments(end, pattern::Detail::Names))
                }),
                following: query.filter(|_| scan.asked.is_none()).and_then(following),
                reads,
                exact: outcome("KS003").unwrap_or(Outcome::Unknown),
                ordered: outcome("KS004"),
            }
        })
        .collect()
}

fn begins(keyspace: &Keyspace, scan: &Scan) -> String {
    match &scan.asked {
        Some(asked) => pattern::segments(&asked.start, pattern::Detail::Names),
        None => {
            let mut texts = Vec::new();
            until(&keyspace.key, 0, scan.end, "", &mut texts);
            texts.join(" ")
        }
    }
}

/// The segments before a place.
fn until(list: &[Segment], start: u32, end: Place, outer: &str, texts: &mut Vec<String>) {
    let mut at = start;
    for segment in list {
        let after = at + segment.places();
        if at >= end.0 {
            return;
        }
        match segment {
            Segment::Literal(literal) => {
                let taken = (end.0 - at) as usize;
                let bytes = literal.bytes.get(..taken).unwrap_or(&literal.bytes);
                let whole = bytes.len() == literal.bytes.len();
                texts.push(match &literal.call {
                    Some(call) if whole => call.clone(),
                    _ => pattern::literal(bytes, literal.is_text),
                });
            }
            Segment::Field(field) => {
                let path = if outer.is_empty() {
                    field.name.clone()
                } else {
                    format!("{outer}.{}", field.name)
                };
                match &*field.ty {
                    Type::Composite(inner) if after > end.0 => until(inner, at, end, &path, texts),
                    _ => texts.push(format!("{{{path}}}")),
                }
            }
            Segment::Derived(derived) => texts.push(format!("{{{}}}", derived.text())),
            Segment::Option(option) if after <= end.0 => {
                texts.push(format!(
                    "[{}]",
                    pattern::segments(&option.segments, pattern::Detail::Names)
                ));
            }
            Segment::Option(option) => until(&option.segments, at + 1, end, outer, texts),
        }
        at = after;
    }
}

/// What must follow the beginning, if not everything does.
fn following(query: &Query) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let Interval { low, high } = &query.interval;
    (!low.is_empty() || high.is_some()).then(|| (low.clone(), high.clone()))
}

fn reads(
    keyspace: &Keyspace,
    scan: &Scan,
    query: Option<&Query>,
    record: &Record,
) -> Option<Reads> {
    let interval = match (query, &scan.asked) {
        (Some(query), _) => {
            let prefix = keyspace.encode_until(record, query.place).ok()?;
            query.interval.behind(&prefix)
        }
        (None, Some(asked)) => {
            let low = asked_bytes(&asked.start, record)?;
            match &asked.end {
                None => Interval::starting_with(&low),
                Some(end) => Interval { low, high: Some(asked_bytes(end, record)?) },
            }
        }
        (None, None) => return None,
    };
    Some(Reads { low: interval.low, high: interval.high })
}

/// What the deployed code asks for, with the values of the example.
fn asked_bytes(segments: &[Segment], record: &Record) -> Option<Vec<u8>> {
    let mut own = Record::default();
    for field in keyscape_layout::fields(segments) {
        own.set(field.name.clone(), record.get(&field.name)?.clone());
    }
    let mut bytes = Vec::new();
    encode_segments(segments, &own, &mut bytes).ok()?;
    Some(bytes)
}
