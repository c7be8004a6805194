//! Ids of acknowledged commits, which are no longer needed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of ids that one transaction deletes.
const AT_ONCE: usize = 64;
/// Above this number, ids are left to the next opening of the database.
const MAX_IDS: usize = 4096;

/// The start timestamps of acknowledged transactions. One transaction at a time deletes their ids.
/// The deletion is separate from commits of the user, so it adds no rows to them and causes no
/// conflicts.
#[derive(Debug, Default)]
pub(crate) struct Ids(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    starts: Vec<u64>,
    is_deleting: bool,
}

impl Ids {
    /// Adds an id. Returns the ids to delete if there are enough and no deletion is running.
    pub(crate) fn add(&self, start: u64) -> Vec<u64> {
        let mut queue = self.lock();
        if queue.starts.len() < MAX_IDS {
            queue.starts.push(start);
        }
        if queue.is_deleting || queue.starts.len() < AT_ONCE {
            return Vec::new();
        }
        queue.is_deleting = true;
        queue.starts.drain(..AT_ONCE).collect()
    }

    /// Ends a deletion. Ids that could not be deleted are deleted later.
    pub(crate) fn finish(&self, not_deleted: &[u64]) {
        let mut queue = self.lock();
        queue.is_deleting = false;
        queue.starts.extend_from_slice(not_deleted);
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ids_are_deleted_at_once_and_failures_are_tried_again() {
        let ids = Ids::default();
        let mut taken: Vec<Vec<u64>> = (0..200).map(|start| ids.add(start)).collect();
        taken.retain(|starts| !starts.is_empty());
        assert_eq!(taken, [(0..64).collect::<Vec<u64>>()], "one deletion runs at a time");
        ids.finish(&taken[0]);
        assert_eq!(ids.add(200), (64..128).collect::<Vec<u64>>());
        ids.finish(&[]);
        let left: Vec<u64> = (128..200).chain(0..64).chain([200, 201]).collect();
        assert_eq!(ids.add(201), left[..64]);
    }

    #[test]
    fn the_queue_is_bounded() {
        let ids = Ids::default();
        (0..10_000).for_each(|start| drop(ids.add(start)));
        assert!(ids.lock().starts.len() <= MAX_IDS);
    }
}
