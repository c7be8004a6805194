//! Items: one row.

use crate::{Error, InputOf, OwnedOf, Rows, ValueForm, ViewOf, access, engine::Location};
use keyscape_store::{Read, Tx};
use std::marker::PhantomData;

/// A keyspace with one key, as generated code describes it: an item, or a sequence without fields.
pub trait ItemRows: Rows {
    /// The encoded key.
    const KEY: &'static [u8];
}

/// The row of an item. The generated constant of an item derefs to this type.
///
/// ```
/// # use keyscape_samples::shop::layout::MOTTO;
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| MOTTO.put(tx, "ink and paper"))?;
/// assert_eq!(MOTTO.get(&db.read()?)?.as_deref(), Some("ink and paper"));
/// db.write(|tx| MOTTO.delete(tx))?;
/// assert!(!MOTTO.contains(&db.read()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Item<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: ItemRows> Item<K> {
    /// Returns the value, owned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get(&self, state: &(impl Read + ?Sized)) -> Result<Option<OwnedOf<K>>, Error> {
        access::read_owned::<K>(state, K::KEY)
    }

    /// Passes the borrowed value to `read`, and returns its result.
    ///
    /// ```
    /// # use keyscape_samples::shop::{layout::{MOTTO}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| MOTTO.put(tx, "ink"))?;
    /// assert_eq!(MOTTO.get_with(&db.read()?, str::len)?, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get_with<T>(
        &self,
        state: &(impl Read + ?Sized),
        read: impl FnOnce(ViewOf<'_, K>) -> T,
    ) -> Result<Option<T>, Error> {
        access::read::<K, _>(state, K::KEY, read)
    }

    /// Whether the value exists.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains(&self, state: &(impl Read + ?Sized)) -> Result<bool, Error> {
        Location::of::<K>().contains(state, K::KEY)
    }

    /// Puts the value. Replaces an existing value.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn put(&self, tx: &mut Tx<'_>, value: InputOf<'_, K>) -> Result<(), Error> {
        access::with_buffer(|bytes| {
            let location = Location::of::<K>();
            K::Value::encode(value, bytes).map_err(|error| location.unencodable(K::KEY, error))?;
            location.put(tx, K::KEY, bytes)
        })
    }

    /// Deletes the value, which need not exist.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        Location::of::<K>().delete(tx, K::KEY)
    }

    /// Deletes the value and returns it.
    ///
    /// ```
    /// # use keyscape_samples::shop::{layout::{MOTTO}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| MOTTO.put(tx, "ink"))?;
    /// assert_eq!(db.write(|tx| MOTTO.take(tx))?.as_deref(), Some("ink"));
    /// assert!(!MOTTO.contains(&db.read()?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn take(&self, tx: &mut Tx<'_>) -> Result<Option<OwnedOf<K>>, Error> {
        let value = self.get(tx)?;
        if value.is_some() {
            self.delete(tx)?;
        }
        Ok(value)
    }

    /// Passes the value to `change`, and puts the value that it returns. Deletes the value if
    /// `change` returns `None`.
    ///
    /// ```
    /// # use keyscape_samples::shop::{layout::{MOTTO}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     MOTTO.put(tx, "ink")?;
    ///     MOTTO.update(tx, |motto| {
    ///         Ok::<_, keyscape_runtime::Error>(motto.map(|motto| format!("{motto} and paper")))
    ///     })
    /// })?;
    /// assert_eq!(MOTTO.get(&db.read()?)?.as_deref(), Some("ink and paper"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `change`, or as [`Item::put`]. Then nothing has changed.
    pub fn update<E: From<Error>>(
        &self,
        tx: &mut Tx<'_>,
        change: impl FnOnce(Option<OwnedOf<K>>) -> Result<Option<OwnedOf<K>>, E>,
    ) -> Result<(), E> {
        let before = self.get(tx)?;
        let existed = before.is_some();
        match change(before)? {
            Some(after) => access::put_owned::<K>(tx, K::KEY, &after)?,
            None if existed => self.delete(tx)?,
            None => {}
        }
        Ok(())
    }
}
