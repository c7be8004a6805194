//! Bytes as text.

use std::fmt;

/// Displays bytes in lower-case hexadecimal.
///
/// ```
/// assert_eq!(keyscape_store::Hex(b"o/\xff").to_string(), "6f2fff");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
