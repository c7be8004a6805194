//! Traits by which generated code describes structures.

use crate::{BadValue, Be, Field, Keyspace, Rows, record::Kind};
use keyscape_codec::Malformed;
use std::fmt;

/// A keyspace whose keys name structures.
pub trait Structure: Keyspace {
    /// The kind of the structures.
    const KIND: Kind;
}

/// A keyspace of hashes.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// use rt::HashKeyspace;
/// assert!(matches!(Output::entry(b"dt:tag", b"{}")?, OutputEntry::Data { value: b"{}", .. }));
/// assert!(Output::entry(b"xx", b"").is_err());
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait HashKeyspace: Structure {
    /// Any field with its value. Generated code has an `enum` with one variant per declared field.
    type Entry<'r>: fmt::Debug;

    /// Decodes a field and its value.
    ///
    /// # Errors
    /// [`EntryError`] if no declared field has these bytes, or if the value is not valid.
    fn entry<'r>(field: &'r [u8], value: &'r [u8]) -> Result<Self::Entry<'r>, EntryError>;
}

/// A field of a hash. The key of the field distinguishes fields of the same declaration. `NAME` is
/// `hash.field`.
pub trait HashField: Rows {
    /// The keyspace of the hashes.
    type Hash: HashKeyspace;

    /// The literals that every encoded field begins with.
    const PREFIX: &'static [u8];
}

/// The error for bytes that are not a field of a hash with its value.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// use rt::HashKeyspace;
/// assert!(matches!(Output::entry(b"xx", b""), Err(rt::EntryError::Field(_))));
/// assert!(matches!(Output::entry(b"ms", b""), Err(rt::EntryError::Value(_))));
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// No declared field has these bytes.
    #[error(transparent)]
    Field(#[from] Malformed),
    /// The value does not have the form of the field.
    #[error(transparent)]
    Value(#[from] BadValue),
}

/// A keyspace of structures that have members.
pub trait Members: Structure {
    /// The type of members.
    type Member: Field;

    /// Whether a record holds the number of members. Then counting takes one read, and two
    /// transactions that change one structure conflict.
    const COUNTED: bool;
}

/// A keyspace of structures whose members have scores.
pub trait Scores: Members {
    /// The type of scores, which order the members.
    type Score: Field;

    /// The length of all encoded scores, if they have the same length.
    const SCORE_WIDTH: Option<usize>;

    /// Whether records hold the number of members in each part of the order. Then ranks take
    /// O(log n), and two transactions that change one structure conflict.
    const RANKED: bool;
}

/// A keyspace of sets.
pub trait SetKeyspace: Members {}

/// A keyspace of sorted sets.
pub trait ZsetKeyspace: Scores {}

/// A keyspace of queues. Members with low scores are claimed first.
pub trait QueueKeyspace: Scores {}

/// A score that is an integer.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// use rt::Counting;
/// assert_eq!(rt::Be::<u64>::plus(5, -5), Some(0));
/// assert_eq!(rt::Be::<u64>::plus(5, -6), None);
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Counting: Field {
    /// Returns the score from which counting starts for a new member.
    fn zero() -> Self::View<'static>;

    /// Returns the sum, or `None` if it is out of range.
    fn plus(score: Self::View<'_>, by: i128) -> Option<Self::View<'static>>;
}

macro_rules! counting {
    ($($int:ty),*) => {$(
        impl Counting for Be<$int> {
            fn zero() -> $int {
                0
            }

            fn plus(score: $int, by: i128) -> Option<$int> {
                i128::from(score).checked_add(by)?.try_into().ok()
            }
        }
    )*};
}

counting!(u8, u16, u32, u64, i8, i16, i32, i64);
