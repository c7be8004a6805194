//! Parses a single codec, for tables of tests. Unlike the parser of layouts, it knows no declared
//! names.

use keyscape_codec::{Arg, BuildError, Call, Codec, IntBounds, Number, Uint, build, int_type};
use std::sync::Arc;

/// Builds a codec from its text.
///
/// # Panics
/// If the text is invalid, or the codec cannot be built.
#[must_use]
pub fn codec(text: &str) -> Arc<dyn Codec> {
    try_codec(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Builds a codec from its text, or returns why it cannot be built.
///
/// # Errors
/// [`BuildError`] of the codec or of an inner one.
///
/// # Panics
/// If the text is invalid.
pub fn try_codec(text: &str) -> Result<Arc<dyn Codec>, BuildError> {
    let mut reader = Reader { whole: text, rest: text };
    let codec = reader.codec()?;
    reader.end();
    Ok(codec)
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn fail(&self, expected: &str) -> ! {
        panic!("{}: expected {expected} at `{}`", self.whole, self.rest)
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) {
        if !self.eat(token) {
            self.fail(token);
        }
    }

    fn end(&mut self) {
        self.skip();
        if !self.rest.is_empty() {
            self.fail("the end");
        }
    }

    fn while_true(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> &'a str {
        let name = self.while_true(|c| c.is_ascii_alphanumeric() || c == '_');
        if name.is_empty() {
            self.fail("a name");
        }
        name
    }

    fn codec(&mut self) -> Result<Arc<dyn Codec>, BuildError> {
        let mut call = Call::new(self.name());
        if self.eat("(") {
            while !self.eat(")") {
                call = call.arg(self.arg()?);
                if !self.eat(",") {
                    self.expect(")");
                    break;
                }
            }
        }
        if self.eat("[") {
            let min = self.number().magnitude();
            let max = if self.eat("..=") {
                Some(self.number().magnitude())
            } else if self.eat("..") {
                None
            } else {
                Some(min)
            };
            self.expect("]");
            let length = |n: Uint| u32::try_from(n).unwrap_or(u32::MAX);
            call = call.length(length(min), max.map(length));
        }
        if let Some(bounds) = self.bounds() {
            call = call.domain(bounds);
        }
        build(call)
    }

    fn bounds(&mut self) -> Option<IntBounds> {
        self.eat("in ").then(|| {
            let low = (!self.rest.trim_start().starts_with("..")).then(|| self.number());
            self.expect("..");
            let high = self.eat("=").then(|| self.number());
            IntBounds { low, high }
        })
    }

    fn number(&mut self) -> Number {
        let negative = self.eat("-");
        let digits = self.while_true(|c| c.is_ascii_digit());
        let number = Uint::from_str_radix(digits, 10);
        Number::new(negative, number.unwrap_or_else(|_| self.fail("a number")))
    }

    fn arg(&mut self) -> Result<Arg, BuildError> {
        let negated = self.eat("not ");
        if let Some((pattern, bytes)) = self.pattern() {
            return Ok(Arg::Regex { pattern, bytes, negated });
        }
        if let Some(literal) = self.literal() {
            return Ok(if negated { Arg::NotLiteral(literal) } else { Arg::Literal(literal) });
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = self.number().magnitude();
            let zeros = if self.eat("e") { self.number().magnitude().as_u32() } else { 0 };
            return Ok(Arg::Number(digits * Uint::from(10_u8).pow(zeros)));
        }
        let before = self.rest;
        let name = self.name();
        if self.eat("=") {
            let literal = self.literal().unwrap_or_else(|| self.fail("a literal"));
            return Ok(Arg::Named(name.to_string(), literal));
        }
        let alone = self.rest.trim_start().starts_with([',', ')']);
        if let Some(of) = int_type(name) {
            if alone {
                return Ok(Arg::Int(of));
            }
            if let Some(bounds) = self.bounds() {
                return Ok(Arg::IntIn(of, bounds));
            }
        }
        self.rest = before;
        self.codec().map(Arg::Codec)
    }

    fn pattern(&mut self) -> Option<(String, bool)> {
        self.skip();
        let bytes = self.rest.starts_with('b');
        let after = self.rest.strip_prefix('b').unwrap_or(self.rest).strip_prefix('r')?;
        let body = after.trim_start_matches('#');
        let hashes = &after[..after.len() - body.len()];
        let body = body.strip_prefix('"')?;
        let close = format!("\"{hashes}");
        let end = body.find(&close)?;
        self.rest = &body[end + close.len()..];
        Some((body[..end].to_string(), bytes))
    }

    fn literal(&mut self) -> Option<Vec<u8>> {
        if self.eat("\"") {
            let text = self.while_true(|c| c != '"').to_string();
            self.expect("\"");
            return Some(text.into_bytes());
        }
        if !self.eat("0x") {
            return None;
        }
        let digits = self.while_true(|c| c.is_ascii_hexdigit()).as_bytes();
        let nibble = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
        Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |n, &d| n << 4 | nibble(d))).collect())
    }
}
