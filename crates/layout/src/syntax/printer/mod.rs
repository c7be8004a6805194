//! The formatter prints every token and comment of a file with other white space.
//!
//! The [`Role`] of each token, which the parser assigns, determines the start of lines. A *line*
//! extends from the start of an item or clause to the next one, and may wrap. The output depends
//! only on the tokens, the comments, which comments have their own line, and which lines follow an
//! empty line. Formatting preserves all four, so it is idempotent.

mod line;

use super::{
    lexer::{Lexed, lex},
    parser::{Parsed, Role, parse_tokens},
    token::{Comment, Token, slice},
};
use crate::{Diagnostic, FileId};

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
            let wanted = blank && role != Role::BodyEnd && (!opens || had_comments);
            let indent = INDENT * (outer + usize::from(role == Role::Clause));
            self.start_line(indent, wanted);
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
}
