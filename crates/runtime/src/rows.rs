//! Keyspaces with values.

use crate::{Keyspace, ValueForm};

/// A keyspace whose rows hold a value.
pub trait Rows: Keyspace {
    /// How the value is written and read.
    type Value: ValueForm;
}
