//! Bytes as hexadecimal digits and as printable text.

pub use keyscape_codec::hex::{digits as hex, put as put_hex};

/// Returns a byte as a character, or a dot if it is not printable.
pub fn printable(byte: u8) -> char {
    if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '·' }
}
