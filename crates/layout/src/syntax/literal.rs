//! The values of literals: hex bytes, texts with escapes, numbers, regular expressions.
//!
//! The lexer uses the flaws and the parser uses the values, so both interpret a literal in the same
//! way.

use super::report::quote;
use crate::{Diagnostic, Span};
use core::ops::Range;
use keyscape_codec::Uint;

/// An error inside a literal.
#[derive(Debug)]
pub(super) struct Flaw {
    /// Byte offsets within the token.
    range: Range<usize>,
    kind: FlawKind,
}

#[derive(Clone, Copy, Debug)]
enum FlawKind {
    UpperCaseX,
    NoDigits,
    OddDigits(usize),
    NotHexDigit,
    Underscore,
    NotNumber,
    TooLarge,
    UnknownEscape,
    ByteEscape,
    CharacterEscape,
    NoCharacter,
}

impl Flaw {
    /// Returns the diagnostic for a token with this text and span.
    pub(super) fn diagnostic(&self, text: &str, token: Span) -> Diagnostic {
        let offset = |at: usize| token.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        let span = Span { start: offset(self.range.start), end: offset(self.range.end), ..token };
        let part = quote(text.get(self.range.clone()).unwrap_or_default());
        let error = |message: String| Diagnostic::error(span, message);
        match self.kind {
            FlawKind::UpperCaseX => error(format!("{} starts with an upper-case `X`", quote(text)))
                .label("expected `0x`"),
            FlawKind::NoDigits => {
                error(format!("{part} has no digits")).label("expected at least two hex digits")
            }
            FlawKind::OddDigits(count) => {
                let digits = text.get(2..).unwrap_or_default();
                error(format!("{part} has an odd number of hex digits"))
                    .label(format!("expected two digits for each byte, found {count} in all"))
                    .help(format!("is it {}?", quote(&format!("0x0{digits}"))))
            }
            FlawKind::NotHexDigit => error(format!("{part} is not a hex digit"))
                .label("expected one of `0` to `9`, `a` to `f`, `A` to `F`"),
            FlawKind::Underscore => error(format!("misplaced `_` in {}", quote(text)))
                .label("`_` is allowed only between digits"),
            FlawKind::NotNumber => {
                let error = error(format!("{part} is not a number")).label("expected digits only");
                match text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    true => error.help("hex literals start with `0x`"),
                    false => error,
                }
            }
            FlawKind::TooLarge => {
                error(format!("the number {part} is too large")).label("expected at most 2^256 - 1")
            }
            FlawKind::UnknownEscape => error(format!("unknown escape {part}"))
                .label("not an escape")
                .help(r#"the escapes are `\"`, `\\`, `\n`, `\t`, `\r`, `\0`, `\xHH` and `\u{…}`"#),
            FlawKind::ByteEscape => error(format!("incomplete escape {part}"))
                .label(r"expected two hex digits after `\x`"),
            FlawKind::CharacterEscape => error(format!("malformed escape {part}"))
                .label(r"expected `\u{…}` with one to six hex digits"),
            FlawKind::NoCharacter => error(format!("{part} is not a character"))
                .label("expected the number of a Unicode character"),
        }
    }
}

/// Receives the flaws of a literal.
pub(super) type Flaws<'f> = &'f mut dyn FnMut(Flaw);

/// Parses the bytes of `0x…`.
pub(super) fn hex_bytes(text: &str, flaws: Flaws<'_>) -> Vec<u8> {
    if text.starts_with("0X") {
        flaws(Flaw { range: 0..2, kind: FlawKind::UpperCaseX });
    }
    let digits = text.get(2..).unwrap_or_default();
    if digits.starts_with('_') || digits.ends_with('_') {
        flaws(Flaw { range: 0..text.len(), kind: FlawKind::Underscore });
    }
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    let mut count = 0;
    for (at, character) in digits.char_indices().filter(|(_, character)| *character != '_') {
        let Some(digit) = hex_digit(character) else {
            let range = 2 + at..2 + at + character.len_utf8();
            flaws(Flaw { range, kind: FlawKind::NotHexDigit });
            return bytes;
        };
        count += 1;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    if count == 0 {
        flaws(Flaw { range: 0..text.len(), kind: FlawKind::NoDigits });
    } else if count % 2 == 1 {
        flaws(Flaw { range: 0..text.len(), kind: FlawKind::OddDigits(count) });
    }
    bytes
}

fn hex_digit(character: char) -> Option<u8> {
    character.to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A number with this many digits exceeds 256 bits.
const MAX_DIGITS: usize = 80;

/// Returns the digits and `_` of a number, and the number of zeros that `e` adds. Returns `None`
/// for other texts.
pub(super) fn digits(text: &str) -> Option<(&str, usize)> {
    let (digits, zeros) = text.split_once('e').unwrap_or((text, "0"));
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let zeros = zeros.bytes().all(|byte| byte.is_ascii_digit()).then(|| zeros.parse().ok())?;
    Some((digits, zeros?)).filter(|_| plain)
}

/// Parses digits and `_`, with an optional exponent as in `1e9`.
pub(super) fn number(text: &str, flaws: Flaws<'_>) -> Uint {
    let whole = 0..text.len();
    let Some((digits, zeros)) = digits(text) else {
        flaws(Flaw { range: whole, kind: FlawKind::NotNumber });
        return Uint::ZERO;
    };
    if digits.ends_with('_') {
        flaws(Flaw { range: whole.clone(), kind: FlawKind::Underscore });
    }
    let mut number = Uint::ZERO;
    // This many zeros exceed the range, unless all digits are zero.
    let zeros = core::iter::repeat_n(b'0', zeros.min(MAX_DIGITS));
    for digit in digits.bytes().filter(u8::is_ascii_digit).chain(zeros) {
        let ten = number.checked_mul(Uint::new(10));
        let next = ten.and_then(|ten| ten.checked_add(Uint::from(digit - b'0')));
        let Some(next) = next else {
            flaws(Flaw { range: whole, kind: FlawKind::TooLarge });
            return number;
        };
        number = next;
    }
    number
}

/// Returns the bytes of a quoted text. `text` includes the quotes.
pub(super) fn text_bytes(text: &str, flaws: Flaws<'_>) -> Vec<u8> {
    let inner = text.get(1..).unwrap_or_default();
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        bytes.extend_from_slice(plain.as_bytes());
        let start = 1 + inner.len() - escape.len();
        let length = unescape(escape, start, &mut bytes, flaws);
        rest = escape.get(length..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Appends the bytes of the escape at the start of `escape`. Returns the length of the escape.
fn unescape(escape: &str, start: usize, bytes: &mut Vec<u8>, flaws: Flaws<'_>) -> usize {
    let Some(letter) = escape.chars().nth(1) else { return escape.len() };
    let mut flaw = |length: usize, kind| {
        flaws(Flaw { range: start..start + length, kind });
        length
    };
    let plain = match letter {
        '"' | '\\' => letter,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'x' => {
            let digits =
                escape.get(2..4).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
            return match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    bytes.push(byte);
                    4
                }
                None => flaw(2, FlawKind::ByteEscape),
            };
        }
        'u' => {
            let Some((length, digits)) = braced(escape) else {
                return flaw(2, FlawKind::CharacterEscape);
            };
            let Some(character) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
            else {
                return flaw(length, FlawKind::NoCharacter);
            };
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return length;
        }
        _ => return flaw(1 + letter.len_utf8(), FlawKind::UnknownEscape),
    };
    bytes.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes());
    1 + letter.len_utf8()
}

/// Returns the length and the digits of `\u{…}`.
fn braced(escape: &str) -> Option<(usize, &str)> {
    const LONGEST: usize = 6;
    let inner = escape.get(2..)?.strip_prefix('{')?;
    let end = inner.bytes().take(LONGEST + 1).position(|byte| byte == b'}')?;
    let digits = inner.get(..end)?;
    let fits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then_some((end + 4, digits))
}

/// Returns the expression of `r"…"` or `br#"…"#`.
pub(super) fn regex_pattern(text: &str) -> &str {
    let hashes = text.trim_start_matches(['b', 'r']);
    let quoted = hashes.trim_start_matches('#');
    let count = hashes.len() - quoted.len();
    let inner = quoted.get(1..).unwrap_or_default();
    let end = inner.len().saturating_sub(count + 1);
    inner.get(..end).unwrap_or_default()
}
