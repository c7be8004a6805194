//! Text from layouts and data, made safe for a terminal.

use std::borrow::Cow;

/// Whether a terminal would obey a character instead of showing it: control characters, line
/// separators, and characters that change the direction of the text.
#[must_use]
pub fn is_command(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// Replaces characters that a terminal would obey by their escapes, such as `\u{1b}` and `\n`.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match is_command(char) {
            true => shown.extend(char.escape_default()),
            false => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped_and_letters_are_not() {
        assert_eq!(escaped("a\u{1b}[31m\n\u{202e}ü"), "a\\u{1b}[31m\\n\\u{202e}ü");
        assert!(matches!(escaped("größe `x` → 1"), Cow::Borrowed(_)));
    }
}
