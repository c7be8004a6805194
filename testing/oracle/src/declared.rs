//! KS005 to KS009: what fields, backends, namespaces, structures and indexes promise, decided by
//! looking at all values and all rows.

use crate::{
    leaf::{Word, Words},
    oracle::Oracle,
    rows::{Row, TooMany},
};
use keyscape_codec::Codec;
use keyscape_layout::{
    Backend, Datum, fields,
    model::{Keyspace, KeyspaceId, Segment, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// A field that holds a single value.
#[derive(Clone, Debug)]
pub struct Single {
    /// Its path, with the arms on the way.
    pub path: String,
    /// Its codec.
    pub codec: Arc<dyn Codec>,
    /// All its values, each with its bytes.
    pub words: Vec<Word>,
}

impl Single {
    /// KS005: the length of the shortest bytes that two values share.
    #[must_use]
    pub fn shortest_shared(&self) -> Option<usize> {
        let shared = self.words.iter().enumerate().filter(|(index, (value, bytes))| {
            self.words[..*index].iter().any(|(other, same)| same == bytes && other != value)
        });
        shared.map(|(_, (_, bytes))| bytes.len()).min()
    }
}

/// All fields of a keyspace that hold a single value: of its key, its members and its scores.
///
/// # Errors
/// [`TooMany`] if one of them cannot be enumerated.
pub(crate) fn singles(keyspace: &Keyspace, words: &mut Words) -> Result<Vec<Single>, TooMany> {
    let mut open: Vec<(String, &Type)> = of_segments("", &keyspace.key);
    open.extend(keyspace.member.iter().map(|ty| ("member".to_owned(), &**ty)));
    open.extend(keyspace.score.iter().map(|ty| ("score".to_owned(), &**ty)));
    open.reverse();
    let mut found = Vec::new();
    while let Some((path, ty)) = open.pop() {
        let inside = match ty {
            Type::Leaf(leaf) => {
                let words = words.of(&*leaf.codec).ok_or(TooMany)?.to_vec();
                found.push(Single { path, codec: leaf.codec.clone(), words });
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
    Ok(found)
}

fn of_segments<'a>(path: &str, segments: &'a [Segment]) -> Vec<(String, &'a Type)> {
    let named = |name: &str| match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    fields(segments).into_iter().map(|field| (named(&field.name), &*field.ty)).collect()
}

/// KS007: what is wrong with the prefixes of a keyspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The length of the shortest key outside the range.
    pub outside: Option<usize>,
    /// For each retired prefix, the length of the shortest key that begins with it.
    pub retired: Vec<Option<usize>>,
    /// Keyspaces of the namespace whose literals begin with all those of this one, or the reverse;
    /// for each the length of the shortest key of the one that has more of them.
    pub comparable: BTreeMap<KeyspaceId, usize>,
}

impl Allocation {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.outside.is_none()
            && self.retired.iter().all(Option::is_none)
            && self.comparable.is_empty()
    }
}

impl Oracle<'_> {
    /// KS006: the length of the shortest key that a backend does not take.
    #[must_use]
    pub fn shortest_refused(&self, id: KeyspaceId, backend: &Backend) -> Option<usize> {
        let refused =
            self.rows(id).iter().map(|row| row.key.len()).filter(|&length| {
                length > backend.longest_key || (length == 0 && !backend.empty_key)
            });
        refused.min()
    }

    /// KS007; `None` if the keyspace is in no namespace with rules.
    #[must_use]
    pub fn allocation(&self, id: KeyspaceId) -> Option<Allocation> {
        let keyspace = self.layout.keyspace(id);
        let namespace = &self.layout.store(keyspace.store).namespaces[keyspace.namespace?];
        let has_rules = !namespace.ranges.is_empty() || !namespace.retired.is_empty();
        if !has_rules || keyspace.hash.is_some() {
            return None;
        }
        let rest = |row: &Row| row.key.strip_prefix(&*namespace.prefix).map(<[u8]>::to_vec);
        let shortest = |wrong: &dyn Fn(Option<Vec<u8>>) -> bool| {
            let rows = self.rows(id).iter().filter(|row| wrong(rest(row)));
            rows.map(|row| row.key.len()).min()
        };
        let outside = namespace.ranges.get(keyspace.allocated.unwrap_or(0)).and_then(|range| {
            let holds = |key: &[u8]| {
                *key >= *range.low && (*key <= *range.high || key.starts_with(&range.high))
            };
            shortest(&|rest| !rest.is_some_and(|rest| holds(&rest)))
        });
        let begins = |with: &[u8]| shortest(&|rest| rest.is_some_and(|r| r.starts_with(with)));
        let retired = namespace.retired.iter().map(|retired| begins(&retired.prefix)).collect();
        Some(Allocation { outside, retired, comparable: self.comparable(id) })
    }

    fn comparable(&self, id: KeyspaceId) -> BTreeMap<KeyspaceId, usize> {
        let keyspace = |id| self.layout.keyspace(id);
        let says_also = |one: KeyspaceId, other: KeyspaceId| {
            keyspace(one).scans.iter().any(|scan| scan.also.contains(&other))
        };
        let mut found = BTreeMap::new();
        for other in self.space(id) {
            let stranger = other == id || keyspace(other).namespace != keyspace(id).namespace;
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

    /// The kind of structure that a key of this keyspace names; plain rows are one kind.
    #[must_use]
    pub fn meets_kinds(&self, id: KeyspaceId) -> bool {
        let keyspace = self.layout.keyspace(id);
        self.layout.store(keyspace.store).structures && keyspace.hash.is_none()
    }

    /// KS008: for each keyspace of another kind that has a key in common with `id`, the length of
    /// the shortest.
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

    /// The entries that an index can have for a row of its map: its rows with the same fields,
    /// where they do not come from the value.
    #[must_use]
    pub fn entries(&self, index: KeyspaceId, row: &Row) -> Vec<&Row> {
        let carried = self.carried(index);
        self.rows(index).iter().filter(|entry| of(&carried, entry) == of(&carried, row)).collect()
    }

    /// The names of the fields that an index takes from the key of its map.
    fn carried(&self, index: KeyspaceId) -> Vec<&str> {
        let keyspace = self.layout.keyspace(index);
        let map = keyspace.of.map(|map| fields(&self.layout.keyspace(map).key)).unwrap_or_default();
        let own = fields(&keyspace.key).into_iter().filter(|field| !field.from_value);
        own.map(|field| &*field.name).filter(|name| map.iter().any(|f| f.name == *name)).collect()
    }

    /// KS009: two rows of the map with different keys and one entry, read in one way.
    #[must_use]
    pub fn confused(&self, index: KeyspaceId) -> Option<(&Row, &Row)> {
        let map = self.layout.keyspace(index).of?;
        if self.layout.keyspace(index).unique {
            return None;
        }
        let carried = self.carried(index);
        let mut entries: HashMap<String, Vec<&Row>> = HashMap::new();
        for entry in self.rows(index) {
            entries.entry(format!("{:?}", of(&carried, entry))).or_default().push(entry);
        }
        let mut known = HashMap::new();
        for row in self.rows(map) {
            let own = entries.get(&format!("{:?}", of(&carried, row)));
            for entry in own.into_iter().flatten() {
                let first: &Row = known.entry((&entry.key, entry.reading())).or_insert(row);
                if first.key != row.key {
                    return Some((first, row));
                }
            }
        }
        None
    }
}

/// The values of some fields; what is absent has none.
fn of<'r>(names: &[&str], row: &'r Row) -> Vec<Option<&'r Datum>> {
    names.iter().map(|name| row.fields.get(name)).collect()
}

/// The literals with which a key begins.
fn literals(keyspace: &Keyspace) -> Vec<u8> {
    let mut bytes = Vec::new();
    for segment in &keyspace.key {
        let Segment::Literal(literal) = segment else { break };
        bytes.extend(&literal.bytes);
    }
    bytes
}
