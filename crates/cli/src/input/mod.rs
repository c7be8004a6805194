//! Parses input: keys as digits, values as text or JSON, and names of the layout.

pub(crate) mod address;
pub(crate) mod genesis;
pub(crate) mod key;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod load;
pub(crate) mod migration;

pub(crate) use keyscape_inspect::input::{InputError, argument, json, name, value};
