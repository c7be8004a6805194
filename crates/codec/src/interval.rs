//! Languages of words of one length between two ends, with a size linear in that length.

use alloc::{vec, vec::Vec};
use keyscape_automata::{ByteSet, Lang};

/// Returns the strings from `low` to `high` in byte order, both included, whose bytes are all
/// between the two `digits`. Both ends must be such strings, of one length.
pub(crate) fn between(low: &[u8], high: &[u8], digits: (u8, u8)) -> Lang {
    let shared = low.iter().zip(high).take_while(|(a, b)| a == b).count();
    let (head, low) = low.split_at_checked(shared).unwrap_or((low, &[]));
    let high = high.get(shared..).unwrap_or_default();
    let head = Lang::literal(head);
    let (Some((&first, low)), Some((&last, high))) = (low.split_first(), high.split_first()) else {
        return head;
    };
    if first > last {
        return Lang::nothing();
    }
    let mut arms = Vec::from([
        Lang::Join(vec![Lang::literal(&[first]), side(low, digits, Side::AtLeast)]),
        Lang::Join(vec![Lang::literal(&[last]), side(high, digits, Side::AtMost)]),
    ]);
    arms.extend(then_any(first.saturating_add(1), last.saturating_sub(1), low.len(), digits));
    Lang::Join(vec![head, Lang::Alt(arms)])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    AtLeast,
    AtMost,
}

/// Returns the strings as long as `end` that are not below it, or not above it.
fn side(end: &[u8], digits: (u8, u8), which: Side) -> Lang {
    let extreme = if which == Side::AtLeast { digits.0 } else { digits.1 };
    // A trailing run of extreme bytes is no restriction.
    let free = end.iter().rev().take_while(|&&byte| byte == extreme).count();
    let mut lang = any(free, digits);
    // From the right: keep the byte and bound the rest, or exceed the byte and leave the rest free.
    for (rest, &byte) in end.iter().rev().enumerate().skip(free) {
        let mut arms = vec![Lang::Join(vec![Lang::literal(&[byte]), lang])];
        arms.extend(match which {
            Side::AtLeast if byte < digits.1 => then_any(byte + 1, digits.1, rest, digits),
            Side::AtMost if byte > digits.0 => then_any(digits.0, byte - 1, rest, digits),
            _ => None,
        });
        lang = Lang::Alt(arms);
    }
    lang
}

fn any(count: usize, digits: (u8, u8)) -> Lang {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Lang::bytes(ByteSet::range(digits.0, digits.1), count, Some(count))
}

/// Returns the strings of a byte from `first` to `last`, then any digits.
fn then_any(first: u8, last: u8, rest: usize, digits: (u8, u8)) -> Option<Lang> {
    (first <= last)
        .then(|| Lang::Join(vec![Lang::Class(ByteSet::range(first, last)), any(rest, digits)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_automata::{Budget, Dfa};

    #[test]
    fn exactly_the_strings_of_the_range_are_accepted() {
        for (low, high) in
            [(0, 0xffff), (0x00fe, 0x0102), (0x1234, 0x1234), (0x10ff, 0x1300), (0x1234, 0x12f0)]
        {
            let lang = between(&u16::to_be_bytes(low), &u16::to_be_bytes(high), (0x00, 0xff));
            let dfa = Dfa::from_lang(&lang, Budget::default()).unwrap();
            for n in 0..=u16::MAX {
                assert_eq!(dfa.accepts(&n.to_be_bytes()), (low..=high).contains(&n), "{n:x}");
            }
        }
    }

    #[test]
    fn wide_ranges_stay_small() {
        let lang = between(&[0; 16], &[0xff; 16], (0x00, 0xff));
        let small = Budget { states: 100, ..Budget::default() };
        assert_eq!(Dfa::from_lang(&lang, small).unwrap().len(), 17);
    }
}
