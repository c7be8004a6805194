//! Hashes.

use super::{
    HashField, HashKeyspace, Listing, Records, StructureReport, describe::EntryError, place::Place,
};
use crate::{Buffer, Error, InputOf, Keyspace, OwnedOf, ValueForm, ViewOf, access, record::Family};
use keyscape_store::{Read, ReadExt, Tx};
use std::{fmt, marker::PhantomData};

/// The hashes of a keyspace. The generated constant derefs to it; each declared field has a constant
/// of its own, which derefs to [`HashFieldOf`].
pub struct Hash<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: HashKeyspace> Hash<K> {
    /// The fields of a hash with their values, in the order of their bytes.
    #[must_use]
    pub fn fields<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, HashFields<K>> {
        Records::new(key.into())
    }

    /// Whether the hash has a field.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn exists<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<bool, Error> {
        Place::<K>::of(&key.into())?.exists(state)
    }

    /// Deletes the hash, and returns how many fields it had.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k>(&self, tx: &mut Tx<'_>, key: impl Into<K::Key<'k>>) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| place.delete_all(tx, None))
    }

    /// Whether every record of a hash is a declared field with a value of its form.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind); what is wrong with records is in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        let place = Place::<K>::of(&key.into())?;
        let mut report = StructureReport::default();
        let mut rows = place.rows(state, Family::Field)?;
        while let Some(row) = rows.next().map_err(access::failed::<K>)? {
            report.records += 1;
            let field = &row.key[place.rest_at()..];
            match K::entry(field, row.value) {
                Ok(_) => {}
                Err(EntryError::Field(_)) => {
                    report.fault(&place, Family::Field, field, "it is no declared field");
                }
                Err(EntryError::Value(_)) => {
                    report.fault(&place, Family::Field, field, "its value is not of its form");
                }
            }
        }
        report.end(&place, state)
    }
}

/// One declared field of the hashes of a keyspace. Where the field has parts of its own, such as the
/// tag in `"dt:" {tag}`, there is one such field per tag. The first key names the hash, the second
/// the field; it is `()` for a field without parts.
pub struct HashFieldOf<F>(pub(crate) PhantomData<fn() -> F>);

type HashKey<'k, F> = <<F as HashField>::Hash as Keyspace>::Key<'k>;

impl<F: HashField> HashFieldOf<F> {
    /// The value of a field, borrowing nothing.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get<'k, 'f>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<HashKey<'k, F>>,
        field: impl Into<F::Key<'f>>,
    ) -> Result<Option<OwnedOf<F>>, Error> {
        self.get_with(state, key, field, F::Value::into_owned)
    }

    /// What `found` makes of the value of a field, which it borrows.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get_with<'k, 'f, T>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<HashKey<'k, F>>,
        field: impl Into<F::Key<'f>>,
        found: impl FnOnce(ViewOf<'_, F>) -> T,
    ) -> Result<Option<T>, Error> {
        let (place, field) = Self::place(&key.into(), &field.into())?;
        let record = place.record(Family::Field, field.written()?);
        let decode = |value: &[u8]| F::Value::decode(value).map(found);
        let read = state
            .get_with(Place::<F::Hash>::STORE, &record, decode)
            .map_err(access::failed::<F>)?;
        let corrupt = |fault: EntryError| super::place::corrupt::<F>(&record, fault);
        read.transpose().map_err(|source| corrupt(source.into()))
    }

    /// Whether a hash has a field.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains<'k, 'f>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<HashKey<'k, F>>,
        field: impl Into<F::Key<'f>>,
    ) -> Result<bool, Error> {
        let (place, field) = Self::place(&key.into(), &field.into())?;
        place.contains(state, Family::Field, field.written()?)
    }

    /// Puts a field; a value that is there is replaced.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn put<'k, 'f>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<HashKey<'k, F>>,
        field: impl Into<F::Key<'f>>,
        value: InputOf<'_, F>,
    ) -> Result<(), Error> {
        let (place, field) = Self::place(&key.into(), &field.into())?;
        let mut bytes = Vec::new();
        F::Value::encode(value, &mut bytes)?;
        place.put(tx, Family::Field, field.written()?, &bytes)
    }

    /// Deletes a field; it need not be there.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k, 'f>(
        &self,
        tx: &mut Tx<'_>,
        key: impl Into<HashKey<'k, F>>,
        field: impl Into<F::Key<'f>>,
    ) -> Result<(), Error> {
        let (place, field) = Self::place(&key.into(), &field.into())?;
        place.delete(tx, Family::Field, field.written()?)
    }

    /// All fields of this declaration in one hash, in the order of their bytes: each tag of
    /// `"dt:" {tag}`.
    #[must_use]
    pub fn all<'k>(&self, key: impl Into<HashKey<'k, F>>) -> Records<'k, FieldRows<F>> {
        Records::new(key.into()).beginning(F::PREFIX)
    }

    fn place(
        key: &HashKey<'_, F>,
        field: &F::Key<'_>,
    ) -> Result<(Place<F::Hash>, F::Buffer), Error> {
        let mut buffer = F::Buffer::default();
        F::encode(field, &mut buffer)?;
        Ok((Place::of(key)?, buffer))
    }
}

/// The fields of a hash, whichever they are.
#[derive(Clone, Copy, Debug)]
pub struct HashFields<K>(PhantomData<fn() -> K>);

impl<K: HashKeyspace> Listing for HashFields<K> {
    type Keyspace = K;
    type Row<'r> = HashEntry<'r, K>;
    type Owned = OwnedEntry<K>;

    const FAMILY: Family = Family::Field;

    fn row<'r>(
        rest: &'r [u8],
        value: &'r [u8],
        _: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        K::entry(rest, value).map(|entry| HashEntry { entry, field: rest, value })
    }

    fn is_place(rest: &[u8]) -> bool {
        !matches!(K::entry(rest, &[]), Err(EntryError::Field(_)))
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        OwnedEntry { field: row.field.into(), value: row.value.into(), keyspace: PhantomData }
    }
}

/// A field of a hash with its value.
pub struct HashEntry<'r, K: HashKeyspace> {
    /// What they are.
    pub entry: K::Entry<'r>,
    field: &'r [u8],
    value: &'r [u8],
}

impl<'r, K: HashKeyspace> HashEntry<'r, K> {
    /// The bytes of the field.
    #[must_use]
    pub fn field_bytes(&self) -> &'r [u8] {
        self.field
    }

    /// The bytes of the value.
    #[must_use]
    pub fn value_bytes(&self) -> &'r [u8] {
        self.value
    }
}

impl<K: HashKeyspace> fmt::Debug for HashEntry<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.fmt(f)
    }
}

/// A copy of a field of a hash with its value. That they are declared was checked when it was made.
#[derive(Clone, Debug)]
pub struct OwnedEntry<K> {
    field: Box<[u8]>,
    value: Box<[u8]>,
    keyspace: PhantomData<fn() -> K>,
}

impl<K: HashKeyspace> OwnedEntry<K> {
    /// What they are.
    ///
    /// # Errors
    /// [`EntryError`] if a form of values does not read again what it has read.
    pub fn entry(&self) -> Result<K::Entry<'_>, EntryError> {
        K::entry(&self.field, &self.value)
    }

    /// The bytes of the field.
    #[must_use]
    pub fn field_bytes(&self) -> &[u8] {
        &self.field
    }

    /// The bytes of the value.
    #[must_use]
    pub fn value_bytes(&self) -> &[u8] {
        &self.value
    }
}

/// The fields of one declaration in a hash.
#[derive(Clone, Copy, Debug)]
pub struct FieldRows<F>(PhantomData<fn() -> F>);

/// A field and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow<K, V> {
    /// The key of the field in its hash.
    pub field: K,
    /// Its value.
    pub value: V,
}

impl<F: HashField> Listing for FieldRows<F> {
    type Keyspace = F::Hash;
    type Row<'r> = FieldRow<F::Key<'r>, ViewOf<'r, F>>;
    type Owned = FieldRow<F::Key<'static>, OwnedOf<F>>;

    const FAMILY: Family = Family::Field;

    fn row<'r>(
        rest: &'r [u8],
        value: &'r [u8],
        _: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        Ok(FieldRow { field: F::decode(rest)?, value: F::Value::decode(value)? })
    }

    fn is_place(rest: &[u8]) -> bool {
        F::decode(rest).is_ok()
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        FieldRow { field: F::into_owned(row.field), value: F::Value::into_owned(row.value) }
    }

    /// Other declared fields may begin with the same bytes; they are passed over.
    fn is_listed(rest: &[u8], value: &[u8]) -> Result<bool, EntryError> {
        if F::decode(rest).is_ok() {
            return Ok(true);
        }
        match F::Hash::entry(rest, value) {
            Err(EntryError::Field(source)) => Err(source.into()),
            Ok(_) | Err(EntryError::Value(_)) => Ok(false),
        }
    }
}
