//! Further lookahead, which distinguishes errors. It does not change how valid files are parsed.

use super::Parser;
use crate::syntax::{keyword::Keyword, lexer::TokenKind};

impl Parser<'_> {
    /// Whether `map name =` or a similar start of a declaration follows. If a name is expected
    /// here, the name is missing.
    pub(super) fn declaration_follows(&self) -> bool {
        self.current().word.is_some_and(Keyword::starts_item) && self.looks_like_keyspace()
    }

    /// Whether `word name =` follows, optionally with `of other` or `was other` before the `=`, as
    /// in a keyspace of any kind. The `=` is required, because `of` can be the name of a keyspace
    /// or of a field.
    pub(super) fn looks_like_keyspace(&self) -> bool {
        if !self.at(TokenKind::Name) || self.nth(1).kind != TokenKind::Name {
            return false;
        }
        let mut at = 2;
        for word in [Keyword::Of, Keyword::Was] {
            let is_named =
                self.nth(at).word == Some(word) && self.nth(at + 1).kind == TokenKind::Name;
            at += if is_named { 2 } else { 0 };
        }
        self.nth(at).kind == TokenKind::Equals
    }

    /// Whether `deprecated "reason"` of a keyspace follows. In a namespace, a prefix precedes the
    /// reason.
    pub(super) fn at_deprecated_keyspace(&self) -> bool {
        self.current().word == Some(Keyword::Deprecated)
            && self.nth(1).kind == TokenKind::Text
            && !is_literal(self.nth(2).kind)
    }

    /// Whether `word name = literals {` follows, and then a token that starts no field.
    pub(super) fn looks_like_namespace(&self) -> bool {
        if !self.at(TokenKind::Name) || self.nth(2).kind != TokenKind::Equals {
            return false;
        }
        let brace = (3..).find(|ahead| !is_literal(self.nth(*ahead).kind)).unwrap_or(3);
        let (inner, after) = (self.nth(brace + 1), self.nth(brace + 2));
        self.nth(brace).kind == TokenKind::OpenBrace
            && inner.word.is_some_and(Keyword::starts_item)
            && (is_literal(after.kind)
                || after.kind == TokenKind::Name && after.word != Some(Keyword::From))
    }

    /// Whether a declaration probably starts here.
    pub(super) fn item_likely(&self) -> bool {
        let token = self.current();
        let Some(word) = token.word.filter(|word| word.starts_item()) else { return false };
        if token.first_on_line || self.declaration_follows() {
            return true;
        }
        let (next, after) = (self.nth(1).kind, self.nth(2).kind);
        match word {
            Keyword::Import => next == TokenKind::Text,
            Keyword::Family => next == TokenKind::Name && after == TokenKind::OpenBrace,
            Keyword::Allocate => next == TokenKind::Name && is_literal(after),
            Keyword::Reserve | Keyword::Deprecated => is_literal(next),
            _ => false,
        }
    }

    /// Whether a clause probably starts here.
    pub(super) fn clause_likely(&self) -> bool {
        let token = self.current();
        let Some(word) = token.word.filter(|word| word.starts_clause()) else { return false };
        let takes_name = !matches!(word, Keyword::Unique | Keyword::Counted | Keyword::Ranked);
        token.first_on_line || (takes_name && self.nth(1).kind == TokenKind::Name)
    }

    /// Whether a keyword here can be the expected name. One of `joints`, one of `words`, or the
    /// start of a clause or declaration must follow.
    pub(super) fn fits_as_name(&self, joints: &[TokenKind], words: &[Keyword]) -> bool {
        let token = self.current();
        if token.kind != TokenKind::Name || self.declaration_follows() {
            return false;
        }
        if token.word.is_none() {
            return true;
        }
        let next = self.nth(1);
        matches!(next.kind, TokenKind::End | TokenKind::CloseBrace)
            || joints.contains(&next.kind)
            || next.word.is_some_and(|word| words.contains(&word) || word.starts_part())
    }

    pub(super) fn at_literal(&self) -> bool {
        is_literal(self.current().kind)
    }

    /// Whether a segment of a key starts here.
    pub(super) fn at_segment(&self) -> bool {
        self.at_literal()
            || matches!(self.current().kind, TokenKind::OpenBrace | TokenKind::OpenBracket)
            || self.at_wrap()
            || self.at_hashed_literal()
    }

    /// Whether `wrap name (` follows.
    pub(super) fn at_wrap(&self) -> bool {
        self.current().word == Some(Keyword::Wrap)
            && self.nth(1).kind == TokenKind::Name
            && self.nth(2).kind == TokenKind::OpenParen
    }

    /// Whether a wrap or a hashed literal follows the current token.
    pub(super) fn named_segment_follows(&self) -> bool {
        let [a, b, c] = [1, 2, 3].map(|ahead| self.nth(ahead));
        let wrap = a.word == Some(Keyword::Wrap) && b.kind == TokenKind::Name;
        wrap && c.kind == TokenKind::OpenParen
            || a.kind == TokenKind::Name && b.kind == TokenKind::OpenParen && is_literal(c.kind)
    }

    /// Whether `name (` follows. After `if`, a condition begins instead.
    pub(super) fn at_call(&self) -> bool {
        self.at(TokenKind::Name)
            && self.current().word != Some(Keyword::If)
            && self.nth(1).kind == TokenKind::OpenParen
    }

    /// Whether `name ( literal )` follows. No codec has only a literal as its argument.
    pub(super) fn at_hashed_literal(&self) -> bool {
        self.at_call() && is_literal(self.nth(2).kind) && self.nth(3).kind == TokenKind::CloseParen
    }

    /// Whether a type begins with a hashed literal here. After a codec, a length, a domain or a
    /// display form could follow.
    pub(super) fn type_starts_hashed(&self) -> bool {
        use TokenKind::{DotDot, DotDotEq, Int, Minus, OpenBracket};
        let (after, next) = (self.nth(4), self.nth(5).kind);
        let length = after.kind == OpenBracket && matches!(next, Int | Minus | DotDot | DotDotEq);
        let more = matches!(after.word, Some(Keyword::In | Keyword::Shown));
        self.at_hashed_literal() && !length && !more
    }
}

fn is_literal(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Hex | TokenKind::Text)
}
