//! The values of rows in both layouts: KS104, its part of KS106, and the entries of indexes.

use super::{
    Change,
    rows::{Both, same},
};
use crate::{Oracle, Row};
use keyscape_evolution::{Fault, ForwardFault, Report, Rule, ValueFault};
use keyscape_layout::{
    Datum, Layout, Record, fields,
    model::{KeyspaceId, RowValue, Take, Type, ValueSource},
};
use std::collections::BTreeSet;

/// Returns the readings of the bytes of a value: those in the declared form, or if there are none,
/// those in the form after `reads`.
fn readings<'a>(oracle: &'a Oracle<'_>, id: KeyspaceId, bytes: &[u8]) -> Vec<(&'a Row, &'a Type)> {
    let keyspace = oracle.layout.keyspace(id);
    let forms = [
        (oracle.values(id), keyspace.value.as_ref()),
        (oracle.older_values(id), keyspace.reads.as_ref()),
    ];
    let read = forms.into_iter().map(|(rows, form)| {
        let ty = form.and_then(described);
        let rows = rows.iter().filter(|row| row.key == bytes);
        rows.filter_map(|row| Some((row, ty?))).collect::<Vec<_>>()
    });
    read.into_iter().find(|read| !read.is_empty()).unwrap_or_default()
}

/// Returns the type of a form whose bytes are those of the type.
fn described(form: &RowValue) -> Option<&Type> {
    match form {
        RowValue::Typed(typed) if typed.wrapper.is_none() => Some(&typed.ty),
        _ => None,
    }
}

/// Whether the layout describes all values of a keyspace.
fn is_described(layout: &Layout, id: KeyspaceId) -> bool {
    let keyspace = layout.keyspace(id);
    let is_known = |form: &RowValue| described(form).is_some();
    keyspace.value.as_ref().is_some_and(is_known) && keyspace.reads.as_ref().is_none_or(is_known)
}

/// Returns the bytes of all values of a keyspace.
fn stored<'a>(oracle: &'a Oracle<'_>, id: KeyspaceId) -> BTreeSet<&'a [u8]> {
    oracle.values(id).iter().chain(oracle.older_values(id)).map(|row| &*row.key).collect()
}

fn value(row: &Row) -> &Datum {
    &row.fields.0[0].1
}

/// Compares KS104 of an old keyspace, and KS106 of the values of its counterpart. A finding must
/// show a value that the other layout does not read, or reads differently.
pub(super) fn compare(
    both: &Both<'_>,
    report: &Report,
    id: KeyspaceId,
) -> Result<Vec<(Rule, Change)>, String> {
    let Some(new) = both.new_of(id) else { return Ok(Vec::new()) };
    if !is_described(both.old.layout, id) || !is_described(both.new.layout, new) {
        return Ok(Vec::new());
    }
    let same =
        |old: &(&Row, &Type), new: &(&Row, &Type)| same((old.1, new.1), value(old.0), value(new.0));
    let is_same = |rule: Rule, bytes: &[u8]| {
        let (olds, news) = (readings(both.old, id, bytes), readings(both.new, new, bytes));
        // As for keys, the old layout may have more readings of a value that the new one writes.
        (rule == Rule::Forward || olds.iter().all(|old| news.iter().any(|new| same(old, new))))
            && news.iter().all(|new| olds.iter().any(|old| same(old, new)))
    };
    // A row may have been written in the older form although its bytes are read in the declared
    // one. Such rows were misread before, so they need not be found, but they may.
    let is_older_same = |bytes: &[u8]| {
        let news = readings(both.new, new, bytes);
        let older = both.old.layout.keyspace(id).reads.as_ref().and_then(described);
        let mut rows = both.old.older_values(id).iter().filter(|row| row.key == bytes);
        // An ambiguous new form has other readings beside the same one.
        let is_same = |row, ty| !news.is_empty() && news.iter().all(|new| same(&(row, ty), new));
        rows.all(|row| older.is_some_and(|ty| is_same(row, ty)))
    };
    let mut outcomes = Vec::new();
    let written = both.new.values(new).iter().map(|row| &*row.key).collect();
    for (rule, stored) in [(Rule::Value, stored(both.old, id)), (Rule::Forward, written)] {
        let of = |finding: &&keyscape_evolution::Finding| match rule {
            Rule::Value => finding.old == Some(id),
            _ => finding.new == Some(new),
        };
        let found = report.findings.iter().filter(|finding| finding.rule == rule).filter(of);
        let mut outcome = Change::Harmless;
        for finding in found {
            match &finding.fault {
                Ok(Fault::Value(fault) | Fault::Forward(ForwardFault::Value(fault))) => {
                    outcome = Change::FoundNotMinimal;
                    let ValueFault { example: Some(example), .. } = fault else { continue };
                    let bytes = &*example.bytes;
                    let is_fine =
                        is_same(rule, bytes) && (rule == Rule::Forward || is_older_same(bytes));
                    if !stored.contains(bytes) || is_fine {
                        return Err(format!("{rule:?}: nothing is wrong with the value {bytes:?}"));
                    }
                }
                // KS106 has one finding for a keyspace.
                _ => outcome = Change::Unknown,
            }
        }
        if outcome == Change::Harmless
            && let Some(bytes) = stored.iter().find(|bytes| !is_same(rule, bytes))
        {
            return Err(format!("{rule:?}: the value {bytes:?} is not found"));
        }
        outcomes.push((rule, outcome));
    }
    Ok(outcomes)
}

/// Returns a stored value with which the entries of a row differ in two layouts that read the value
/// alike.
pub(super) fn other_entries<'a>(
    both: &'a Both<'_>,
    (old, new): (KeyspaceId, KeyspaceId),
    (row, other): (&Row, &Row),
) -> Option<&'a [u8]> {
    let (before, after) = (both.old.layout, both.new.layout);
    if !is_described(before, row.keyspace) || !is_described(after, other.keyspace) {
        return None;
    }
    stored(both.old, row.keyspace).into_iter().find(|bytes| {
        let olds = readings(both.old, row.keyspace, bytes);
        let news = readings(both.new, other.keyspace, bytes);
        let ([a], [b]) = (&olds[..], &news[..]) else { return false };
        let entries = (
            entries(before, old, row, (value(a.0), a.1)),
            entries(after, new, other, (value(b.0), b.1)),
        );
        same((a.1, b.1), value(a.0), value(b.0)) && matches!(entries, (Some(a), Some(b)) if a != b)
    })
}

/// Returns the entries of a row with a value and its type. `None` if only the program can take a
/// field. The program takes all fields of older values, except single values of the declared kind.
fn entries(
    layout: &Layout,
    index: KeyspaceId,
    row: &Row,
    (value, ty): (&Datum, &Type),
) -> Option<BTreeSet<Vec<u8>>> {
    let keyspace = layout.keyspace(index);
    let form = layout.keyspace(row.keyspace).value.as_ref();
    let declared = form.and_then(described)?;
    let is_older = !std::ptr::eq(ty, declared);
    let kind = |ty: &Type| ty.leaf().map(|leaf| leaf.codec.kind());
    let is_same_kind = kind(ty).is_some() && kind(ty) == kind(declared);
    let mut records = vec![Record::default()];
    for field in fields(&keyspace.key) {
        let Some(from) = &field.from_value else {
            let datum = row.fields.get(&field.name);
            records.iter_mut().for_each(|record| {
                datum.iter().for_each(|datum| record.set(field.name.clone(), (*datum).clone()));
            });
            continue;
        };
        let source = match (field.value_source(form)?, value) {
            (ValueSource::Part(name), Datum::Record(record)) if !is_older => record.get(name),
            (ValueSource::Whole, value) if !is_older || is_same_kind => Some(value),
            _ => return None,
        };
        let taken: Vec<&Datum> = match (source, from.take) {
            (Some(Datum::List(elements)), Take::Each) => elements.iter().collect(),
            (source, _) => source.into_iter().collect(),
        };
        let with = |record: &Record, datum: &Datum| {
            let mut record = record.clone();
            record.set(field.name.clone(), datum.clone());
            record
        };
        records = records
            .iter()
            .flat_map(|r| taken.iter().map(|d| with(r, d)).collect::<Vec<_>>())
            .collect();
    }
    Some(records.iter().filter_map(|record| keyspace.encode(record).ok()).collect())
}

/// KS101, KS102 and KS106 of members and scores: without a finding, the other layout reads each of
/// them as the same value.
pub(super) fn check_parts(both: &Both<'_>, report: &Report, id: KeyspaceId) -> Result<(), String> {
    let Some(new) = both.new_of(id) else { return Ok(()) };
    let (before, after) = (both.old.layout.keyspace(id), both.new.layout.keyspace(new));
    let parts = [
        (
            before.member.as_ref().zip(after.member.as_ref()),
            both.old.members(id),
            both.new.members(new),
        ),
        (
            before.score.as_ref().zip(after.score.as_ref()),
            both.old.scores(id),
            both.new.scores(new),
        ),
    ];
    let is_found = |rules: &[Rule]| {
        let mut findings = report.findings.iter().filter(|found| rules.contains(&found.rule));
        findings.any(|found| found.old == Some(id) || found.new == Some(new))
    };
    for (types, olds, news) in parts {
        let Some((old_type, new_type)) = types else { continue };
        let is_same = |old: &Row, new: &Row| {
            old.key == new.key && same((old_type, new_type), value(old), value(new))
        };
        let gone = olds.iter().find(|old| !news.iter().any(|new| is_same(old, new)));
        let added = news.iter().find(|new| !olds.iter().any(|old| is_same(old, new)));
        for (row, rules) in [(gone, &[Rule::Lost, Rule::Reread][..]), (added, &[Rule::Forward])] {
            if let Some(row) = row.filter(|_| !is_found(rules)) {
                return Err(format!("{rules:?}: the part {:?} is not found", row.fields));
            }
        }
    }
    Ok(())
}
