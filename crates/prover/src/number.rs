//! Numbers as text: their notation and their order.

use hashbrown::HashSet;
use keyscape_automata::{Budget, DEAD, Dfa, Meter, OverBudget, regex::parse_text};
use std::cmp::Reverse;

/// A notation of numbers as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Digits from 0 to 9, with an optional sign.
    Decimal,
    /// Decimal digits with an optional sign and an optional fraction, such as prices.
    Fraction,
    /// Several decimal numbers separated by dots, such as versions.
    Dotted,
    /// Digits from 0 to f, in lower or upper case, with an optional `0x`.
    Hexadecimal,
}

/// The words in each notation, in the order in which they are tried. The empty word represents a
/// missing number. Words of hexadecimal letters are probably not numbers.
const NOTATIONS: [(Option<Notation>, &str); 5] = [
    (Some(Notation::Decimal), r"([+-]?[0-9]+)?"),
    (Some(Notation::Fraction), r"([+-]?[0-9]+(\.[0-9]+)?)?"),
    (Some(Notation::Dotted), r"([0-9]+(\.[0-9]+)*)?"),
    (None, "[a-fA-F]*"),
    (Some(Notation::Hexadecimal), "(0[xX])?[0-9a-fA-F]*"),
];

impl Notation {
    /// Returns the notation of a language whose words are all numbers.
    pub(crate) fn of(words: &Dfa, budget: Budget) -> Result<Option<Self>, OverBudget> {
        let meter = &mut Meter::new(budget);
        for (notation, pattern) in NOTATIONS {
            let Ok(lang) = parse_text(pattern) else { continue };
            if is_within(words, &Dfa::from_lang(&lang, budget)?, meter)? {
                return Ok(notation);
            }
        }
        Ok(None)
    }
}

/// Whether every word of a language is a word of another. Every state leads to a word, so the first
/// byte that the other language rejects decides. Most texts are not numbers after one byte.
fn is_within(words: &Dfa, other: &Dfa, meter: &mut Meter<'_>) -> Result<bool, OverBudget> {
    let start = (words.start(), other.start());
    let mut known: HashSet<_> = [start].into_iter().collect();
    let mut open = vec![start];
    while let Some((state, beside)) = open.pop() {
        meter.steps(STEPS_PER_PAIR)?;
        if words.is_accepting(state) && !other.is_accepting(beside) {
            return Ok(false);
        }
        for byte in words.next_bytes(state).iter() {
            let next = (words.step(state, byte), other.step(beside, byte));
            if next.1 == DEAD {
                return Ok(false);
            }
            if known.insert(next) {
                open.push(next);
            }
        }
    }
    Ok(true)
}

/// The elementary steps to compare the bytes of a pair of states.
const STEPS_PER_PAIR: usize = 512;

/// The value of a word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    Negative(Reverse<Magnitude>),
    /// Zero or more. Zero with a minus sign is zero.
    Positive(Magnitude),
}

/// Digits, which compare by value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Magnitude {
    /// The numbers between dots; one without dots.
    whole: Vec<Whole>,
    /// Without trailing zeros.
    fraction: Vec<u32>,
}

/// The digits of a whole number without leading zeros. More digits are a larger number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Whole {
    length: usize,
    digits: Vec<u32>,
}

impl Number {
    /// Returns the value of a word in a notation; `None` if it has no digits.
    pub(crate) fn of(word: &[u8], notation: Notation) -> Option<Self> {
        let (is_negative, word) = match word {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | [b'0', b'x' | b'X', rest @ ..] => (false, rest),
            _ => (false, word),
        };
        let digits = |part: &[u8]| -> Vec<u32> {
            part.iter().filter_map(|&byte| char::from(byte).to_digit(16)).collect()
        };
        let mut parts: Vec<Vec<u32>> = word.split(|&byte| byte == b'.').map(digits).collect();
        if parts.iter().all(Vec::is_empty) {
            return None;
        }
        let mut fraction = match notation {
            Notation::Dotted => Vec::new(),
            _ => parts.split_off(1).concat(),
        };
        let last = fraction.iter().rposition(|&digit| digit != 0);
        fraction.truncate(last.map_or(0, |last| last + 1));
        let whole = parts.into_iter().map(|mut digits| {
            digits.drain(..digits.iter().take_while(|&&digit| digit == 0).count());
            Whole { length: digits.len(), digits }
        });
        let magnitude = Magnitude { whole: whole.collect(), fraction };
        let is_zero = magnitude.fraction.is_empty()
            && magnitude.whole.iter().all(|number| number.length == 0);
        Some(match is_negative && !is_zero {
            true => Self::Negative(Reverse(magnitude)),
            false => Self::Positive(magnitude),
        })
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
        // The comparison uses digits, so the radix does not matter: `10.0` is above `0x0b`.
        let of = |word: &str| Number::of(word.as_bytes(), Notation::Fraction);
        let numbers: Vec<Number> = ascending.iter().filter_map(|word| of(word)).collect();
        assert_eq!(numbers.len(), ascending.len());
        assert!(numbers.is_sorted(), "{numbers:?}");
        for (a, b) in [("7", "007"), ("-0", "0"), ("1.50", "1.5"), ("+3", "3"), ("0xFf", "ff")] {
            assert_eq!(of(a), of(b), "{a} {b}");
        }
        assert_eq!(of(""), None);
        let dotted = |word: &str| Number::of(word.as_bytes(), Notation::Dotted);
        assert!(dotted("9.0.0") < dotted("10.0.0") && dotted("1.9") < dotted("1.10"));
        assert!(of("1.9") > of("1.10"), "a fraction");
    }

    #[test]
    fn languages_of_numbers_have_a_notation() {
        let notation = |pattern: &str| {
            let words = Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap();
            Notation::of(&words, Budget::default()).unwrap()
        };
        for pattern in ["[0-9]+", "-?[0-9]{1,4}", "|[1-9][0-9]*", "[01]{3}"] {
            assert_eq!(notation(pattern), Some(Notation::Decimal), "{pattern}");
        }
        assert_eq!(notation(r"[0-9]+\.[0-9]{2}"), Some(Notation::Fraction));
        assert_eq!(notation(r"[0-9]+\.[0-9]+\.[0-9]+"), Some(Notation::Dotted));
        for pattern in ["[0-9a-f]{4}", "0x[0-9a-f]{1,8}", "[0-9A-Fa-f]+", "0x[a-f]{2}"] {
            assert_eq!(notation(pattern), Some(Notation::Hexadecimal), "{pattern}");
        }
        for pattern in ["[a-f]{1,3}", "[0-9]{4}-[0-9]{2}", "v[0-9]+", "[a-z0-9]+", "-[0-9a-f]+"] {
            assert_eq!(notation(pattern), None, "{pattern}");
        }
    }
}
