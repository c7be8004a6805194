//! Parses input: keys as digits, values as text or JSON, and names of the layout.

pub(crate) mod address;
pub(crate) mod genesis;
pub(crate) mod key;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod load;
pub(crate) mod migration;

pub(crate) use keyscape_inspect::input::{InputError, argument, json, name, value};
use std::num::NonZeroU64;

/// Parses a number of rows or blocks.
pub(crate) fn positive(text: &str) -> Result<NonZeroU64, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}
