//! A layout as a document: its facts are computed once, and written as Markdown, HTML or JSON.
//!
//! [`facts`] is a plain tree of everything that a document says; the renderers decide nothing.

pub(crate) mod facts;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
mod prose;
mod words;

pub(crate) use facts::Document;
