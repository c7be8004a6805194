//! Hashes.

use crate::HashKeyspace;
use std::marker::PhantomData;

/// The hashes of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hash<K>(PhantomData<fn() -> K>);

impl<K: HashKeyspace> Hash<K> {
    /// The handle; it holds nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// One declared field of the hashes of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashFieldOf<F>(PhantomData<fn() -> F>);

impl<F: crate::HashField> HashFieldOf<F> {
    /// The handle; it holds nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}
