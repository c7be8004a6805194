//! Support code for generated keys, without a store. Use the facade `keyscape` instead of this
//! crate.

pub mod cut;
mod dynamic;
mod error;
mod into_field;
mod keyspace;
pub mod leaf;
pub mod text;
pub mod wrap;

pub use dynamic::{Dynamic, Leaf};
pub use error::DomainError;
pub use into_field::IntoField;
pub use keyspace::{Buffer, Field, Keyspace};
