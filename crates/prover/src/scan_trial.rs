//! Scans that ask with other bytes than the key's.
//!
//! Such a scan relates two encodings of one value, which no product of automata decides. Real
//! values are tried instead: a foreign or missed row refutes; otherwise the answer is unknown.

use crate::{
    check::Context,
    replay::{leading, scan_fault},
    scan_query::Interval,
    verdict::{Counterexample, Fault, Row, ScanFault, Unknown, Verdict},
};
use keyscape_layout::{
    Datum, Record, encode_segments, fields,
    model::{Asked, KeyspaceId, Scan, Segment, Type},
};

/// The most combinations of leading values, and the most rows of a keyspace.
const MAX_TRIED: usize = 4096;
/// How many values of a field behind the leading ones are tried.
const FOLLOWING: usize = 3;

pub(crate) fn check(context: &Context<'_>, id: KeyspaceId, scan: &Scan) -> Verdict {
    let Some(asked) = &scan.asked else {
        return Verdict::Unknown(Unknown::OtherCodec { tried: 0 });
    };
    let keyspace = context.layout.keyspace(id);
    let lead: Vec<&str> =
        scan.leading.iter().filter_map(|path| path.first()).map(String::as_str).collect();
    let own = sample_rows(context, id, &lead);
    let mut all: Vec<Row> = own.clone();
    for &other in &context.layout.space(keyspace.space).keyspaces {
        if other != id && !scan.also.contains(&other) {
            all.extend(sample_rows(context, other, &[]));
        }
    }
    all.sort_by(|a, b| a.key.cmp(&b.key));
    let mut best: Option<(usize, usize, Fault)> = None;
    let mut tried: Vec<Record> = Vec::new();
    for row in &own {
        let values = leading(scan, &row.fields);
        if tried.contains(&values) || tried.len() >= MAX_TRIED {
            continue;
        }
        let Some(interval) = interval(asked, &values) else { continue };
        let mut note = |row: &Row, fault: ScanFault| {
            let rank = (row.key.len(), interval.low.len());
            if best.as_ref().is_none_or(|(a, b, _)| rank < (*a, *b)) {
                let Interval { low: start, high: end } = interval.clone();
                let asked = values.clone();
                let fault = Fault::ScanExact { fault, asked, start, end, row: row.clone() };
                best = Some((rank.0, rank.1, fault));
            }
        };
        for row in own.iter().filter(|row| leading(scan, &row.fields) == values) {
            if let Some(fault) = scan_fault(id, scan, &values, interval.contains(&row.key), row) {
                note(row, fault);
            }
        }
        let from = all.partition_point(|row| *row.key < *interval.low);
        for row in all[from..].iter().take_while(|row| interval.contains(&row.key)) {
            if let Some(fault) = scan_fault(id, scan, &values, true, row) {
                note(row, fault);
            }
        }
        tried.push(values);
    }
    match best {
        Some((_, _, fault)) => {
            Verdict::Refuted(Box::new(Counterexample { fault, minimal: false, fixes: Vec::new() }))
        }
        None => Verdict::Unknown(Unknown::OtherCodec { tried: tried.len() }),
    }
}

fn interval(asked: &Asked, values: &Record) -> Option<Interval> {
    let encode = |segments: &[Segment]| {
        let mut given = Record::default();
        for field in fields(segments) {
            given.set(field.name.clone(), values.get(&field.name)?.clone());
        }
        let mut bytes = Vec::new();
        encode_segments(segments, &given, &mut bytes).ok()?;
        Some(bytes)
    };
    let low = encode(&asked.start)?;
    match &asked.end {
        None => Some(Interval::starting_with(&low)),
        Some(end) => Some(Interval { low, high: Some(encode(end)?) }),
    }
}

/// Real rows of a keyspace: many values of the fields in `wide`, few of the others.
fn sample_rows(context: &Context<'_>, id: KeyspaceId, wide: &[&str]) -> Vec<Row> {
    let keyspace = context.layout.keyspace(id);
    let records = sample_list(&keyspace.key, wide);
    let rows = records.into_iter().filter_map(|fields| {
        Some(Row { key: keyspace.encode(&fields).ok()?, keyspace: id, fields })
    });
    rows.collect()
}

fn sample_list(segments: &[Segment], wide: &[&str]) -> Vec<Record> {
    let mut records = vec![Record::default()];
    for segment in segments {
        let choices: Vec<Record> = match segment {
            Segment::Literal(_) => continue,
            Segment::Field(field) => {
                let limit = if wide.contains(&field.name.as_str()) { MAX_TRIED } else { FOLLOWING };
                sample_type(&field.ty, limit)
                    .into_iter()
                    .map(|datum| Record(vec![(field.name.clone(), datum)]))
                    .collect()
            }
            Segment::Option(option) => {
                let mut present = sample_list(&option.segments, wide);
                // With a guard, encoding refuses what does not fit.
                present.insert(0, Record::default());
                present
            }
        };
        let mut next = Vec::new();
        'fill: for record in &records {
            for choice in &choices {
                if next.len() == MAX_TRIED {
                    break 'fill;
                }
                let mut record = record.clone();
                record.0.extend(choice.0.iter().cloned());
                next.push(record);
            }
        }
        records = next;
    }
    records
}

fn sample_type(ty: &Type, limit: usize) -> Vec<Datum> {
    let all: Vec<Datum> = match ty {
        Type::Leaf(leaf) => leaf.codec.samples().into_iter().map(Datum::Leaf).collect(),
        Type::Enum(texts) => texts.iter().cloned().map(Datum::Name).collect(),
        Type::Composite(segments) => {
            sample_list(segments, &[]).into_iter().map(Datum::Record).collect()
        }
        Type::Variant(arms) => arms
            .iter()
            .flat_map(|arm| {
                let records = sample_list(&arm.segments, &[]).into_iter();
                records.map(|record| Datum::Arm(arm.name.clone(), record))
            })
            .collect(),
    };
    all.into_iter().take(limit).collect()
}
