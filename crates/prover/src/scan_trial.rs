//! Scans whose `as` encodes a field with another codec than the key.
//!
//! Such a scan relates two encodings of one value, which no product of automata decides. This
//! module tries real values instead. A foreign or missed row refutes the claim. If the leading
//! values are few, each of them is decided. Otherwise the verdict is unknown.

use crate::{
    context::Context,
    leaf_order::all_values,
    one_key::{self, Goal},
    replay::ScanClaim,
    scan_forms::{self, asked_interval},
    scan_query::Interval,
    verdict::{Fault, Row, Unknown, Verdict},
};
use keyscape_automata::{Budget, Meter, OverBudget};
use keyscape_codec::{Loss, Value};
use keyscape_layout::{
    Datum, Record, direct_field, field, fields, literal_prefix,
    model::{Asked, KeyspaceId, Leaf, Scan, Segment, Type},
};
use std::collections::HashSet;

/// The highest number of combinations of leading values, and of rows of a keyspace.
const MAX_TRIED: usize = 4096;
/// The highest number of values to try for a field after the leading ones.
const FOLLOWING: usize = 3;

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
        Some(fault) => Verdict::refuted(fault, false),
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
                let fault = claim.fault(&values, &theirs, &found.row)?;
                return Some(Verdict::refuted(fault, false));
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

/// Returns real rows of a keyspace with the shortest encodings of one field.
pub(crate) fn rows_by_words(context: &Context<'_>, id: KeyspaceId, name: &str) -> Vec<Row> {
    let keyspace = context.layout.keyspace(id);
    let Some(Type::Leaf(leaf)) = field(&keyspace.key, name).map(|field| &*field.ty) else {
        return Vec::new();
    };
    let dfa = leaf.language.over();
    // Long keys would have too many readings.
    let words = dfa.words(WORDS).into_iter().filter(|word| word.len() <= SHORT);
    let values: Vec<Value> = words.filter_map(|word| leaf.codec.decode(&word).ok()).collect();
    let mut rows = Vec::new();
    let meter = &mut Meter::new(context.budget());
    for base in sample_rows(context, id, &[]).into_iter().take(FOLLOWING) {
        for value in &values {
            // The charge includes decoding the row.
            if meter.steps(4 * STEPS_PER_VALUE * base.fields.0.len()).is_err() {
                return rows;
            }
            let mut fields = base.fields.clone();
            let Some((_, datum)) = fields.0.iter_mut().find(|(known, _)| known == name) else {
                break;
            };
            *datum = Datum::Leaf(value.clone());
            let key = keyspace.encode(&fields).ok();
            rows.extend(key.map(|key| Row { key, keyspace: id, fields }));
        }
    }
    rows
}

/// The number of rows after which no further keyspace is tried.
const MAX_ROWS: usize = 1 << 15;

/// The highest number of encodings of a field to try, and their greatest length.
const WORDS: usize = 1024;
const SHORT: usize = 8;

/// Returns the smallest fault among real rows. `interval_of` returns the interval of a scan for the
/// leading fields of a row. All keys in the interval begin with `prefix`.
pub(crate) fn refute(
    claim: ScanClaim<'_>,
    prefix: &[u8],
    interval_of: &mut dyn FnMut(&Row) -> Option<Interval>,
) -> Option<Fault> {
    let ScanClaim { context, keyspace: id, scan } = claim;
    let lead: Vec<&str> =
        scan.leading.iter().filter_map(|path| path.first()).map(String::as_str).collect();
    let own = sample_rows(context, id, &lead);
    let mut all: Vec<Row> = own.clone();
    for &other in &context.layout.space(context.layout.keyspace(id).space).keyspaces {
        if all.len() > MAX_ROWS {
            break;
        }
        let theirs = context.layout.keyspace(other).literal_prefix();
        if other != id && (theirs.starts_with(prefix) || prefix.starts_with(&theirs)) {
            let Ok(rows) = try_sample_rows(context, other, &lead) else { break };
            all.extend(rows);
        }
    }
    all.sort_by(|a, b| a.key.cmp(&b.key));
    let meter = &mut Meter::new(context.budget());
    let mut best: Option<((usize, usize), Fault)> = None;
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
            if let Some(fault) = claim.fault(&asked, &interval, row) {
                best = Some((rank, fault));
            }
        }
    }
    best.map(|(_, fault)| fault)
}

/// Returns the requested interval for some values, if they contain all its fields as a whole.
fn interval_for(scan: &Scan, asked: &Asked, values: &Record) -> Option<Interval> {
    let is_whole = |name: &String| scan.leading.iter().any(|path| path[..] == [name.as_str()]);
    let mut parts = std::iter::once(&asked.start).chain(&asked.end).flat_map(|part| fields(part));
    let has_all = parts.all(|field| is_whole(&field.name) && values.get(&field.name).is_some());
    asked_interval(asked, values).ok().filter(|_| has_all)
}

/// Returns real rows of a keyspace, with many values of the fields in `wide` and few of the others.
/// Returns no rows if the work exceeds the budget.
pub(crate) fn sample_rows(context: &Context<'_>, id: KeyspaceId, wide: &[&str]) -> Vec<Row> {
    try_sample_rows(context, id, wide).unwrap_or_default()
}

/// Like [`sample_rows`], but returns an error if the work exceeds the budget.
///
/// # Errors
/// [`OverBudget`] if the work exceeds the budget.
pub(crate) fn try_sample_rows(
    context: &Context<'_>,
    id: KeyspaceId,
    wide: &[&str],
) -> Result<Vec<Row>, OverBudget> {
    let keyspace = context.layout.keyspace(id);
    let meter = &mut Meter::new(context.budget());
    let records = sample_list(&keyspace.key, wide, meter)?;
    let mut rows = Vec::with_capacity(records.len());
    for fields in records {
        meter.steps(STEPS_PER_VALUE * fields.0.len())?;
        let key = keyspace.encode(&fields).ok();
        rows.extend(key.map(|key| Row { key, keyspace: id, fields }));
    }
    Ok(rows)
}

/// The elementary steps to copy or encode a value, or to find a sample.
const STEPS_PER_VALUE: usize = 48;

/// The elementary steps to list the samples of a codec. Integers have a thousand samples.
const STEPS_PER_SAMPLING: usize = 8192;

fn sample_list(
    segments: &[Segment],
    wide: &[&str],
    meter: &mut Meter<'_>,
) -> Result<Vec<Record>, OverBudget> {
    let mut records = vec![Record::default()];
    for segment in segments {
        let choices: Vec<Record> = match segment {
            Segment::Literal(_) | Segment::Derived(_) => continue,
            Segment::Field(field) => {
                let limit = if wide.contains(&field.name.as_str()) { MAX_TRIED } else { FOLLOWING };
                samples(&field.ty, limit, meter)?
                    .into_iter()
                    .map(|datum| Record(vec![(field.name.clone(), datum)]))
                    .collect()
            }
            Segment::Option(option) => {
                let mut present = sample_list(&option.segments, wide, meter)?;
                // Encoding rejects records that contradict the guard.
                present.insert(0, Record::default());
                present
            }
        };
        if let [only] = choices.as_slice() {
            meter.steps(STEPS_PER_VALUE * records.len())?;
            records.iter_mut().for_each(|record| record.0.extend(only.0.iter().cloned()));
            continue;
        }
        let mut next = Vec::new();
        'fill: for record in &records {
            for choice in &choices {
                if next.len() == MAX_TRIED {
                    break 'fill;
                }
                meter.steps(STEPS_PER_VALUE * (record.0.len() + 1))?;
                let mut record = record.clone();
                record.0.extend(choice.0.iter().cloned());
                next.push(record);
            }
        }
        records = next;
    }
    Ok(records)
}

/// Returns at most `limit` values of a type. Returns no values if the work exceeds the budget.
pub(crate) fn sample_type(ty: &Type, limit: usize) -> Vec<Datum> {
    samples(ty, limit, &mut Meter::new(Budget::default())).unwrap_or_default()
}

fn samples(ty: &Type, limit: usize, meter: &mut Meter<'_>) -> Result<Vec<Datum>, OverBudget> {
    let all: Vec<Datum> = match ty {
        Type::Leaf(leaf) => {
            meter.steps(STEPS_PER_SAMPLING)?;
            let samples = leaf_samples(leaf);
            meter.steps(STEPS_PER_VALUE * samples.len())?;
            samples.into_iter().map(Datum::Leaf).collect()
        }
        Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
        Type::List(list) => {
            let elements = samples(&list.element, FOLLOWING, meter)?;
            let counts = [list.min, (list.min + 1).min(list.max), list.max];
            let lists = counts.iter().flat_map(|&count| {
                elements.iter().map(move |e| Datum::List(vec![e.clone(); count as usize]))
            });
            lists.collect()
        }
        Type::Composite(segments) => {
            sample_list(segments, &[], meter)?.into_iter().map(Datum::Record).collect()
        }
        Type::Variant(arms) => {
            let mut all = Vec::new();
            for arm in arms {
                let records = sample_list(&arm.segments, &[], meter)?.into_iter();
                all.extend(records.map(|record| Datum::Arm(arm.name.clone(), record)));
            }
            all
        }
    };
    Ok(all.into_iter().take(limit).collect())
}

/// Returns samples of a leaf, one per encoding, because rows are distinguished by their bytes.
fn leaf_samples(leaf: &Leaf) -> Vec<Value> {
    let mut samples = leaf.codec.samples();
    if leaf.codec.lossless() != Loss::None {
        samples.retain(|value| {
            let mut bytes = Vec::new();
            let encoded = leaf.codec.encode(value, &mut bytes);
            encoded.is_ok() && leaf.codec.decode(&bytes).as_ref() == Ok(value)
        });
    }
    samples
}

/// Whether [`sample_rows`] with all fields in `wide` returns all rows of a key.
pub(crate) fn has_only_samples(key: &[Segment]) -> bool {
    count(key, MAX_TRIED).is_some_and(|count| count <= MAX_TRIED)
}

/// Returns all values of a type, if they are few. For a lossy codec, one value per encoding.
pub(crate) fn all_of_type(ty: &Type) -> Option<Vec<Datum>> {
    let count = count_type(ty).filter(|&count| count <= MAX_TRIED)?;
    let all = sample_type(ty, MAX_TRIED);
    (all.len() == count).then_some(all)
}

/// Returns the number of records of a list of segments, if [`sample_list`] yields all of them.
/// `limit` applies to each field.
fn count(segments: &[Segment], limit: usize) -> Option<usize> {
    segments.iter().try_fold(1_usize, |before, segment| {
        let here = match segment {
            Segment::Literal(_) | Segment::Derived(_) => 1,
            Segment::Field(field) => count_type(&field.ty).filter(|&count| count <= limit)?,
            Segment::Option(option) => count(&option.segments, limit)? + 1,
        };
        before.checked_mul(here).filter(|&count| count <= MAX_TRIED)
    })
}

fn count_type(ty: &Type) -> Option<usize> {
    match ty {
        Type::Leaf(leaf) => {
            let count = leaf_samples(leaf).len();
            let words = leaf.language.exact()?;
            (words.count_words(count + 1) == count).then_some(count)
        }
        Type::Enum(of) => Some(of.texts.len()),
        // Samples of lists repeat one element, so they are incomplete.
        Type::List(_) => None,
        Type::Composite(segments) => count(segments, FOLLOWING),
        Type::Variant(arms) => arms.iter().map(|arm| count(&arm.segments, FOLLOWING)).sum(),
    }
}
