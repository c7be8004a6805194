//! Conversions between the protocol and layouts: addresses and paths, positions and offsets.

use keyscape_layout::{Source, Span};
use lsp_types::{Position, Range, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::{Path, PathBuf};

/// Returns the position of an offset. The protocol counts lines from zero and columns in UTF-16
/// code units.
fn position(file: &Source, offset: u32) -> Position {
    let offset = offset.min(file.text.len() as u32);
    let line = file.position(offset).line;
    let (start, _) = file.line(line);
    let before = file.text.get(start..offset as usize).unwrap_or_default();
    let column = before.chars().map(char::len_utf16).sum::<usize>();
    Position::new(line as u32 - 1, column as u32)
}

/// Returns the offset of a position. A column after the end of its line means that end.
pub(crate) fn offset(file: &Source, position: Position) -> usize {
    let (start, line) = file.line(position.line as usize + 1);
    let mut column = 0;
    for (at, char) in line.char_indices() {
        if column >= position.character as usize {
            return start + at;
        }
        column += char.len_utf16();
    }
    start + line.len()
}

/// Returns the range of a span of a file.
pub(crate) fn range(file: &Source, span: Span) -> Range {
    Range::new(position(file, span.start), position(file, span.end))
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
    use keyscape_layout::Sources;

    fn source(text: &str) -> Source {
        let mut sources = Sources::default();
        let file = sources.add("x.keys", text);
        sources.get(file).unwrap().clone()
    }

    #[test]
    fn columns_are_utf16_code_units() {
        let file = source("a\nß𝄞x\r\n");
        let x = "a\nß𝄞".len();
        assert_eq!(position(&file, x as u32), Position::new(1, 3));
        assert_eq!(offset(&file, Position::new(1, 3)), x);
        assert_eq!(position(&file, x as u32 + 3), Position::new(2, 0));
    }

    #[test]
    fn positions_outside_of_the_text_mean_the_nearest_one() {
        let file = source("ab\r\ncd");
        assert_eq!(offset(&file, Position::new(0, 99)), 2);
        assert_eq!(offset(&file, Position::new(9, 0)), 6);
        assert_eq!(position(&file, 99), Position::new(1, 2));
    }

    #[test]
    fn a_path_converts_to_an_address_and_back() {
        for path in ["/a/b.keys", "/with space/100%.keys", "/ß/#?.keys", "untitled:x"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(to_path(&uri), Path::new(path), "{}", uri.as_str());
        }
    }
}
