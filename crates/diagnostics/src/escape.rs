//! Text from layouts and data, made safe for a terminal.

pub use keyscape_codec::word::is_command;

use std::borrow::Cow;

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
