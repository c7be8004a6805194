//! Sorted sets.

use crate::ZsetKeyspace;
use std::marker::PhantomData;

/// The sorted sets of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zset<K>(PhantomData<fn() -> K>);

impl<K: ZsetKeyspace> Zset<K> {
    /// The handle; it holds nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}
