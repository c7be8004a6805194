//! The bytes that a keyspace expected where decoding stopped.

use keyscape_layout::{Expected, Layout, NearMiss};

/// Returns the expectation as a layout writes it, for JSON.
pub fn words(expected: &Expected) -> String {
    match expected {
        Expected::Byte(byte) => format!("0x{byte:02x}"),
        Expected::Field { path, codec } => format!("{{{path}: {codec}}}"),
        Expected::DerivedEnd { text } => format!("{{{text}}}"),
        Expected::Derived { text, byte: Some(byte) } => format!("0x{byte:02x} of {{{text}}}"),
        Expected::Mismatch { path, codec, reason, .. } => format!("{{{path}: {codec}}}: {reason}"),
        Expected::Derived { byte: None, .. } | Expected::End => "the end of the key".to_owned(),
    }
}

/// Returns the expectation as a sentence: `` `balances`: byte 1 (0x15) does not fit `owner`, … ``.
pub fn sentence(layout: &Layout, key: &[u8], miss: &NearMiss) -> String {
    let name = &layout.keyspace(miss.keyspace).name;
    let offset = miss.offset;
    match (key.get(offset), &miss.expected) {
        (Some(found), Expected::Byte(byte)) => {
            format!("`{name}`: byte {offset} is 0x{found:02x}, expected 0x{byte:02x}")
        }
        (Some(found), Expected::Field { path, codec }) => {
            format!("`{name}`: byte {offset} (0x{found:02x}) does not fit `{path}`, {codec}")
        }
        (Some(found), Expected::Derived { text, byte: Some(byte) }) => {
            format!("`{name}`: byte {offset} is 0x{found:02x}, and `{text}` has 0x{byte:02x} there")
        }
        (_, Expected::Mismatch { path, codec, end, reason }) => {
            format!(
                "`{name}`: bytes {offset} to {} do not fit `{path}`, {codec}: {reason}",
                end - 1
            )
        }
        (_, Expected::DerivedEnd { text }) | (None, Expected::Derived { text, .. }) => {
            format!("`{name}`: the key ends too early, in `{text}`")
        }
        (Some(_), Expected::End | Expected::Derived { byte: None, .. }) => {
            format!("`{name}`: the key should have ended here")
        }
        (None, Expected::Field { path, codec }) => {
            format!("`{name}`: the key ends too early, in `{path}`, {codec}")
        }
        (None, Expected::Byte(byte)) => {
            format!("`{name}`: the key ends too early, expected 0x{byte:02x}")
        }
        (None, Expected::End) => format!("`{name}`: the key ends too early"),
    }
}
