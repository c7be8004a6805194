//! A layout as a document: [`facts`] is the model, which JSON, Markdown and HTML render.

pub mod facts;
pub mod prose;
pub mod words;

pub use facts::{Document, json};
