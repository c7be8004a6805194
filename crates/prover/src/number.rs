//! Numbers as text: their notation and their order.

use keyscape_automata::{Budget, Dfa, OverBudget, regex::parse_text};
use std::cmp::Ordering;

/// A notation of numbers as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Digits from 0 to 9, perhaps with a sign or a fraction.
    Decimal,
    /// Digits from 0 to f, in lower or upper case, perhaps after `0x`.
    Hexadecimal,
}

/// Words in each notation. No word at all may stand for a number that is missing.
const DECIMAL: &str = r"([+-]?[0-9]+(\.[0-9]+)?)?";
const HEXADECIMAL: &str = "(0[xX])?[0-9a-fA-F]*";
/// Hexadecimal digits that are more likely letters.
const LETTERS: &str = "[a-fA-F]*";

impl Notation {
    /// Returns the notation of a language whose words are all numbers.
    pub(crate) fn of(words: &Dfa, budget: Budget) -> Result<Option<Self>, OverBudget> {
        let within = |pattern: &str| -> Result<bool, OverBudget> {
            let Ok(lang) = parse_text(pattern) else { return Ok(false) };
            Ok(words.without(&Dfa::from_lang(&lang, budget)?, budget)?.is_empty())
        };
        Ok(if within(DECIMAL)? {
            Some(Self::Decimal)
        } else if within(HEXADECIMAL)? && !within(LETTERS)? {
            Some(Self::Hexadecimal)
        } else {
            None
        })
    }
}

/// The value of a word, as digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// Never set for zero.
    is_negative: bool,
    /// Without leading zeros.
    whole: Vec<u32>,
    /// Without trailing zeros.
    fraction: Vec<u32>,
}

impl Number {
    /// Returns the value of a word in either notation; `None` if it has no digits.
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        let (is_negative, word) = match word {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | [b'0', b'x' | b'X', rest @ ..] => (false, rest),
            _ => (false, word),
        };
        let mut parts = word.splitn(2, |&byte| byte == b'.');
        let mut digits = || -> Vec<u32> {
            let part = parts.next().unwrap_or_default();
            part.iter().filter_map(|&byte| char::from(byte).to_digit(16)).collect()
        };
        let (mut whole, mut fraction) = (digits(), digits());
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        whole.drain(..whole.iter().take_while(|&&digit| digit == 0).count());
        fraction
            .truncate(fraction.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1));
        let is_zero = whole.is_empty() && fraction.is_empty();
        Some(Self { is_negative: is_negative && !is_zero, whole, fraction })
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let size =
            |number: &Self| (number.whole.len(), number.whole.clone(), number.fraction.clone());
        match (self.is_negative, other.is_negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => size(self).cmp(&size(other)),
            (true, true) => size(other).cmp(&size(self)),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let ascending = [
            "-10.5", "-10", "-9", "-0.25", "0", "0.05", "0.5", "1", "1.25", "1.3", "02", "9",
            "0x0a", "000B", "10.0", "10.01", "0x100",
        ];
        // Digits are compared, so the radix does not matter: `10.0` is above `0x0b`.
        let numbers: Vec<Number> =
            ascending.iter().filter_map(|word| Number::of(word.as_bytes())).collect();
        assert_eq!(numbers.len(), ascending.len());
        assert!(numbers.is_sorted(), "{numbers:?}");
        for (a, b) in [("7", "007"), ("-0", "0"), ("1.50", "1.5"), ("+3", "3"), ("0xFf", "ff")] {
            assert_eq!(Number::of(a.as_bytes()), Number::of(b.as_bytes()), "{a} {b}");
        }
        assert_eq!(Number::of(b""), None);
    }

    #[test]
    fn languages_of_numbers_have_a_notation() {
        let notation = |pattern: &str| {
            let words = Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap();
            Notation::of(&words, Budget::default()).unwrap()
        };
        for pattern in ["[0-9]+", "-?[0-9]{1,4}", r"[0-9]+\.[0-9]{2}", "|[1-9][0-9]*", "[01]{3}"] {
            assert_eq!(notation(pattern), Some(Notation::Decimal), "{pattern}");
        }
        for pattern in ["[0-9a-f]{4}", "0x[0-9a-f]{1,8}", "[0-9A-Fa-f]+", "0x[a-f]{2}"] {
            assert_eq!(notation(pattern), Some(Notation::Hexadecimal), "{pattern}");
        }
        for pattern in ["[a-f]{1,3}", "[0-9]{4}-[0-9]{2}", "v[0-9]+", "[a-z0-9]+", "-[0-9a-f]+"] {
            assert_eq!(notation(pattern), None, "{pattern}");
        }
    }
}
