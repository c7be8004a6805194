//! Sequences: counters without gaps inside transactions, and blocks of numbers outside.

use crate::{Buffer, Error, ErrorKind, IntoField, ItemRows, OwnedOf, Rows, ValueForm, access};
use keyscape_codec::Uint;
use keyscape_store::{Db, Read, Tx};
use std::{
    fmt,
    marker::PhantomData,
    num::NonZeroU64,
    sync::{Mutex, PoisonError},
};

/// A sequence as generated code describes it. Values are integers of any form.
pub trait SequenceRows: Rows<Value: ValueForm<Owned: Number>> {}

/// An integer type of sequences.
///
/// ```
/// use keyscape_runtime::Number;
///
/// assert_eq!(254_u8.plus(1), Some(255));
/// assert_eq!(254_u8.plus(2), None);
/// ```
pub trait Number: Copy + Default + Ord + fmt::Debug + 'static {
    /// Adds `count`, unless the sum is out of range.
    fn plus(self, count: u64) -> Option<Self>;

    /// Converts the number for messages.
    fn to_u128(self) -> u128;
}

macro_rules! numbers {
    ($($int:ty),*) => {$(
        impl Number for $int {
            fn plus(self, count: u64) -> Option<Self> {
                self.checked_add(count.try_into().ok()?)
            }

            fn to_u128(self) -> u128 {
                self.try_into().unwrap_or(u128::MAX)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, Uint);

/// The integer type of a sequence.
pub type NumberOf<K> = OwnedOf<K>;

/// The counter of a sequence. The generated constant of a sequence derefs to this type.
///
/// The first number is 0, unless [`Sequence::set`] was called before: in the transaction that
/// creates the database, for example. The row holds the next number, so the last number of the
/// integer type is never given out. Numbers have no gaps: a number that an aborted transaction took
/// is given out again. All transactions that take a number write the same row; use [`Blocks`] for
/// many concurrent writers.
///
/// ```
/// # use keyscape_samples::shop::layout::NUMBERS;
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     assert_eq!(NUMBERS.next(tx)?, 0);
///     assert_eq!(NUMBERS.next(tx)?, 1);
///     NUMBERS.set(tx, 100)
/// })?;
/// assert_eq!(NUMBERS.peek(&db.read()?)?, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sequence<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: SequenceRows> Sequence<K> {
    /// Takes the next number of a sequence that has fields.
    ///
    /// # Errors
    /// [`Exhausted`](ErrorKind::Exhausted); see [`ErrorKind`].
    pub fn next_of<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<NumberOf<K>, Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        take::<K>(tx, key.written()?, 1)
    }

    /// Returns the next number of a sequence that has fields, without taking it.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn peek_of<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<NumberOf<K>, Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        peek::<K>(state, key.written()?)
    }

    /// Sets the next number of a sequence that has fields.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn set_of<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        next: NumberOf<K>,
    ) -> Result<(), Error> {
        let key = access::encoded::<K>(&key.into_field()?)?;
        access::put_owned::<K>(tx, key.written()?, &next)
    }
}

impl<K: SequenceRows + ItemRows> Sequence<K> {
    /// Takes the next number.
    ///
    /// # Errors
    /// [`Exhausted`](ErrorKind::Exhausted); see [`ErrorKind`].
    pub fn next(&self, tx: &mut Tx<'_>) -> Result<NumberOf<K>, Error> {
        take::<K>(tx, K::KEY, 1)
    }

    /// Returns the next number without taking it.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn peek(&self, state: &(impl Read + ?Sized)) -> Result<NumberOf<K>, Error> {
        peek::<K>(state, K::KEY)
    }

    /// Sets the next number.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn set(&self, tx: &mut Tx<'_>, next: NumberOf<K>) -> Result<(), Error> {
        access::put_owned::<K>(tx, K::KEY, &next)
    }
}

fn peek<K: SequenceRows>(state: &(impl Read + ?Sized), key: &[u8]) -> Result<NumberOf<K>, Error> {
    Ok(access::read_owned::<K>(state, key)?.unwrap_or_default())
}

/// Takes `count` numbers, and returns the first.
fn take<K: SequenceRows>(tx: &mut Tx<'_>, key: &[u8], count: u64) -> Result<NumberOf<K>, Error> {
    let first = peek::<K>(tx, key)?;
    let exhausted = || ErrorKind::Exhausted { keyspace: K::NAME.into(), next: first.to_u128() };
    let next = first.plus(count).ok_or_else(exhausted)?;
    access::put_owned::<K>(tx, key, &next)?;
    Ok(first)
}

/// Takes numbers of a sequence in blocks, each with its own commit, and gives them out one by one.
/// Concurrent writers then do not conflict in the row of the sequence.
///
/// No number is given out twice, but there are gaps: the rest of a block is lost when the handle is
/// dropped. Programs whose numbers must be the same in every run, such as state machines and
/// simulations, use [`Sequence::next`](crate::Sequence::next).
///
/// ```
/// # use keyscape_samples::shop::layout::{NUMBERS, Numbers};
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
    /// Creates a handle that takes blocks of `size` numbers.
    #[must_use]
    pub fn new(db: Db, size: NonZeroU64) -> Self {
        Self { db, size, block: Mutex::new(None) }
    }

    /// Returns a unique number. Every `size` calls it waits for a commit, so it must not be called
    /// inside a transaction of the same thread.
    ///
    /// # Errors
    /// [`Exhausted`](crate::ErrorKind::Exhausted), or errors of the commit;
    /// [`Busy`](keyscape_store::StoreErrorKind::Busy) inside a transaction of the same thread.
    pub fn next(&self) -> Result<NumberOf<K>, Error> {
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        let Block { next, left } = match *block {
            Some(block) if block.left > 0 => block,
            _ => {
                // Numbers of a commit with unknown outcome are not given out: a gap, but no
                // repetition.
                let count = self.size.get();
                let next = self.db.write(|tx| take::<K>(tx, K::KEY, count))?;
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
