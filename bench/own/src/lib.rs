//! Measuring: what a side of a comparison is, how sides take turns, what is said of their times.
//!
//! The comparisons that need nothing but Keyscape itself are here too: [`codecs`], each against the
//! code that one would write by hand, and [`many`], decoding by a layout that is read at run time.

pub mod codecs;
pub mod dynamic;
pub mod inputs;
pub mod many;
pub mod prove;
pub mod rounds;
pub mod side;
pub mod statistics;

pub use side::{Batch, Format, Group, Side, Work};

/// A group and how to make it; making one takes time, so it is done when it is wanted.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the group.
    pub id: String,
    /// Makes it.
    pub build: fn() -> Group,
}

/// The groups of this crate.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = codecs::entries();
    entries.extend(many::entries());
    entries
}
