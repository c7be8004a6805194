//! Segments of keys: literals, fields, options with their guards, wraps, derived bytes.

use super::{Parser, Role};
use crate::{
    Diagnostic,
    model::{FromValue, PathPart, Take},
    syntax::{
        ast::{Cond, Derived, Field, Lit, Name, OptionSeg, Seg, TypeExpr, WrapSeg},
        keyword::Keyword,
        lexer::TokenKind,
        report::quote,
    },
};

impl Parser<'_> {
    /// Parses all following segments. The first token of each gets the role.
    pub(super) fn segments(&mut self, role: Role) -> Vec<Seg> {
        let mut segs = Vec::new();
        loop {
            let first = self.position;
            let seg = match self.current().kind {
                TokenKind::Hex | TokenKind::Text => self.literal("a literal").map(Seg::Lit),
                TokenKind::OpenBrace if self.nth(1).kind == TokenKind::Equals => {
                    self.derived().map(Seg::Derived)
                }
                TokenKind::OpenBrace => self.field().map(Seg::Field),
                TokenKind::OpenBracket => self.option().map(Seg::Option),
                TokenKind::Name if self.at_wrap() => self.wrap().map(Seg::Wrap),
                TokenKind::Name if self.at_call() => self.hashed_literal().map(Seg::Lit),
                _ => return segs,
            };
            self.mark_at(first, role);
            segs.extend(seg);
        }
    }

    /// Parses `twox128("System")`.
    pub(super) fn hashed_literal(&mut self) -> Option<Lit> {
        let function = self.name("a hash function")?;
        let start = function.span;
        self.mark(Role::Tight);
        let opener = self.open()?;
        let inner = self.literal("the literal that is hashed");
        self.close(opener, format_args!("the literal under {}", quote(&function.text)));
        // The missing part has been reported, so keep the segment.
        let (bytes, is_text) = inner.map_or((Vec::new(), true), |lit| (lit.bytes, lit.is_text));
        Some(Lit { bytes, is_text, function: Some(function), span: self.span_from(start) })
    }

    /// Parses `wrap hex(segs)`.
    fn wrap(&mut self) -> Option<WrapSeg> {
        let token = self.bump();
        let start = self.span(token);
        let codec = self.name("the codec of the wrap")?;
        self.mark(Role::Tight);
        let opener = self.open()?;
        let segs = self.segments(Role::Plain);
        if segs.is_empty() {
            self.report(|parser, span| {
                let message = match parser.at(TokenKind::CloseParen) {
                    true => "a wrap without segments".to_owned(),
                    false => format!("expected a segment, found {}", parser.found()),
                };
                Diagnostic::error(span, message).label("expected a literal or a field")
            });
        }
        self.close(opener, format_args!("the wrap {}", quote(&codec.text)));
        Some(WrapSeg { codec, segs, span: self.span_from(start) })
    }

    /// Parses `{= sha256(a, b)[4]}`.
    fn derived(&mut self) -> Option<Derived> {
        let opener = self.open()?;
        self.eat(TokenKind::Equals);
        let function = self.name_or_missing("a hash function");
        let mut fields = Vec::new();
        if self.at(TokenKind::OpenParen) {
            self.mark(Role::Tight);
            if let Some(inner) = self.open() {
                fields = self.names("the name of a field");
                self.close_list(inner);
            }
        } else {
            self.report_expected("`(` and the fields that are hashed");
        }
        let length = self.length();
        self.close(opener, "the derived bytes");
        Some(Derived { function, fields, length, span: self.span_from(self.span(opener)) })
    }

    fn field(&mut self) -> Option<Field> {
        let opener = self.open()?;
        let name = self.name_or_missing("the name of a field");
        let was = self.was();
        let ty = self.field_type(&name);
        let from_value = self.eat_word(Keyword::From).then(|| self.value_source());
        self.close(opener, format_args!("the field {}", quote(&name.text)));
        Some(Field { name, was, ty, from_value, span: self.span_from(self.span(opener)) })
    }

    /// Parses `value`, `value optional due`, `value each tags` after `from`.
    fn value_source(&mut self) -> FromValue {
        if !self.eat_word(Keyword::Value) {
            self.report_expected("`value`");
        }
        let take = if self.eat_word(Keyword::Each) {
            Take::Each
        } else if self.eat_word(Keyword::Optional) {
            Take::Optional
        } else {
            Take::One
        };
        let mut path = Vec::new();
        if matches!(self.current().kind, TokenKind::Name | TokenKind::Text | TokenKind::Int) {
            path.extend(self.path_part());
            while self.eat(TokenKind::Dot) {
                path.extend(self.path_part());
            }
        }
        FromValue { take, path }
    }

    fn path_part(&mut self) -> Option<PathPart> {
        let what = "a name or a field number";
        Some(match self.current().kind {
            TokenKind::Text => PathPart::Name(self.plain_text(what)?.text),
            TokenKind::Int => {
                let number = self.integer(what)?.magnitude;
                // The resolver reports numbers that are too large.
                PathPart::Number(u32::try_from(number).unwrap_or(u32::MAX))
            }
            _ => PathPart::Name(self.name(what)?.text),
        })
    }

    fn field_type(&mut self, name: &Name) -> Option<TypeExpr> {
        let colon = self.eat(TokenKind::Colon);
        let missing = !colon
            && self.at(TokenKind::Name)
            && !self.at_word(Keyword::From)
            && !self.item_likely();
        if missing {
            self.report(|parser, span| {
                let found = parser.text(parser.current());
                let whole = format!("{{{}: {found}}}", name.text);
                Diagnostic::error(span, format!("missing `:` in the field {}", quote(&name.text)))
                    .label("expected `:` before the type")
                    .help(format!("write {}", quote(&whole)))
            });
        }
        match colon || missing {
            true => self.type_expr("the type of the field"),
            false => None,
        }
    }

    fn option(&mut self) -> Option<OptionSeg> {
        let opener = self.open()?;
        let segs = self.segments(Role::Plain);
        if segs.is_empty() {
            let closed = self.at(TokenKind::CloseBracket);
            self.report(|parser, span| {
                let span = if closed { parser.span(opener).to(span) } else { span };
                let message = match closed || parser.current().word == Some(Keyword::If) {
                    true => "an option without segments".to_owned(),
                    false => format!("expected a segment, found {}", parser.found()),
                };
                Diagnostic::error(span, message).label("expected a literal or a field")
            });
        }
        let guard = self.after_word(Keyword::If, Self::condition);
        self.close(opener, "the option");
        Some(OptionSeg { segs, guard, span: self.span_from(self.span(opener)) })
    }

    /// Parses a condition: `level is not collection and height in 0..=5`.
    pub(super) fn condition(&mut self) -> Option<Cond> {
        let mut any = vec![self.conjunction()?];
        while self.eat_word(Keyword::Or) {
            any.push(self.conjunction()?);
        }
        Some(single(any).unwrap_or_else(Cond::Or))
    }

    fn conjunction(&mut self) -> Option<Cond> {
        let mut all = vec![self.comparison()?];
        while self.eat_word(Keyword::And) {
            all.push(self.comparison()?);
        }
        Some(single(all).unwrap_or_else(Cond::And))
    }

    fn comparison(&mut self) -> Option<Cond> {
        if self.at(TokenKind::OpenParen) {
            let opener = self.open()?;
            let inner = self.condition();
            self.close(opener, "the condition");
            return inner;
        }
        let field = self.name("the name of a field")?;
        if self.eat_word(Keyword::In) {
            return Some(Cond::In { field, range: self.range()? });
        }
        if !self.eat_word(Keyword::Is) {
            self.report_no_comparison(&field);
            return None;
        }
        let negated = self.eat_word(Keyword::Not);
        let value = self.compared_value()?;
        Some(Cond::Is { field, negated, value })
    }

    /// Parses a name, or a text if the value is not a name.
    fn compared_value(&mut self) -> Option<Name> {
        const WHAT: &str = "a value of the field";
        if self.at(TokenKind::Text) { self.plain_text(WHAT) } else { self.name(WHAT) }
    }

    fn report_no_comparison(&mut self, field: &Name) {
        let suggestion = self.suggestion(|_| false);
        self.report(|parser, span| {
            let name = quote(&field.text);
            let found = parser.found();
            let message = format!("expected `is` or `in` after {name}, found {found}");
            let example = format!("{} is not none", field.text);
            Diagnostic::error(span, message).label("expected `is` or `in`").help(match suggestion {
                Some(word) => format!("did you mean {}?", quote(word.text())),
                None => format!("write a condition such as {}", quote(&example)),
            })
        });
    }
}

/// Returns the only condition, or all as the error.
fn single(mut conditions: Vec<Cond>) -> Result<Cond, Vec<Cond>> {
    match conditions.pop() {
        Some(only) if conditions.is_empty() => Ok(only),
        last => {
            conditions.extend(last);
            Err(conditions)
        }
    }
}
