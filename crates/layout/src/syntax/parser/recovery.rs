//! Recovery after an error. Every token is skipped at most once, so recovery is linear.

use super::Parser;
use crate::{
    Diagnostic,
    syntax::{
        keyword::Keyword,
        lexer::{Token, TokenKind},
        report::quote,
    },
};
use std::fmt::Display;

/// The tokens at which parsing resumes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// At the start of a declaration, or at the end of a body.
    Item,
    /// Like [`Resume::Item`], or at the start of a clause.
    Clause,
    /// Like [`Resume::Clause`], or at the next segment of the key, or at the `->` after it.
    Key,
}

impl Parser<'_> {
    /// Skips at least one token, up to one at which parsing can resume.
    pub(super) fn skip_to(&mut self, resume: Resume) {
        let (mut braces, mut parens) = (0_usize, 0_usize);
        let first = self.position;
        loop {
            match self.current().kind {
                TokenKind::End => break,
                TokenKind::CloseBrace if braces == 0 => break,
                TokenKind::CloseBrace => braces -= 1,
                TokenKind::Arrow if resume == Resume::Key && braces == 0 => break,
                _ if resume == Resume::Key
                    && parens == 0
                    && self.position > first
                    && self.at_segment() =>
                {
                    break;
                }
                TokenKind::OpenBrace => braces += 1,
                TokenKind::OpenParen => parens += 1,
                TokenKind::CloseParen => parens = parens.saturating_sub(1),
                TokenKind::Name if self.position > first => {
                    // Inside braces, only the start of a line is evidence of a missing closing
                    // brace.
                    let sure = braces == 0 || self.current().first_on_line;
                    let clause = resume != Resume::Item && self.clause_likely();
                    if sure && (clause || self.item_likely()) {
                        break;
                    }
                }
                _ => {}
            }
            self.bump();
        }
        self.skipped_braces += braces;
    }

    /// Skips an opening bracket and all tokens up to its closing bracket.
    pub(super) fn skip_balanced(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.current().kind {
                TokenKind::OpenBrace | TokenKind::OpenBracket | TokenKind::OpenParen => open += 1,
                TokenKind::CloseBrace | TokenKind::CloseBracket | TokenKind::CloseParen => {
                    open = open.saturating_sub(1);
                }
                TokenKind::End => return,
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Parses the closing bracket of an opening one. Skips other tokens before it. If the bracket
    /// is missing, continues as if it were present.
    pub(super) fn close(&mut self, opener: Token, what: impl Display) {
        let sign = match partner(opener.kind) {
            TokenKind::CloseBrace => "`}`",
            TokenKind::CloseBracket => "`]`",
            _ => "`)`",
        };
        self.close_or(opener, what, sign);
    }

    /// Parses the end of a comma-separated list.
    pub(super) fn close_list(&mut self, opener: Token) {
        self.close_or(opener, "the list of arguments", "`,` or `)`");
    }

    fn close_or(&mut self, opener: Token, what: impl Display, expected: &str) {
        self.leave();
        let close = partner(opener.kind);
        if self.eat(close) {
            return;
        }
        // A token with another error is no evidence of the end of the bracket.
        let missing = self.mistaken_at != Some(self.position) && self.follows_bracket(close);
        self.report(|parser, span| {
            let found = parser.found();
            let (message, label) = match missing {
                true => {
                    (format!("{what} is not closed"), format!("expected {expected} before this"))
                }
                false => (format!("unexpected {found} in {what}"), format!("expected {expected}")),
            };
            Diagnostic::error(span, message)
                .label(label)
                .related(parser.span(opener), "opened here")
        });
        if !missing {
            self.skip_to_close(close);
        }
    }

    /// Skips the rest of a bracket, including its end if present.
    fn skip_to_close(&mut self, close: TokenKind) {
        let mut nested = 0_usize;
        loop {
            let kind = self.current().kind;
            match kind {
                TokenKind::End | TokenKind::Arrow => return,
                TokenKind::Name if self.line_resumes() => return,
                TokenKind::OpenBrace if close == TokenKind::CloseBrace => return,
                TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => nested += 1,
                _ if nested == 0 && self.eat(close) => return,
                _ if nested == 0 && self.is_awaited(kind) => return,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    nested = nested.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether a declaration or clause starts here although a bracket is open: it starts a line, or
    /// has no other interpretation.
    fn line_resumes(&self) -> bool {
        let starts = self.item_likely() || self.clause_likely();
        (self.current().first_on_line && starts) || self.declaration_follows()
    }

    /// Whether an open bracket needs this closing token.
    fn is_awaited(&self, close: TokenKind) -> bool {
        self.brackets.iter().any(|open| partner(*open) == close)
    }

    /// Whether the current token probably follows such a bracket instead of being inside it.
    fn follows_bracket(&self, close: TokenKind) -> bool {
        match self.current().kind {
            TokenKind::End | TokenKind::Arrow | TokenKind::Bar => true,
            TokenKind::OpenBrace => close != TokenKind::CloseBracket,
            TokenKind::Hex | TokenKind::Text => close == TokenKind::CloseBrace,
            TokenKind::Name => self.line_resumes(),
            kind => self.is_awaited(kind),
        }
    }

    /// Returns the keyword most similar to the current name. Returns `None` if the reports are
    /// full, because the search is expensive for thousands of errors.
    pub(super) fn suggestion(&self, also: impl Fn(Keyword) -> bool) -> Option<Keyword> {
        let token = self.current();
        if token.kind != TokenKind::Name || token.word.is_some() || self.reports.is_full() {
            return None;
        }
        Keyword::closest(self.text(token), |word| also(word) || self.expected.contains(&word))
    }

    /// Reports a token that starts nothing allowed here.
    pub(super) fn report_unexpected(&mut self, expected: &str, suggestion: Option<Keyword>) {
        self.report(|parser, span| {
            let found = parser.found();
            let message = match parser.current().word {
                Some(_) => format!("{found} is not allowed here"),
                None => format!("expected {expected}, found {found}"),
            };
            let help = suggestion.map(|word| format!("did you mean {}?", quote(word.text())));
            Diagnostic::error(span, message)
                .label(format!("expected {expected}"))
                .optional_help(help)
        });
    }
}

/// Returns the closing bracket of an opening one.
fn partner(open: TokenKind) -> TokenKind {
    match open {
        TokenKind::OpenBrace => TokenKind::CloseBrace,
        TokenKind::OpenBracket => TokenKind::CloseBracket,
        _ => TokenKind::CloseParen,
    }
}
