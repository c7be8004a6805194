//! Bytes as hexadecimal digits and as printable text.

/// Appends the hexadecimal digits of some bytes.
pub fn put_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: [[u8; 2]; 256] = {
        let mut table = [[0; 2]; 256];
        let mut byte = 0;
        while byte < 256 {
            let digits = b"0123456789abcdef";
            table[byte] = [digits[byte >> 4], digits[byte & 15]];
            byte += 1;
        }
        table
    };
    out.reserve(bytes.len() * 2);
    for &byte in bytes {
        out.extend_from_slice(&DIGITS[byte as usize]);
    }
}

/// The hexadecimal digits of some bytes.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = Vec::new();
    put_hex(bytes, &mut digits);
    String::from_utf8_lossy(&digits).into_owned()
}

/// A byte as a character, or a dot if it is not a printable one.
pub fn printable(byte: u8) -> char {
    if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '·' }
}
