//! The correspondence of two layouts: the stores, keyspaces and fields of an old layout and their
//! counterparts in a new one.

use keyscape_layout::{
    Datum, Layout, Record, fields,
    model::{Field, Keyspace, KeyspaceId, KeyspaceKind, Segment, StoreId, Type},
    traverse::join,
};
use std::collections::BTreeMap;

/// The counterparts of an old layout's parts in a new layout.
///
/// Stores match by name. A keyspace or a field of the new layout matches the old one that its `was`
/// names, or the old one with its own name. If the old layout contains the same `was`, the renaming
/// was done earlier, and the `was` is ignored.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    stores: BTreeMap<StoreId, StoreId>,
    to_new: BTreeMap<KeyspaceId, KeyspaceId>,
    to_old: BTreeMap<KeyspaceId, KeyspaceId>,
}

impl Correspondence {
    /// Matches two layouts.
    pub(crate) fn new(old: &Layout, new: &Layout) -> Self {
        let mut found = Self::default();
        for (at, store) in (0..).zip(&old.stores) {
            let other = (0..).zip(&new.stores).find(|(_, other)| other.name == store.name);
            found.stores.extend(other.map(|(other, _)| (StoreId(at), StoreId(other))));
        }
        // The fields of a hash are matched after the hash.
        for is_of_hash in [false, true] {
            for id in new.keyspace_ids() {
                if new.keyspace(id).hash.is_some() == is_of_hash {
                    found.match_keyspace(old, new, id);
                }
            }
        }
        found
    }

    /// Matches two layouts, and uses the `was` of the old layout as well. The old layout of an
    /// inverse migration contains such a `was`.
    pub(crate) fn either_way(old: &Layout, new: &Layout) -> Self {
        let mut found = Self::new(old, new);
        for (new, old) in Self::new(new, old).to_new {
            found.link(old, new);
        }
        found
    }

    /// Returns the new store with the same name.
    pub(crate) fn new_store(&self, old: StoreId) -> Option<StoreId> {
        self.stores.get(&old).copied()
    }

    /// Returns the counterpart of an old keyspace; `None` if it was removed.
    #[must_use]
    pub fn new_keyspace(&self, old: KeyspaceId) -> Option<KeyspaceId> {
        self.to_new.get(&old).copied()
    }

    /// Returns the counterpart of a new keyspace; `None` if it was added.
    #[must_use]
    pub fn old_keyspace(&self, new: KeyspaceId) -> Option<KeyspaceId> {
        self.to_old.get(&new).copied()
    }

    /// Links two keyspaces, unless one of them has a counterpart.
    fn link(&mut self, old: KeyspaceId, new: KeyspaceId) {
        if !self.to_new.contains_key(&old) && !self.to_old.contains_key(&new) {
            self.to_new.insert(old, new);
            self.to_old.insert(new, old);
        }
    }

    fn match_keyspace(&mut self, old: &Layout, new: &Layout, id: KeyspaceId) {
        let keyspace = new.keyspace(id);
        let is_sibling =
            |other: &&Keyspace| other.store == keyspace.store && other.hash == keyspace.hash;
        let is_candidate = |other: &KeyspaceId| {
            let other = old.keyspace(*other);
            self.new_store(other.store) == Some(keyspace.store)
                && other.hash.map(|hash| self.new_keyspace(hash)) == keyspace.hash.map(Some)
                && class(other) == class(keyspace)
        };
        let siblings = new.keyspaces.iter().filter(is_sibling).map(Named::of_keyspace);
        let candidates: Vec<KeyspaceId> = old.keyspace_ids().filter(is_candidate).collect();
        let names: Vec<Named<'_>> =
            candidates.iter().map(|&other| Named::of_keyspace(old.keyspace(other))).collect();
        let Some(name) = old_name(Named::of_keyspace(keyspace), siblings, &names) else { return };
        if let Some(&other) = candidates.iter().find(|&&id| own_name(old.keyspace(id)) == name) {
            self.link(other, id);
        }
    }
}

/// Returns the kind by which keyspaces are matched: only keyspaces of one kind can be counterparts.
fn class(keyspace: &Keyspace) -> KeyspaceKind {
    match keyspace.kind {
        KeyspaceKind::Item | KeyspaceKind::Sequence => KeyspaceKind::Map,
        kind => kind,
    }
}

/// Returns the name of a keyspace among its siblings: for a field of a hash, the name without that
/// of the hash.
fn own_name(keyspace: &Keyspace) -> &str {
    match (keyspace.hash, keyspace.name.split_once('.')) {
        (Some(_), Some((_, field))) => field,
        _ => &keyspace.name,
    }
}

/// A name, and its `was`: the name in an older layout.
#[derive(Clone, Copy)]
struct Named<'a> {
    name: &'a str,
    was: Option<&'a str>,
}

impl<'a> Named<'a> {
    fn of_keyspace(keyspace: &'a Keyspace) -> Self {
        Self { name: own_name(keyspace), was: keyspace.was.as_deref() }
    }

    fn of_field(field: &'a Field) -> Self {
        Self { name: &field.name, was: field.was.as_deref() }
    }

    /// Returns the older name, unless the old layout already contains the renaming.
    fn renamed_from(self, olds: &[Named<'_>]) -> Option<&'a str> {
        let was = self.was?;
        let is_done = olds.iter().any(|old| old.name == self.name && old.was == Some(was));
        let exists = olds.iter().any(|old| old.name == was);
        (exists && !is_done).then_some(was)
    }
}

/// Returns the old name of a new part, if the old layout has a part of that name and no other new
/// part claims it.
fn old_name<'a>(
    part: Named<'a>,
    siblings: impl Iterator<Item = Named<'a>>,
    olds: &[Named<'_>],
) -> Option<&'a str> {
    if let Some(was) = part.renamed_from(olds) {
        return Some(was);
    }
    let is_claimed = siblings
        .filter(|other| other.name != part.name)
        .any(|other| other.renamed_from(olds) == Some(part.name));
    let exists = olds.iter().any(|old| old.name == part.name);
    (exists && !is_claimed).then_some(part.name)
}

/// The counterparts of fields, as pairs of paths in an old key and in a new key. A path joins the
/// names of fields and arms with dots; an element of a list is `[]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// The old path and the new one.
    pairs: Vec<(String, String)>,
}

impl Fields {
    /// Matches the fields of two keys, those inside of types included.
    pub(crate) fn new(old: &[Segment], new: &[Segment]) -> Self {
        let mut found = Self::default();
        found.list(old, new, ("", ""));
        found
    }

    /// Matches the parts of two types.
    pub(crate) fn of_types(old: &Type, new: &Type) -> Self {
        let mut found = Self::default();
        found.ty(old, new, ("", ""));
        found
    }

    /// Matches the fields of two keys, and uses the `was` of the old key as well.
    pub(crate) fn either_way(old: &[Segment], new: &[Segment]) -> Self {
        Self::new(old, new).with_reverse(&Self::new(new, old))
    }

    /// Matches the parts of two types. A `was` of the old type counts as well.
    fn of_types_either_way(old: &Type, new: &Type) -> Self {
        Self::of_types(old, new).with_reverse(&Self::of_types(new, old))
    }

    /// Adds the counterparts in the other direction of parts that have none.
    fn with_reverse(mut self, reverse: &Self) -> Self {
        for (new, old) in reverse.pairs() {
            self.link(old, new);
        }
        self
    }

    /// Returns the old path of a new field; `None` if the field was added.
    pub(crate) fn old_path(&self, new: &str) -> Option<&str> {
        self.pairs().find(|pair| pair.1 == new).map(|pair| pair.0)
    }

    /// Returns the new path of an old field; `None` if the field was removed.
    pub(crate) fn new_path(&self, old: &str) -> Option<&str> {
        self.pairs().find(|pair| pair.0 == old).map(|pair| pair.1)
    }

    /// Returns the pairs of paths, the old one first.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// Whether all corresponding fields have the same path.
    pub(crate) fn keep_names(&self) -> bool {
        self.pairs().all(|(old, new)| old == new)
    }

    /// Whether an old field of this name has another name in the new key. Includes fields inside
    /// other fields.
    pub(crate) fn renames(&self, name: &str) -> bool {
        self.pairs().any(|(old, new)| last_name(old) == name && last_name(new) != name)
    }

    /// Whether the old path or the new path has a counterpart other than the given one.
    pub(crate) fn moves(&self, old: &str, new: &str) -> bool {
        self.pairs().any(|pair| (pair.0 == old) != (pair.1 == new))
    }

    fn list(&mut self, old: &[Segment], new: &[Segment], at: (&str, &str)) {
        let (olds, news) = (fields(old), fields(new));
        let names: Vec<Named<'_>> = olds.iter().map(|field| Named::of_field(field)).collect();
        for field in &news {
            let siblings = news.iter().map(|field| Named::of_field(field));
            let old_name = old_name(Named::of_field(field), siblings, &names);
            let Some(other) = old_name.and_then(|name| olds.iter().find(|old| old.name == name))
            else {
                continue;
            };
            let paths = (join(at.0, &other.name), join(at.1, &field.name));
            if self.link(&paths.0, &paths.1) {
                self.ty(&other.ty, &field.ty, (&paths.0, &paths.1));
            }
        }
    }

    /// Links two paths, unless one of them has a counterpart.
    fn link(&mut self, old: &str, new: &str) -> bool {
        let is_free = self.new_path(old).is_none() && self.old_path(new).is_none();
        if is_free {
            self.pairs.push((old.to_owned(), new.to_owned()));
        }
        is_free
    }

    fn ty(&mut self, old: &Type, new: &Type, at: (&str, &str)) {
        match (old, new) {
            (Type::Composite(old), Type::Composite(new)) => self.list(old, new, at),
            (Type::List(old), Type::List(new)) => {
                let paths = (join(at.0, ELEMENT), join(at.1, ELEMENT));
                self.link(&paths.0, &paths.1);
                self.ty(&old.element, &new.element, (&paths.0, &paths.1));
            }
            (Type::Variant(olds), Type::Variant(news)) => {
                for arm in news {
                    let Some(other) = olds.iter().find(|old| old.name == arm.name) else {
                        continue;
                    };
                    let paths = (join(at.0, &arm.name), join(at.1, &arm.name));
                    self.link(&paths.0, &paths.1);
                    self.list(&other.segments, &arm.segments, (&paths.0, &paths.1));
                }
            }
            _ => {}
        }
    }

    /// Whether two rows have the same values in corresponding fields, and no other fields.
    pub(crate) fn are_same(&self, old: &Record, new: &Record) -> bool {
        self.same_records(old, new, "")
    }

    fn same_records(&self, old: &Record, new: &Record, at: &str) -> bool {
        old.0.len() == new.0.len()
            && new.0.iter().all(|(name, datum)| {
                let path = join(at, name);
                let other = self.old_path(&path).and_then(|path| old.get(last_name(path)));
                other.is_some_and(|other| self.same_data(other, datum, &path))
            })
    }

    fn same_data(&self, old: &Datum, new: &Datum, at: &str) -> bool {
        match (old, new) {
            (Datum::Record(old), Datum::Record(new)) => self.same_records(old, new, at),
            (Datum::Arm(a, old), Datum::Arm(b, new)) => {
                a == b && self.same_records(old, new, &join(at, b))
            }
            (Datum::List(old), Datum::List(new)) => {
                let path = join(at, ELEMENT);
                old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| self.same_data(old, new, &path))
            }
            (old, new) => old == new,
        }
    }
}

/// Returns the name at the end of a path.
pub(crate) fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether values of two types have the same bytes and names, and `was` renames no part of them.
pub(crate) fn is_unchanged(old: &Type, new: &Type) -> bool {
    old.is_same(new) && Fields::of_types(old, new).keep_names()
}

/// Whether the parts of two types correspond alike if the old type becomes the new one. Going back,
/// a part of the same name comes before one that `was` names.
pub(crate) fn is_symmetric(old: &Type, new: &Type) -> bool {
    let there = Fields::of_types_either_way(old, new);
    let back = Fields::of_types_either_way(new, old);
    there.pairs().all(|(old, new)| back.old_path(old) == Some(new))
}

/// The name of an element of a list in a path.
pub(crate) const ELEMENT: &str = "[]";
