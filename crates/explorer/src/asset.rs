//! The style sheet and the script.

/// The style sheet of all pages and documents.
pub(crate) const STYLE: &str = include_str!("style.css");
/// The script: conveniences that no page depends on.
pub(crate) const SCRIPT: &str = include_str!("script.js");
