//! Components that pages and documents share.

pub(crate) mod claims;
pub(crate) mod diagram;
pub(crate) mod key;
pub(crate) mod prefix_map;
pub(crate) mod source;
pub(crate) mod terminal;
pub(crate) mod text;
