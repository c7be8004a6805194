//! Going on after a mistake. Every token is skipped at most once, so recovery is linear.

use super::{Opener, Parser};
use crate::{
    Diagnostic,
    syntax::{keyword::Keyword, report::quote, token::TokenKind},
};

/// Where to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// Where a declaration starts, or a body closes.
    Item,
    /// There, or where a clause starts.
    Clause,
    /// There, or at the `->` of a keyspace.
    Arrow,
}

impl Parser<'_> {
    /// Skips at least one token, and all up to a place to go on.
    pub(super) fn skip_to(&mut self, resume: Resume) {
        let mut braces = 0_usize;
        let first = self.position;
        loop {
            match self.current().kind {
                TokenKind::End => break,
                TokenKind::CloseBrace if braces == 0 => break,
                TokenKind::CloseBrace => braces -= 1,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::Arrow if resume == Resume::Arrow && braces == 0 => break,
                TokenKind::Name if self.position > first => {
                    // Inside braces, only the start of a line shows that they were left open.
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
        self.forgiven += braces;
    }

    /// Skips an opening bracket and all up to its partner.
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

    /// The partner of an opening bracket. If something else stands before it, that is skipped;
    /// if it is missing, parsing goes on as if it were there.
    pub(super) fn close(&mut self, opener: Opener, what: &str) {
        self.leave();
        let (kind, sign) = match opener.token.kind {
            TokenKind::OpenBrace => (TokenKind::CloseBrace, "`}`"),
            TokenKind::OpenBracket => (TokenKind::CloseBracket, "`]`"),
            _ => (TokenKind::CloseParen, "`)`"),
        };
        if self.eat(kind) {
            return;
        }
        // At a token that is a mistake already, nothing says that the bracket ends there.
        let missing = self.mistaken_at != Some(self.position) && self.follows_bracket(kind);
        self.report(|parser, span| {
            let found = parser.found();
            let (message, label) = match missing {
                true => (format!("{what} is not closed"), format!("expected {sign} before this")),
                false => (format!("unexpected {found} in {what}"), format!("expected {sign}")),
            };
            Diagnostic::error(span, message).label(label).related(opener.span, "opened here")
        });
        if !missing {
            self.skip_to_close(kind);
        }
    }

    /// Skips the rest of a bracket, and its end if there is one.
    fn skip_to_close(&mut self, close: TokenKind) {
        let mut nested = 0_usize;
        loop {
            let kind = self.current().kind;
            match kind {
                TokenKind::End | TokenKind::Arrow => return,
                TokenKind::Name if self.item_likely() || self.clause_likely() => return,
                TokenKind::OpenBrace if close == TokenKind::CloseBrace => return,
                TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => nested += 1,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    if nested == 0 {
                        self.eat(close);
                        return;
                    }
                    nested -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether the current token is likely to stand after such a bracket rather than inside it.
    fn follows_bracket(&self, close: TokenKind) -> bool {
        match self.current().kind {
            TokenKind::End | TokenKind::Arrow | TokenKind::Bar => true,
            TokenKind::CloseBrace | TokenKind::CloseBracket | TokenKind::CloseParen => true,
            TokenKind::OpenBrace => close != TokenKind::CloseBracket,
            TokenKind::Hex | TokenKind::Text => close == TokenKind::CloseBrace,
            TokenKind::Name => self.item_likely() || self.clause_likely(),
            _ => false,
        }
    }

    /// The keyword that the current name most likely was meant to be. Not asked for once the
    /// reports are full: it costs more than a mistake may cost by the thousand.
    pub(super) fn suggestion(&self, also: impl Fn(Keyword) -> bool) -> Option<Keyword> {
        let token = self.current();
        if token.kind != TokenKind::Name || token.word.is_some() || self.reports.is_full() {
            return None;
        }
        Keyword::closest(self.text(token), |word| also(word) || self.expected.contains(&word))
    }

    /// Reports that nothing which may stand here starts with the current token.
    pub(super) fn report_unexpected(&mut self, wanted: &str, suggestion: Option<Keyword>) {
        self.report(|parser, span| {
            let found = parser.found();
            let error = match parser.current().word {
                Some(_) => Diagnostic::error(span, format!("{found} cannot stand here")),
                None => Diagnostic::error(span, format!("expected {wanted}, found {found}")),
            };
            let error = error.label(format!("expected {wanted}"));
            match suggestion {
                Some(word) => error.help(format!("did you mean {}?", quote(word.text()))),
                None => error,
            }
        });
    }
}
