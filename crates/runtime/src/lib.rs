//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.

mod error;
mod keyspace;
mod value;

pub use error::DomainError;
pub use keyspace::{Buffer, Field, Keyspace, Rows};
pub use value::{BadValue, ValueForm};
