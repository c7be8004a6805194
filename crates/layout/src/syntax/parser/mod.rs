//! Tokens to syntax tree, by recursive descent with one token of lookahead.
//!
//! A mistake is reported once, at the token where it shows. The parser then goes on as if what
//! is missing were there, or skips to where a declaration or clause starts ([`recovery`]), so that
//! one run tells all mistakes of a file. A file without diagnostics follows the grammar exactly;
//! with diagnostics, the tree holds what could be understood.
//!
//! More than one token is looked at in one place of the grammar (`in` before a name is a clause,
//! before a range a domain); elsewhere only to tell a mistake from another.

mod body;
mod clause;
mod condition;
mod cursor;
mod decl;
mod key;
mod keyspace;
mod lookahead;
mod migration;
mod range;
mod recovery;
mod type_body;
mod type_expr;
mod value;

use super::{
    ast,
    keyword::Keyword,
    lexer::{Lexed, lex},
    report::Reports,
    token::{Token, TokenKind},
};
use crate::{Diagnostic, FileId, Span};

pub use migration::parse_migration;

/// The deepest nesting of brackets and bodies.
const NEST_LIMIT: usize = 64;

/// Parses a file. All its mistakes are in the diagnostics, in the order of the file; without any,
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
    /// A good place to break a line that is too long.
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
    /// The place of the token before the current one.
    last: Span,
    /// The keywords that would have fitted at the current token.
    expected: Vec<Keyword>,
    roles: Vec<Role>,
    /// The brackets that are open, outermost first; at most [`NEST_LIMIT`].
    brackets: Vec<TokenKind>,
    /// The token at which a mistake was last reported.
    mistaken_at: Option<usize>,
    /// The number of `{` that recovery skipped: as many `}` may follow later.
    forgiven: usize,
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
            forgiven: 0,
            reports: Reports::default(),
        }
    }
}

/// An opening bracket, remembered for the message that its partner is missing.
#[derive(Clone, Copy)]
struct Opener {
    token: Token,
    span: Span,
}
