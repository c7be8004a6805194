//! What rows hold: the undo messages, and lists of ids in fields of an output.

use crate::layout::txo::{Outpoint, Txid};
use keyscape::traits::Field;

/// An operation that changed something.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Unit {
    /// What it was, for people.
    #[prost(string, tag = "1")]
    pub operation: String,
    /// The transaction that it belongs to, in the order of the wire; empty if it belongs to none.
    #[prost(bytes = "vec", tag = "2")]
    pub txid: Vec<u8>,
    /// The transactions whose outputs it spends: if one of them is taken back, so is this one.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub on: Vec<Vec<u8>>,
    /// How many rows it changed.
    #[prost(uint32, tag = "4")]
    pub rows: u32,
}

/// A row that an operation changed.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Row {
    /// Which keyspace: a number of [`Space`](crate::undo::Space).
    #[prost(uint32, tag = "1")]
    pub space: u32,
    /// The key of the structure.
    #[prost(bytes = "vec", tag = "2")]
    pub structure: Vec<u8>,
    /// The member or field in it.
    #[prost(bytes = "vec", tag = "3")]
    pub member: Vec<u8>,
    /// The score or value that was there, if the row was there.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub before: Option<Vec<u8>>,
}

/// A list of ids of one length, one behind the other, as the fields `in:` and `dp:` hold them.
pub(crate) trait Packed: Sized {
    /// How many bytes one has.
    const WIDTH: usize;

    /// Appends the bytes of one.
    fn put(&self, out: &mut Vec<u8>);

    /// Reads one.
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

/// The ids, one behind the other.
pub(crate) fn pack<T: Packed>(ids: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(ids.len() * T::WIDTH);
    for id in ids {
        id.put(&mut out);
    }
    out
}

/// The ids of a field; `None` if its length is that of no list.
pub(crate) fn unpack<T: Packed>(bytes: &[u8]) -> Option<Vec<T>> {
    let ids = bytes.chunks_exact(T::WIDTH);
    if !ids.remainder().is_empty() {
        return None;
    }
    ids.map(T::take).collect()
}
