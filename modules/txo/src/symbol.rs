//! Free text in names: symbols of tokens and tags of parsers.
//!
//! Names of the layout contain no colon, but the creator of a token may choose any symbol. The
//! mapping between texts and names is one-to-one: `%`, `:` and control characters (U+0000 to U+001F
//! and U+007F) become `%` and two upper-case hexadecimal digits; all other characters are
//! unchanged. `PEPE` is `PEPE`, as in the reference; `FOO:spnd` is `FOO%3Aspnd`. An empty text, or
//! one with an escaped form above 255 bytes, has no name.

use crate::layout::txo::Name;

/// A text without a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// The text is empty.
    #[error("it is empty")]
    Empty,
    /// The escaped text is too long.
    #[error("it has {0} bytes as a name; 255 are allowed")]
    Long(usize),
}

/// The maximum length of a name, in bytes.
const LONGEST: usize = 255;

fn is_escaped(character: char) -> bool {
    matches!(character, '%' | ':' | '\0'..='\x1f' | '\x7f')
}

/// Returns the name of a text.
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
/// [`BadText`] if the text has no name.
pub fn escape(text: &str) -> Result<Name<'static>, BadText> {
    let length: usize = text.chars().map(|c| if is_escaped(c) { 3 } else { c.len_utf8() }).sum();
    match length {
        0 => return Err(BadText::Empty),
        1..=LONGEST => {}
        _ => return Err(BadText::Long(length)),
    }
    let mut name = String::with_capacity(length);
    for character in text.chars() {
        if is_escaped(character) {
            name.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            name.push(character);
        }
    }
    // No colon is left, and the length fits.
    Name::new(name).map_err(|_| BadText::Long(length))
}

/// Returns the text of a name; `None` if [`escape`] never returns this name.
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
    // Accepts only the canonical form: digits in upper case, and no unnecessary escapes.
    escape(&text).is_ok_and(|back| back == *name).then_some(text)
}
