//! What comes out: messages with snippets, tables of keys, values as JSON and for people.

pub(crate) mod bytes;
pub(crate) mod claim;
pub(crate) mod datum;
pub(crate) mod diagnostic;
pub(crate) mod document;
pub(crate) mod expected;
pub(crate) mod explanation;
pub(crate) mod json;
pub(crate) mod message;
pub(crate) mod pieces;
mod snippet;
pub(crate) mod style;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod talk;
