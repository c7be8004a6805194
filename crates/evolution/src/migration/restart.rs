//! KS114: every key of a half-migrated store is known to be old or new.
//!
//! A run in place reads each store in the order of its keys, and saves the last one with every
//! commit. A row that keeps its key is known by its position. A row that gets another key may be
//! read later, so no old row whose bytes change may have that key.

use super::{
    Action, Migration, Piece,
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    fitting::rows_of,
    make::{Flow, part, set_part},
    resolve::space,
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
pub(super) fn check(of: MovedPiece<'_, '_>) -> Verdict {
    let MovedPiece { migration, piece, moved, budget } = of;
    if moved.keeps_all() {
        return Verdict::Proved;
    }
    let (to, has_structures) = space(migration.new, moved.to);
    if has_structures || space(migration.old, piece.from).1 {
        return Verdict::Unknown(Undecided::Structures);
    }
    if moved.keeps_key {
        return Verdict::Proved;
    }
    let comparison = Comparison::new(migration.old, migration.new, budget);
    let asked = comparison.asked(Direction::Forward, moved.to, None);
    let mut unknown = None;
    for other in changing(migration) {
        if space(migration.old, other).0 != to {
            continue;
        }
        let Readings { old: row, new } = match comparison.first_misread(&asked, &[other]) {
            Ok(Some(found)) => found.of,
            Ok(None) => continue,
            Err(reason) => {
                let reason = match reason {
                    Unknown::Budget(over) => Undecided::Budget(over),
                    _ => Undecided::Inexact,
                };
                unknown = unknown.or(Some(reason));
                continue;
            }
        };
        match source(of, &new) {
            Some(moved) if moved.key != row.key => {
                return Verdict::Refuted(MigrationFault::Both { row, moved });
            }
            // A row that moves to its own key is known by its position, so others are tried.
            _ => match meeting(of, other, &comparison) {
                Some(fault) => return Verdict::Refuted(fault),
                None => unknown = Some(Undecided::Meeting),
            },
        }
    }
    unknown.map_or(Verdict::Proved, Verdict::Unknown)
}

/// Looks for a row that moves to a key of another old row, among some rows of the piece.
fn meeting(
    of: MovedPiece<'_, '_>,
    other: KeyspaceId,
    comparison: &Comparison<'_>,
) -> Option<MigrationFault> {
    let mut rows = rows_of(of);
    rows.sort_by_key(|row| row.key.len());
    rows.into_iter().find_map(|moving| {
        let key = of.migration.new_key(of.moved, &moving).filter(|key| *key != moving.key)?;
        let row = comparison.old.rows(&key, other).into_iter().find(|row| row.key == key)?;
        Some(MigrationFault::Both { row, moved: moving })
    })
}

/// Returns the old keyspaces with rows whose bytes change, or that are deleted.
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

/// Returns an old row of a piece with a new row's key, if one is found.
fn source(of: MovedPiece<'_, '_>, new: &Row) -> Option<Row> {
    let base = of.migration.row_with(of.piece, &[], of.budget).ok()??;
    let row = of.migration.row_of(of.piece, before(of, &new.fields, base.fields)?)?;
    (of.migration.new_key(of.moved, &row)? == new.key).then_some(row)
}

/// Returns the fields of an old row, from those of its new row. Parts that do not follow from it
/// are those of `base`.
fn before(of: MovedPiece<'_, '_>, new: &Record, base: Record) -> Option<Record> {
    let mut old = base;
    let flows = of.moved.fields.iter().flat_map(|(name, make)| make.flows(name));
    let flows: Vec<Flow> = flows.collect();
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
    // Optional parts that the new row lacks.
    let slots = of.migration.old_type(of.piece.from).slots();
    for slot in slots.iter().filter(|slot| slot.is_optional) {
        let is_own = |flow: &&Flow| flow.source.first().is_some_and(|name| name == slot.name);
        if flows.iter().filter(is_own).all(|flow| part(new, &flow.target).is_none()) {
            old.0.retain(|(name, _)| name != slot.name);
        }
    }
    let is_known = |datum: &Datum| !matches!(datum, Datum::Record(inner) if inner.0.is_empty());
    old.0.iter().all(|(_, datum)| is_known(datum)).then_some(old)
}
