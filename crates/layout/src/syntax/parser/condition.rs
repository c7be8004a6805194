//! Guards: `level is not collection and height in 0..=5`.

use super::Parser;
use crate::{
    Diagnostic,
    syntax::{
        ast::{Cond, Name},
        keyword::Keyword,
        report::quote,
        token::TokenKind,
    },
};

impl Parser<'_> {
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
        if self.at(TokenKind::Text) {
            let (text, span) = self.plain_text(WHAT)?;
            return Some(Name { text, span });
        }
        self.name(WHAT)
    }

    fn report_no_comparison(&mut self, field: &Name) {
        let suggestion = self.suggestion(|_| false);
        self.report(|parser, span| {
            let name = quote(&field.text);
            let found = parser.found();
            let message = format!("expected `is` or `in` after {name}, found {found}");
            let error = Diagnostic::error(span, message).label("expected `is` or `in`");
            match suggestion {
                Some(word) => error.help(format!("did you mean {}?", quote(word.text()))),
                None => error.help(format!(
                    "conditions look like {}",
                    quote(&format!("{} is not none", field.text))
                )),
            }
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
