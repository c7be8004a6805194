//! Sequences: counters in the transaction, without gaps.

use crate::{Buffer, Error, ErrorKind, ItemRows, OwnedOf, Rows, ValueForm, access};
use keyscape_codec::Uint;
use keyscape_store::{Read, Tx};
use std::{fmt, marker::PhantomData};

/// A sequence, as generated code describes it. Its values are integers of any form.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Numbers;
/// use keyscape_runtime::SequenceRows;
///
/// assert_eq!(Numbers::START, 0);
/// ```
pub trait SequenceRows: Rows<Value: ValueForm<Owned: Number>> {
    /// The first number: what a sequence without a row begins with.
    const START: u64 = 0;
}

/// An integer that a sequence can count with.
///
/// ```
/// use keyscape_runtime::Number;
///
/// assert_eq!(254_u8.plus(1), Some(255));
/// assert_eq!(254_u8.plus(2), None);
/// assert_eq!(u8::small(256), None);
/// ```
pub trait Number: Copy + Ord + fmt::Debug + 'static {
    /// A small number.
    fn small(number: u64) -> Option<Self>;

    /// This many numbers further on, if there are that many.
    fn plus(self, count: u64) -> Option<Self>;

    /// For messages.
    fn shown(self) -> u128;
}

macro_rules! numbers {
    ($($int:ty),*) => {$(
        impl Number for $int {
            fn small(number: u64) -> Option<Self> {
                number.try_into().ok()
            }

            fn plus(self, count: u64) -> Option<Self> {
                self.checked_add(count.try_into().ok()?)
            }

            fn shown(self) -> u128 {
                self.try_into().unwrap_or(u128::MAX)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, Uint);

/// The number of a sequence.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{NUMBERS, Numbers};
/// # use keyscape_store::{Db, Memory, Spaces};
/// use keyscape_runtime::NumberOf;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let first: NumberOf<Numbers> = db.write(|tx| NUMBERS.next(tx))?;
/// assert_eq!(first, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type NumberOf<K> = OwnedOf<K>;

/// Access to a sequence. The generated constant of a sequence derefs to it.
///
/// Its row holds the number that comes next. Numbers are without gaps: one that a transaction took
/// that is not committed is given out again. All transactions that take a number write that row; for
/// many writers beside each other there are [`Blocks`](crate::Blocks).
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::NUMBERS;
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
        key: impl Into<K::Key<'k>>,
    ) -> Result<NumberOf<K>, Error> {
        let key = access::encoded::<K>(&key.into())?;
        take::<K>(tx, key.written()?, 1)
    }

    /// The next number of a sequence that has fields.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn peek_of<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<NumberOf<K>, Error> {
        let key = access::encoded::<K>(&key.into())?;
        peek::<K>(state, key.written()?)
    }

    /// Sets the next number of a sequence that has fields.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn set_of<'k>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<K::Key<'k>>,
        next: NumberOf<K>,
    ) -> Result<(), Error> {
        let key = access::encoded::<K>(&key.into())?;
        set::<K>(tx, key.written()?, next)
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

    /// The next number.
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
        set::<K>(tx, K::KEY, next)
    }
}

fn peek<K: SequenceRows>(state: &(impl Read + ?Sized), key: &[u8]) -> Result<NumberOf<K>, Error> {
    match access::read_owned::<K>(state, key)? {
        Some(next) => Ok(next),
        None => NumberOf::<K>::small(K::START).ok_or_else(|| exhausted::<K>(u128::from(K::START))),
    }
}

/// Takes so many numbers and returns the first.
pub(crate) fn take<K: SequenceRows>(
    tx: &mut Tx<'_>,
    key: &[u8],
    count: u64,
) -> Result<NumberOf<K>, Error> {
    let first = peek::<K>(tx, key)?;
    let next = first.plus(count).ok_or_else(|| exhausted::<K>(first.shown()))?;
    set::<K>(tx, key, next)?;
    Ok(first)
}

fn set<K: SequenceRows>(tx: &mut Tx<'_>, key: &[u8], next: NumberOf<K>) -> Result<(), Error> {
    access::with_buffer(|value| {
        K::Value::encode_owned(&next, value)?;
        access::put::<K>(tx, key, value)
    })
}

fn exhausted<K: Rows>(last: u128) -> Error {
    ErrorKind::Exhausted { keyspace: K::NAME, last }.into()
}
