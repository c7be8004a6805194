//! Checkpoints: one write set with an undo journal.

use crate::{
    StoreError, StoreErrorKind, StoreId,
    changes::{Before, Changes},
    key::Key,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A point of a transaction to roll back to.
///
/// ```
/// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreError, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     tx.put(SHOP, b"ink", b"3")?;
///     let checkpoint = tx.checkpoint();
///     tx.delete(SHOP, b"ink")?;
///     tx.rollback_to(checkpoint)
/// })?;
/// assert!(db.read()?.contains(SHOP, b"ink")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "only this value can roll back to the checkpoint"]
pub struct Checkpoint(u64);

/// Numbers are unique in a process, so a checkpoint of another transaction is recognized. A
/// transaction takes blocks of numbers, since each row with an index is a checkpoint.
static NEXT: AtomicU64 = AtomicU64::new(0);
const BLOCK: u64 = 1 << 20;

/// The undo journal: the earlier change of each write since the oldest live checkpoint.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    undo: Vec<Undo>,
    /// Live checkpoints with the length of `undo` at each.
    live: Vec<(Checkpoint, usize)>,
    /// The number of the next checkpoint; the first of a block if a new block is needed.
    next: u64,
}

#[derive(Debug)]
struct Undo {
    store: StoreId,
    key: Key,
    before: Before,
}

impl Journal {
    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        if self.next.is_multiple_of(BLOCK) {
            self.next = NEXT.fetch_add(BLOCK, Ordering::Relaxed);
        }
        let checkpoint = Checkpoint(self.next);
        self.next += 1;
        self.live.push((checkpoint, self.undo.len()));
        checkpoint
    }

    pub(crate) fn note(&mut self, store: StoreId, key: &[u8], before: Before) {
        if !self.live.is_empty() {
            self.undo.push(Undo { store, key: Key::new(key), before });
        }
    }

    /// Rolls back all writes since the checkpoint, which stays live. Later checkpoints do not.
    pub(crate) fn rollback(
        &mut self,
        checkpoint: Checkpoint,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let place = self.find(checkpoint)?;
        let (_, length) = self.live[place];
        for undo in self.undo.drain(length..).rev() {
            changes.restore(undo.store, &undo.key, undo.before);
        }
        self.live.truncate(place + 1);
        Ok(())
    }

    /// Releases the checkpoint and later ones. Writes stay.
    pub(crate) fn release(&mut self, checkpoint: Checkpoint) -> Result<(), StoreError> {
        let place = self.find(checkpoint)?;
        self.live.truncate(place);
        if self.live.is_empty() {
            self.undo.clear();
        }
        Ok(())
    }

    fn find(&self, checkpoint: Checkpoint) -> Result<usize, StoreError> {
        self.live
            .iter()
            .rposition(|(live, _)| *live == checkpoint)
            .ok_or_else(|| StoreErrorKind::StaleCheckpoint.into())
    }
}
