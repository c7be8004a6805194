//! Writing the rows of a map with the entries of its indexes.

use crate::{
    Buffer, Error, ErrorKind, IndexList, IndexRows, IndexVisitor, MapRows, access,
    index::IndexedRow,
};
use keyscape_store::{ReadExt, Tx};

/// Puts a row and its entries: all of it or nothing.
pub(crate) fn put<M: MapRows>(
    tx: &mut Tx<'_>,
    key: &M::Key<'_>,
    key_bytes: &[u8],
    value: &[u8],
) -> Result<(), Error> {
    with_old::<M, _>(tx, key_bytes, |tx, old| put_over::<M>(tx, key, key_bytes, old, value))
}

/// Puts a row over the value that it has, where that is known. An entry that such a row has already is
/// not written again.
pub(crate) fn put_over<M: MapRows>(
    tx: &mut Tx<'_>,
    key: &M::Key<'_>,
    key_bytes: &[u8],
    old: Option<&[u8]>,
    value: &[u8],
) -> Result<(), Error> {
    if !M::Indexes::ANY {
        return access::put::<M>(tx, key_bytes, value);
    }
    let new = IndexedRow { key, key_bytes, value };
    let old = old.map(|value| IndexedRow { key, key_bytes, value });
    M::Indexes::visit(&mut Refuse { tx, row: &new })?;
    tx.attempt(|tx| {
        access::put::<M>(tx, key_bytes, value)?;
        M::Indexes::visit(&mut Put { tx, old: old.as_ref(), new: &new })
    })
}

/// Deletes a row and its entries: all of it or nothing.
pub(crate) fn delete<M: MapRows>(
    tx: &mut Tx<'_>,
    key: &M::Key<'_>,
    key_bytes: &[u8],
) -> Result<(), Error> {
    with_old::<M, _>(tx, key_bytes, |tx, old| delete_of::<M>(tx, key, key_bytes, old))
}

/// Deletes a row with the value that it has, if an index asks for that.
pub(crate) fn delete_of<M: MapRows>(
    tx: &mut Tx<'_>,
    key: &M::Key<'_>,
    key_bytes: &[u8],
    old: Option<&[u8]>,
) -> Result<(), Error> {
    if !M::Indexes::ANY {
        return access::delete::<M>(tx, key_bytes);
    }
    let row = IndexedRow { key, key_bytes, value: old.unwrap_or_default() };
    tx.attempt(|tx| {
        access::delete::<M>(tx, key_bytes)?;
        M::Indexes::visit(&mut Delete { tx, row: &row, was_there: old.is_some() })
    })
}

/// Gives the bytes of a row's value to `run`, if an index asks for the value and the row is there.
fn with_old<M: MapRows, T>(
    tx: &mut Tx<'_>,
    key: &[u8],
    run: impl FnOnce(&mut Tx<'_>, Option<&[u8]>) -> Result<T, Error>,
) -> Result<T, Error> {
    if !M::Indexes::FROM_VALUE {
        return run(tx, None);
    }
    access::with_buffer(|old| {
        let there = access::copy::<M>(tx, key, old)?;
        run(tx, there.then_some(&**old))
    })
}

/// Refuses a row whose entry in a unique index is another row's.
struct Refuse<'a, 'db, 'r, 'k, M: MapRows> {
    tx: &'a Tx<'db>,
    row: &'a IndexedRow<'r, 'k, M>,
}

impl<M: MapRows> IndexVisitor<M> for Refuse<'_, '_, '_, '_, M> {
    fn index<I: IndexRows<Map = M>>(&mut self) -> Result<(), Error> {
        if !I::UNIQUE {
            return Ok(());
        }
        let key = self.row.key_in::<I>()?;
        let key = key.written()?;
        if owned_by::<I>(self.tx, key, self.row)? == Some(false) {
            return Err(ErrorKind::NotUnique { index: I::NAME, key: key.into() }.into());
        }
        Ok(())
    }
}

/// Whether an entry of a unique index is that of a row; `None` if there is no entry.
fn owned_by<I: IndexRows>(
    tx: &Tx<'_>,
    key: &[u8],
    row: &IndexedRow<'_, '_, I::Map>,
) -> Result<Option<bool>, Error> {
    tx.get_with(access::space::<I>(), key, |entry| entry == row.suffix())
        .map_err(access::failed::<I>)
}

struct Put<'a, 'db, 'r, 'k, M: MapRows> {
    tx: &'a mut Tx<'db>,
    /// What the row was, where that is known.
    old: Option<&'a IndexedRow<'r, 'k, M>>,
    new: &'a IndexedRow<'r, 'k, M>,
}

impl<M: MapRows> IndexVisitor<M> for Put<'_, '_, '_, '_, M> {
    fn index<I: IndexRows<Map = M>>(&mut self) -> Result<(), Error> {
        if !I::FROM_VALUE && self.old.is_some() {
            // The key has not changed, so the entry stays what it is.
            return Ok(());
        }
        let key = self.new.key_in::<I>()?;
        let key = key.written()?;
        if let (true, Some(old)) = (I::FROM_VALUE, self.old) {
            let before = old.key_in::<I>()?;
            let before = before.written()?;
            if before == key {
                // The entry stays what it is.
                return Ok(());
            }
            remove::<I>(self.tx, before, old)?;
        }
        access::put::<I>(self.tx, key, self.new.entry::<I>())
    }
}

struct Delete<'a, 'db, 'r, 'k, M: MapRows> {
    tx: &'a mut Tx<'db>,
    row: &'a IndexedRow<'r, 'k, M>,
    /// Whether there is a value to take fields from.
    was_there: bool,
}

impl<M: MapRows> IndexVisitor<M> for Delete<'_, '_, '_, '_, M> {
    fn index<I: IndexRows<Map = M>>(&mut self) -> Result<(), Error> {
        if I::FROM_VALUE && !self.was_there {
            return Ok(());
        }
        let key = self.row.key_in::<I>()?;
        remove::<I>(self.tx, key.written()?, self.row)
    }
}

/// Deletes the entry of a row. In a unique index the entry under the same key may be that of
/// another row, namely if this one is not there; then it stays.
fn remove<I: IndexRows>(
    tx: &mut Tx<'_>,
    key: &[u8],
    row: &IndexedRow<'_, '_, I::Map>,
) -> Result<(), Error> {
    if I::UNIQUE && owned_by::<I>(tx, key, row)? != Some(true) {
        return Ok(());
    }
    access::delete::<I>(tx, key)
}
