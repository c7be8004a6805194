//! The largest keyspaces and prefixes.

use crate::database::Entry;
use keyscape_layout::{Datum, Layout, Record, model::KeyspaceId};
use keyscape_store::Row;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

/// The number of prefixes in a report.
const PREFIXES: usize = 10;

/// Rows and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Size {
    pub rows: u64,
    pub key_bytes: u64,
    pub value_bytes: u64,
}

/// The rows of a keyspace with the same first field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrefixSize {
    pub size: Size,
    pub keyspace: KeyspaceId,
    /// The key up to the end of the first field.
    pub prefix: Vec<u8>,
}

/// Sizes of keyspaces, and of the largest prefixes.
#[derive(Debug, Default)]
pub struct Statistics {
    keyspaces: BTreeMap<KeyspaceId, Size>,
    /// The current prefix. Rows with one prefix are adjacent.
    current: Option<(KeyspaceId, Datum, PrefixSize)>,
    /// The smallest is at the top.
    largest: BinaryHeap<Reverse<PrefixSize>>,
}

impl Size {
    /// Counts a row.
    pub fn add(&mut self, row: Row<'_>) {
        self.rows += 1;
        self.key_bytes += row.key.len() as u64;
        self.value_bytes += row.value.len() as u64;
    }

    /// Adds other rows.
    pub fn join(&mut self, other: Self) {
        self.rows += other.rows;
        self.key_bytes += other.key_bytes;
        self.value_bytes += other.value_bytes;
    }
}

impl Statistics {
    /// Counts a row.
    pub fn add(&mut self, layout: &Layout, entry: &Entry, row: Row<'_>) {
        self.keyspaces.entry(entry.keyspace).or_default().add(row);
        let Some((name, first)) = entry.key.0.first() else { return };
        let is_same = |(id, datum, _): &(KeyspaceId, Datum, PrefixSize)| {
            *id == entry.keyspace && datum == first
        };
        if let Some((_, _, prefix)) = self.current.as_mut().filter(|current| is_same(current)) {
            prefix.size.add(row);
            return;
        }
        self.finish();
        let keyspace = layout.keyspace(entry.keyspace);
        // One field that is the whole key is no prefix, except of a structure.
        if entry.key.0.len() < 2 && keyspace.member.is_none() {
            return;
        }
        let leading = Record(vec![(name.clone(), first.clone())]);
        let prefix = crate::database::leading_bytes(keyspace, &leading).unwrap_or_default();
        let mut size = Size::default();
        size.add(row);
        let prefix = PrefixSize { size, keyspace: entry.keyspace, prefix };
        self.current = Some((entry.keyspace, first.clone(), prefix));
    }

    /// Returns the number of rows of a keyspace.
    pub(super) fn rows(&self, id: KeyspaceId) -> u64 {
        self.keyspaces.get(&id).map_or(0, |size| size.rows)
    }

    /// Ends the current prefix.
    pub fn finish(&mut self) {
        let Some((_, _, prefix)) = self.current.take() else { return };
        self.largest.push(Reverse(prefix));
        if self.largest.len() > PREFIXES {
            self.largest.pop();
        }
    }

    /// Lists the keyspaces with rows, the largest first.
    pub fn keyspaces(&self) -> Vec<(KeyspaceId, Size)> {
        let mut sizes: Vec<(KeyspaceId, Size)> =
            self.keyspaces.iter().map(|(id, size)| (*id, *size)).collect();
        sizes.sort_by_key(|&(id, size)| (Reverse(size), id));
        sizes
    }

    /// Lists the largest prefixes, the largest first.
    pub fn prefixes(&self) -> Vec<&PrefixSize> {
        let mut prefixes: Vec<&PrefixSize> = self.largest.iter().map(|Reverse(one)| one).collect();
        prefixes.sort_by(|a, b| b.cmp(a));
        prefixes
    }
}
