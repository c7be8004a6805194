//! What can go wrong.

use keyscape_codec::ValueError;

/// A value is outside its domain, or parts of a key do not go together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {source}")]
pub struct DomainError {
    /// The type, or the field of a keyspace: `Denom`, `balances.denom`.
    pub what: &'static str,
    /// What is wrong.
    pub source: ValueError,
}
