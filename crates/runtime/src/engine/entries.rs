//! The entries of one row in the indexes of its map.

use super::Location;
use crate::{Error, access};
use keyscape_store::Tx;
use std::{cell::Cell, cmp::Ordering, ops::Range};

/// The entries of one row in the indexes of its map: for each index, a set of keys.
#[derive(Debug, Default)]
pub struct EntryList {
    bytes: Vec<u8>,
    /// The keys of all indexes, as ranges of `bytes`. Those of one index are sorted.
    keys: Vec<Range<usize>>,
    /// `None` for an index that was skipped.
    indexes: Vec<Option<ListedIndex>>,
}

#[derive(Debug)]
struct ListedIndex {
    location: Location,
    is_unique: bool,
    /// The value of all its entries, in `bytes`.
    value: Range<usize>,
    /// Its keys, in `keys`.
    keys: Range<usize>,
}

impl EntryList {
    /// Adds an index. `list` adds the keys of its entries, which all have this value.
    ///
    /// # Errors
    /// Errors of `list`. The list is then unusable.
    pub fn add_index<E>(
        &mut self,
        location: Location,
        is_unique: bool,
        value: &[u8],
        list: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        let (value, first) = (start..self.bytes.len(), self.keys.len());
        list(self)?;
        self.sort_from(first);
        let keys = first..self.keys.len();
        self.indexes.push(Some(ListedIndex { location, is_unique, value, keys }));
        Ok(())
    }

    /// Adds the key of an entry, which `encode` appends. A key that is added twice counts once.
    ///
    /// # Errors
    /// Errors of `encode`. The list is then unusable.
    pub fn add_key<E>(
        &mut self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        encode(&mut self.bytes)?;
        self.keys.push(start..self.bytes.len());
        Ok(())
    }

    /// Sorts the last keys and removes repeated ones.
    fn sort_from(&mut self, first: usize) {
        let Some(added @ [_, _, ..]) = self.keys.get_mut(first..) else { return };
        let key = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        added.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        let mut end = first + 1;
        for at in first + 1..self.keys.len() {
            let [last, next] = [end - 1, at].map(|at| self.keys.get(at).cloned());
            if last.as_ref().map(key) != next.as_ref().map(key) {
                self.keys.swap(end, at);
                end += 1;
            }
        }
        self.keys.truncate(end);
    }

    /// Leaves out the entries of an index. Entries before and after a write are compared index by
    /// index.
    pub fn skip(&mut self) {
        self.indexes.push(None);
    }

    /// Lists the keys of all entries, index by index, sorted in each.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.iter().map(|key| self.slice(key))
    }

    fn slice(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// Lists the entries of the index at a position, which may have been skipped.
    fn of_index(&self, at: usize) -> impl Iterator<Item = Entry<'_>> {
        let listed = self.indexes.get(at).and_then(Option::as_ref);
        listed.into_iter().flat_map(move |index| {
            let keys = self.keys.get(index.keys.clone()).unwrap_or_default();
            keys.iter().map(move |key| Entry {
                index: &index.location,
                is_unique: index.is_unique,
                key: self.slice(key),
                value: self.slice(&index.value),
            })
        })
    }

    /// Returns an index and a key in it that belongs to another row, although the index is unique.
    pub(super) fn find_taken(&self, tx: &Tx<'_>) -> Result<Option<(&Location, &[u8])>, Error> {
        let all = (0..self.indexes.len()).flat_map(|at| self.of_index(at));
        for entry in all.filter(|entry| entry.is_unique) {
            if entry.is_owned(tx)? == Some(false) {
                return Ok(Some((entry.index, entry.key)));
            }
        }
        Ok(None)
    }

    /// Deletes the entries that `after` lacks, and puts those that only `after` has.
    pub(super) fn replace_by(
        &self,
        after: &Self,
        keeps_existing: bool,
        tx: &mut Tx<'_>,
    ) -> Result<(), Error> {
        for at in 0..self.indexes.len().max(after.indexes.len()) {
            let (mut olds, mut news) =
                (self.of_index(at).peekable(), after.of_index(at).peekable());
            loop {
                let order = match (olds.peek(), news.peek()) {
                    (None, None) => break,
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (Some(old), Some(new)) => old.key.cmp(new.key),
                };
                let old = if order.is_le() { olds.next() } else { None };
                let new = if order.is_ge() { news.next() } else { None };
                match (old, new) {
                    (Some(old), None) => old.delete(tx)?,
                    (None, Some(new)) => new.put(tx, keeps_existing)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Passes an empty list to `run`. Lists are reused.
    pub(crate) fn with<T>(run: impl FnOnce(&mut Self) -> T) -> T {
        thread_local! {
            static IDLE: Cell<Vec<EntryList>> = const { Cell::new(Vec::new()) };
        }
        access::with_pooled(&IDLE, run, |list| {
            list.bytes.clear();
            list.keys.clear();
            list.indexes.clear();
            list.bytes.capacity().max(list.keys.capacity()) <= access::MAX_IDLE_CAPACITY
        })
    }
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    index: &'a Location,
    is_unique: bool,
    key: &'a [u8],
    value: &'a [u8],
}

impl Entry<'_> {
    /// Whether the stored entry of a unique index belongs to the row; `None` if there is no entry.
    fn is_owned(&self, tx: &Tx<'_>) -> Result<Option<bool>, Error> {
        self.index.get_with(tx, self.key, |stored| stored == self.value)
    }

    fn put(&self, tx: &mut Tx<'_>, keeps_existing: bool) -> Result<(), Error> {
        if keeps_existing && self.index.contains(tx, self.key)? {
            return Ok(());
        }
        self.index.put(tx, self.key, self.value)
    }

    /// Deletes the entry. Under the key of a unique index there may be the entry of another row,
    /// which stays.
    fn delete(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        if self.is_unique && self.is_owned(tx)? != Some(true) {
            return Ok(());
        }
        self.index.delete(tx, self.key)
    }
}
