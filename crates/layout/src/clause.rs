//! Clauses that make or accept a claim about a keyspace.

use crate::{Span, model::Cut};

/// A split: programs cut keys at the bytes of a separator.
#[derive(Clone, Debug)]
pub struct Split {
    /// The text in the layout: `at "|"`, `at first "-"`.
    pub name: String,
    /// The occurrences of the separator that cut a key.
    pub cut: Cut,
    /// The bytes of the separator, never empty.
    pub separator: Vec<u8>,
    /// The separator in the notation of layouts.
    pub written: String,
    /// The source of the clause.
    pub span: Span,
}

/// An accepted claim that is known not to hold.
#[derive(Clone, Debug)]
pub struct Accept {
    /// The rule, such as `KS001`.
    pub rule: String,
    /// The name of the scan, if the acceptance is about one.
    pub scan: Option<String>,
    /// The name of the other keyspace, if the acceptance is about one.
    pub with: Option<String>,
    /// The reason for the acceptance.
    pub reason: String,
    /// The source of the clause.
    pub span: Span,
}
