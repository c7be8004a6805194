//! The values of rows: undo messages, and lists of ids in fields of an output.

use keyscape::{DomainError, traits::Field};

/// An operation that changed something.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Unit {
    /// The name of the operation, for people.
    #[prost(string, tag = "1")]
    pub operation: String,
    /// Its transaction, in wire order; empty if it has none.
    #[prost(bytes = "vec", tag = "2")]
    pub txid: Vec<u8>,
    /// The number of rows that it changed.
    #[prost(uint32, tag = "4")]
    pub rows: u32,
}

/// A row that an operation changed.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Row {
    /// The keyspace: a number of [`Space`](crate::undo::Space).
    #[prost(uint32, tag = "1")]
    pub space: u32,
    /// The key of the structure.
    #[prost(bytes = "vec", tag = "2")]
    pub structure: Vec<u8>,
    /// The member or field.
    #[prost(bytes = "vec", tag = "3")]
    pub member: Vec<u8>,
    /// The previous score or value, if the row existed.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub before: Option<Vec<u8>>,
}

/// The length of a [`Txid`](crate::layout::txo::Txid) in bytes.
pub(crate) const TXID: usize = 32;
/// The length of an [`Outpoint`](crate::layout::txo::Outpoint) in bytes.
pub(crate) const OUTPOINT: usize = 36;

/// Concatenates ids. The fields `in:` and `dp:` contain such lists.
pub(crate) fn pack<T: for<'k> Field<View<'k> = T>>(ids: &[T]) -> Result<Vec<u8>, DomainError> {
    let mut out = Vec::new();
    ids.iter().try_for_each(|id| T::encode(id, &mut out))?;
    Ok(out)
}

/// Splits a field into ids of `width` bytes; `None` if its length is not a multiple of the width.
pub(crate) fn unpack<T: for<'k> Field<View<'k> = T>>(bytes: &[u8], width: usize) -> Option<Vec<T>> {
    bytes.chunks(width).map(|id| T::decode(id).ok()).collect()
}
