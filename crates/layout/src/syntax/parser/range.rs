//! Ranges of integers: `0..=5`, `..10`, `-1..`, `32`.

use super::Parser;
use crate::{
    Diagnostic,
    syntax::{
        ast::{Int, Range},
        literal,
        token::TokenKind,
    },
};

impl Parser<'_> {
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
                let error =
                    Diagnostic::error(span, format!("expected {what}, found {}", parser.found()))
                        .label(format!("expected {what}"));
                match token.kind {
                    TokenKind::Hex => error.help(decimal(parser.text(token))),
                    _ => error,
                }
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
