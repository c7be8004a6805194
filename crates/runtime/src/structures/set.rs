//! Sets.

use crate::SetKeyspace;
use std::marker::PhantomData;

/// The sets of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Set<K>(PhantomData<fn() -> K>);

impl<K: SetKeyspace> Set<K> {
    /// The handle; it holds nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}
