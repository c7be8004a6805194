//! KS114: every key of a half-migrated store is known to be old or new.
//!
//! A run in place reads each store in key order and saves the last key with every commit. A row
//! that keeps its key is identified by its position. A row that gets another key may be read later,
//! so no old row whose bytes change may have that key.

use super::{
    Action, Migration, Piece,
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    make::{Flow, part, set_part},
    resolve::{has_structures, space_name},
    row::fields_with_presence,
};
use crate::{
    compare::{Comparison, Direction},
    report::{Readings, Unknown},
};
use keyscape_layout::{
    Datum, Record,
    model::{KeyspaceId, Type},
};
use keyscape_prover::Row;

/// Decides the claim for one piece that moves rows to other keys.
pub(super) fn check(of: MovedPiece<'_>) -> Verdict {
    let MovedPiece { migration, piece, moved, budget } = of;
    if moved.keeps_all() {
        return Verdict::Proved;
    }
    if has_structures(migration.new, moved.to) || has_structures(migration.old, piece.from) {
        return records_are_copied();
    }
    if moved.keeps_key {
        return Verdict::Proved;
    }
    let comparison = Comparison::new(migration.old, migration.new, budget);
    let question = comparison.question(Direction::Forward, moved.to, None);
    let to = space_name(migration.new, moved.to);
    let mut unknown = None;
    for other in changing(migration) {
        if space_name(migration.old, other) != to {
            continue;
        }
        if has_structures(migration.old, other) {
            return records_are_copied();
        }
        let Readings { old: row, new } = match comparison.first_misread(&question, &[other]) {
            Ok(Some(found)) => found.of,
            Ok(None) => continue,
            Err(reason) => {
                let reason = match reason {
                    Unknown::Budget(over) => over.into(),
                    _ => Undecided::inexact(),
                };
                unknown = unknown.or(Some(reason));
                continue;
            }
        };
        match source(of, &new) {
            Some(moved) if moved.key != row.key => {
                return Verdict::Refuted(MigrationFault::Both { row, moved });
            }
            // A row that moves to its own key is identified by its position, so other rows are
            // tried.
            _ => match meeting(of, other, &comparison) {
                Some(fault) => return Verdict::Refuted(fault),
                None => {
                    unknown = Some(Undecided::because(
                        "keys of old and new rows meet, but no row was found that moves to such a key",
                    ));
                }
            },
        }
    }
    unknown.map_or(Verdict::Proved, Verdict::Unknown)
}

fn records_are_copied() -> Verdict {
    Verdict::Unknown(Undecided::because("records of structures are moved only by copying"))
}

/// Looks among sample rows of the piece for one that moves to the key of another old row.
fn meeting(
    of: MovedPiece<'_>,
    other: KeyspaceId,
    comparison: &Comparison<'_>,
) -> Option<MigrationFault> {
    let mut rows = of.sample_rows();
    rows.sort_by_key(|row| row.key.len());
    rows.into_iter().find_map(|moving| {
        let key = of.new_key(&moving).filter(|key| *key != moving.key)?;
        let row = comparison.old.rows(&key, other).into_iter().find(|row| row.key == key)?;
        Some(MigrationFault::Both { row, moved: moving })
    })
}

/// Returns the old keyspaces with rows whose bytes change or that are deleted.
fn changing(migration: &Migration<'_>) -> Vec<KeyspaceId> {
    let stays = |piece: &Piece| match &piece.action {
        Action::Move(moved) => moved.keeps_all(),
        Action::Drop { .. } => false,
        Action::Derive { kept } => kept.is_some(),
    };
    let mut ids: Vec<KeyspaceId> =
        migration.pieces.iter().filter(|piece| !stays(piece)).map(|piece| piece.from).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns an old row of a piece that moves to the key of `new`, if one is found.
fn source(of: MovedPiece<'_>, new: &Row) -> Option<Row> {
    let base = of.row_with(&[]).ok()??;
    let row = of.row_of(before(of, &new.fields, base.fields)?)?;
    (of.new_key(&row)? == new.key).then_some(row)
}

/// Returns the fields of an old row, computed from its new row. Parts that the new row does not
/// determine are taken from `base`.
fn before(of: MovedPiece<'_>, new: &Record, base: Record) -> Option<Record> {
    let mut old = base;
    let flows = of.flows();
    for flow in &flows {
        let Some(datum) = part(new, &flow.target) else { continue };
        let value = match (&*flow.from, datum) {
            (Type::Variant(_) | Type::List(_), datum) => datum.clone(),
            (Type::Leaf(leaf), datum) => {
                let inverse = flow.convert.inverse(leaf.codec.kind())?;
                inverse.apply(&flow.to, &flow.from, datum)?
            }
            (from, datum) => flow.convert.apply(&flow.to, from, datum)?,
        };
        set_part(&mut old, &flow.source, value);
    }
    // Remove optional parts that the new row lacks.
    let parts = fields_with_presence(&of.old_type().parts);
    for (field, _) in parts.filter(|(_, is_optional)| *is_optional) {
        let is_own = |flow: &&Flow| flow.source.first() == Some(&field.name);
        if flows.iter().filter(is_own).all(|flow| part(new, &flow.target).is_none()) {
            old.0.retain(|(name, _)| *name != field.name);
        }
    }
    let is_known = |datum: &Datum| !matches!(datum, Datum::Record(inner) if inner.0.is_empty());
    old.0.iter().all(|(_, datum)| is_known(datum)).then_some(old)
}
