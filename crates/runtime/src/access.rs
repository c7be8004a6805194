//! Encoded keys and values on their way between typed handles and the store.

use crate::{
    BadValue, Buffer, DomainError, Error, ErrorKind, Hash, HashFieldOf, Index, Item, Keyspace, Map,
    OwnedOf, Queue, Rows, Sequence, Set, ValueForm, ViewOf, Zset,
};
use keyscape_codec::Malformed;
use keyscape_store::{KeyRange, Read, ReadExt, Row, StoreError, StoreId, Tx};
use std::{cell::Cell, fmt, marker::PhantomData, ops::ControlFlow, thread::LocalKey};

/// Returns the space of a keyspace.
pub(crate) const fn space<K: Keyspace>() -> StoreId {
    const { StoreId::of(K::SPACE) }
}

/// Encodes a key.
pub(crate) fn encoded<K: Keyspace>(key: &K::Key<'_>) -> Result<K::Buffer, Error> {
    let mut buffer = K::Buffer::default();
    K::encode(key, &mut buffer)?;
    Ok(buffer)
}

/// Adds the keyspace to an error of the store.
#[cold]
pub(crate) fn failed<K: Keyspace>(error: StoreError) -> Error {
    error.in_store(K::SPACE).in_keyspace(K::NAME).into()
}

/// Returns the error of a value that cannot be encoded.
#[cold]
pub(crate) fn unencodable<K: Keyspace>(key: &[u8], source: DomainError) -> Error {
    ErrorKind::Unencodable { keyspace: K::NAME.into(), key: key.into(), source }.into()
}

#[cold]
pub(crate) fn corrupt_key<K: Keyspace>(key: &[u8], source: Malformed) -> Error {
    ErrorKind::CorruptKey { keyspace: K::NAME.into(), key: key.into(), source }.into()
}

/// Decodes the value of a row.
pub(crate) fn decoded<'v, K: Rows>(key: &[u8], value: &'v [u8]) -> Result<ViewOf<'v, K>, Error> {
    K::Value::decode_row(key, value).map_err(|source| corrupt_value::<K>(key, source))
}

#[cold]
pub(crate) fn corrupt_value<K: Keyspace>(key: &[u8], source: BadValue) -> Error {
    ErrorKind::CorruptValue { keyspace: K::NAME.into(), key: key.into(), source }.into()
}

/// Passes the borrowed value of a row to `found`, and returns its result.
pub(crate) fn read<K: Rows, T>(
    state: &(impl Read + ?Sized),
    key: &[u8],
    found: impl FnOnce(ViewOf<'_, K>) -> T,
) -> Result<Option<T>, Error> {
    let read = state
        .get_with(space::<K>(), key, |value| decoded::<K>(key, value).map(found))
        .map_err(failed::<K>)?;
    read.transpose()
}

/// Reads the owned value of a row.
pub(crate) fn read_owned<K: Rows>(
    state: &(impl Read + ?Sized),
    key: &[u8],
) -> Result<Option<OwnedOf<K>>, Error> {
    read::<K, _>(state, key, <K::Value as ValueForm>::into_owned)
}

/// Reads the owned values of rows, in the order of their encoded keys.
pub(crate) fn read_many<K: Rows>(
    state: &(impl Read + ?Sized),
    keys: &[&[u8]],
) -> Result<Vec<Option<OwnedOf<K>>>, Error> {
    let mut values: Vec<Option<OwnedOf<K>>> = keys.iter().map(|_| None).collect();
    let mut failure = None;
    let mut found = |place: usize, value: &[u8]| match decoded::<K>(keys[place], value) {
        Ok(view) => values[place] = Some(<K::Value as ValueForm>::into_owned(view)),
        Err(error) => failure = Some(error),
    };
    state.read_many(space::<K>(), keys, &mut found).map_err(failed::<K>)?;
    failure.map_or(Ok(values), Err)
}

/// Copies the encoded value of a row. Returns whether the row exists.
pub(crate) fn copy<K: Keyspace>(
    state: &(impl Read + ?Sized),
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    state.read(space::<K>(), key, &mut |value| out.extend_from_slice(value)).map_err(failed::<K>)
}

/// Whether a row exists.
pub(crate) fn contains<K: Keyspace>(
    state: &(impl Read + ?Sized),
    key: &[u8],
) -> Result<bool, Error> {
    state.contains(space::<K>(), key).map_err(failed::<K>)
}

pub(crate) fn put<K: Keyspace>(tx: &mut Tx<'_>, key: &[u8], value: &[u8]) -> Result<(), Error> {
    tx.put(space::<K>(), key, value).map_err(failed::<K>)
}

pub(crate) fn delete<K: Keyspace>(tx: &mut Tx<'_>, key: &[u8]) -> Result<(), Error> {
    tx.delete(space::<K>(), key).map_err(failed::<K>)
}

/// Passes copies of rows to `visit`, which may write, and continues after each.
pub(crate) fn walk<K: Keyspace, E: From<Error>>(
    tx: &mut Tx<'_>,
    range: KeyRange<'_>,
    mut visit: impl FnMut(&mut Tx<'_>, Row<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    /// The source of the error that ended the walk.
    enum Stop<E> {
        Store(StoreError),
        Visit(E),
    }
    impl<E> From<StoreError> for Stop<E> {
        fn from(error: StoreError) -> Self {
            Self::Store(error)
        }
    }
    let walked = tx.walk(space::<K>(), range, |tx, row| visit(tx, row).map_err(Stop::Visit));
    walked.map_err(|stop| match stop {
        Stop::Store(error) => failed::<K>(error).into(),
        Stop::Visit(error) => error,
    })
}

/// Returns the smallest byte string that is greater than all that begin with `prefix`, if there is
/// one.
pub(crate) fn successor<B: Buffer>(prefix: &[u8]) -> Option<B> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut above = B::default();
    above.put(&prefix[..last]);
    above.push(prefix[last] + 1);
    Some(above)
}

/// Larger buffers are not reused.
pub(crate) const MAX_IDLE_CAPACITY: usize = 64 << 10;

/// Lends an empty buffer. Reusing buffers makes a put allocate for the write set alone.
pub(crate) fn with_buffer<T>(run: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    thread_local! {
        static IDLE: Cell<Vec<Vec<u8>>> = const { Cell::new(Vec::new()) };
    }
    lend(&IDLE, run, |buffer| {
        buffer.clear();
        buffer.capacity() <= MAX_IDLE_CAPACITY
    })
}

/// Lends an object of a pool. `reset` empties the object, and returns whether to reuse it.
pub(crate) fn lend<B: Default, T>(
    pool: &'static LocalKey<Cell<Vec<B>>>,
    run: impl FnOnce(&mut B) -> T,
    reset: impl FnOnce(&mut B) -> bool,
) -> T {
    let mut idle = pool.take();
    let mut object = idle.pop().unwrap_or_default();
    pool.set(idle);
    let result = run(&mut object);
    if reset(&mut object) {
        let mut idle = pool.take();
        idle.push(object);
        pool.set(idle);
    }
    result
}

/// Implements what all handles share. Handles are constants without contents.
macro_rules! handles {
    ($($handle:ident),*) => {$(
        impl<K> $handle<K> {
            /// The handle. Generated code has it as a constant.
            #[must_use]
            pub const fn new() -> Self {
                Self(PhantomData)
            }
        }

        impl<K> Default for $handle<K> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<K> Clone for $handle<K> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<K> Copy for $handle<K> {}

        impl<K: Keyspace> fmt::Debug for $handle<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($handle), "({}/{})"), K::SPACE, K::NAME)
            }
        }
    )*};
}

handles!(Hash, HashFieldOf, Index, Item, Map, Queue, Sequence, Set, Zset);
