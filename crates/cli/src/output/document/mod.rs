//! A layout as a document: HTML and Markdown render its [`facts`].

pub(crate) mod html;
pub(crate) mod markdown;

pub(crate) use keyscape_inspect::document::{Document, facts, json, prose, words};
