//! KS005 to KS008, decided on all values and all rows.

use crate::{
    leaf::{Listed, Word},
    oracle::Oracle,
    rows::Enumeration,
};
use keyscape_layout::{
    Backend, fields,
    model::{AllocatedRange, Keyspace, KeyspaceId, Segment, Type},
};
use std::collections::{BTreeMap, BTreeSet};

/// A field that holds a single value.
#[derive(Clone, Debug)]
pub struct Single {
    /// The path of the field, including the arms of variants.
    pub path: String,
    /// The values of the field with their bytes.
    pub words: Vec<Word>,
    /// Whether `words` contains all values of the field.
    pub all: bool,
    /// Whether the logical order is the reverse of the order of the values.
    pub descends: bool,
}

impl Single {
    /// KS005: returns the length of the shortest encoding that two values share.
    #[must_use]
    pub fn shortest_shared(&self) -> Option<usize> {
        let shared = self.words.iter().enumerate().filter(|(index, (value, bytes))| {
            self.words[..*index].iter().any(|(other, same)| same == bytes && other != value)
        });
        shared.map(|(_, (_, bytes))| bytes.len()).min()
    }
}

/// Returns all fields with a single value in the key, the members and the scores of a keyspace.
pub(crate) fn singles(keyspace: &Keyspace, enumeration: &mut Enumeration<'_>) -> Vec<Single> {
    let mut open: Vec<(String, &Type)> = of_segments("", &keyspace.key);
    open.extend(keyspace.member.iter().map(|ty| ("member".to_owned(), &**ty)));
    open.extend(keyspace.score.iter().map(|ty| ("score".to_owned(), &**ty)));
    open.reverse();
    let mut found = Vec::new();
    while let Some((path, ty)) = open.pop() {
        let inside = match ty {
            Type::Leaf(leaf) => {
                let Listed { words, all, descends } = (*enumeration.listed(&leaf.codec)).clone();
                found.push(Single { path, words, all, descends });
                continue;
            }
            Type::Enum(_) => continue,
            Type::List(list) => vec![(path, &*list.element)],
            Type::Composite(segments) => of_segments(&path, segments),
            Type::Variant(arms) => {
                let arm = |name: &str| format!("{path}.{name}");
                arms.iter().flat_map(|a| of_segments(&arm(&a.name), &a.segments)).collect()
            }
        };
        open.extend(inside.into_iter().rev());
    }
    found
}

fn of_segments<'a>(path: &str, segments: &'a [Segment]) -> Vec<(String, &'a Type)> {
    let named = |name: &str| match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    fields(segments).into_iter().map(|field| (named(&field.name), &*field.ty)).collect()
}

/// KS007: the faults of the prefixes of a keyspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The length of the shortest key outside the range.
    pub outside: Option<usize>,
    /// The length of the shortest key, by a namespace and a nested namespace whose prefix is in no
    /// range of the outer one.
    pub nested: BTreeMap<(usize, usize), usize>,
    /// The length of the shortest key with a retired prefix, by namespace and index of the prefix.
    pub retired: BTreeMap<(usize, usize), usize>,
    /// The keyspaces of the namespaces whose leading literals extend those of this one, or the
    /// reverse. The value is the length of the shortest key of the keyspace with the longer
    /// literals.
    pub comparable: BTreeMap<KeyspaceId, usize>,
}

impl Allocation {
    /// Whether the keyspace has no fault.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.outside.is_none()
            && self.nested.is_empty()
            && self.retired.is_empty()
            && self.comparable.is_empty()
    }
}

impl Oracle<'_> {
    /// KS006: returns the length of the shortest key that a backend rejects. In a store of
    /// structures, records count instead of keys.
    #[must_use]
    pub fn shortest_refused(&self, id: KeyspaceId, backend: &Backend) -> Option<usize> {
        let lengths = self.rows(id).iter().flat_map(|row| match self.has_records(id, backend) {
            true => self.record_lengths(row),
            false => BTreeSet::from([row.key.len()]),
        });
        let is_refused =
            |length: &usize| *length > backend.longest_key || *length == 0 && !backend.empty_key;
        lengths.filter(is_refused).min()
    }

    /// Whether a backend stores the structures of a keyspace as records.
    #[must_use]
    pub fn has_records(&self, id: KeyspaceId, backend: &Backend) -> bool {
        self.layout.store(self.layout.keyspace(id).store).structures && !backend.has_structures
    }

    /// Returns the namespaces around a keyspace, innermost first.
    fn around(&self, id: KeyspaceId) -> Vec<usize> {
        let keyspace = self.layout.keyspace(id);
        let namespaces = &self.layout.store(keyspace.store).namespaces;
        let mut around: Vec<usize> = keyspace.namespace.into_iter().collect();
        while let Some(outer) = around.last().and_then(|&inner| namespaces[inner].outer) {
            around.push(outer);
        }
        around
    }

    /// KS007: returns the faults of a keyspace, or `None` if it is in no namespace with rules.
    #[must_use]
    pub fn allocation(&self, id: KeyspaceId) -> Option<Allocation> {
        let keyspace = self.layout.keyspace(id);
        let namespaces = &self.layout.store(keyspace.store).namespaces;
        let around = self.around(id);
        let has_rules = |&index: &usize| {
            !namespaces[index].ranges.is_empty() || !namespaces[index].retired.is_empty()
        };
        let ruling = around.iter().copied().rfind(has_rules)?;
        if keyspace.hash.is_some() {
            return None;
        }
        let shortest = |namespace: usize, wrong: &dyn Fn(&[u8]) -> bool| {
            let prefix = &namespaces[namespace].prefix;
            let rows = self.rows(id).iter().filter(|row| wrong(&row.key[prefix.len()..]));
            rows.map(|row| row.key.len()).min()
        };
        let mut found =
            Allocation { comparable: self.comparable(id, ruling), ..Default::default() };
        let innermost = around[0];
        if let Some(range) = namespaces[innermost].ranges.get(keyspace.allocated.unwrap_or(0)) {
            found.outside = shortest(innermost, &|key| !holds(range, key));
        }
        for (&nested, &index) in around.iter().zip(&around[1..]) {
            let namespace = &namespaces[index];
            let prefix = &namespaces[nested].prefix[namespace.prefix.len()..];
            // A range is an interval. If it contains the least and the greatest key, it contains
            // all.
            let greatest = [prefix, &[0xff; 8]].concat();
            let all = |range: &AllocatedRange| holds(range, prefix) && holds(range, &greatest);
            if !namespace.ranges.is_empty() && !namespace.ranges.iter().any(all) {
                let shortest = shortest(index, &|_| true);
                found.nested.extend(shortest.map(|length| ((index, nested), length)));
            }
        }
        for &index in &around {
            for (retired, entry) in namespaces[index].retired.iter().enumerate() {
                let shortest = shortest(index, &|key| key.starts_with(&entry.prefix));
                found.retired.extend(shortest.map(|length| ((index, retired), length)));
            }
        }
        Some(found)
    }

    /// Returns the keyspaces below a namespace whose prefix is comparable with the prefix of `id`.
    fn comparable(&self, id: KeyspaceId, namespace: usize) -> BTreeMap<KeyspaceId, usize> {
        let keyspace = |id| self.layout.keyspace(id);
        let says_also = |one: KeyspaceId, other: KeyspaceId| {
            keyspace(one).scans.iter().any(|scan| scan.also.contains(&other))
        };
        let mut found = BTreeMap::new();
        for other in self.space(id) {
            let stranger = other == id || !self.around(other).contains(&namespace);
            if stranger || says_also(id, other) || says_also(other, id) {
                continue;
            }
            let (own, theirs) = (literals(keyspace(id)), literals(keyspace(other)));
            let longer = match (theirs.starts_with(&own), own.starts_with(&theirs)) {
                (true, _) => other,
                (false, true) => id,
                (false, false) => continue,
            };
            let shortest = self.rows(longer).iter().map(|row| row.key.len()).min();
            found.extend(shortest.map(|shortest| (other, shortest)));
        }
        found
    }

    /// Whether KS008 applies: the keyspace is in a store of structures and is not a field of a
    /// hash.
    #[must_use]
    pub fn meets_kinds(&self, id: KeyspaceId) -> bool {
        let keyspace = self.layout.keyspace(id);
        self.layout.store(keyspace.store).structures && keyspace.hash.is_none()
    }

    /// KS008: returns the keyspaces of other kinds that share keys with `id`, with the length of
    /// the shortest shared key.
    #[must_use]
    pub fn mistyped(&self, id: KeyspaceId) -> BTreeMap<KeyspaceId, usize> {
        let own: BTreeSet<&[u8]> = self.rows(id).iter().map(|row| &*row.key).collect();
        let beside = self.space(id);
        let here = self.layout.keyspace(id);
        let mut shortest = BTreeMap::new();
        for other in self.layout.keyspace_ids() {
            let there = self.layout.keyspace(other);
            if beside.contains(&other)
                || !self.meets_kinds(other)
                || (there.store, &there.family) != (here.store, &here.family)
            {
                continue;
            }
            let common = self.rows(other).iter().filter(|row| own.contains(&*row.key));
            shortest.extend(common.map(|row| row.key.len()).min().map(|length| (other, length)));
        }
        shortest
    }
}

/// Whether a range contains a key without the prefix of its namespace.
fn holds(range: &AllocatedRange, key: &[u8]) -> bool {
    *key >= *range.low && (*key <= *range.high || key.starts_with(&range.high))
}

/// Returns the literals at the start of a key, including those of composites.
fn literals(keyspace: &Keyspace) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut open: Vec<&Segment> = keyspace.key.iter().rev().collect();
    while let Some(segment) = open.pop() {
        match segment {
            Segment::Literal(literal) => bytes.extend(&literal.bytes),
            Segment::Field(field) => match &*field.ty {
                Type::Composite(inside) => open.extend(inside.iter().rev()),
                _ => break,
            },
            Segment::Option(_) | Segment::Derived(_) => break,
        }
    }
    bytes
}
