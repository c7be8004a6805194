//! Parses types: the right-hand side of `type`, and
//! `NAME(args)[range] in range shown as NAME(args)`.

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{Arm, Name, Range, Shown, TypeArg, TypeBody, TypeExpr},
        keyword::Keyword,
        lexer::TokenKind,
        literal,
        report::quote,
    },
};
use std::fmt::Display;

impl Parser<'_> {
    /// Parses the body of a type. The next token then starts a declaration or ends the enclosing
    /// body.
    pub(super) fn type_body(&mut self, name: &Name) -> Option<TypeBody> {
        const EXPECTED: &str = "a type, segments, texts or alternatives";
        let next = self.nth(1).kind;
        let body = match self.current().kind {
            TokenKind::Bar => Some(self.variant()),
            TokenKind::Text if !starts_segment(next) && !self.named_segment_follows() => {
                self.enumeration()
            }
            TokenKind::Text | TokenKind::Hex | TokenKind::OpenBrace | TokenKind::OpenBracket => {
                Some(TypeBody::Composite(self.segments(Role::Wrap)))
            }
            TokenKind::Name if self.at_wrap() || self.type_starts_hashed() => {
                Some(TypeBody::Composite(self.segments(Role::Wrap)))
            }
            TokenKind::Name if !self.declaration_follows() => {
                self.type_expr("a type").map(TypeBody::Expr)
            }
            TokenKind::Name | TokenKind::CloseBrace | TokenKind::End => {
                let after = self.last;
                self.report(|_, _| {
                    Diagnostic::error(after, format!("the type {} is empty", quote(&name.text)))
                        .label(format!("expected {EXPECTED} after this"))
                });
                None
            }
            _ => {
                self.report_expected(EXPECTED);
                None
            }
        };
        if body.is_none() {
            self.skip_unless_item();
        } else if self.at(TokenKind::Bar) || self.at_segment() {
            self.report_nameless_alternative();
            self.skip_to(Resume::Item);
        }
        body
    }

    /// Skips to the next declaration, unless one starts here.
    pub(super) fn skip_unless_item(&mut self) {
        if !self.at(TokenKind::CloseBrace) && !self.item_likely() {
            self.skip_to(Resume::Item);
        }
    }

    fn report_nameless_alternative(&mut self) {
        self.report(|parser, span| {
            Diagnostic::error(span, format!("unexpected {} after a type", parser.found()))
                .label("expected a declaration")
                .help("start each alternative with `|` and its name: `| name 0x01 {id: u64be}`")
        });
    }

    fn enumeration(&mut self) -> Option<TypeBody> {
        let mut values = Vec::new();
        loop {
            values.push(self.plain_text("a text")?);
            if !self.at(TokenKind::Bar) {
                return Some(TypeBody::Enum(values));
            }
            self.mark(Role::Arm);
            self.bump();
        }
    }

    fn variant(&mut self) -> TypeBody {
        let mut arms = Vec::new();
        while self.at(TokenKind::Bar) {
            self.mark(Role::Arm);
            self.bump();
            let Some(arm) = self.arm() else {
                self.skip_unless_item();
                break;
            };
            arms.push(arm);
        }
        TypeBody::Variant(arms)
    }

    fn arm(&mut self) -> Option<Arm> {
        let start = self.last;
        if self.at(TokenKind::Text) {
            self.report(|_, span| {
                Diagnostic::error(span, "an alternative without a name")
                    .label("expected the name of the alternative")
                    .help("write a choice of texts without `|` before the first: `\"a\" | \"b\"`")
            });
            return None;
        }
        let name = self.name("the name of the alternative")?;
        let segs = self.segments(Role::Wrap);
        if segs.is_empty() {
            self.report(|_, span| {
                let message = format!("the alternative {} has no segments", quote(&name.text));
                Diagnostic::error(name.span, message)
                    .label("expected a literal or a field after this")
                    .related(span, "found this instead")
                    .help("write its bytes, or an optional part instead of an empty alternative")
            });
        }
        Some(Arm { name, segs, span: self.span_from(start) })
    }

    /// Parses a type. `what` describes it in messages.
    pub(super) fn type_expr(&mut self, what: impl Display) -> Option<TypeExpr> {
        let name = self.dotted_name(what)?;
        let start = name.span;
        let args = self.arguments(true, Self::type_arg);
        let length = self.length();
        let mut domain = None;
        // If a name follows, `in` is a clause of the keyspace.
        if self.at_word(Keyword::In) && self.nth(1).kind != TokenKind::Name {
            self.bump();
            domain = self.range();
        }
        let shown = self.after_word(Keyword::Shown, Self::shown);
        Some(TypeExpr { name, args, length, domain, shown, span: self.span_from(start) })
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
        let args = match may_be_none && self.at(TokenKind::CloseParen) {
            true => Vec::new(),
            false => self.comma_separated(argument),
        };
        self.close_list(opener);
        args
    }

    fn type_arg(&mut self) -> Option<TypeArg> {
        let token = self.current();
        match token.kind {
            TokenKind::Regex | TokenKind::ByteRegex => Some(self.regex(false)),
            TokenKind::Int => self.integer("a number").map(TypeArg::Int),
            TokenKind::Hex | TokenKind::Text => self.literal("a literal").map(TypeArg::Lit),
            TokenKind::Name if token.word == Some(Keyword::Not) => {
                self.bump();
                self.not_arg()
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

    /// Parses the argument after `not`.
    fn not_arg(&mut self) -> Option<TypeArg> {
        if matches!(self.current().kind, TokenKind::Regex | TokenKind::ByteRegex) {
            return Some(self.regex(true));
        }
        self.literal("a regular expression or a literal after `not`").map(TypeArg::NotLit)
    }

    fn regex(&mut self, negated: bool) -> TypeArg {
        let token = self.bump();
        let pattern = literal::regex_pattern(self.text(token)).to_owned();
        let bytes = token.kind == TokenKind::ByteRegex;
        TypeArg::Regex { pattern, bytes, negated, span: self.last }
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

fn starts_segment(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Text | TokenKind::Hex | TokenKind::OpenBrace | TokenKind::OpenBracket)
}
