//! Layouts and keys in the pages of `spec/`.

use keyscape_layout::{Built, Layout, NoImports, read_beside};

/// Reads a layout of a page.
pub(crate) fn read(built: &Built, name: &str, text: &str) -> Layout {
    read_beside(built, name, text, &mut NoImports)
        .unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
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
