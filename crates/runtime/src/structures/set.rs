//! Sets.

use super::{
    Listing, Records, SetKeyspace, StructureReport,
    describe::EntryError,
    place::{Edge, Place, Span, bytes_of},
};
use crate::{Error, Field, access, record::Family};
use keyscape_store::{Read, Tx};
use std::marker::PhantomData;

/// The sets of a keyspace. The generated constant derefs to it.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// let ann = || Name::new("ann");
/// assert!(FRIENDS.add(tx, ann()?, Name::new("bob")?)?);
/// assert!(FRIENDS.add(tx, ann()?, Name::new("abe")?)?);
/// let mut members = FRIENDS.members(ann()?).scan(tx)?;
/// assert_eq!(members.next()?.map(|name| name.as_str().len()), Some(3));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Set<K>(pub(crate) PhantomData<fn() -> K>);

type MemberOf<'m, K> = <<K as SetKeyspace>::Member as Field>::View<'m>;

impl<K: SetKeyspace> Set<K> {
    /// Adds a member and says whether it is new.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        if place.contains(tx, Family::Member, &member)? {
            return Ok(false);
        }
        tx.attempt(|tx| {
            place.put(tx, Family::Member, &member, &[])?;
            if K::COUNTED { place.count(tx, 1) } else { Ok(()) }
        })?;
        Ok(true)
    }

    /// Removes a member and says whether it was there.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let place = Place::<K>::of(&key.into())?;
        let member = bytes_of::<K::Member>(&member.into())?;
        if !place.contains(tx, Family::Member, &member)? {
            return Ok(false);
        }
        tx.attempt(|tx| {
            place.delete(tx, Family::Member, &member)?;
            if K::COUNTED { place.count(tx, -1) } else { Ok(()) }
        })?;
        Ok(true)
    }

    /// Whether something is a member.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert!(!WHITELIST.contains(tx, (), Name::new("tok")?)?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub fn contains<'k, 'm>(
        &self,
        state: &(impl Read + ?Sized),
        key: impl Into<K::Key<'k>>,
        member: impl Into<MemberOf<'m, K>>,
    ) -> Result<bool, Error> {
        let member = bytes_of::<K::Member>(&member.into())?;
        Place::<K>::of(&key.into())?.contains(state, Family::Member, &member)
    }

    /// The members, in the order of their bytes.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// for member in ["a", "c", "b"] {
    ///     WHITELIST.add(tx, (), Name::new(member)?)?;
    /// }
    /// let last = WHITELIST.members(()).reverse().limit(2).to_vec(tx)?;
    /// assert_eq!(last, [Name::new("c")?, Name::new("b")?]);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn members<'k>(&self, key: impl Into<K::Key<'k>>) -> Records<'k, SetMembers<K>> {
        Records::new(key.into())
    }

    /// How many members there are: one read if the keyspace is `counted`, else all of them.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
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
        key: impl Into<K::Key<'k>>,
    ) -> Result<u64, Error> {
        self.members(key).count(state)
    }

    /// Whether the set has a member.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// assert!(!WHITELIST.exists(tx, ())?);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Deletes the set, and returns how many records it had.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// WHITELIST.add(tx, (), Name::new("tok")?)?;
    /// assert_eq!(WHITELIST.delete(tx, ())?, 1);
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn delete<'k>(&self, tx: &mut Tx<'_>, key: impl Into<K::Key<'k>>) -> Result<u64, Error> {
        let place = Place::<K>::of(&key.into())?;
        tx.attempt(|tx| place.delete_all(tx, None))
    }

    /// Whether the records of a set agree: every member is one, and the count is right.
    ///
    /// ```
    /// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
    /// # use txo::*; use keyscape_runtime as rt; example(|tx| {
    /// WHITELIST.add(tx, (), Name::new("tok")?)?;
    /// assert!(WHITELIST.check(tx, ())?.is_sound());
    /// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let mut rows = place.rows(state, Family::Member)?;
        while let Some(row) = rows.next().map_err(access::failed::<K>)? {
            report.records += 1;
            let rest = &row.key[place.rest_at()..];
            if K::Member::decode(rest).is_err() {
                report.fault(&place, Family::Member, rest, "it is no member");
            }
            if !row.value.is_empty() {
                report.fault(&place, Family::Member, rest, "it has a value");
            }
        }
        report.count(&place, state, K::COUNTED)?;
        report.end(&place, state)
    }
}

/// The members of a set.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// WHITELIST.add(tx, (), Name::new("tok")?)?;
/// let members: rt::Records<'_, rt::SetMembers<Whitelist>> = WHITELIST.members(());
/// assert_eq!(members.count(tx)?, 1);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SetMembers<K>(PhantomData<fn() -> K>);

impl<K: SetKeyspace> Listing for SetMembers<K> {
    type Keyspace = K;
    type Row<'r> = MemberOf<'r, K>;
    type Owned = MemberOf<'static, K>;

    const FAMILY: Family = Family::Member;

    fn row<'r>(
        rest: &'r [u8],
        _: &'r [u8],
        _: &'r mut Vec<u8>,
    ) -> Result<Self::Row<'r>, EntryError> {
        Ok(K::Member::decode(rest)?)
    }

    fn into_owned(row: Self::Row<'_>) -> Self::Owned {
        K::Member::into_owned(row)
    }

    fn is_place(rest: &[u8]) -> bool {
        K::Member::decode(rest).is_ok()
    }

    fn known_count(
        state: &(impl Read + ?Sized),
        place: &Place<K>,
        span: &Span,
    ) -> Result<Option<u64>, Error> {
        let all = span.start == Edge::Open && span.end == Edge::Open;
        if K::COUNTED && all { place.number(state, Family::Count).map(Some) } else { Ok(None) }
    }
}
