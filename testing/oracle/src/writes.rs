//! KS009: random writes of rows keep an index in step with its map.
//!
//! A value of a row is a list of what its index takes from it: one set of fields, none or several,
//! as the layout declares. A write knows the row only by the fields that it is given and by the
//! stored value, like the runtime.

use crate::{Random, oracle::Oracle, rows::Row};
use keyscape_layout::{
    fields,
    model::{KeyspaceId, Segment, Take},
};
use std::collections::{BTreeMap, BTreeSet};

/// The number of writes, and of rows and values that they choose from. Few rows and values meet
/// often.
const WRITES: usize = 60;
const ROWS: usize = 12;
const VALUES: usize = 4;

/// The fields that come from the value of a row, as text.
type Taken = String;

/// The rows and values that writes choose from.
struct Writes<'o> {
    is_unique: bool,
    take: Take,
    /// Each row with the key of its entry for each value.
    rows: Vec<(&'o Row, BTreeMap<Taken, &'o [u8]>)>,
    values: Vec<Taken>,
}

impl Oracle<'_> {
    /// Returns a row of the map that has no entry for a value that the index has a key for. Only
    /// values that every row may have are compared.
    #[must_use]
    pub fn without_value(&self, index: KeyspaceId) -> Option<&Row> {
        let key = &self.layout.keyspace(index).key;
        let is_direct = |name: &str| {
            key.iter().any(|segment| matches!(segment, Segment::Field(own) if own.name == name))
        };
        let taken = fields(key).into_iter().filter(|field| field.is_from_value());
        if !taken.into_iter().all(|field| is_direct(&field.name)) {
            return None;
        }
        let all: BTreeSet<Taken> =
            self.rows(index).iter().map(|entry| self.taken_of(index, entry)).collect();
        let rows = self.taken(index);
        let lacks = |entries: &BTreeMap<Taken, _>| all.iter().any(|v| !entries.contains_key(v));
        rows.iter().find(|(_, entries)| lacks(entries)).map(|(row, _)| *row)
    }

    /// Writes random rows with random values. Returns the first difference between the index and
    /// its map.
    #[must_use]
    pub fn broken_write(&self, index: KeyspaceId) -> Option<String> {
        let rows = self.taken(index);
        let mut random = Random::new(rows.len() as u64);
        let values: BTreeSet<&Taken> = rows.iter().flat_map(|(_, taken)| taken.keys()).collect();
        let values: Vec<Taken> = values.into_iter().cloned().collect();
        if rows.is_empty() || values.is_empty() {
            return None;
        }
        let keyspace = self.layout.keyspace(index);
        let takes =
            fields(&keyspace.key).into_iter().filter_map(|f| Some(f.from_value.as_ref()?.take));
        let take = takes.max_by_key(|take| (*take != Take::One, *take == Take::Each));
        let writes = Writes {
            is_unique: keyspace.unique,
            take: take.unwrap_or_default(),
            rows: (0..ROWS).map(|_| random.pick(&rows).clone()).collect(),
            values: (0..VALUES).map(|_| random.pick(&values).clone()).collect(),
        };
        writes.run(&mut random)
    }

    /// Returns the rows of the map, each with the key of its entry for each value.
    fn taken(&self, index: KeyspaceId) -> Vec<(&Row, BTreeMap<Taken, &[u8]>)> {
        let mut all = Vec::new();
        for (row, entries) in self.indexed(index) {
            let entries = entries.iter().map(|entry| (self.taken_of(index, entry), &*entry.key));
            all.push((row, entries.collect()));
        }
        all
    }

    fn taken_of(&self, index: KeyspaceId, entry: &Row) -> Taken {
        let own = fields(&self.layout.keyspace(index).key).into_iter();
        let taken = own.filter(|field| field.is_from_value());
        format!("{:?}", taken.map(|field| entry.fields.get(&field.name)).collect::<Vec<_>>())
    }
}

impl Writes<'_> {
    fn run(&self, random: &mut Random) -> Option<String> {
        let mut stored: BTreeMap<&[u8], (usize, Vec<&Taken>)> = BTreeMap::new();
        let mut index: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
        for _ in 0..WRITES {
            let at = random.below(self.rows.len());
            let owner = &self.rows[at].0.key[..];
            let count = match self.take {
                Take::One => 1,
                Take::Optional => random.below(2),
                Take::Each => random.below(4),
            };
            let value: Vec<&Taken> = (0..count).map(|_| random.pick(&self.values)).collect();
            let is_put = random.percent(70);
            let old = stored.get(owner).map(|(_, old)| old.clone()).unwrap_or_default();
            // The entries of the old value are computed with the fields of this write.
            let (Some(before), Some(after)) = (self.entries(at, &old), self.entries(at, &value))
            else {
                continue;
            };
            let after = if is_put { after } else { BTreeSet::new() };
            let is_taken = |key: &&&[u8]| index.get(**key).is_some_and(|other| *other != owner);
            if self.is_unique && after.iter().find(is_taken).is_some() {
                continue;
            }
            for key in before.difference(&after) {
                if !self.is_unique || index.get(key) == Some(&owner) {
                    index.remove(key);
                }
            }
            index.extend(after.difference(&before).map(|key| (*key, owner)));
            match is_put {
                true => drop(stored.insert(owner, (at, value))),
                false => drop(stored.remove(owner)),
            }
            let rows = stored.values().filter_map(|(at, value)| self.entries(*at, value));
            let expected: Vec<&[u8]> = rows.flatten().collect();
            let distinct: BTreeSet<&[u8]> = expected.iter().copied().collect();
            if distinct.len() < expected.len() {
                return Some(format!("two rows have one entry in {index:?}"));
            }
            if !distinct.iter().eq(index.keys()) {
                return Some(format!("{index:?} instead of {distinct:?}"));
            }
        }
        None
    }

    /// Returns the entries of a row with a value, or `None` if the index rejects it.
    fn entries(&self, at: usize, value: &[&Taken]) -> Option<BTreeSet<&[u8]>> {
        let entries = &self.rows[at].1;
        value.iter().map(|taken| entries.get(*taken).copied()).collect()
    }
}
