//! Scans over the structures of a keyspace.

use super::{Structure, records_of};
use crate::{
    Error, Page, Prefix, ScanRows, access,
    engine::{Location, StructureRecords},
    record::{self, Family, Kind},
};
use keyscape_store::{Direction, KeyRange, Read, Tx, prefix_end};
use std::{fmt, iter::FusedIterator, marker::PhantomData, ops::Bound};

/// Scans over the keys of structures. Each structure costs one seek, regardless of its size.
impl<K: Structure, B: ScanRows<K>> Prefix<K, B> {
    /// Starts a scan over the existing structures. A queue exists if it has members. A queue that
    /// has lost all members costs a seek.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for vout in 0..3 {
    ///     OUTPUT_MERKLE.put(tx, Outpoint { txid: [7; 32], vout }, (), 1)?;
    /// }
    ///
    /// let mut outputs = OUTPUT.prefix_outpoint_txid([7; 32]).range(1..).structures(tx)?;
    /// while let Some(output) = outputs.next_key()? {
    ///     assert!(output.outpoint.vout > 0);
    /// }
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ForeignCursor`](crate::ErrorKind::ForeignCursor) if the cursor belongs to another scan;
    /// see [`ErrorKind`](crate::ErrorKind).
    pub fn structures<'t, R: Read + ?Sized>(
        &self,
        state: &'t R,
    ) -> Result<StructureScan<'t, R, K, B>, Error> {
        let above = self.above()?;
        let range = self.interval(above.as_ref())?;
        Ok(StructureScan::new(state, &range, self.max_rows))
    }

    /// Counts the structures. Scans all of them.
    ///
    /// # Errors
    /// As [`StructureScan::next_key`].
    pub fn count_structures(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let mut scan = self.structures(state)?;
        access::count_steps(|| scan.step())
    }

    /// Reads the keys of the first structures and the cursor of the next page. Reads at most `keys`
    /// keys, and at least one if there is one.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for vout in 0..3 {
    ///     OUTPUT_MERKLE.put(tx, Outpoint { txid: [7; 32], vout }, (), 1)?;
    /// }
    ///
    /// let page = OUTPUT.prefix_all().page_of_structures(tx, 2)?;
    /// let cursor = page.next.ok_or("there is more")?;
    /// let rest = OUTPUT.prefix_all().after(&cursor).page_of_structures(tx, 2)?;
    /// assert_eq!((page.rows.len(), rest.rows.len()), (2, 1));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Prefix::structures`] and [`StructureScan::next_key`].
    pub fn page_of_structures(
        &self,
        state: &(impl Read + ?Sized),
        keys: usize,
    ) -> Result<Page<K::Key<'static>>, Error> {
        let open = |limit| Ok(StructureScan { left: limit, ..self.structures(state)? });
        let next = |scan: &mut StructureScan<'_, _, K, B>, key: &mut Vec<u8>| {
            let structure = scan.next_key()?.map(K::into_owned);
            key.clone_from(&scan.key);
            Ok(structure)
        };
        let size = (keys, self.max_rows, self.direction);
        Page::read::<K, _>(size, open, next, StructureScan::step)
    }

    /// Deletes the structures with all their records. Returns the number of structures.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for vout in 0..3 {
    ///     OUTPUT_MERKLE.put(tx, Outpoint { txid: [7; 32], vout }, (), 1)?;
    /// }
    ///
    /// assert_eq!(OUTPUT.prefix_outpoint_txid([7; 32]).delete_structures(tx)?, 3);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`StructureScan::next_key`]. After an error, nothing has changed.
    pub fn delete_structures(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        let keys = self.structures(tx)?.collect::<Result<Vec<_>, _>>()?;
        tx.attempt(|tx| {
            for key in &keys {
                records_of::<K>(key)?.delete_all(tx)?;
            }
            Ok(keys.len() as u64)
        })
    }
}

/// The keys of the structures of a scan. [`StructureScan::next_key`] lends one key at a time. As an
/// iterator, the scan returns owned keys, and ends after an error.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// for vout in 0..3 {
///     OUTPUT_MERKLE.put(tx, Outpoint { txid: [7; 32], vout }, (), 1)?;
/// }
///
/// let mut outputs = OUTPUT.prefix_all().reverse().structures(tx)?;
/// assert_eq!(outputs.next_key()?.map(|output| output.outpoint.vout), Some(2));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StructureScan<'t, R: ?Sized, K, B> {
    state: &'t R,
    /// The start of the remaining records.
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    direction: Direction,
    left: u64,
    /// The key of the current structure.
    key: Vec<u8>,
    marker: PhantomData<fn() -> (K, B)>,
}

impl<'t, R: Read + ?Sized, K: Structure, B: ScanRows<K>> StructureScan<'t, R, K, B> {
    /// Starts a scan over the structures whose key is in a range.
    fn new(state: &'t R, range: &KeyRange<'_>, limit: u64) -> Self {
        let kind = K::KIND;
        let start = match range.start() {
            Bound::Unbounded => record::prefix(kind, &[]),
            Bound::Included(key) => record::prefix(kind, key),
            // The byte of a kind is never ff, so an end always exists.
            Bound::Excluded(key) => structure_end(kind, key).unwrap_or_default(),
        };
        let end = match range.end() {
            Bound::Unbounded => prefix_end(&record::prefix(kind, &[])),
            Bound::Included(key) => structure_end(kind, key),
            Bound::Excluded(key) => Some(record::prefix(kind, key)),
        };
        let (direction, key) = (range.direction(), Vec::new());
        Self { state, start, end, direction, left: limit, key, marker: PhantomData }
    }

    /// Lends the key of the next structure, or returns `None` at the end.
    ///
    /// # Errors
    /// [`CorruptKey`](crate::ErrorKind::CorruptKey) for a record that does not belong to the scan;
    /// see [`ErrorKind`](crate::ErrorKind).
    pub fn next_key(&mut self) -> Result<Option<K::Key<'_>>, Error> {
        if !self.step()? {
            return Ok(None);
        }
        let key = K::decode(&self.key);
        key.map(Some).map_err(|source| Location::of::<K>().corrupt(&self.key, source))
    }

    /// Moves to the next structure. Returns whether there is one.
    fn step(&mut self) -> Result<bool, Error> {
        while self.left > 0 {
            let Some(family) = self.seek()? else { break };
            if let Err(source) = K::decode(&self.key) {
                if B::passes(&self.key) {
                    continue;
                }
                return Err(Location::of::<K>().corrupt(&self.key, source));
            }
            // The token record of a queue outlives its members.
            let records = || StructureRecords::new(Location::of::<K>(), K::KIND, &self.key);
            if family == Family::Token && !records().exists(self.state)? {
                continue;
            }
            self.left -= 1;
            return Ok(true);
        }
        self.left = 0;
        Ok(false)
    }

    /// Moves to the next structure, which may belong to another keyspace, and skips its records.
    fn seek(&mut self) -> Result<Option<Family>, Error> {
        let end = self.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&self.start), end);
        let range = range.with_direction(self.direction).expecting(1);
        let location = Location::of::<K>();
        let mut rows = location.rows(self.state, range)?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let record = record::split(row.key).map_err(|source| location.corrupt(row.key, source))?;
        let mut structure = Vec::with_capacity(row.key.len());
        record::begin_structure(K::KIND, &record.structure, &mut structure);
        self.key.clear();
        self.key.extend_from_slice(&record.structure);
        let family = record.family;
        drop(rows);
        match self.direction {
            Direction::Forward => self.start = prefix_end(&structure).unwrap_or_default(),
            Direction::Backward => self.end = Some(structure),
        }
        Ok(family)
    }
}

impl<R: Read + ?Sized, K: Structure, B: ScanRows<K>> Iterator for StructureScan<'_, R, K, B> {
    type Item = Result<K::Key<'static>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.next_key().map(|key| key.map(K::into_owned));
        access::next_item(key, &mut self.left)
    }
}

impl<R: Read + ?Sized, K: Structure, B: ScanRows<K>> FusedIterator for StructureScan<'_, R, K, B> {}

/// Returns the end of the records of a structure.
fn structure_end(kind: Kind, key: &[u8]) -> Option<Vec<u8>> {
    let mut structure = Vec::with_capacity(key.len() + 8);
    record::begin_structure(kind, key, &mut structure);
    prefix_end(&structure)
}

impl<R: ?Sized, K, B> fmt::Debug for StructureScan<'_, R, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StructureScan")
            .field("key", &self.key)
            .field("direction", &self.direction)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
