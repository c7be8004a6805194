//! Positions of the protocol, and byte offsets.

use keyscape_layout::Span;
use lsp_types::{Position, Range};

/// The lines of a text. The protocol counts lines from zero and columns in UTF-16 code units.
#[derive(Debug)]
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    /// The offset at which each line starts.
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// Returns the position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        let column = before.chars().map(char::len_utf16).sum::<usize>();
        Position::new(line as u32, column as u32)
    }

    /// Returns the offset of a position. A column after the end of its line means that end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&next| next - 1);
        let mut column = 0;
        for (at, char) in self.text.get(start..end).unwrap_or_default().char_indices() {
            if column >= position.character as usize {
                return start + at;
            }
            column += char.len_utf16();
        }
        end
    }

    /// Returns the range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start as usize), self.position(span.end as usize))
    }

    /// Returns the range of the whole text.
    pub(crate) fn whole(&self) -> Range {
        Range::new(Position::default(), self.position(self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_code_units() {
        let index = LineIndex::new("a\nß𝄞x\n");
        let x = "a\nß𝄞".len();
        assert_eq!(index.position(x), Position::new(1, 3));
        assert_eq!(index.offset(Position::new(1, 3)), x);
        assert_eq!(index.position(x + 2), Position::new(2, 0));
    }

    #[test]
    fn positions_outside_of_the_text_mean_the_nearest_one() {
        let index = LineIndex::new("ab\ncd");
        assert_eq!(index.offset(Position::new(0, 99)), 2);
        assert_eq!(index.offset(Position::new(9, 0)), 5);
        assert_eq!(index.position(99), Position::new(1, 2));
    }
}
