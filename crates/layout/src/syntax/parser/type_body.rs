//! The right-hand side of a `type`.

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{Arm, EnumValue, Name, TypeBody},
        report::quote,
        token::TokenKind,
    },
};

impl Parser<'_> {
    /// Parses the body of a type. The next token then starts a declaration or ends the enclosing
    /// body.
    pub(super) fn type_body(&mut self, name: &Name) -> Option<TypeBody> {
        const WANTED: &str = "a type, segments, texts or alternatives";
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
                        .label(format!("expected {WANTED} after this"))
                });
                None
            }
            _ => {
                self.report_expected(WANTED);
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
        let token = self.current();
        if token.kind != TokenKind::CloseBrace && !self.item_likely() {
            self.skip_to(Resume::Item);
        }
    }

    fn report_nameless_alternative(&mut self) {
        self.report(|parser, span| {
            Diagnostic::error(span, format!("unexpected {} after a type", parser.found()))
                .label("expected a declaration")
                .help("each alternative starts with `|` and its name: `| name 0x01 {id: u64be}`")
        });
    }

    fn enumeration(&mut self) -> Option<TypeBody> {
        let mut values = Vec::new();
        loop {
            let (text, span) = self.plain_text("a text")?;
            values.push(EnumValue { text, span });
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
                    .help("a choice of texts has no `|` before its first: `\"a\" | \"b\"`")
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
                    .help("if it has no bytes, write `\"\"`")
            });
        }
        Some(Arm { name, segs, span: self.span_from(start) })
    }
}

fn starts_segment(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Text | TokenKind::Hex | TokenKind::OpenBrace | TokenKind::OpenBracket)
}
