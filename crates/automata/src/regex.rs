//! The regular expressions of layouts.
//!
//! Expressions match the whole value, so they need no anchors. Classes such as `\d` are ASCII.
//! Look-around is not supported. Counts are at most [`MAX_COUNT`].

use crate::{ByteSet, Lang};
use alloc::{string::String, string::ToString, vec::Vec};
use regex_syntax::{
    ParserBuilder, ast,
    hir::{Class, Hir, HirKind},
    utf8::Utf8Sequences,
};

/// The largest count of a repetition.
pub const MAX_COUNT: u32 = 4096;

const NEST_LIMIT: u32 = 64;

/// The reason why a regular expression is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegexError {
    /// A syntax error.
    #[error("{message}")]
    Syntax {
        /// The error message.
        message: String,
        /// The start of the error, as a byte offset.
        start: usize,
        /// The end of the error, as a byte offset.
        end: usize,
    },
    /// A feature that layouts do not support.
    #[error("{0} is not supported in a layout")]
    Unsupported(&'static str),
    /// A repetition that counts higher than [`MAX_COUNT`].
    #[error("a count of {0} is above the limit of {max}", max = MAX_COUNT)]
    CountTooLarge(u32),
    /// An expression that is nested or repeated too deeply for the budget.
    #[error("the expression is too large")]
    TooLarge,
}

/// Parses an expression over text; all words of the language are valid UTF-8.
///
/// # Errors
/// See [`RegexError`].
pub fn parse_text(pattern: &str) -> Result<Lang, RegexError> {
    parse(pattern, true)
}

/// Parses an expression over bytes, as in `br"\x00.{3}"`: `.` is any byte except a line feed,
/// `\xFF` is that byte.
///
/// # Errors
/// See [`RegexError`].
pub fn parse_bytes(pattern: &str) -> Result<Lang, RegexError> {
    parse(pattern, false)
}

/// Whether an expression names a character outside of a range that contains it: `/` in `[a-z/]+`,
/// but not in `[!-~]+`. The ends of a range are named. An expression with a syntax error names
/// none.
#[must_use]
pub fn names_char(pattern: &str, c: char) -> bool {
    let tree = ast::parse::ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse(pattern);
    tree.is_ok_and(|tree| ast::visit(&tree, Names { c }).is_err())
}

/// Stops at a literal with a character.
struct Names {
    c: char,
}

impl Names {
    /// Returns an error, which stops the visit, if the character is named.
    const fn stop_if(named: bool) -> Result<(), ()> {
        if named { Err(()) } else { Ok(()) }
    }
}

impl ast::Visitor for Names {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, node: &ast::Ast) -> Result<(), ()> {
        Self::stop_if(matches!(node, ast::Ast::Literal(literal) if literal.c == self.c))
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), ()> {
        Self::stop_if(match item {
            ast::ClassSetItem::Literal(literal) => literal.c == self.c,
            ast::ClassSetItem::Range(range) => range.start.c == self.c || range.end.c == self.c,
            _ => false,
        })
    }
}

fn parse(pattern: &str, utf8: bool) -> Result<Lang, RegexError> {
    // The original expression is parsed first, so errors have offsets in it.
    let tree = ast::parse::ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(pattern)
        .map_err(|error| syntax(&error.into()))?;
    ast::visit(&tree, Plain)?;
    let hir = ParserBuilder::new()
        .unicode(utf8)
        .utf8(utf8)
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(&ascii_classes(pattern))
        .map_err(|error| syntax(&error))?;
    lower(&hir)
}

/// Rejects features that need Unicode tables, so an expression has one meaning everywhere.
struct Plain;

impl ast::Visitor for Plain {
    type Output = ();
    type Err = RegexError;

    fn finish(self) -> Result<(), RegexError> {
        Ok(())
    }

    fn visit_pre(&mut self, node: &ast::Ast) -> Result<(), RegexError> {
        let flags = match node {
            ast::Ast::ClassUnicode(_) => return Err(UNICODE_CLASS),
            ast::Ast::Flags(set) => Some(&set.flags),
            ast::Ast::Group(group) => group.flags(),
            _ => None,
        };
        match flags.and_then(|flags| flags.flag_state(ast::Flag::CaseInsensitive)) {
            Some(_) => Err(RegexError::Unsupported("matching upper and lower case alike")),
            None => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), RegexError> {
        match item {
            ast::ClassSetItem::Unicode(_) => Err(UNICODE_CLASS),
            _ => Ok(()),
        }
    }
}

const UNICODE_CLASS: RegexError = RegexError::Unsupported("a class of Unicode");

/// Replaces classes such as `\d` by their ASCII form, even in text. A bracketed class may be inside
/// another one, so the same replacement works in both positions.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => out.push_str("[[:digit:]]"),
            Some('w') => out.push_str("[[:word:]]"),
            Some('s') => out.push_str("[[:space:]]"),
            Some('D') => out.push_str("[[:^digit:]]"),
            Some('W') => out.push_str("[[:^word:]]"),
            Some('S') => out.push_str("[[:^space:]]"),
            other => {
                out.push(c);
                out.extend(other);
            }
        }
    }
    out
}

fn syntax(error: &regex_syntax::Error) -> RegexError {
    let (message, span) = match error {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), *e.span()),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), *e.span()),
        _ => return RegexError::TooLarge,
    };
    RegexError::Syntax { message, start: span.start.offset, end: span.end.offset }
}

fn lower(hir: &Hir) -> Result<Lang, RegexError> {
    Ok(match hir.kind() {
        HirKind::Empty => Lang::empty_word(),
        HirKind::Literal(literal) => Lang::literal(&literal.0),
        HirKind::Class(Class::Bytes(class)) => {
            let mut set = ByteSet::EMPTY;
            for range in class.ranges() {
                set = set.union(&ByteSet::range(range.start(), range.end()));
            }
            Lang::Class(set)
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut arms = Vec::new();
            for range in class.ranges() {
                for sequence in Utf8Sequences::new(range.start(), range.end()) {
                    let bytes = sequence.as_slice().iter();
                    let steps = bytes.map(|r| Lang::Class(ByteSet::range(r.start, r.end)));
                    arms.push(Lang::Join(steps.collect()));
                }
            }
            Lang::Alt(arms)
        }
        HirKind::Look(_) => return Err(RegexError::Unsupported("an anchor or word boundary")),
        HirKind::Repetition(repetition) => {
            let highest = repetition.max.unwrap_or(repetition.min).max(repetition.min);
            if highest > MAX_COUNT {
                return Err(RegexError::CountTooLarge(highest));
            }
            Lang::repeat(lower(&repetition.sub)?, repetition.min, repetition.max)
        }
        HirKind::Capture(capture) => lower(&capture.sub)?,
        HirKind::Concat(parts) => Lang::Join(parts.iter().map(lower).collect::<Result<_, _>>()?),
        HirKind::Alternation(arms) => Lang::Alt(arms.iter().map(lower).collect::<Result<_, _>>()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Dfa, text_dfa as dfa};

    #[test]
    fn classes_are_ascii_and_text_is_utf8() {
        let digits = dfa(r"\d+");
        assert!(digits.accepts(b"09") && !digits.accepts("٣".as_bytes()));
        let word = dfa(r"[\w-]+");
        assert!(word.accepts(b"a_b-1") && !word.accepts("é".as_bytes()));
        let other = dfa(r"\D");
        assert!(other.accepts("é".as_bytes()) && !other.accepts(b"1") && !other.accepts(b"\xc3"));
    }

    #[test]
    fn bytes_match_any_byte() {
        let lang = parse_bytes(r"(?s).\xff").unwrap();
        let dfa = Dfa::from_lang(&lang, Budget::default()).unwrap();
        assert!(dfa.accepts(b"\x80\xff") && !dfa.accepts(b"\x80\x80"));
    }

    #[test]
    fn unsupported_expressions_are_rejected() {
        assert!(matches!(parse_text("^a$"), Err(RegexError::Unsupported(_))));
        assert!(matches!(parse_text("a{5000}"), Err(RegexError::CountTooLarge(5000))));
        assert!(matches!(parse_text("(a"), Err(RegexError::Syntax { .. })));
        assert_eq!(parse_text(r"\p{Greek}"), Err(UNICODE_CLASS));
        assert_eq!(parse_text(r"[a\pL]"), Err(UNICODE_CLASS));
        assert!(matches!(parse_text("(?i)a"), Err(RegexError::Unsupported(_))));
    }
}
