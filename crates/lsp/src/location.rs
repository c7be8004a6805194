//! Places of the protocol: addresses and paths of documents, positions and byte offsets.

use keyscape_layout::Span;
use lsp_types::{Position, Range, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::{Path, PathBuf};

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

/// The characters that a path in an address has to escape.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns the path of a document. A document that is not a file has its address as its path.
pub(crate) fn to_path(uri: &Uri) -> PathBuf {
    let Some(path) = uri.as_str().strip_prefix("file://") else {
        return PathBuf::from(uri.as_str());
    };
    let path = percent_decode_str(path).decode_utf8_lossy();
    // `/C:/layouts` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    PathBuf::from(if is_drive { path.trim_start_matches('/') } else { &path })
}

/// Returns the address of a document.
pub(crate) fn of_path(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if !path.is_absolute() {
        return text.parse().ok();
    }
    let text = text.replace('\\', "/");
    let root = if text.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", utf8_percent_encode(&text, ESCAPED)).parse().ok()
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

    #[test]
    fn paths_survive_the_way_to_an_address_and_back() {
        for path in ["/a/b.keys", "/with space/100%.keys", "/ß/#?.keys", "untitled:x"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(to_path(&uri), Path::new(path), "{}", uri.as_str());
        }
    }
}
