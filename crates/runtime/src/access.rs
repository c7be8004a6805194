//! Rows by their bytes: where every typed access meets the store.

use crate::{Buffer, Error, ErrorKind, Keyspace, OwnedOf, Rows, ValueForm, ViewOf};
use keyscape_codec::Malformed;
use keyscape_store::{KeyRange, Read, ReadExt, Row, StoreError, StoreId, Tx};
use std::{cell::Cell, ops::ControlFlow};

/// The space of a keyspace.
pub(crate) const fn space<K: Keyspace>() -> StoreId {
    const { StoreId::of(K::SPACE) }
}

/// The bytes of a key.
pub(crate) fn encoded<K: Keyspace>(key: &K::Key<'_>) -> Result<K::Buffer, Error> {
    let mut buffer = K::Buffer::default();
    K::encode(key, &mut buffer)?;
    Ok(buffer)
}

/// A failure of the store, with the keyspace that it happened in.
#[cold]
pub(crate) fn failed<K: Keyspace>(error: StoreError) -> Error {
    error.in_keyspace(K::NAME).into()
}

#[cold]
pub(crate) fn corrupt_key<K: Keyspace>(key: &[u8], source: Malformed) -> Error {
    ErrorKind::CorruptKey { keyspace: K::NAME, key: key.into(), source }.into()
}

/// The value of a row.
pub(crate) fn decoded<'v, K: Rows>(key: &[u8], value: &'v [u8]) -> Result<ViewOf<'v, K>, Error> {
    K::Value::decode(value).map_err(|source| {
        ErrorKind::CorruptValue { keyspace: K::NAME, key: key.into(), source }.into()
    })
}

/// What `found` makes of the value of a row.
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

/// The value of a row, borrowing nothing.
pub(crate) fn read_owned<K: Rows>(
    state: &(impl Read + ?Sized),
    key: &[u8],
) -> Result<Option<OwnedOf<K>>, Error> {
    read::<K, _>(state, key, <K::Value as ValueForm>::into_owned)
}

/// Copies the bytes of a row's value, and says whether there is a row.
pub(crate) fn copy<K: Keyspace>(
    state: &(impl Read + ?Sized),
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    state.read(space::<K>(), key, &mut |value| out.extend_from_slice(value)).map_err(failed::<K>)
}

/// Whether there is a row.
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

/// Shows copies of rows to `visit`, which may write, and goes on behind each.
pub(crate) fn walk<K: Keyspace, E: From<Error>>(
    tx: &mut Tx<'_>,
    range: KeyRange<'_>,
    mut visit: impl FnMut(&mut Tx<'_>, Row<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    /// Whose error ended the walk.
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

/// The smallest byte string above all that begin with `prefix`, in a buffer; `None` if there is
/// none.
pub(crate) fn successor<B: Buffer>(prefix: &[u8]) -> Option<B> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut above = B::default();
    above.put(&prefix[..last]);
    above.push(prefix[last] + 1);
    Some(above)
}

thread_local! {
    /// Buffers for values, so that a put allocates for the write set alone.
    static IDLE: Cell<Vec<Vec<u8>>> = const { Cell::new(Vec::new()) };
}

/// Larger buffers are given back to the allocator.
const KEPT_CAPACITY: usize = 64 << 10;

/// Lends an empty buffer.
pub(crate) fn with_buffer<T>(run: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut idle = IDLE.take();
    let mut buffer = idle.pop().unwrap_or_default();
    IDLE.set(idle);
    let answer = run(&mut buffer);
    if buffer.capacity() <= KEPT_CAPACITY {
        buffer.clear();
        let mut idle = IDLE.take();
        idle.push(buffer);
        IDLE.set(idle);
    }
    answer
}
