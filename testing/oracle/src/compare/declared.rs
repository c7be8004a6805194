//! KS005 to KS009.

use super::{LONG, Outcome, ensure, ensure_true, find_row, outcome, same};
use crate::oracle::Oracle;
use keyscape_layout::{Backend, Datum, model::KeyspaceId};
use keyscape_prover::{AllocationFault, Claim, Counterexample, Fault, Row};
use std::collections::BTreeSet;

pub(super) fn lossless(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let singles = oracle.singles(claim.keyspace);
    let single = singles.iter().find(|single| Some(&single.path) == claim.field.as_ref());
    let single = single.ok_or_else(|| format!("there is no field {:?}", claim.field))?;
    let shortest = single.shortest_shared();
    let Some(counterexample) = refuted else {
        same("the shortest bytes of two values", &None, &shortest)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Lossless { a, b, bytes } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    ensure_true(a != b, "the two values are one")?;
    for datum in [a, b] {
        let Datum::Leaf(value) = datum else { return Err("not a single value".into()) };
        let word = (value.clone(), bytes.clone());
        ensure(single.words.contains(&word), || format!("{datum:?} does not have these bytes"))?;
    }
    if counterexample.minimal {
        same("the shortest bytes of two values", &Some(bytes.len()), &shortest)?;
    }
    Ok(outcome(counterexample))
}

pub(super) fn bounded(
    oracle: &Oracle<'_>,
    claim: &Claim,
    given: Option<&'static Backend>,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let backend = given.or(oracle.layout.store(claim.store).backend);
    let backend = backend.ok_or("there is no backend")?;
    let shortest = oracle.shortest_refused(claim.keyspace, backend);
    let Some(counterexample) = refuted else {
        same("the shortest key that is refused", &None, &shortest)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Bounded { backend: shown, row, length: reported, long, record } =
        &counterexample.fault
    else {
        return Err("a fault of another rule".into());
    };
    same("the backend", &shown.name, &backend.name)?;
    same("the keyspace of the key", &row.keyspace, &claim.keyspace)?;
    exists(oracle, row)?;
    same("whether records count", &record.is_some(), &oracle.has_records(row.keyspace, backend))?;
    let mut length = row.key.len();
    if *reported > LONG {
        return long_key(oracle, row.keyspace, backend, *reported)
            .map(|()| outcome(counterexample));
    }
    if let Some(record) = record {
        length = record.bytes.len();
        let rows = oracle.rows(row.keyspace).iter();
        let own = rows.filter(|own| own.key == row.key).any(|own| {
            record.bytes.starts_with(&oracle.record_start(own))
                && oracle.record_lengths(own).contains(&length)
        });
        ensure_true(own, "there is no such record")?;
    }
    same("the length of the key", reported, &length)?;
    let refused = length > backend.longest_key || (length == 0 && !backend.empty_key);
    ensure_true(refused, "the backend takes the key")?;
    if let Some(long) = long {
        exists(oracle, long)?;
        ensure_true(
            length == 0 && long.key.len() > backend.longest_key,
            "the other key is not too long",
        )?;
    } else if length == 0 {
        let rows = oracle.rows(row.keyspace).iter();
        let longest = rows.map(|row| row.key.len()).max().unwrap_or(0);
        ensure_true(
            longest <= backend.longest_key,
            "another key is too long, and it is not shown",
        )?;
    }
    if counterexample.minimal {
        same("the shortest key that is refused", &Some(length), &shortest)?;
    }
    Ok(outcome(counterexample))
}

/// Checks that a row exists. Encodes the fields of a row that is too long to be listed.
fn exists(oracle: &Oracle<'_>, row: &Row) -> Result<(), String> {
    if row.key.len() <= LONG {
        return find_row(oracle, row).map(|_| ());
    }
    let encoded = oracle.layout.keyspace(row.keyspace).encode(&row.fields);
    ensure_true(encoded.as_ref() == Ok(&row.key), "the long key is not that of its values")
}

/// Checks the length of a key that is too long to be listed. The gaps between the lengths of keys
/// are not larger above the listed rows than among them. The shortest rejected key is therefore
/// close to the limit.
fn long_key(
    oracle: &Oracle<'_>,
    id: KeyspaceId,
    backend: &Backend,
    length: usize,
) -> Result<(), String> {
    ensure_true(length > backend.longest_key, "the backend takes the key")?;
    let lengths: BTreeSet<usize> = oracle.rows(id).iter().map(|row| row.key.len()).collect();
    let gap = lengths.iter().zip(lengths.iter().skip(1)).map(|(a, b)| b - a).max();
    let is_near = gap.is_some_and(|gap| length - backend.longest_key <= gap);
    ensure(is_near || oracle.has_records(id, backend), || {
        format!("{length} bytes are not the shortest key that is too long")
    })
}

pub(super) fn allocated(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let answer = oracle.allocation(claim.keyspace).ok_or("the namespace has no rules")?;
    let Some(counterexample) = refuted else {
        ensure(answer.holds(), || format!("the prover has a proof, the oracle {answer:?}"))?;
        return Ok(Outcome::Proved);
    };
    let Fault::Allocated { fault, row } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    find_row(oracle, row)?;
    let shortest = match fault {
        AllocationFault::OutsideRange { range } => {
            let allocated = oracle.layout.keyspace(claim.keyspace).allocated.unwrap_or(0);
            same("the range", range, &allocated)?;
            answer.outside
        }
        AllocationFault::Nested { namespace, nested } => {
            answer.nested.get(&(*namespace, *nested)).copied()
        }
        AllocationFault::Retired { namespace, retired } => {
            let shown = answer.retired.get(&(*namespace, *retired));
            // The shortest key that begins with any retired prefix.
            shown.and_then(|_| answer.retired.values().min()).copied()
        }
        AllocationFault::Comparable { other } => answer.comparable.get(other).copied(),
    };
    let shortest = shortest.ok_or_else(|| format!("no such fault: {fault:?}, but {answer:?}"))?;
    if counterexample.minimal {
        same("the shortest key with this fault", &row.key.len(), &shortest)?;
    }
    Ok(outcome(counterexample))
}

pub(super) fn indexed(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let Some(counterexample) = refuted else {
        let without = oracle.without_entry(claim.keyspace);
        same("a row without an entry", &None, &without.map(|row| &row.fields))?;
        let several = oracle.with_several_entries(claim.keyspace);
        same("a row with several entries", &None, &several.map(|row| &row.fields))?;
        let confused = oracle.confused(claim.keyspace);
        same("rows with one entry", &None, &confused.map(|(a, b)| (&a.fields, &b.fields)))?;
        let unlisted = oracle.without_value(claim.keyspace);
        same("a row without an entry for a value", &None, &unlisted.map(|row| &row.fields))?;
        same("a write that breaks the index", &None, &oracle.broken_write(claim.keyspace))?;
        ensure_true(!oracle.has_ambiguous_value(claim.keyspace), "a value has several readings")?;
        return Ok(Outcome::Proved);
    };
    let Fault::Indexed { missing, a, b, entry, .. } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let map = oracle.layout.keyspace(claim.keyspace).of;
    for row in [a, b] {
        same("the map of a row", &Some(row.keyspace), &map)?;
        let entries = oracle.entries(claim.keyspace, find_row(oracle, row)?);
        let real = entries.iter().any(|known| known.key == *entry);
        ensure(real, || format!("{entry:?} is no entry of {:?}", row.fields))?;
    }
    ensure_true(a.key != b.key, "the two rows are one")?;
    let value = |row: &Row| row.fields.get(missing).cloned();
    ensure_true(value(a) != value(b), "the rows do not differ in the missing field")?;
    Ok(outcome(counterexample))
}

/// Checks a row of a map that is reported to have no entry in an index.
pub(super) fn without_entry(
    oracle: &Oracle<'_>,
    claim: &Claim,
    row: &Row,
) -> Result<Outcome, String> {
    let map = oracle.layout.keyspace(row.keyspace);
    let encoded = map.encode(&row.fields);
    ensure(encoded.as_ref() == Ok(&row.key), || format!("{row:?} is no row of `{}`", map.name))?;
    let listed = oracle.rows(row.keyspace).iter().find(|other| other.fields == row.fields);
    let has_entry = listed.is_some_and(|listed| !oracle.entries(claim.keyspace, listed).is_empty());
    ensure(!has_entry, || format!("{row:?} has an entry"))?;
    Ok(Outcome::RowsTried)
}
