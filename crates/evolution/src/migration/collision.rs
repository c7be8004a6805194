//! Two old rows with the same new key.

use super::{
    Migration, Moved, Piece,
    claim::MigrationFault,
    fitting::rows_of,
    resolve::space,
    row::{OldRow, OldValue},
};
use keyscape_automata::Budget;
use keyscape_layout::{Datum, model::Type, type_at};
use keyscape_prover::Row;
use std::collections::HashMap;

/// The values of a part that are tried.
const TRIED: usize = 16;

/// Looks for two rows of a piece that differ in a part of the old key and have the same new key.
pub(super) fn within(
    migration: &Migration<'_>,
    piece: &Piece,
    moved: &Moved,
    path: &[String],
    budget: Budget<'_>,
) -> Option<MigrationFault> {
    let collision = |first: &Row, second: &Row| {
        let key = new_key(migration, moved, first)?;
        (first.key != second.key && new_key(migration, moved, second)? == key).then(|| {
            MigrationFault::Collision { first: first.clone(), second: second.clone(), key }
        })
    };
    if let Some(base) = migration.row_with(piece, path, budget).ok()? {
        let identity = &migration.old_view(piece.from).identity;
        for value in type_at(identity, path).map(|ty| values(ty)).unwrap_or_default() {
            let other = migration.row_where(piece, &base, &path.to_vec(), value);
            if let Some(found) = other.and_then(|other| collision(&base, &other)) {
                return Some(found);
            }
        }
    }
    // Rows that lack the part, and others.
    let rows = rows_of(migration, piece, budget);
    let mut known: HashMap<Vec<u8>, &Row> = HashMap::new();
    for row in &rows {
        let Some(key) = new_key(migration, moved, row) else { continue };
        if let Some(first) = known.insert(key, row)
            && let Some(found) = collision(first, row)
        {
            return Some(found);
        }
    }
    None
}

/// Looks for a row of each of two pieces with the same new key.
pub(super) fn between(
    migration: &Migration<'_>,
    (a, from_a): (&Piece, &Moved),
    (b, from_b): (&Piece, &Moved),
    budget: Budget<'_>,
) -> Option<(Row, Row, Vec<u8>)> {
    let firsts = rows_of(migration, a, budget);
    let mut known: HashMap<Vec<u8>, Vec<Row>> = HashMap::new();
    for row in firsts {
        if let Some(key) = new_key(migration, from_a, &row) {
            known.entry(key).or_default().push(row);
        }
    }
    // Two readings of one stored key are one row.
    let same_space = space(migration.old, a.from).0 == space(migration.old, b.from).0;
    let are_two = |first: &Row, second: &Row| !same_space || first.key != second.key;
    let mut found: Option<(Row, Row, Vec<u8>)> = None;
    for row in rows_of(migration, b, budget) {
        let Some(key) = new_key(migration, from_b, &row) else { continue };
        let mut firsts = known.get(&key).into_iter().flatten();
        let Some(first) = firsts.find(|first| are_two(first, &row)) else { continue };
        let is_shorter = found
            .as_ref()
            .is_none_or(|(a, b, _)| first.key.len() + row.key.len() < a.key.len() + b.key.len());
        if is_shorter {
            found = Some((first.clone(), row, key));
        }
    }
    found
}

/// Returns the new key of a row.
pub(super) fn new_key(migration: &Migration<'_>, moved: &Moved, row: &Row) -> Option<Vec<u8>> {
    let old =
        OldRow { keyspace: row.keyspace, fields: row.fields.clone(), value: OldValue::Unread };
    let image = migration.image(moved, &old).ok()?;
    migration.new_identity(image.keyspace, &image.fields).ok()
}

/// Returns some values of a type.
fn values(ty: &Type) -> Vec<Datum> {
    match ty {
        Type::Leaf(leaf) => {
            let dfa = leaf.language.over();
            let words = dfa.words(TRIED).into_iter();
            words.filter_map(|word| leaf.codec.decode(&word).ok()).map(Datum::Leaf).collect()
        }
        Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
        Type::Variant(arms) => {
            arms.iter().filter_map(|arm| Type::Variant(vec![arm.clone()]).example()).collect()
        }
        Type::List(list) => {
            let element = list.element.example();
            let lists = element.map(|element| {
                let counts = list.min..=list.max.min(list.min.saturating_add(2));
                counts.map(|count| Datum::List(vec![element.clone(); count as usize])).collect()
            });
            lists.unwrap_or_default()
        }
        Type::Composite(_) => ty.example().into_iter().collect(),
    }
}
