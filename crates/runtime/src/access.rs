//! Encoding and decoding for typed handles, reusable buffers, and the traits of all handles.

use crate::{
    Buffer, Error, Hash, HashFieldOf, Index, Item, Keyspace, Map, OwnedOf, Queue, Rows, Sequence,
    Set, ValueForm, ViewOf, Zset, engine::Location,
};
use keyscape_store::{Read, Tx};
use std::{cell::Cell, fmt, marker::PhantomData, thread::LocalKey};

/// Encodes a key.
pub(crate) fn encoded<K: Keyspace>(key: &K::Key<'_>) -> Result<K::Buffer, Error> {
    let mut buffer = K::Buffer::default();
    K::encode(key, &mut buffer)?;
    Ok(buffer)
}

/// Decodes the value of a row.
pub(crate) fn decoded<'v, K: Rows>(key: &[u8], value: &'v [u8]) -> Result<ViewOf<'v, K>, Error> {
    K::Value::decode_row(key, value).map_err(|source| Location::of::<K>().corrupt(key, source))
}

/// Passes the borrowed value of a row to `visit`, and returns its result.
pub(crate) fn read<K: Rows, T>(
    state: &(impl Read + ?Sized),
    key: &[u8],
    visit: impl FnOnce(ViewOf<'_, K>) -> T,
) -> Result<Option<T>, Error> {
    let decode = |value: &[u8]| decoded::<K>(key, value).map(visit);
    Location::of::<K>().get_with(state, key, decode)?.transpose()
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
    let mut decode = |at: usize, value: &[u8]| match decoded::<K>(keys[at], value) {
        Ok(view) => values[at] = Some(<K::Value as ValueForm>::into_owned(view)),
        Err(error) => failure = Some(error),
    };
    Location::of::<K>().read_many(state, keys, &mut decode)?;
    failure.map_or(Ok(values), Err)
}

/// Puts a row that has no index entries, with an owned value.
pub(crate) fn put_owned<K: Rows>(
    tx: &mut Tx<'_>,
    key: &[u8],
    value: &OwnedOf<K>,
) -> Result<(), Error> {
    with_buffer(|bytes| {
        let location = Location::of::<K>();
        K::Value::encode_owned(value, bytes).map_err(|error| location.unencodable(key, error))?;
        location.put(tx, key, bytes)
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

/// Counts the steps of a scan until `step` returns false.
pub(crate) fn count_steps(mut step: impl FnMut() -> Result<bool, Error>) -> Result<u64, Error> {
    let mut count = 0;
    while step()? {
        count += 1;
    }
    Ok(count)
}

/// Returns the next row of a scan as an item of an iterator. Ends the scan after an error.
pub(crate) fn next_item<T>(
    row: Result<Option<T>, Error>,
    left: &mut u64,
) -> Option<Result<T, Error>> {
    let row = row.transpose();
    if !matches!(row, Some(Ok(_))) {
        *left = 0;
    }
    row
}

/// Larger buffers are not reused.
pub(crate) const MAX_IDLE_CAPACITY: usize = 64 << 10;

/// Passes an empty buffer to `run`. Buffers are reused, so a put allocates for the write set alone.
pub(crate) fn with_buffer<T>(run: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    thread_local! {
        static IDLE: Cell<Vec<Vec<u8>>> = const { Cell::new(Vec::new()) };
    }
    with_pooled(&IDLE, run, |buffer| {
        buffer.clear();
        buffer.capacity() <= MAX_IDLE_CAPACITY
    })
}

/// Passes an object of a pool to `run`. `reset` empties the object, and returns whether it is
/// reused.
pub(crate) fn with_pooled<B: Default, T>(
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

/// Implements the constructor and the traits of handles, which are constants without contents.
macro_rules! handles {
    ($($handle:ident),*) => {$(
        impl<K> $handle<K> {
            /// Creates the handle. Generated code has it as a constant.
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
