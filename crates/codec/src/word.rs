//! Texts as words of a line: quoted if a reader could not see where they end.

use alloc::{borrow::Cow, format, string::String};
use core::str::Chars;

/// Whether a terminal would obey a character instead of showing it: control characters, line
/// separators, and characters that change the direction of the text.
///
/// ```
/// use keyscape_codec::word::is_command;
///
/// assert!(is_command('\u{1b}') && !is_command('ü'));
/// ```
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

/// Returns a text as one word: in quotes if it is empty or contains white space, quotes or
/// characters that a terminal obeys.
///
/// ```
/// use keyscape_codec::word::quoted;
///
/// assert_eq!(quoted("uatom"), "uatom");
/// assert_eq!(quoted("two words"), "\"two words\"");
/// ```
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = |char: char| !char.is_whitespace() && !is_command(char) && char != '"';
    if text.is_empty() || !text.chars().all(is_plain) {
        return Cow::Owned(format!("{text:?}"));
    }
    Cow::Borrowed(text)
}

/// Splits a text in quotes from the text that follows: the contents of [`quoted`] or of a JSON
/// string, and the rest. `None` if `text` does not begin with a whole string.
///
/// ```
/// use keyscape_codec::word::unquote;
///
/// assert_eq!(unquote(r#""two\nlines" x"#), Some(("two\nlines".to_owned(), " x")));
/// assert_eq!(unquote("\"open"), None);
/// ```
#[must_use]
pub fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?.chars();
    let mut content = String::new();
    loop {
        match rest.next()? {
            '"' => return Some((content, rest.as_str())),
            '\\' => content.push(escaped(&mut rest)?),
            char => content.push(char),
        }
    }
}

/// Reads the escape after a backslash.
fn escaped(rest: &mut Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let (digits, after) = match rest.as_str().strip_prefix('{') {
                Some(inner) => inner.split_once('}')?,
                None => rest.as_str().split_at_checked(4)?,
            };
            let code = u32::from_str_radix(digits, 16).ok()?;
            *rest = after.chars();
            char::from_u32(code)?
        }
        char @ ('"' | '\\' | '/' | '\'') => char,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_back_from_its_word() {
        let texts = ["", "a", "a b", "\"", "\\", "\n\r\t\0", "\u{1b}[31m", "\u{202e}", "é'€", "=x"];
        for text in texts {
            let word = quoted(text);
            assert!(!word.contains(is_command), "{text:?}");
            match unquote(&word) {
                Some(read) => assert_eq!(read, (text.into(), "")),
                None => assert_eq!(word, text),
            }
        }
    }

    #[test]
    fn strings_of_json_are_read_and_broken_ones_rejected() {
        assert_eq!(unquote(r#""\u00e9\/\b", 1"#), Some(("é/\u{8}".into(), ", 1")));
        for broken in ["", "a", "\"", "\"\\", r#""\x""#, r#""\u12""#, r#""\ud800""#, r#""\u{}""#] {
            assert_eq!(unquote(broken), None, "{broken}");
        }
    }
}
