//! Typed sets.

use super::{MemberOf, MembersByBytes, Records, SetKeyspace, bytes_of, records_of};
use crate::{Error, Field, IntoField, StructureReport, engine::SetRecords, record::Family};
use keyscape_store::{Read, Tx};
use std::marker::PhantomData;

/// The sets of a keyspace. The generated constant derefs to this type.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// let ann = || Name::new("ann");
/// assert!(FRIENDS.add(tx, ann()?, Name::new("bob")?)?);
/// assert!(FRIENDS.add(tx, ann()?, Name::new("abe")?)?);
/// let mut members = FRIENDS.members(ann()?).scan(tx)?;
/// assert_eq!(members.next_row()?.map(|name| name.as_str().len()), Some(3));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Set<K>(pub(crate) PhantomData<fn() -> K>);

impl<K: SetKeyspace> Set<K> {
    /// Adds a member. Returns whether it is new.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert!(WHITELIST.add(tx, (), Name::new("tok")?)?);
    /// assert!(!WHITELIST.add(tx, (), Name::new("tok")?)?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn add<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        set_of::<K>(&key.into_field()?)?.add(tx, &bytes_of::<K::Member>(&member.into_field()?)?)
    }

    /// Removes a member. Returns whether it existed.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// WHITELIST.add(tx, (), Name::new("tok")?)?;
    /// assert!(WHITELIST.remove(tx, (), Name::new("tok")?)?);
    /// assert!(!WHITELIST.remove(tx, (), Name::new("tok")?)?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn remove<'k, 'm>(
        &self,
        tx: &mut Tx<'_>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        set_of::<K>(&key.into_field()?)?.remove(tx, &bytes_of::<K::Member>(&member.into_field()?)?)
    }

    /// Whether the set contains a member.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let member = bytes_of::<K::Member>(&member.into_field()?)?;
        records_of::<K>(&key.into_field()?)?.contains(state, Family::Member, &member)
    }

    /// Lists the members in the order of their bytes.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for member in ["a", "c", "b"] {
    ///     WHITELIST.add(tx, (), Name::new(member)?)?;
    /// }
    /// let last = WHITELIST.members(()).reverse().limit(2).to_vec(tx)?;
    /// assert_eq!(last, [Name::new("c")?, Name::new("b")?]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn members<'k>(&self, key: impl IntoField<K::Key<'k>>) -> Records<'k, MembersByBytes<K>> {
        Records::new(key)
    }

    /// Counts the members. Takes one read if the keyspace is `counted`, else a scan.
    ///
    /// ```
    /// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
    /// FRIENDS.add(tx, Name::new("ann")?, Name::new("bob")?)?;
    /// assert_eq!(FRIENDS.count(tx, Name::new("ann")?)?, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn count<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<u64, Error> {
        self.members(key).count(state)
    }

    /// Checks that every member is valid, and that the count is right.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Faults of records are in the report.
    pub fn check<'k>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl IntoField<K::Key<'k>>,
    ) -> Result<StructureReport, Error> {
        set_of::<K>(&key.into_field()?)?.check(state, |member| K::Member::decode(member).is_ok())
    }
}

fn set_of<K: SetKeyspace>(key: &K::Key<'_>) -> Result<SetRecords, Error> {
    Ok(SetRecords { records: records_of::<K>(key)?, counted: K::COUNTED })
}
