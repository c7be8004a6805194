//! Numbers in blocks, outside of transactions.

use crate::{Error, ItemRows, Number, NumberOf, SequenceRows, sequence};
use keyscape_store::Db;
use std::{
    fmt,
    num::NonZeroU64,
    sync::{Mutex, PoisonError},
};

/// Numbers of a sequence that are taken in blocks, each with a commit of its own, and given out one
/// by one: many writers beside each other do not meet in the row of the sequence.
///
/// Numbers never come twice, but there are gaps: what is left of a block when the handle is dropped
/// is never given out. What must be the same in every run, such as a state machine or a simulation,
/// uses [`Sequence::next`](crate::Sequence::next).
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{NUMBERS, Numbers};
/// # use keyscape_store::{Db, Memory, Spaces};
/// use keyscape_runtime::Blocks;
/// use std::num::NonZeroU64;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let blocks = Blocks::<Numbers>::new(db.clone(), NonZeroU64::new(10).ok_or("0")?);
/// assert_eq!((blocks.next()?, blocks.next()?), (0, 1));
/// assert_eq!(NUMBERS.peek(&db.read()?)?, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Blocks<K: SequenceRows + ItemRows> {
    db: Db,
    size: NonZeroU64,
    block: Mutex<Option<Block<NumberOf<K>>>>,
}

#[derive(Clone, Copy)]
struct Block<T> {
    next: T,
    left: u64,
}

impl<K: SequenceRows + ItemRows> Blocks<K> {
    /// A handle that takes blocks of `size` numbers.
    #[must_use]
    pub fn new(db: Db, size: NonZeroU64) -> Self {
        Self { db, size, block: Mutex::new(None) }
    }

    /// A number that nobody else has. Once in `size` calls it waits for a commit, so it must not be
    /// called inside a transaction of the same thread.
    ///
    /// # Errors
    /// [`Exhausted`](crate::ErrorKind::Exhausted), or what the commit reports;
    /// [`Busy`](keyscape_store::StoreErrorKind::Busy) inside a transaction of the same thread.
    pub fn next(&self) -> Result<NumberOf<K>, Error> {
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        let Block { next, left } = match *block {
            Some(block) if block.left > 0 => block,
            _ => {
                // What a commit of unknown outcome took is not given out: a gap, no number twice.
                let count = self.size.get();
                let next = self.db.write(|tx| sequence::take::<K>(tx, K::KEY, count))?;
                Block { next, left: count }
            }
        };
        *block = next.plus(1).map(|after| Block { next: after, left: left - 1 });
        Ok(next)
    }
}

impl<K: SequenceRows + ItemRows> fmt::Debug for Blocks<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks")
            .field("sequence", &K::NAME)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
