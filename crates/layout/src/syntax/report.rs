//! Collects errors in bounded space.

use crate::{Diagnostic, Span};
use std::fmt::{self, Display, Write};

/// The highest number of reported errors per file.
pub(super) const LIMIT: usize = 200;

/// The first errors of a file, and the number of further ones.
#[derive(Debug, Default)]
pub(super) struct Reports {
    first: Vec<Diagnostic>,
    omitted: usize,
}

impl Reports {
    /// Whether further errors are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.first.len() >= LIMIT
    }

    /// Adds an error. Formats its text only if it is retained.
    pub(super) fn push(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.is_full() {
            self.omitted += 1;
        } else {
            self.first.push(make());
        }
    }

    /// Merges two lists in the order of the file, with at most [`LIMIT`] errors and a last one with
    /// the number of omitted ones.
    pub(super) fn merge(self, other: Self) -> Vec<Diagnostic> {
        let mut all = self.first;
        all.extend(other.first);
        all.sort_by_key(|diagnostic| diagnostic.span.start);
        let omitted = self.omitted + other.omitted + all.len().saturating_sub(LIMIT);
        all.truncate(LIMIT);
        if omitted > 0 {
            let span = all.last().map_or_else(Span::default, |last| last.span);
            all.push(Diagnostic::omitted(span, omitted).label("the last that is shown"));
        }
        all
    }
}

/// Formats user text for a message: in backticks, printable, and shortened.
pub(super) const fn quote(text: &str) -> Quoted<'_> {
    Quoted(text)
}

/// A user text in a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 40;
        f.write_char('`')?;
        for (count, character) in self.0.chars().enumerate() {
            if count == LONGEST {
                f.write_char('…')?;
                break;
            }
            if character.is_control() || is_invisible(character) {
                write!(f, "{}", character.escape_unicode())?;
            } else {
                f.write_char(character)?;
            }
        }
        f.write_char('`')
    }
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{a0}')
}
