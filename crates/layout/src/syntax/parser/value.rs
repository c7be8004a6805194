//! Values of rows.

use super::Parser;
use crate::syntax::{
    ast::{Name, TypeExpr, ValueExpr, ValueExprKind},
    keyword::Keyword,
    token::{Token, TokenKind},
};
use std::fmt::Display;

impl Parser<'_> {
    /// Parses `empty`, `const lit`, `json [NAME]`, `proto NAME` or a type.
    pub(super) fn value(&mut self, what: impl Display) -> Option<ValueExpr> {
        let start = self.span(self.current());
        let kind = if self.eat_word(Keyword::Empty) {
            ValueExprKind::Empty
        } else if self.eat_word(Keyword::Const) {
            ValueExprKind::Const(self.literal("the constant")?)
        } else if self.eat_word(Keyword::Json) {
            ValueExprKind::Json(self.json_type())
        } else if self.eat_word(Keyword::Proto) {
            ValueExprKind::Proto(self.message_name()?)
        } else {
            ValueExprKind::Type(self.value_type(what)?)
        };
        Some(ValueExpr { kind, span: self.span_from(start) })
    }

    /// Parses the name after `proto`, which may be a keyword if it does not start the next clause
    /// or declaration.
    fn message_name(&mut self) -> Option<Name> {
        let what = "the name of a message after `proto`";
        let token = self.current();
        let starts = |token: Token| {
            let start = |word: Keyword| word.starts_clause() || word.starts_item();
            token.word.is_some_and(|word| start(word) || word == Keyword::Reads)
        };
        // A keyword or the end follows a name. A name follows the keyword of a clause.
        let next = self.nth(1);
        let goes_on = starts(token) && next.kind == TokenKind::Name && !starts(next);
        if goes_on || self.looks_like_keyspace() {
            self.report_expected(what);
            return None;
        }
        self.name(what)
    }

    /// Parses the name after `json`. A keyword starts the next clause or declaration instead.
    fn json_type(&mut self) -> Option<Name> {
        let token = self.current();
        let ends = token.word.is_some_and(|word| {
            word.starts_clause() || word.starts_item() || word == Keyword::Reads
        });
        if token.kind != TokenKind::Name || ends || self.looks_like_keyspace() {
            return None;
        }
        self.bump();
        Some(self.to_name(token))
    }

    fn value_type(&mut self, what: impl Display) -> Option<TypeExpr> {
        const JOINTS: &[TokenKind] =
            &[TokenKind::Dot, TokenKind::OpenParen, TokenKind::OpenBracket];
        const WORDS: &[Keyword] = &[Keyword::In, Keyword::Shown, Keyword::Reads];
        if !self.fits_as_name(JOINTS, WORDS) {
            self.report_expected(what);
            return None;
        }
        self.type_expr(what)
    }
}
