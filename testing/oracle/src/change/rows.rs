//! The rows of two layouts by key.

use crate::{Oracle, Row};
use keyscape_layout::{
    Datum, Layout, Record, derived_places, fields,
    model::{Arm, KeyspaceId, KeyspaceKind, Segment, Type},
};
use std::collections::BTreeMap;

/// The rows of two layouts.
pub(super) struct Both<'a> {
    pub(super) old: &'a Oracle<'a>,
    pub(super) new: &'a Oracle<'a>,
    /// The index in `spaces` of each old keyspace and of each new one.
    of_keyspaces: [Vec<usize>; 2],
    /// The old and the new readings in each space.
    spaces: Vec<[Readings<'a>; 2]>,
}

/// The readings of each key.
pub(super) type Readings<'a> = BTreeMap<&'a [u8], Vec<&'a Row>>;

impl<'a> Both<'a> {
    pub(super) fn new(old: &'a Oracle<'a>, new: &'a Oracle<'a>) -> Self {
        let mut both = Self { old, new, of_keyspaces: Default::default(), spaces: Vec::new() };
        let mut places: Vec<String> = Vec::new();
        for (side, oracle) in [old, new].into_iter().enumerate() {
            for id in oracle.layout.keyspace_ids() {
                let place = both.place(oracle.layout, id, side == 0);
                let space = places.iter().position(|other| *other == place).unwrap_or_else(|| {
                    places.push(place);
                    both.spaces.push(Default::default());
                    places.len() - 1
                });
                both.of_keyspaces[side].push(space);
                for row in oracle.rows(id) {
                    both.spaces[space][side].entry(&row.key).or_default().push(row);
                }
            }
        }
        both
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
        let hash = match keyspace.hash {
            Some(hash) => Some(self.old_of(hash)?),
            None => None,
        };
        let candidates = before.keyspace_ids().filter(|&old| {
            let other = before.keyspace(old);
            before.store(other.store).name == after.store(keyspace.store).name
                && other.hash == hash
                && kind(other.kind) == kind(keyspace.kind)
        });
        let candidates: Vec<KeyspaceId> = candidates.collect();
        let exists =
            |name: &str| candidates.iter().any(|&old| last(&before.keyspace(old).name) == name);
        let siblings = after
            .keyspaces
            .iter()
            .filter(|other| other.store == keyspace.store && other.hash == keyspace.hash);
        let siblings: Vec<Named<'_>> =
            siblings.map(|other| (last(&other.name), other.was.as_deref())).collect();
        let name = old_name((last(&keyspace.name), keyspace.was.as_deref()), &siblings, exists)?;
        candidates.iter().copied().find(|&old| last(&before.keyspace(old).name) == name)
    }

    /// Returns the readings of all keys in the new space that corresponds to the space of an old
    /// keyspace.
    pub(super) fn news(&self, old: KeyspaceId) -> &Readings<'a> {
        &self.spaces[self.of_keyspaces[0][old.0 as usize]][1]
    }

    /// Returns the readings of all keys in the old space that corresponds to the space of a new
    /// keyspace.
    pub(super) fn olds(&self, new: KeyspaceId) -> &Readings<'a> {
        &self.spaces[self.of_keyspaces[1][new.0 as usize]][0]
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
        let keys = (
            self.old.layout.keyspace(old.keyspace).key.as_slice(),
            self.new.layout.keyspace(new.keyspace).key.as_slice(),
        );
        same_records(keys, &old.fields, &new.fields)
    }
}

/// A name and the older name that `was` declares.
type Named<'a> = (&'a str, Option<&'a str>);

/// Returns the name of a keyspace, without that of its hash.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the old name of a part: the name after `was`, or its own one if no sibling takes it.
fn old_name<'a>(
    (name, was): Named<'a>,
    siblings: &[Named<'_>],
    exists: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    if let Some(was) = was.filter(|was| exists(was)) {
        return Some(was);
    }
    let is_taken = siblings.iter().any(|(other, was)| *other != name && *was == Some(name));
    (exists(name) && !is_taken).then_some(name)
}

const fn kind(kind: KeyspaceKind) -> KeyspaceKind {
    match kind {
        KeyspaceKind::Item | KeyspaceKind::Sequence => KeyspaceKind::Map,
        kind => kind,
    }
}

/// Whether the fields of an old key, type or arm and of a new one have the same values.
fn same_records(keys: (&[Segment], &[Segment]), a: &Record, b: &Record) -> bool {
    let (olds, news) = (fields(keys.0), fields(keys.1));
    let siblings: Vec<Named<'_>> =
        news.iter().map(|field| (&*field.name, field.was.as_deref())).collect();
    let is_same = |name: &str, datum: &Datum| {
        let exists = |name: &str| olds.iter().any(|old| old.name == name);
        let new = news.iter().find(|field| field.name == name)?;
        let before = old_name((&new.name, new.was.as_deref()), &siblings, exists)?;
        let old = olds.iter().find(|old| old.name == before)?;
        Some(same((&old.ty, &new.ty), a.get(before)?, datum))
    };
    a.0.len() == b.0.len() && b.0.iter().all(|(name, datum)| is_same(name, datum) == Some(true))
}

/// Whether a value of an old type and one of a new type are the same.
pub(super) fn same(types: (&Type, &Type), a: &Datum, b: &Datum) -> bool {
    match (types, a, b) {
        ((Type::Composite(old), Type::Composite(new)), Datum::Record(a), Datum::Record(b)) => {
            same_records((old, new), a, b)
        }
        ((Type::Variant(old), Type::Variant(new)), Datum::Arm(x, a), Datum::Arm(y, b)) => {
            let arm = |arms: &'_ [Arm]| arms.iter().position(|arm| arm.name == *x);
            let (Some(i), Some(j)) = (arm(old), arm(new)) else { return false };
            x == y && same_records((&old[i].segments, &new[j].segments), a, b)
        }
        ((Type::List(old), Type::List(new)), Datum::List(a), Datum::List(b)) => {
            let types = (&*old.element, &*new.element);
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(types, a, b))
        }
        (_, a, b) => a == b,
    }
}
