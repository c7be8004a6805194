//! Clauses that make or accept a claim about a keyspace.

use crate::{Span, model::Cut};

/// A way in which programs cut keys apart: at the bytes of a separator.
#[derive(Clone, Debug)]
pub struct Split {
    /// As a layout writes it: `at "|"`, `at first "-"`.
    pub name: String,
    /// The occurrences of the separator that cut a key.
    pub cut: Cut,
    /// The bytes of the separator; never empty.
    pub separator: Vec<u8>,
    /// The separator as a layout writes it.
    pub written: String,
    /// The source of the clause.
    pub span: Span,
}

/// A claim that is known not to hold.
#[derive(Clone, Debug)]
pub struct Accept {
    /// The rule, such as `KS001`.
    pub rule: String,
    /// The scan that is meant.
    pub scan: Option<String>,
    /// The other keyspace that is meant.
    pub with: Option<String>,
    /// Why.
    pub reason: String,
    /// The source of the clause.
    pub span: Span,
}
