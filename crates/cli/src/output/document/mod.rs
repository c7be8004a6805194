//! A layout as a document: [`facts`] is the model, and Markdown, HTML and JSON are renderings of it.

pub(crate) mod facts;
pub(crate) mod html;
pub(crate) mod markdown;
mod prose;
mod words;

pub(crate) use facts::{Document, json};
