//! A recursive-descent parser with one token of lookahead.
//!
//! An error is reported once, at the first token that shows it. The parser then continues as if the
//! missing token were present, or skips to the start of a declaration or clause ([`recovery`]). One
//! run therefore reports all errors of a file. A file without diagnostics follows the grammar
//! exactly. With diagnostics, the tree contains the parts that could be parsed.
//!
//! One rule of the grammar needs more lookahead: `in` before a name is a clause, before a range a
//! domain. Elsewhere, further lookahead only distinguishes errors.

mod cursor;
mod declarations;
mod keyspaces;
mod literals;
mod lookahead;
mod migration;
mod recovery;
mod segments;
mod types;

use super::{
    ast,
    keyword::Keyword,
    lexer::{Lexed, TokenKind, lex},
    report::Reports,
};
use crate::{Diagnostic, FileId, Span};

pub use migration::parse_migration;

/// The deepest nesting of brackets and bodies.
const NEST_LIMIT: usize = 64;

/// Parses a file. The diagnostics contain all errors in the order of the file. Without diagnostics,
/// the tree follows the grammar exactly.
///
/// ```
/// use keyscape_layout::{FileId, syntax::{ast::Decl, parse}};
///
/// let (file, diagnostics) = parse("store bank\nmap balances = 0x02 {owner: Address}", FileId(0));
/// assert!(diagnostics.is_empty());
/// assert!(matches!(file.decls[..], [Decl::Store(_), Decl::Keyspace(_)]));
/// ```
#[must_use]
pub fn parse(source: &str, file: FileId) -> (ast::File, Vec<Diagnostic>) {
    let lexed = lex(source, file);
    let Parsed { file, reports, .. } = parse_tokens(source, file, &lexed);
    (file, lexed.reports.merge(reports))
}

/// The role of a token, for the formatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Plain,
    /// Starts a declaration or an item of a namespace.
    Item,
    /// Starts a clause of a keyspace.
    Clause,
    /// The brace that opens a body of declarations.
    Body,
    /// The brace that closes it.
    BodyEnd,
    /// A token before which a line may break.
    Wrap,
    /// The bar before an alternative of a type.
    Arm,
    /// A bracket that belongs to the name before it.
    Tight,
}

/// The result of parsing.
pub(super) struct Parsed {
    pub(super) file: ast::File,
    /// One for each token.
    pub(super) roles: Vec<Role>,
    pub(super) reports: Reports,
}

/// Parses the tokens of a file.
pub(super) fn parse_tokens(source: &str, file: FileId, lexed: &Lexed) -> Parsed {
    let mut parser = Parser::new(source, file, lexed);
    let file = parser.file();
    Parsed { file, roles: parser.roles, reports: parser.reports }
}

struct Parser<'s> {
    source: &'s str,
    file: FileId,
    lexed: &'s Lexed,
    /// The index of the current token.
    position: usize,
    /// The span of the previous token.
    last: Span,
    /// The keywords that were expected at the current token.
    expected: Vec<Keyword>,
    roles: Vec<Role>,
    /// The open brackets, outermost first, at most [`NEST_LIMIT`].
    brackets: Vec<TokenKind>,
    /// The token of the last reported error.
    mistaken_at: Option<usize>,
    /// The number of `{` that recovery skipped. The same number of unmatched `}` is accepted later.
    skipped_braces: usize,
    reports: Reports,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, file: FileId, lexed: &'s Lexed) -> Self {
        Self {
            source,
            file,
            lexed,
            position: 0,
            last: Span { file, start: 0, end: 0 },
            expected: Vec::new(),
            roles: vec![Role::Plain; lexed.tokens.len()],
            brackets: Vec::new(),
            mistaken_at: None,
            skipped_braces: 0,
            reports: Reports::default(),
        }
    }
}
