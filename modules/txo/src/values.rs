//! The values of rows: undo messages, and lists of ids in fields of an output.

use crate::layout::txo::{Outpoint, Txid};
use keyscape::traits::Field;

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

/// An id of fixed length. The fields `in:` and `dp:` contain concatenated ids.
pub(crate) trait Packed: Sized {
    /// The length in bytes.
    const WIDTH: usize;

    /// Appends the bytes of the id.
    fn put(&self, out: &mut Vec<u8>);

    /// Decodes an id.
    fn take(bytes: &[u8]) -> Option<Self>;
}

impl Packed for Txid {
    const WIDTH: usize = 32;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Txid::decode(bytes).ok()
    }
}

impl Packed for Outpoint {
    const WIDTH: usize = 36;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.txid.0);
        out.extend_from_slice(&self.vout.to_be_bytes());
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        Outpoint::decode(bytes).ok()
    }
}

/// Concatenates ids.
pub(crate) fn pack<T: Packed>(ids: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(ids.len() * T::WIDTH);
    for id in ids {
        id.put(&mut out);
    }
    out
}

/// Splits a field into ids; `None` if its length is not a multiple of the width.
pub(crate) fn unpack<T: Packed>(bytes: &[u8]) -> Option<Vec<T>> {
    let ids = bytes.chunks_exact(T::WIDTH);
    if !ids.remainder().is_empty() {
        return None;
    }
    ids.map(T::take).collect()
}
