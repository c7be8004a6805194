//! Free text in names: symbols of tokens and tags of parsers.
//!
//! The layout has no colon in names. Whoever makes a token chooses its symbol, so symbols have
//! anything in them. The mapping between texts and names is one-to-one: `%`, `:` and control
//! characters (U+0000 to U+001F and U+007F) become `%` and two upper-case hexadecimal digits; everything
//! else stays as it is. `PEPE` is `PEPE`, as in the reference; `FOO:spnd` is `FOO%3Aspnd`. What is empty or longer
//! than 255 bytes afterwards has no name.

use crate::layout::txo::Name;

/// A text has no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is too long.
    #[error("it has {0} bytes as a name; 255 are allowed")]
    Long(usize),
}

/// The longest name, in bytes.
const LONGEST: usize = 255;

fn is_escaped(character: char) -> bool {
    matches!(character, '%' | ':' | '\0'..='\x1f' | '\x7f')
}

/// The name of a text.
///
/// ```
/// use keyscape_txo::symbol::{escape, unescape};
///
/// assert_eq!(escape("PEPE")?.as_str(), "PEPE");
/// assert_eq!(escape("FOO:spnd")?.as_str(), "FOO%3Aspnd");
/// assert_eq!(unescape(&escape("50%\0")?).as_deref(), Some("50%\0"));
/// # Ok::<(), keyscape_txo::symbol::BadText>(())
/// ```
///
/// # Errors
/// [`BadText`] if it has none.
pub fn escape(text: &str) -> Result<Name<'static>, BadText> {
    let mut name = String::with_capacity(text.len());
    for character in text.chars() {
        if is_escaped(character) {
            name.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            name.push(character);
        }
        if name.len() > LONGEST {
            return Err(BadText::Long(escaped_len(text)));
        }
    }
    let length = name.len();
    // What is left to refuse is the empty text: no colon is left, and the length fits.
    Name::new(name).map_err(|_| if length == 0 { BadText::Empty } else { BadText::Long(length) })
}

fn escaped_len(text: &str) -> usize {
    text.chars().map(|c| if is_escaped(c) { 3 } else { c.len_utf8() }).sum()
}

/// The text of a name; `None` if [`escape`] never makes this name.
#[must_use]
pub fn unescape(name: &Name<'_>) -> Option<String> {
    let mut text = String::with_capacity(name.as_str().len());
    let mut rest = name.as_str();
    while let Some((plain, tail)) = rest.split_once('%') {
        text.push_str(plain);
        let code = u8::from_str_radix(tail.get(..2)?, 16).ok()?;
        text.push(char::from(code));
        rest = &tail[2..];
    }
    text.push_str(rest);
    // The one spelling of each text: digits in upper case, and nothing escaped that need not be.
    escape(&text).is_ok_and(|back| back == *name).then_some(text)
}
