//! Layouts and keys in the pages of `spec/`.

use keyscape_layout::{Built, Layout, NoImports, read_beside};

/// Reads a layout of a page.
pub(crate) fn read(built: &Built, name: &str, text: &str) -> Layout {
    read_beside(built, name, text, &mut NoImports)
        .unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
}

/// A code block of a page.
pub(crate) struct Block<'p> {
    /// The first word of the heading above.
    pub(crate) heading: &'p str,
    /// The word after the opening fence.
    pub(crate) kind: &'p str,
    pub(crate) text: String,
}

/// Returns the code blocks of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut found, mut heading) = (Vec::new(), "");
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| *line != "```");
            let text = inside.map(|line| format!("{line}\n")).collect();
            found.push(Block { heading, kind, text });
        } else if let Some(title) = line.strip_prefix("## ") {
            heading = title.split(' ').next().unwrap_or_default();
        }
    }
    found
}

/// Parses a key that is written as quoted text and hexadecimal digits.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 {
            bytes.extend(part.as_bytes());
            continue;
        }
        let digits: Vec<u8> = part.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        for pair in digits.chunks(2) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
        }
    }
    bytes
}
