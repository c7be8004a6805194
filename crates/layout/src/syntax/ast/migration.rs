//! The syntax tree of a migration.

use super::{Cond, Int, Lit, Name};
use crate::Span;

/// A migration: the differences between two layouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MigrationFile {
    /// The lines of `//!` at the top, without the marker.
    pub doc: Vec<String>,
    /// The paths of the old and the new layout, relative to the file.
    pub layouts: Option<MigrationLayouts>,
    /// The statements, in source order.
    pub statements: Vec<Statement>,
}

/// `from STR to STR`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationLayouts {
    /// The path of the old layout.
    pub from: String,
    /// The path of the new layout.
    pub to: String,
    /// The whole declaration.
    pub span: Span,
}

/// A statement about the rows of an old keyspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `move NAME [where cond] [to NAME] [{ assign* }] [else drop STR]`
    Move(Move),
    /// `drop NAME [where cond] STR`
    Drop {
        /// The old keyspace.
        from: Name,
        /// The condition on the rows; `None` for all rows.
        condition: Option<Cond>,
        /// The reason.
        reason: String,
        /// The whole statement.
        span: Span,
    },
    /// `ambiguous first STR`
    Ambiguous {
        /// The reason.
        reason: String,
        /// The whole statement.
        span: Span,
    },
}

/// `move NAME [where cond] [to NAME] [{ assign* }] [else drop STR]`
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The old keyspace.
    pub from: Name,
    /// The condition on the rows; `None` for all rows.
    pub condition: Option<Cond>,
    /// The new keyspace; without one, the counterpart.
    pub to: Option<Name>,
    /// The fields that differ.
    pub assigns: Vec<Assign>,
    /// The reason for dropping rows that do not fit.
    pub otherwise: Option<String>,
    /// The whole statement.
    pub span: Span,
}

/// `path = source`
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    /// The new field, the names of its path joined with dots.
    pub target: Name,
    /// Its value.
    pub source: AssignSource,
}

/// The right-hand side of an [`Assign`].
#[derive(Clone, Debug, PartialEq)]
pub enum AssignSource {
    /// The value of an old field.
    Path(Name),
    /// A function of an old field: `text(number)`.
    Call {
        /// The function.
        function: Name,
        /// The old field.
        argument: Name,
    },
    /// A number.
    Int(Int),
    /// Text or bytes. A text names a value of an enum or an arm of a variant as well.
    Literal(Lit),
    /// `program()`: a function of the program makes the value.
    Program(Span),
}

impl AssignSource {
    /// Returns its span.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Path(name) => name.span,
            Self::Call { function, argument } => function.span.to(argument.span),
            Self::Int(int) => int.span,
            Self::Literal(literal) => literal.span,
            Self::Program(span) => *span,
        }
    }
}
