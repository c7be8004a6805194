//! A layout as a document: Markdown renders its [`facts`].

pub(crate) mod markdown;

pub(crate) use keyscape_inspect::document::{Document, facts, json, prose, words};
