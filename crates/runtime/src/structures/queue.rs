//! Queues.

use crate::QueueKeyspace;
use std::marker::PhantomData;

/// The queues of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue<K>(PhantomData<fn() -> K>);

impl<K: QueueKeyspace> Queue<K> {
    /// The handle; it holds nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}
