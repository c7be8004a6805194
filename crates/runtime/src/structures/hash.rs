//! Typed hashes.

use super::{HashField, HashKeyspace, Listing, Records, describe::EntryError, records_of};
use crate::{
    Buffer, Error, InputOf, IntoField, Keyspace, OwnedOf, StructureReport, ValueForm, ViewOf,
    access,
    engine::{Location, StructureRecords},
    record::Family,
};
use keyscape_store::{Read, Tx};
use std::{fmt, marker::PhantomData};

/// The hashes of a keyspace. The generated constant derefs to this type. Each declared field has
/// its own constant, which derefs to [`HashFieldOf`].
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let output = Outpoint { txid: [7; 32], vout: 0 };
///
/// OUTPUT_MERKLE.put(tx, output, (), 850_000)?;
/// OUTPUT_DATA.put(tx, output, Name::new("bsv21")?, b"{}")?;
/// assert!(!OUTPUT.is_empty(tx, output)?);
/// assert_eq!(OUTPUT.fields(output).count(tx)?, 2);
/// assert_eq!(OUTPUT.delete(tx, output)?, 2);
/// assert_eq!(OUTPUT_MERKLE.get(tx, output, ())?, None);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hash<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: HashKeyspace> Hash<K> {
    /// Lists the fields of a hash with their values, in the order of their bytes.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// let output = Outpoint { txid: [7; 32], vout: 0 };
    ///
    /// OUTPUT_MERKLE.put(tx, output, (), 850_000)?;
    /// let mut fields = OUTPUT.fields(output).scan(tx)?;
    /// while let Some(row) = fields.next_row()? {
    ///     assert!(matches!(row.entry, OutputEntry::Merkle { value: 850_000, .. }));
    /// }
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fields<'k>(&self, key: impl IntoField<K::Key<'k>>) -> Records<'k, HashFields<K>> {
        Records::new(key)
    }

    /// Checks that every record of a hash is a declared field with a valid value.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Faults of records are in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        let records = records_of::<K>(&key.into_field()?)?;
        let mut report = StructureReport::default();
        records.for_each(state, Family::Field, |field, value| {
            report.records += 1;
            let what = match K::entry(field, value) {
                Ok(_) => return Ok(()),
                Err(EntryError::Field(_)) => "it is not a declared field",
                Err(EntryError::Value(_)) => "its value is not valid",
            };
            report.fault(&records, Family::Field, field, what);
            Ok(())
        })?;
        report.finish(&records, state)
    }
}

/// One declared field of the hashes of a keyspace. A field with parts of its own, such as the tag
/// in `"dt:" {tag}`, exists once for each tag. The first key names the hash, the second the field.
/// The second is `()` for a field without parts.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let output = Outpoint { txid: [7; 32], vout: 0 };
///
/// OUTPUT_DATA.put(tx, output, Name::new("bsv21")?, b"{}")?;
/// assert_eq!(OUTPUT_DATA.get(tx, output, Name::new("bsv21")?)?, Some(b"{}".to_vec()));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HashFieldOf<F>(pub(crate) PhantomData<fn() -> F>);

type HashKey<'k, F> = <<F as HashField>::Hash as Keyspace>::Key<'k>;

impl<F: HashField> HashFieldOf<F> {
    /// Returns the value of a field, owned.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get<'k, 'f>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<HashKey<'k, F>>,
        field: impl IntoField<F::Key<'f>>,
    ) -> Result<Option<OwnedOf<F>>, Error> {
        self.get_with(state, key, field, F::Value::into_owned)
    }

    /// Passes the borrowed value of a field to `read`, and returns its result.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// let output = Outpoint { txid: [7; 32], vout: 0 };
    ///
    /// OUTPUT_DATA.put(tx, output, Name::new("bsv21")?, b"{}")?;
    /// assert_eq!(OUTPUT_DATA.get_with(tx, output, Name::new("bsv21")?, <[u8]>::len)?, Some(2));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn get_with<'k, 'f, T>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<HashKey<'k, F>>,
        field: impl IntoField<F::Key<'f>>,
        read: impl FnOnce(ViewOf<'_, F>) -> T,
    ) -> Result<Option<T>, Error> {
        let (records, field) = Self::encoded(&key.into_field()?, &field.into_field()?)?;
        let field = field.written()?;
        let record = records.record(Family::Field, field);
        let location = Location::of::<F>();
        let decode = |value: &[u8]| F::Value::decode_row(field, value).map(read);
        let value = location.get_with(state, &record, decode)?;
        value.transpose().map_err(|source| location.corrupt(&record, source))
    }

    /// Whether a hash has a field.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains<'k, 'f>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<HashKey<'k, F>>,
        field: impl IntoField<F::Key<'f>>,
    ) -> Result<bool, Error> {
        let (records, field) = Self::encoded(&key.into_field()?, &field.into_field()?)?;
        records.contains(state, Family::Field, field.written()?)
    }

    /// Puts a field. Replaces an existing value.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// let output = Outpoint { txid: [7; 32], vout: 0 };
    ///
    /// SATOSHIS_AMOUNT.put(tx, (), output, 1_000)?;
    /// assert_eq!(SATOSHIS_AMOUNT.get(tx, (), output)?, Some(1_000));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn put<'k, 'f>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<HashKey<'k, F>>,
        field: impl IntoField<F::Key<'f>>,
        value: InputOf<'_, F>,
    ) -> Result<(), Error> {
        let (records, field) = Self::encoded(&key.into_field()?, &field.into_field()?)?;
        let field = field.written()?;
        let mut bytes = Vec::new();
        F::Value::encode(value, &mut bytes).map_err(|error| {
            Location::of::<F>().unencodable(&records.record(Family::Field, field), error)
        })?;
        records.put(tx, Family::Field, field, &bytes)
    }

    /// Deletes a field, which need not exist.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// let output = Outpoint { txid: [7; 32], vout: 0 };
    ///
    /// SATOSHIS_AMOUNT.put(tx, (), output, 1_000)?;
    /// SATOSHIS_AMOUNT.delete(tx, (), output)?;
    /// assert!(SATOSHIS.is_empty(tx, ())?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k, 'f>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<HashKey<'k, F>>,
        field: impl IntoField<F::Key<'f>>,
    ) -> Result<(), Error> {
        let (records, field) = Self::encoded(&key.into_field()?, &field.into_field()?)?;
        records.delete(tx, Family::Field, field.written()?)
    }

    /// Lists all fields of this declaration in one hash, in the order of their bytes: each tag of
    /// `"dt:" {tag}`.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// let output = Outpoint { txid: [7; 32], vout: 0 };
    ///
    /// OUTPUT_DATA.put(tx, output, Name::new("b")?, b"2")?;
    /// OUTPUT_DATA.put(tx, output, Name::new("a")?, b"1")?;
    /// let data = OUTPUT_DATA.all(output).to_vec(tx)?;
    /// assert_eq!((data[0].field.tag.as_str(), &data[0].value[..]), ("a", &b"1"[..]));
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn all<'k>(&self, key: impl IntoField<HashKey<'k, F>>) -> Records<'k, FieldRows<F>> {
        Records::new(key).with_prefix(F::PREFIX)
    }

    fn encoded(
        key: &HashKey<'_, F>,
        field: &F::Key<'_>,
    ) -> Result<(StructureRecords, F::Buffer), Error> {
        Ok((records_of::<F::Hash>(key)?, access::encoded::<F>(field)?))
    }
}

/// All fields of a hash, as a listing.
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
        let entry = K::entry(rest, value)?;
        Ok(HashEntry { entry, field_bytes: rest, value_bytes: value })
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        OwnedEntry {
            field_bytes: row.field_bytes.into(),
            value_bytes: row.value_bytes.into(),
            keyspace: PhantomData,
        }
    }
}

/// A field of a hash with its value.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let output = Outpoint { txid: [7; 32], vout: 0 };
///
/// OUTPUT_MERKLE.put(tx, output, (), 1)?;
/// let mut fields = OUTPUT.fields(output).scan(tx)?;
/// let row = fields.next_row()?.ok_or("no field")?;
/// assert_eq!((row.field_bytes, row.value_bytes), (&b"ms"[..], &[0, 0, 0, 0, 0, 0, 0, 1][..]));
/// assert!(matches!(row.entry, OutputEntry::Merkle { value: 1, .. }));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HashEntry<'r, K: HashKeyspace> {
    /// The decoded field and value.
    pub entry: K::Entry<'r>,
    /// The encoded field.
    pub field_bytes: &'r [u8],
    /// The encoded value.
    pub value_bytes: &'r [u8],
}

impl<K: HashKeyspace> fmt::Debug for HashEntry<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.fmt(f)
    }
}

/// An owned field of a hash with its value. The listing has decoded both before.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let output = Outpoint { txid: [7; 32], vout: 0 };
///
/// OUTPUT_MERKLE.put(tx, output, (), 1)?;
/// let fields = OUTPUT.fields(output).to_vec(tx)?;
/// assert_eq!(*fields[0].field_bytes, *b"ms");
/// assert!(matches!(fields[0].entry()?, OutputEntry::Merkle { value: 1, .. }));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnedEntry<K> {
    /// The encoded field.
    pub field_bytes: Box<[u8]>,
    /// The encoded value.
    pub value_bytes: Box<[u8]>,
    keyspace: PhantomData<fn() -> K>,
}

impl<K: HashKeyspace> OwnedEntry<K> {
    /// Decodes the field and the value.
    ///
    /// # Errors
    /// [`EntryError`] if a value form does not decode the same bytes twice.
    pub fn entry(&self) -> Result<K::Entry<'_>, EntryError> {
        K::entry(&self.field_bytes, &self.value_bytes)
    }
}

/// The fields of one declaration in a hash, as a listing.
#[derive(Clone, Copy, Debug)]
pub struct FieldRows<F>(PhantomData<fn() -> F>);

/// A field and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow<K, V> {
    /// The key of the field in its hash.
    pub field: K,
    /// The value of the field.
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
        Ok(FieldRow { field: F::decode(rest)?, value: F::Value::decode_row(rest, value)? })
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        FieldRow { field: F::into_owned(row.field), value: F::Value::into_owned(row.value) }
    }

    /// Skips other declared fields that begin with the same bytes.
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
