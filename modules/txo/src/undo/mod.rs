//! Undo.
/// Spaces.
#[derive(Debug)]
pub enum Space {}
