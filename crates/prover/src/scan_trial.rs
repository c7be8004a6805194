//! Scans whose `as` encodes a field with another codec than the key.
//!
//! Such a scan relates two encodings of one value, which no product of automata decides. This
//! module tries real values instead. A foreign or missed row refutes the claim. If the leading
//! values are few, each of them is decided. Otherwise the verdict is unknown.

use crate::{
    leaf_order::all_values,
    one_key::{self, Goal},
    replay::ScanClaim,
    sample::{STEPS_PER_VALUE, sample_rows},
    scan_forms::{self, asked_interval},
    scan_query::Interval,
    verdict::{Fault, Row, ScannedRow, Unknown, Verdict},
};
use keyscape_automata::Meter;
use keyscape_layout::{
    Datum, Record, direct_field, fields, literal_prefix,
    model::{Asked, Scan, Segment, Type},
};
use std::collections::HashSet;

pub(crate) fn check(claim: ScanClaim<'_>) -> Verdict {
    let scan = claim.scan;
    let Some(asked) = &scan.asked else {
        return Verdict::Unknown(Unknown::OtherCodec { tried: 0 });
    };
    let mut tried = 0;
    // Without an upper end, all requested keys begin with the literals of the start.
    let prefix = match asked.end {
        None => literal_prefix(&asked.start),
        Some(_) => Vec::new(),
    };
    let found = refute(claim, &prefix, &mut |row| {
        tried += 1;
        interval_for(scan, asked, &row.fields.select(&scan.leading))
    });
    match found {
        Some(found) => Verdict::refuted(Fault::ScanExact(found), false),
        None => by_values(claim, asked).unwrap_or(Verdict::Unknown(Unknown::OtherCodec { tried })),
    }
}

/// The highest number of combinations of leading values to decide one by one.
const FEW: usize = 300;

/// Decides the claim if the leading fields have few values. For each of them, compares the
/// requested interval with the derived one, which must be exact itself. If no key is in only one of
/// the two, both contain the same rows.
fn by_values(claim: ScanClaim<'_>, asked: &Asked) -> Option<Verdict> {
    let ScanClaim { context, keyspace: id, scan } = claim;
    let keyspace = context.layout.keyspace(id);
    let derived = Scan { asked: None, ..scan.clone() };
    if !scan.also.is_empty() {
        return None;
    }
    let records = leading_records(&keyspace.key, scan)?;
    let decision = scan_forms::check(ScanClaim { scan: &derived, ..claim });
    if !matches!((decision.verdict, decision.tight), (Verdict::Proved, None)) {
        return None;
    }
    for values in records {
        let prefix = keyspace.encode_until(&values, scan.end).ok()?;
        let own = Interval::starting_with(&prefix);
        let theirs = interval_for(scan, asked, &values)?;
        for between in differences(&own, &theirs) {
            for &other in &context.layout.space(keyspace.space).keyspaces {
                let Some(found) = one_key::find(context, other, &between, Goal::Inside).ok()?
                else {
                    continue;
                };
                let found = claim.scanned(&values, &theirs, &found.row)?;
                return Some(Verdict::refuted(Fault::ScanExact(found), false));
            }
        }
    }
    Some(Verdict::Proved)
}

/// Returns intervals that cover all strings in only one of two intervals.
fn differences(a: &Interval, b: &Interval) -> Vec<Interval> {
    let mut found = Vec::new();
    if a.low != b.low {
        let (low, high) = (a.low.clone().min(b.low.clone()), a.low.clone().max(b.low.clone()));
        found.push(Interval { low, high: Some(high) });
    }
    match (&a.high, &b.high) {
        (Some(x), Some(y)) if x != y => {
            found.push(Interval { low: x.min(y).clone(), high: Some(x.max(y).clone()) });
        }
        (Some(end), None) | (None, Some(end)) => {
            found.push(Interval { low: end.clone(), high: None });
        }
        _ => {}
    }
    found
}

/// Returns all values of the leading fields of a scan, if they are direct fields of the key with
/// few values.
fn leading_records(key: &[Segment], scan: &Scan) -> Option<Vec<Record>> {
    let mut records = vec![Record::default()];
    for path in &scan.leading {
        let [name] = &path[..] else { return None };
        let field = direct_field(key, name)?;
        let values: Vec<Datum> = match &*field.ty {
            Type::Leaf(leaf) => all_values(leaf)?.into_iter().map(Datum::Leaf).collect(),
            Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
            Type::Composite(_) | Type::Variant(_) | Type::List(_) => return None,
        };
        if values.len().saturating_mul(records.len()) > FEW {
            return None;
        }
        let with = |record: &Record, value: &Datum| {
            let mut record = record.clone();
            record.set(name.clone(), value.clone());
            record
        };
        records = records
            .iter()
            .flat_map(|record| values.iter().map(move |value| with(record, value)))
            .collect();
    }
    Some(records)
}

/// The number of rows after which no further keyspace is tried.
const MAX_ROWS: usize = 1 << 15;

/// Returns the shortest row at fault among real rows. `interval_of` returns the interval of a scan
/// for the leading fields of a row. All keys in the interval begin with `prefix`.
pub(crate) fn refute(
    claim: ScanClaim<'_>,
    prefix: &[u8],
    interval_of: &mut dyn FnMut(&Row) -> Option<Interval>,
) -> Option<ScannedRow> {
    let ScanClaim { context, keyspace: id, scan } = claim;
    let lead: Vec<&str> =
        scan.leading.iter().filter_map(|path| path.first()).map(String::as_str).collect();
    let own = sample_rows(context, id, &lead).unwrap_or_default();
    let mut all: Vec<Row> = own.clone();
    for &other in &context.layout.space(context.layout.keyspace(id).space).keyspaces {
        if all.len() > MAX_ROWS {
            break;
        }
        let theirs = context.layout.keyspace(other).literal_prefix();
        if other != id && (theirs.starts_with(prefix) || prefix.starts_with(&theirs)) {
            let Ok(rows) = sample_rows(context, other, &lead) else { break };
            all.extend(rows);
        }
    }
    all.sort_by(|a, b| a.key.cmp(&b.key));
    let meter = &mut Meter::new(context.budget());
    let mut best: Option<((usize, usize), ScannedRow)> = None;
    let mut tried = HashSet::new();
    'tried: for asked_row in &own {
        let asked = asked_row.fields.select(&scan.leading);
        if !tried.insert(format!("{asked:?}")) {
            continue;
        }
        let Some(interval) = interval_of(asked_row) else { continue };
        let from = all.partition_point(|row| *row.key < *interval.low);
        let inside = all[from..].iter().take_while(|row| interval.contains(&row.key));
        for row in std::iter::once(asked_row).chain(inside) {
            if meter.steps(STEPS_PER_VALUE).is_err() {
                break 'tried;
            }
            let rank = (row.key.len(), interval.low.len());
            if best.as_ref().is_some_and(|(known, _)| *known <= rank) {
                continue;
            }
            if let Some(found) = claim.scanned(&asked, &interval, row) {
                best = Some((rank, found));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// Returns the requested interval for some values, if they contain all its fields as a whole.
fn interval_for(scan: &Scan, asked: &Asked, values: &Record) -> Option<Interval> {
    let is_whole = |name: &String| scan.leading.iter().any(|path| path[..] == [name.as_str()]);
    let mut parts = std::iter::once(&asked.start).chain(&asked.end).flat_map(|part| fields(part));
    let has_all = parts.all(|field| is_whole(&field.name) && values.get(&field.name).is_some());
    asked_interval(asked, values).ok().filter(|_| has_all)
}
