//! The rows of two layouts by key.

use crate::{Oracle, Row};
use keyscape_layout::{
    Datum, Layout, Record, derived_places, fields,
    model::{KeyspaceId, KeyspaceKind},
};
use std::collections::BTreeMap;

/// The rows of two layouts.
pub(super) struct Both<'a> {
    pub(super) old: &'a Oracle<'a>,
    pub(super) new: &'a Oracle<'a>,
}

/// The readings of each key.
pub(super) type Readings<'a> = BTreeMap<&'a [u8], Vec<&'a Row>>;

impl<'a> Both<'a> {
    pub(super) fn new(old: &'a Oracle<'a>, new: &'a Oracle<'a>) -> Self {
        Self { old, new }
    }

    /// Whether keys contain derived bytes. No automaton has exactly these keys, so `diff` may find
    /// another fault than the first one.
    pub(super) fn has_derived_bytes(&self) -> bool {
        let is_derived = |layout: &Layout| {
            let mut ids = layout.keyspace_ids();
            ids.any(|id| !derived_places(&layout.keyspace(id).key).is_empty())
        };
        is_derived(self.old.layout) || is_derived(self.new.layout)
    }

    /// Returns the keyspace of the new layout that corresponds to an old one, by name or by `was`.
    pub(super) fn new_of(&self, old: KeyspaceId) -> Option<KeyspaceId> {
        self.new.layout.keyspace_ids().find(|&new| self.old_of(new) == Some(old))
    }

    /// Returns the keyspace of the old layout that corresponds to a new one, by name or by `was`.
    pub(super) fn old_of(&self, new: KeyspaceId) -> Option<KeyspaceId> {
        let (before, after) = (self.old.layout, self.new.layout);
        let keyspace = after.keyspace(new);
        // Drawn layouts rename at most one keyspace, to an unused name.
        let own = keyspace.was.as_ref().unwrap_or(&keyspace.name);
        let name = match keyspace.hash {
            Some(hash) => {
                let hash = before.keyspace(self.old_of(hash)?).name.clone();
                let field = own.rsplit('.').next().unwrap_or(own);
                format!("{hash}.{field}")
            }
            None => own.clone(),
        };
        before.keyspace_ids().find(|&old| {
            let other = before.keyspace(old);
            other.name == name
                && before.store(other.store).name == after.store(keyspace.store).name
                && other.hash.is_some() == keyspace.hash.is_some()
                && kind(other.kind) == kind(keyspace.kind)
        })
    }

    /// Returns the readings of all keys in the new space that corresponds to the space of an old
    /// keyspace.
    pub(super) fn news(&self, old: KeyspaceId) -> Readings<'a> {
        let place = self.place(self.old.layout, old, true);
        let ids = self.new.layout.keyspace_ids();
        let ids = ids.filter(|&id| self.place(self.new.layout, id, false) == place);
        readings(self.new, ids)
    }

    /// Returns the readings of all keys in the old space that corresponds to the space of a new
    /// keyspace.
    pub(super) fn olds(&self, new: KeyspaceId) -> Readings<'a> {
        let place = self.place(self.new.layout, new, false);
        let ids = self.old.layout.keyspace_ids();
        let ids = ids.filter(|&id| self.place(self.old.layout, id, true) == place);
        readings(self.old, ids)
    }

    /// Returns an identifier of the space of a keyspace, from names.
    fn place(&self, layout: &Layout, id: KeyspaceId, is_old: bool) -> String {
        let keyspace = layout.keyspace(id);
        let store = layout.store(keyspace.store);
        let hash = keyspace.hash.map(|hash| match is_old {
            true => format!("{hash:?}"),
            false => self.old_of(hash).map_or_else(|| "none".into(), |old| format!("{old:?}")),
        });
        let family = keyspace.family.as_deref().unwrap_or("");
        // An index shares the space of maps, although it never corresponds to one.
        let kind = store.structures.then_some(match keyspace.kind {
            KeyspaceKind::Index => KeyspaceKind::Map,
            other => kind(other),
        });
        format!("{} {family} {hash:?} {kind:?}", store.name)
    }

    /// Whether an old row and a new one are the same row.
    pub(super) fn are_same(&self, old: &Row, new: &Row) -> bool {
        self.old_of(new.keyspace) == Some(old.keyspace) && self.have_same_fields(old, new)
    }

    /// Whether the fields of an old row and of a new one have the same values.
    pub(super) fn have_same_fields(&self, old: &Row, new: &Row) -> bool {
        let names = fields(&self.new.layout.keyspace(new.keyspace).key);
        let renamed = new.fields.0.iter().map(|(name, datum)| {
            let field = names.iter().find(|field| field.name == *name);
            let was = field.and_then(|field| field.was.clone());
            (was.unwrap_or_else(|| name.clone()), datum.clone())
        });
        same_records(&old.fields, &Record(renamed.collect()))
    }
}

fn readings<'a>(oracle: &'a Oracle<'a>, ids: impl Iterator<Item = KeyspaceId>) -> Readings<'a> {
    let mut found: Readings<'a> = BTreeMap::new();
    for id in ids {
        for row in oracle.rows(id) {
            found.entry(&row.key).or_default().push(row);
        }
    }
    found
}

const fn kind(kind: KeyspaceKind) -> KeyspaceKind {
    match kind {
        KeyspaceKind::Item | KeyspaceKind::Sequence => KeyspaceKind::Map,
        kind => kind,
    }
}

fn same_records(a: &Record, b: &Record) -> bool {
    a.0.len() == b.0.len()
        && a.0.iter().all(|(name, datum)| b.get(name).is_some_and(|other| same(datum, other)))
}

fn same(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Record(a), Datum::Record(b)) => same_records(a, b),
        (Datum::Arm(x, a), Datum::Arm(y, b)) => x == y && same_records(a, b),
        (Datum::List(a), Datum::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (a, b) => a == b,
    }
}
