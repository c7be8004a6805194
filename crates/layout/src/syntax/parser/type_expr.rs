//! `NAME(args)[range] in range shown as NAME(args)`

use super::{Parser, Role};
use crate::syntax::{
    ast::{NotArg, Range, Shown, TypeArg, TypeExpr},
    keyword::Keyword,
    literal,
    token::TokenKind,
};
use std::fmt::Display;

impl Parser<'_> {
    /// Parses a type. `what` describes it in messages.
    pub(super) fn type_expr(&mut self, what: impl Display) -> Option<TypeExpr> {
        let name = self.dotted_name(what)?;
        let start = name.span;
        let args = self.arguments(true, Self::type_arg);
        let length = self.length();
        let domain = match self.domain_follows() {
            true => {
                self.bump();
                self.range()
            }
            false => None,
        };
        let shown = match self.eat_word(Keyword::Shown) {
            true => self.shown(),
            false => None,
        };
        Some(TypeExpr { name, args, length, domain, shown, span: self.span_from(start) })
    }

    /// Whether a domain follows. `in` before a name is a clause of the keyspace instead.
    fn domain_follows(&mut self) -> bool {
        self.at_word(Keyword::In) && self.nth(1).kind != TokenKind::Name
    }

    /// Parses arguments in parentheses, if there are any.
    fn arguments<A>(
        &mut self,
        may_be_none: bool,
        argument: impl Fn(&mut Self) -> Option<A>,
    ) -> Vec<A> {
        if !self.at(TokenKind::OpenParen) {
            return Vec::new();
        }
        self.mark(Role::Tight);
        let Some(opener) = self.open() else { return Vec::new() };
        let mut args = Vec::new();
        if !(may_be_none && self.at(TokenKind::CloseParen)) {
            while let Some(arg) = argument(self) {
                args.push(arg);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.close_list(opener);
        args
    }

    fn type_arg(&mut self) -> Option<TypeArg> {
        let token = self.current();
        match token.kind {
            TokenKind::Regex | TokenKind::ByteRegex => {
                let (pattern, bytes) = self.regex();
                Some(TypeArg::Regex { pattern, bytes, span: self.last })
            }
            TokenKind::Int => self.integer("a number").map(TypeArg::Int),
            TokenKind::Hex | TokenKind::Text => self.literal("a literal").map(TypeArg::Lit),
            TokenKind::Name if token.word == Some(Keyword::Not) => {
                self.bump();
                self.not_arg().map(TypeArg::Not)
            }
            TokenKind::Name if self.nth(1).kind == TokenKind::Equals => {
                self.bump();
                self.bump();
                let value = self.literal("the bytes of the argument")?;
                Some(TypeArg::Named { name: self.to_name(token), value })
            }
            _ => self.type_expr("an argument").map(TypeArg::Type),
        }
    }

    fn not_arg(&mut self) -> Option<NotArg> {
        match self.current().kind {
            TokenKind::Regex | TokenKind::ByteRegex => {
                let (pattern, bytes) = self.regex();
                Some(NotArg::Regex { pattern, bytes, span: self.last })
            }
            _ => self.literal("a regular expression or a literal after `not`").map(NotArg::Lit),
        }
    }

    /// Parses a regular expression. Returns it with whether it is over bytes.
    fn regex(&mut self) -> (String, bool) {
        let token = self.bump();
        (literal::regex_pattern(self.text(token)).to_owned(), token.kind == TokenKind::ByteRegex)
    }

    pub(super) fn length(&mut self) -> Option<Range> {
        if !self.at(TokenKind::OpenBracket) {
            return None;
        }
        self.mark(Role::Tight);
        let opener = self.open()?;
        let range = self.range();
        self.close(opener, "the length");
        range
    }

    fn shown(&mut self) -> Option<Shown> {
        let start = self.last;
        if !self.eat_word(Keyword::As) {
            self.report_expected("`as` after `shown`");
            return None;
        }
        let name = self.name("the form in which values are shown")?;
        let args = self.arguments(false, |parser| parser.literal("a literal"));
        Some(Shown { name, args, span: self.span_from(start) })
    }
}
