//! Literals, quoted texts, integers and ranges.

use super::Parser;
use crate::{
    Diagnostic,
    syntax::{
        ast::{Int, Lit, Name, Range},
        lexer::TokenKind,
        literal,
    },
};

impl Parser<'_> {
    /// Parses `0x02` or `"text"`. `what` describes it in messages.
    pub(super) fn literal(&mut self, what: &str) -> Option<Lit> {
        let token = self.current();
        let text = self.text(token);
        let bytes = match token.kind {
            TokenKind::Hex => literal::hex_bytes(text, &mut |_| {}),
            TokenKind::Text => literal::text_bytes(text, &mut |_| {}),
            _ => {
                let help = match token.kind {
                    TokenKind::Int => "hex literals start with `0x`",
                    _ => "write a literal such as `0x02` or `\"text\"`",
                };
                self.report(|parser, span| parser.expected(what, span).help(help));
                return None;
            }
        };
        self.bump();
        let is_text = token.kind == TokenKind::Text;
        Some(Lit { bytes, is_text, function: None, span: self.span(token) })
    }

    /// Parses a quoted text that is not a part of keys and must be UTF-8.
    pub(super) fn plain_text(&mut self, what: &str) -> Option<Name> {
        let token = self.current();
        if token.kind != TokenKind::Text {
            self.report_expected(what);
            return None;
        }
        let bytes = literal::text_bytes(self.text(token), &mut |_| {});
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("{} is not UTF-8", parser.found()))
                    .label(format!("expected {what}"))
            });
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        self.bump();
        Some(Name { text, span: self.last })
    }

    /// Parses the reason for a declaration.
    pub(super) fn reason(&mut self) -> Option<String> {
        self.plain_text("the reason in quotes").map(|reason| reason.text)
    }

    /// Parses a range of integers: `0..=5`, `..10`, `-1..`, `32`.
    pub(super) fn range(&mut self) -> Option<Range> {
        let start = self.span(self.current());
        let low = self.optional_integer();
        let (high, inclusive) = if self.eat(TokenKind::DotDotEq) {
            (Some(self.integer("the upper end of the range")?), true)
        } else if self.eat(TokenKind::DotDot) {
            (self.optional_integer(), false)
        } else if low.is_some() {
            (low, true)
        } else {
            self.integer("a range such as `0..=9`")?;
            return None;
        };
        Some(Range { low, high, inclusive, span: self.span_from(start) })
    }

    fn optional_integer(&mut self) -> Option<Int> {
        match self.current().kind {
            TokenKind::Int | TokenKind::Minus => self.integer("a number"),
            _ => None,
        }
    }

    /// Parses an integer, or reports that it is missing.
    pub(super) fn integer(&mut self, what: &str) -> Option<Int> {
        let start = self.span(self.current());
        let negative = self.eat(TokenKind::Minus);
        let token = self.current();
        if token.kind != TokenKind::Int {
            self.report(|parser, span| {
                let is_hex = token.kind == TokenKind::Hex;
                let help = is_hex.then(|| decimal(parser.text(token)));
                parser.expected(what, span).optional_help(help)
            });
            // The other end usually has the same error, which is reported once.
            if self.eat(TokenKind::Hex)
                && (self.eat(TokenKind::DotDotEq) || self.eat(TokenKind::DotDot))
                && !self.eat(TokenKind::Hex)
            {
                self.eat(TokenKind::Int);
            }
            return None;
        }
        let magnitude = literal::number(self.text(token), &mut |_| {});
        self.bump();
        Some(Int { negative, magnitude, span: self.span_from(start) })
    }
}

/// Returns the decimal form of hexadecimal digits.
fn decimal(hex: &str) -> String {
    let digits: String = hex.trim_start_matches("0x").chars().filter(|&c| c != '_').collect();
    match u128::from_str_radix(&digits, 16) {
        Ok(number) => format!("the numbers of a range are decimal: write {number}"),
        Err(_) => "the numbers of a range are decimal".to_owned(),
    }
}
