//! The benchmark framework: sides of a comparison, the order of their runs, and statistics.
//!
//! This crate also contains the comparisons that need no other library. [`codecs`] compares each
//! codec with handwritten code. [`many`] decodes with a layout that is read at run time.

pub mod codecs;
pub mod dynamic;
pub mod inputs;
pub mod many;
pub mod prove;
pub mod rounds;
pub mod side;
pub mod statistics;

pub use side::{Batch, Format, Group, Side, Work, for_each};

/// A group that is built on demand, because building takes time.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the group.
    pub id: String,
    /// Builds the group.
    pub build: fn() -> Group,
}

/// Returns the groups of this crate.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = codecs::entries();
    entries.extend(many::entries());
    entries
}
