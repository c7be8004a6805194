//! KS010: a split cuts keys exactly at their separators.
//!
//! Each `split` of a keyspace makes one claim. A separator of a row is an occurrence of the bytes
//! within adjacent literals of the layout. The claim holds if, for every row, the split cuts the
//! key exactly at its separators:
//!
//! - `at S` cuts at every occurrence, from left to right and without overlap,
//! - `at first S` cuts at the first of these, `at last S` at the last occurrence. Neither considers
//!   occurrences completely inside the literal prefix.
//!
//! A field that contains the separator, or ends with the start of the separator, refutes the claim.

use crate::{
    context::Context,
    occurrence::{Sought, stray},
    replay,
    sample::{STEPS_PER_VALUE, has_only_samples, rows_by_words, sample_rows},
    verdict::{Fault, Row, Verdict},
};
use keyscape_automata::{Meter, OverBudget};
use keyscape_codec::Value;
use keyscape_layout::{
    Datum, Side, derived_places, fields,
    model::{KeyspaceId, Place, Split},
};

pub(crate) fn check(context: &Context<'_>, keyspace: KeyspaceId, split: &Split) -> Verdict {
    let find = |side| shortest(context, keyspace, split, side);
    let replay = |key: &Vec<u8>, side| {
        let rows = context.reader.rows(key, keyspace);
        let row = rows.into_iter().find(|row| wrong(context, split, row.clone()).is_some())?;
        let row = with_small_integers(context, split, row);
        let minimal = side == Side::Over && row.key.len() <= key.len();
        Some((wrong(context, split, row)?, minimal))
    };
    replay::decide(context, &[keyspace], find, replay, || by_trial(context, keyspace, split))
}

/// Decides a key with derived bytes on real rows, if one refutes the claim or all of them are
/// tried. A digest can contain any byte.
fn by_trial(context: &Context<'_>, keyspace: KeyspaceId, split: &Split) -> Option<Verdict> {
    let key = &context.layout.keyspace(keyspace).key;
    if derived_places(key).is_empty() {
        return None;
    }
    let fields = fields(key);
    if has_only_samples(key) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let mut rows = sample_rows(context, keyspace, &names).ok()?;
        rows.sort_by_key(|row| row.key.len());
        let found = rows.into_iter().find_map(|row| wrong(context, split, row));
        return Some(found.map_or(Verdict::Proved, |fault| Verdict::refuted(fault, true)));
    }
    let rows = fields.into_iter().flat_map(|f| rows_by_words(context, keyspace, &f.name));
    let found = rows.into_iter().find_map(|row| wrong(context, split, row));
    found.map(|fault| Verdict::refuted(fault, false))
}

/// Returns a shortest key of an automaton that the split cuts wrongly.
fn shortest(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    split: &Split,
    side: Side,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let machine = context.reader.machine(&[keyspace], side)?;
    let Some(track) = machine.track(keyspace) else { return Ok(None) };
    let of = context.layout.keyspace(keyspace);
    let last = split.separator.len().saturating_sub(1) as u32;
    let starts = split.separators(&of.key).into_iter();
    let sought = Sought {
        bytes: &split.separator,
        cut: split.cut,
        ends: starts.map(|start| Place(start.0 + last)).collect(),
        prefix: of.literal_prefix().len() as u32,
        until: None,
    };
    stray(&machine, track, &[machine.start()], &sought, context.budget())
}

/// Returns a row of the same length with small integers that has the same fault, as far as the
/// budget allows. Pool 124 is easier to read than 8962551804317491553.
fn with_small_integers(context: &Context<'_>, split: &Split, mut row: Row) -> Row {
    let keyspace = context.layout.keyspace(row.keyspace);
    let meter = &mut Meter::new(context.budget());
    for at in 0..row.fields.0.len() {
        for n in 0..=255_u8 {
            let integer = match row.fields.0.get(at) {
                Some((_, Datum::Leaf(Value::Uint(_)))) => Value::Uint(n.into()),
                Some((_, Datum::Leaf(Value::Int(_)))) => Value::Int(n.into()),
                _ => break,
            };
            if meter.steps(STEPS_PER_VALUE * row.fields.0.len()).is_err() {
                return row;
            }
            let mut fields = row.fields.clone();
            if let Some((_, datum)) = fields.0.get_mut(at) {
                *datum = Datum::Leaf(integer);
            }
            let key = keyspace.encode(&fields).ok().filter(|key| key.len() == row.key.len());
            let smaller = key.map(|key| Row { key, keyspace: row.keyspace, fields });
            let is_wrong = |smaller: &Row| wrong(context, split, smaller.clone()).is_some();
            if let Some(smaller) = smaller.filter(is_wrong) {
                row = smaller;
                break;
            }
        }
    }
    row
}

/// Returns the fault of a row, if the split does not cut it at its separators.
fn wrong(context: &Context<'_>, split: &Split, row: Row) -> Option<Fault> {
    let keyspace = context.layout.keyspace(row.keyspace);
    let cuts = split.cuts(&row.key, keyspace.literal_prefix().len());
    let separators = split.declared_cuts(keyspace, &row.fields)?;
    (cuts != separators).then_some(Fault::Splittable { row, cuts, separators })
}
