//! Which structures there are.

use crate::{DomainError, Structure};
use std::marker::PhantomData;

/// The structures whose key begins with some leading fields. It is no key.
#[derive(Clone, Debug)]
pub struct StructurePrefix<K> {
    prefix: Result<Vec<u8>, DomainError>,
    also: fn(&[u8]) -> bool,
    keyspace: PhantomData<fn() -> K>,
}

impl<K: Structure> StructurePrefix<K> {
    /// The structures whose key begins with these bytes, which `encode` appends. Generated code calls it.
    pub fn new(encode: impl FnOnce(&mut Vec<u8>) -> Result<(), DomainError>) -> Self {
        let mut prefix = Vec::new();
        let prefix = encode(&mut prefix).map(|()| prefix);
        Self { prefix, also: |_| false, keyspace: PhantomData }
    }

    /// The same, passing over structures of other keyspaces: those whose key `also` accepts.
    #[must_use]
    pub fn also(self, also: fn(&[u8]) -> bool) -> Self {
        Self { also, ..self }
    }
}
