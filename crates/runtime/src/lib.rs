//! Typed keyspaces on a store. Use the facade `keyscape` instead of this crate.

mod error;
mod rows;
mod value;

pub use error::{Error, ErrorKind};
pub use keyscape_keys::{Buffer, DomainError, Field, Keyspace};
pub use rows::Rows;
pub use value::{BadValue, ValueForm};
