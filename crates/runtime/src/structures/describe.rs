//! What generated code says about a structure.

use crate::{BadValue, Field, Keyspace, Rows, record::Kind};
use keyscape_codec::Malformed;
use std::fmt;

/// A keyspace whose keys name structures.
pub trait Structure: Keyspace {
    /// Which kind of structures.
    const KIND: Kind;
}

/// A keyspace of hashes.
pub trait HashKeyspace: Structure {
    /// One field with its value, whichever field it is. Generated code has an `enum` with a variant
    /// per declared field.
    type Entry<'r>: fmt::Debug;

    /// The field with these bytes, and its value.
    ///
    /// # Errors
    /// [`EntryError`] if no declared field has these bytes, or if the value is not of its form.
    fn entry<'r>(field: &'r [u8], value: &'r [u8]) -> Result<Self::Entry<'r>, EntryError>;
}

/// A field of a hash; its own key says which one if there are many. `NAME` is `hash.field`.
pub trait HashField: Rows {
    /// The hashes that it is a field of.
    type Hash: HashKeyspace;

    /// What the bytes of each such field begin with: the literals before the first part that varies.
    const PREFIX: &'static [u8];
}

/// Why bytes are not a field of a hash with its value.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The bytes of the field are those of no declared field.
    #[error(transparent)]
    Field(#[from] Malformed),
    /// The value is not of the form that the field has.
    #[error(transparent)]
    Value(#[from] BadValue),
}

/// A keyspace of sets.
pub trait SetKeyspace: Structure {
    /// A member.
    type Member: Field;

    /// Whether a record holds the number of members. Then counting takes one read, and two
    /// transactions that change one set conflict.
    const COUNTED: bool;
}

/// A keyspace of sorted sets.
pub trait ZsetKeyspace: Structure {
    /// A member.
    type Member: Field;

    /// What members are sorted by.
    type Score: Field;

    /// The length of all encodings of scores, if they have one length.
    const SCORE_WIDTH: Option<usize>;

    /// Whether a record holds the number of members. Then counting takes one read, and two
    /// transactions that change one zset conflict.
    const COUNTED: bool;

    /// Whether records hold how many members lie in each part of the order. Then ranks take
    /// O(log n), and two transactions that change one zset conflict.
    const RANKED: bool;
}

/// A score that is an integer.
pub trait Counting: Field {
    /// Where counting begins for a member that is not there.
    fn zero() -> Self::View<'static>;

    /// The sum, unless it is outside the type.
    fn plus(score: Self::View<'_>, by: i128) -> Option<Self::View<'static>>;
}

/// A keyspace of queues.
pub trait QueueKeyspace: Structure {
    /// A member.
    type Member: Field;

    /// What members are worked on by, lowest first.
    type Score: Field;

    /// The length of all encodings of scores, if they have one length.
    const SCORE_WIDTH: Option<usize>;
}
