//! Commits, and commits whose answer was lost.

use crate::{
    database::Tikv,
    error::{Fault, FaultKind},
    names::{plain, slot_of, stored},
    session::{StoreRows, TikvSession},
};
use keyscape_store::{
    Commit, Cursor as _, KeyRange, ReadSet, Revision, StoreError, StoreErrorKind, StoreId,
};
use keyscape_store_remote::{PagedCursor, pause, retry_until};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};
use tikv_client::{Key, Timestamp, TimestampExt as _, Transaction, transaction::Mutation};

/// The value of a commit id: of a commit that happened, and of a fence that prevents one.
const COMMITTED: u8 = b'c';
const FENCE: u8 = b'f';
/// The number of times that a transaction moves to a newer state and repeats its reads.
const MAX_MOVES: u32 = 4;
/// The maximum number of keys in a store that a commit locks one by one.
const MAX_LOCKS: usize = 64;

impl TikvSession<'_> {
    /// Writes the changes and commits. After a conflict, moves to a newer state if all reads have
    /// the same results there.
    pub(crate) fn write(
        &self,
        mut tx: Transaction,
        commit: &Commit,
    ) -> Result<Revision, StoreError> {
        let database = self.database;
        let attempts = if commit.reads.is_empty() { database.options.attempts } else { MAX_MOVES };
        let mut attempt = 1;
        loop {
            let fault = match self.try_write(tx, commit) {
                Err(Written::Not(fault)) => fault,
                Err(Written::Unclear(error)) => return Err(error),
                Ok(revision) => return Ok(revision),
            };
            if attempt >= attempts {
                return Err(fault.into_error());
            }
            pause(attempt);
            attempt += 1;
            tx = database.cluster.begin().map_err(Fault::into_error)?;
            if !self.is_same(&commit.reads, &tx.start_timestamp())? {
                return Err(fault.into_error());
            }
        }
    }

    fn try_write(&self, mut tx: Transaction, commit: &Commit) -> Result<Revision, Written> {
        let database = self.database;
        let start = tx.start_timestamp().version();
        let written = database.cluster.run(async {
            fill(database, &mut tx, commit).await?;
            tx.commit().await
        });
        match written {
            Ok(at) => Ok(acknowledged(database, start, at)),
            Err(fault) if matches!(fault.kind, FaultKind::Conflict | FaultKind::NoThread) => {
                database.roll_back(tx);
                Err(Written::Not(fault))
            }
            Err(fault) => {
                // A commit that has happened must not be rolled back: the stores would delete the
                // rows of all regions except the region of the id. Dropping the transaction ends
                // its heartbeats, so its locks expire. A client that finds such a lock reads the id
                // first.
                drop(tx);
                fate(database, start, fault).map_err(Written::Unclear)
            }
        }
    }

    /// Whether all reads have the same results in a newer state.
    fn is_same(&self, reads: &ReadSet, newer: &Timestamp) -> Result<bool, StoreError> {
        let database = self.database;
        let mut keys = Vec::new();
        for (store, range) in reads.iter() {
            let space = database.name(store)?;
            match only_key(&range) {
                Some(key) => keys.push(database.names.row(space, key)),
                None if self.is_same_range(space, &range, newer)? => {}
                None => return Ok(false),
            }
        }
        keys.sort_unstable();
        keys.dedup();
        let values = |at: &Timestamp| -> Result<BTreeMap<Key, Vec<u8>>, StoreError> {
            let found = database.get_many(at, &keys).map_err(Fault::into_error)?;
            Ok(found.into_iter().map(Into::into).collect())
        };
        Ok(values(&self.at)? == values(newer)?)
    }

    fn is_same_range(
        &self,
        space: &str,
        range: &KeyRange<'_>,
        newer: &Timestamp,
    ) -> Result<bool, StoreError> {
        let rows = |at| StoreRows { database: self.database, space, at };
        let mut before = PagedCursor::new(rows(&self.at), range);
        let mut after = PagedCursor::new(rows(newer), range);
        loop {
            match (before.next()?, after.next()?) {
                (None, None) => return Ok(true),
                (before, after) if before != after => return Ok(false),
                _ => {}
            }
        }
    }
}

/// A commit that was not acknowledged.
enum Written {
    /// Nothing is written.
    Not(Fault),
    Unclear(StoreError),
}

/// Returns the key of a range that contains exactly one key.
fn only_key<'r>(range: &'r KeyRange<'_>) -> Option<&'r [u8]> {
    match (range.start(), range.end()) {
        (Bound::Included(start), Bound::Included(end)) if start == end => Some(start),
        _ => None,
    }
}

/// Returns the keys that a commit locks, by store. `None` means all version keys of the store, for
/// ranges and large numbers of keys.
fn keys_to_lock(reads: &ReadSet) -> BTreeMap<StoreId, Option<BTreeSet<Vec<u8>>>> {
    let mut locks = BTreeMap::new();
    for (store, range) in reads.iter().filter(|(_, range)| !range.is_empty()) {
        let lock = locks.entry(store).or_insert_with(|| Some(BTreeSet::new()));
        let Some(keys) = lock else { continue };
        match only_key(&range) {
            Some(key) if keys.len() < MAX_LOCKS || keys.contains(key) => {
                keys.insert(key.to_vec());
            }
            _ => *lock = None,
        }
    }
    locks
}

/// Lists the changes of a commit. The id comes first, because its key decides whether the commit
/// has happened.
pub(crate) fn mutations(database: &Tikv, start: u64, commit: &Commit) -> Vec<Mutation> {
    let names = &database.names;
    let mut mutations = vec![Mutation::Put(names.commit(start).into(), stored(&[COMMITTED]))];
    for store in commit.changes.stores() {
        let version = names.version(store.name(), slot_of(start)).into();
        mutations.push(Mutation::Put(version, stored(&start.to_be_bytes())));
        mutations.extend(store.iter().map(|(key, value)| {
            let key = names.row(store.name(), key).into();
            match value {
                Some(value) => Mutation::Put(key, stored(value)),
                None => Mutation::Delete(key),
            }
        }));
    }
    mutations
}

/// Adds all changes and locks to a transaction.
async fn fill(database: &Tikv, tx: &mut Transaction, commit: &Commit) -> tikv_client::Result<()> {
    let names = &database.names;
    let start = tx.start_timestamp().version();
    tx.batch_mutate(mutations(database, start, commit)).await?;
    // A key that is written needs no separate lock: the client keeps the write.
    for (store, keys) in keys_to_lock(&commit.reads) {
        let Some(space) = database.spaces.name(store) else { continue };
        let keys: Vec<Vec<u8>> = match keys {
            Some(keys) => keys.iter().map(|key| names.row(space, key)).collect(),
            None => names.versions(space).collect(),
        };
        tx.lock_keys(keys).await?;
    }
    tx.lock_keys([names.gate(slot_of(start))]).await
}

/// Returns the revision of a commit that was acknowledged.
pub(crate) fn acknowledged(database: &Tikv, start: u64, at: Option<Timestamp>) -> Revision {
    database.acknowledge(start);
    Revision(at.map_or(start, |at| at.version()))
}

/// Determines the outcome of a commit that failed without a clear answer.
pub(crate) fn fate(database: &Tikv, start: u64, fault: Fault) -> Result<Revision, StoreError> {
    if fault.kind == FaultKind::NoThread {
        return Err(fault.into_error());
    }
    match resolve(database, start) {
        // The revision of the commit is unknown. Later states have greater revisions.
        Ok(Some(now)) => Ok(acknowledged(database, start, Some(now))),
        Ok(None) => Err(fault.into_error()),
        Err(error) => Err(StoreError::new(StoreErrorKind::CommitUnknown).because(error)),
    }
}

/// Determines whether the commit with an id has happened, and prevents a later commit with it.
/// Returns a timestamp after the commit.
fn resolve(database: &Tikv, start: u64) -> Result<Option<Timestamp>, StoreError> {
    let _span = tracing::info_span!("resolve", engine = crate::ENGINE).entered();
    retry_until(database.options.resolve_timeout, |_| true, || fence(database, start))
        .map_err(Fault::into_error)
}

/// Locks the id, which waits for the transaction that wrote it. Writes a fence if the id is
/// missing.
fn fence(database: &Tikv, start: u64) -> Result<Option<Timestamp>, Fault> {
    let id = database.names.commit(start);
    let mut tx = database.cluster.begin_locking()?;
    let found = database.cluster.run(async {
        let found = tx.get_for_update(id.clone()).await?.filter(|value| !value.is_empty());
        if found.is_none() {
            tx.put(id, stored(&[FENCE])).await?;
            tx.commit().await?;
        }
        Ok(found)
    });
    if !matches!(found, Ok(None)) {
        database.roll_back(tx);
    }
    match found?.is_some_and(|value| plain(&value) == [COMMITTED]) {
        true => database.cluster.now().map(Some),
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: StoreId = StoreId::of("a");
    const B: StoreId = StoreId::of("b");

    fn locked(reads: &ReadSet, store: StoreId) -> Option<usize> {
        let locks = keys_to_lock(reads);
        locks.get(&store).map_or(Some(0), |keys| keys.as_ref().map(BTreeSet::len))
    }

    #[test]
    fn keys_are_locked_one_by_one_until_there_are_many() {
        let mut reads = ReadSet::new();
        for _ in 0..2 {
            for number in 0..MAX_LOCKS as u64 {
                reads.add_key(A, &number.to_be_bytes());
            }
        }
        reads.add_key(B, b"");
        assert_eq!((locked(&reads, A), locked(&reads, B)), (Some(MAX_LOCKS), Some(1)));
        reads.add_key(A, b"one more");
        assert_eq!((locked(&reads, A), locked(&reads, B)), (None, Some(1)));
    }

    #[test]
    fn ranges_lock_the_versions_of_their_space() {
        let mut reads = ReadSet::new();
        reads.add_key(A, b"k");
        reads.add_range(A, &KeyRange::prefix(b"o/"));
        reads.add_range(B, &KeyRange::new(Bound::Included(b"x"), Bound::Included(b"x")));
        assert_eq!((locked(&reads, A), locked(&reads, B)), (None, Some(1)));
        let mut nothing = ReadSet::new();
        nothing.add_range(A, &KeyRange::new(Bound::Excluded(b"x"), Bound::Excluded(b"x")));
        assert!(keys_to_lock(&nothing).is_empty());
    }
}
