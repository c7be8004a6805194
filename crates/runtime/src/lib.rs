//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.

mod error;
mod keyspace;
mod value;

pub use error::{DomainError, Error, ErrorKind};
pub use keyspace::{Buffer, Field, Keyspace, Rows};
pub use value::{BadValue, ValueForm};
