//! The formatter prints every token and comment of a file with other white space.
//!
//! The [`Role`] of each token, which the parser assigns, determines the start of lines. A *line*
//! extends from the start of an item or clause to the next one, and may wrap. The output depends
//! only on the tokens, the comments, which comments have their own line, and which lines follow an
//! empty line. Formatting preserves all four, so it is idempotent.

use super::{
    lexer::{Comment, Lexed, Token, TokenKind, lex, slice},
    parser::{Parsed, Role, parse_tokens},
};
use crate::{Diagnostic, FileId};
use std::ops::Range;

/// The maximal width of a line before it wraps.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// Formats a file.
///
/// # Errors
/// Returns the diagnostics of a file that does not follow the grammar.
///
/// ```
/// use keyscape_layout::syntax::format;
///
/// let source = "store bank map balances=0x02{owner:Address} -> dec scan owner // in order\n";
/// assert_eq!(
///     format(source).unwrap(),
///     "store bank\nmap balances = 0x02 {owner: Address} -> dec\n    scan owner  // in order\n",
/// );
/// ```
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    let mut lexed = lex(source, FileId::default());
    let Parsed { roles, reports, .. } = parse_tokens(source, FileId::default(), &lexed);
    let diagnostics = core::mem::take(&mut lexed.reports).merge(reports);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let text = String::with_capacity(source.len());
    let mut printer = Printer { source, lexed: &lexed, roles: &roles, text, column: 0 };
    printer.file();
    Ok(printer.text)
}

struct Printer<'s> {
    source: &'s str,
    lexed: &'s Lexed,
    roles: &'s [Role],
    text: String,
    /// The number of characters on the last line of the text.
    column: usize,
}

impl<'s> Printer<'s> {
    fn file(&mut self) {
        let mut level = 0_usize;
        let mut first = 0;
        let last = self.lexed.tokens.len().saturating_sub(1);
        // Omit empty lines at the start of a file or body.
        let mut opens = true;
        while first < last {
            let end = self.line_end(first, last);
            let role = self.role(first);
            let outer = if role == Role::BodyEnd { level.saturating_sub(1) } else { level };
            let comments_indent = INDENT * (level + usize::from(role == Role::Clause));
            let had_comments = self.comments_between_lines(first, comments_indent, opens);
            let blank = self.token(first).is_some_and(|token| token.blank_before);
            let after_blank = blank && role != Role::BodyEnd && (!opens || had_comments);
            let indent = INDENT * (outer + usize::from(role == Role::Clause));
            self.start_line(indent, after_blank);
            self.line(first..end, indent);
            opens = end.checked_sub(1).is_some_and(|at| self.role(at) == Role::Body);
            level = outer + usize::from(opens);
            first = end;
        }
        self.comments_between_lines(last, 0, opens);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Returns the index after the last token of the line that starts at `first`.
    fn line_end(&self, first: usize, last: usize) -> usize {
        let starts = |role: &Role| matches!(role, Role::Item | Role::Clause | Role::BodyEnd);
        let rest = self.roles.get(first + 1..last).unwrap_or_default();
        rest.iter().position(starts).map_or(last, |at| first + 1 + at)
    }

    /// Prints the comments before a token that starts a line. The first one may end the previous
    /// line, the others have their own lines. Returns whether there were such others.
    fn comments_between_lines(&mut self, at: usize, indent: usize, opens: bool) -> bool {
        let mut own_lines = false;
        for comment in self.comments(at) {
            if comment.own_line {
                self.start_line(indent, comment.blank_before && (!opens || own_lines));
                own_lines = true;
            } else {
                self.push("  ");
            }
            self.push_comment(*comment);
        }
        own_lines
    }

    fn token(&self, at: usize) -> Option<&'s Token> {
        self.lexed.tokens.get(at)
    }

    fn role(&self, at: usize) -> Role {
        self.roles.get(at).copied().unwrap_or_default()
    }

    fn token_text(&self, at: usize) -> &'s str {
        self.token(at).map_or("", |token| slice(self.source, token.start, token.end))
    }

    /// Returns the comments directly before a token.
    fn comments(&self, at: usize) -> &'s [Comment] {
        let before = at.checked_sub(1).and_then(|at| self.token(at));
        let start = before.map_or(0, |token| token.comments_end as usize);
        let end = self.token(at).map_or(start, |token| token.comments_end as usize);
        self.lexed.comments.get(start..end).unwrap_or_default()
    }

    fn start_line(&mut self, indent: usize, after_blank: bool) {
        if !self.text.is_empty() {
            self.text.push('\n');
            if after_blank {
                self.text.push('\n');
            }
        }
        self.text.extend(core::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn push_comment(&mut self, comment: Comment) {
        self.text.push_str(slice(self.source, comment.start, comment.end));
    }

    /// Writes a line: an item up to its clauses, or a clause. Wraps a line that is too wide.
    fn line(&mut self, tokens: Range<usize>, indent: usize) {
        let splits_arms = self.splits_arms(tokens.clone(), indent);
        // The columns of continuation lines and of the bars of split alternatives. Bars are below
        // the first bar, or below the `=` if the first alternative has none.
        let mut wrapped = indent + INDENT;
        let mut bars = None;
        for at in tokens.clone() {
            let role = self.role(at);
            let bar = role == Role::Arm && splits_arms;
            let first_bar = bar && self.kind(at.saturating_sub(1)) == TokenKind::Equals;
            let target = bars.filter(|_| bar && !first_bar).unwrap_or(wrapped);
            let too_wide = || self.column > wrapped && self.overflows(at, tokens.end);
            if at == tokens.start {
                // The comments before the first token precede the line.
            } else if !self.comments(at).is_empty() {
                self.comments_within_line(at, target);
            } else if (bar && !first_bar) || (role == Role::Wrap && too_wide()) {
                self.start_line(target, false);
            } else if self.spaced(at) {
                self.push(" ");
            }
            if first_bar {
                bars = Some(self.column);
                wrapped = self.column + INDENT;
            } else if bars.is_none() && self.kind(at) == TokenKind::Equals {
                bars = Some(self.column);
            }
            self.push(self.token_text(at));
        }
    }

    fn comments_within_line(&mut self, at: usize, target: usize) {
        for comment in self.comments(at) {
            if comment.own_line {
                self.start_line(target, false);
            } else {
                self.push("  ");
            }
            self.push_comment(*comment);
        }
        self.start_line(target, false);
    }

    /// Whether each alternative of a type has its own line.
    fn splits_arms(&self, tokens: Range<usize>, indent: usize) -> bool {
        let is_commented = |at: usize| !self.comments(at).is_empty();
        tokens.clone().any(|at| self.role(at) == Role::Arm)
            && (tokens.clone().skip(1).any(is_commented) || indent + self.width(tokens) > WIDTH)
    }

    /// Whether the tokens up to the next possible break do not fit on the line.
    fn overflows(&self, at: usize, end: usize) -> bool {
        let breaks = |next: &usize| {
            matches!(self.role(*next), Role::Wrap | Role::Arm) || !self.comments(*next).is_empty()
        };
        let piece_end = (at + 1..end).find(breaks).unwrap_or(end);
        self.column + usize::from(self.spaced(at)) + self.width(at..piece_end) > WIDTH
    }

    /// Returns the width of tokens on one line.
    fn width(&self, tokens: Range<usize>) -> usize {
        let space = |at: usize| usize::from(at > tokens.start && self.spaced(at));
        tokens.clone().map(|at| space(at) + self.token_text(at).chars().count()).sum()
    }

    fn kind(&self, at: usize) -> TokenKind {
        self.token(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn spaced(&self, at: usize) -> bool {
        spaced(self.kind(at.saturating_sub(1)), self.kind(at), self.role(at))
    }
}

/// Whether a space separates two tokens. `role` is the role of the second one.
fn spaced(before: TokenKind, after: TokenKind, role: Role) -> bool {
    use TokenKind::{
        CloseBrace, CloseBracket, CloseParen, Colon, Comma, Dot, DotDot, DotDotEq, Int, Minus,
        OpenBrace, OpenBracket, OpenParen,
    };
    let tight = role == Role::Tight
        || matches!(before, OpenParen | OpenBracket | OpenBrace | Dot | Minus)
        || matches!(after, CloseParen | CloseBracket | CloseBrace | Comma | Colon | Dot)
        || matches!((before, after), (Int, DotDot | DotDotEq) | (DotDot | DotDotEq, Int | Minus));
    !tight
}
