//! `compact(u64)`, `compact(u128)`: the compact integers of SCALE. The two lowest bits of the first
//! byte select one, two or four bytes, little-endian, or a long form. In the long form, the other
//! six bits plus four are the number of bytes that follow. Only the shortest form is an encoding.

use crate::{
    Malformed, Order,
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// The first integers that do not fit one, two and four bytes.
const ABOVE_ONE: u128 = 1 << 6;
const ABOVE_TWO: u128 = 1 << 14;
const ABOVE_FOUR: u128 = 1 << 30;

/// Returns the number of bytes of an integer in the long form.
const fn width(value: u128) -> usize {
    let used = (u128::BITS - value.leading_zeros()).div_ceil(8) as usize;
    if used < 4 { 4 } else { used }
}

fn put(value: u128, sink: &mut impl Sink) {
    if value < ABOVE_ONE {
        sink.push((value as u8) << 2);
    } else if value < ABOVE_TWO {
        sink.put(&((value as u16) << 2 | 1).to_le_bytes());
    } else if value < ABOVE_FOUR {
        sink.put(&((value as u32) << 2 | 2).to_le_bytes());
    } else {
        let width = width(value);
        sink.push(((width - 4) as u8) << 2 | 3);
        sink.put(value.to_le_bytes().get(..width).unwrap_or_default());
    }
}

/// Parses an integer from all of `bytes`.
fn parse(bytes: &[u8]) -> Result<u128, Malformed> {
    let &first = bytes.first().ok_or(integers::TRUNCATED)?;
    let (skip, count, shift) = match first & 3 {
        0 => (0, 1, 2),
        1 => (0, 2, 2),
        2 => (0, 4, 2),
        _ => (1, usize::from(first >> 2) + 4, 0),
    };
    let body = bytes.get(skip..skip + count).ok_or(integers::TRUNCATED)?;
    let mut wide = [0; 16];
    wide.get_mut(..count).ok_or(integers::OUTSIDE)?.copy_from_slice(body);
    let value = u128::from_le_bytes(wide) >> shift;
    let shortest = match first & 3 {
        0 => true,
        1 => value >= ABOVE_ONE,
        2 => value >= ABOVE_TWO,
        _ => value >= ABOVE_FOUR && width(value) == count,
    };
    if !shortest {
        return Err(integers::NOT_SHORTEST);
    }
    if bytes.len() > skip + count {
        return Err(Malformed { reason: "bytes follow an integer" });
    }
    Ok(value)
}

/// The integers of one form, from the first to the last.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The two lowest bits.
    mode: u8,
    /// The total number of bytes.
    length: usize,
    first: u128,
    last: u128,
}

impl Form {
    /// Returns the number of consecutive integers that differ only in their first varying byte.
    const fn page(&self) -> u128 {
        if self.mode == 3 { 256 } else { 64 }
    }

    /// Returns the first byte without its mode, as a number that varies with the integer.
    const fn key(&self, value: u128) -> u128 {
        if self.mode == 3 { self.length as u128 - 5 } else { value % 64 }
    }

    /// Returns the integer with the smallest first byte.
    fn least(&self) -> u128 {
        let next = (self.first / 64 + 1) * 64;
        if self.mode == 3 || self.first.is_multiple_of(64) || next > self.last {
            return self.first;
        }
        next
    }

    /// Returns the first integer whose first byte, without its mode, is above `key`.
    fn above(&self, key: u128) -> Option<u128> {
        if self.key(self.first) > key {
            return Some(self.first);
        }
        let expected = self.first / 64 * 64 + key + 1;
        (self.mode != 3 && key < 63 && expected <= self.last).then_some(expected)
    }

    /// Returns two misordered integers of this form. The lowest byte comes first, so they exist if
    /// more than that byte varies.
    fn carries(&self) -> Option<(u128, u128)> {
        let page = self.page();
        let next = (self.first / page).checked_add(1)?.checked_mul(page)?;
        let sorts = self.mode == 0 || next > self.last;
        (!sorts).then(|| (self.first.max(next - page + 1), next))
    }

    fn lang(&self, budget: Budget) -> Result<Lang, OverBudget> {
        let backwards = |value: u128| {
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            bytes.reverse();
            bytes
        };
        if self.mode == 3 {
            let code = Lang::literal(&[((self.length - 5) as u8) << 2 | 3]);
            let trim = |value: u128| {
                let mut bytes = backwards(value);
                bytes.pop();
                bytes
            };
            let numbers = between(&trim(self.first), &trim(self.last), (0x00, 0xff));
            let numbers = Dfa::from_lang(&numbers, budget)?.reversed(budget)?.into_lang();
            return Ok(Lang::Join(Vec::from([code, numbers])));
        }
        let all = between(&backwards(self.first), &backwards(self.last), (0x00, 0xff));
        let all = Dfa::from_lang(&all, budget)?.reversed(budget)?;
        let modes: ByteSet = (0..=u8::MAX).filter(|byte| byte & 3 == self.mode).collect();
        let of_mode = Lang::Join(Vec::from([Lang::Class(modes), Lang::anything()]));
        Ok(all.intersect(&Dfa::from_lang(&of_mode, budget)?, budget)?.into_lang())
    }
}

/// Returns the forms of a domain, shortest first.
fn forms(domain: &IntDomain) -> Vec<Form> {
    let (low, high) = domain.magnitudes();
    let mut forms = Vec::from([
        Form { mode: 0, length: 1, first: 0, last: ABOVE_ONE - 1 },
        Form { mode: 1, length: 2, first: ABOVE_ONE, last: ABOVE_TWO - 1 },
        Form { mode: 2, length: 4, first: ABOVE_TWO, last: ABOVE_FOUR - 1 },
    ]);
    for width in 4..=16_usize {
        let first = if width == 4 { ABOVE_FOUR } else { 1 << (8 * (width - 1)) };
        let last = u128::MAX >> (128 - 8 * width);
        forms.push(Form { mode: 3, length: width + 1, first, last });
    }
    let held = forms.into_iter().map(|form| Form {
        first: form.first.max(low),
        last: form.last.min(high),
        ..form
    });
    held.filter(|form| form.first <= form.last).collect()
}

/// `compact(u8)`, …, `compact(u128)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact;

impl IntegerForm for Compact {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put(number.magnitude().as_u128(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse(bytes).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let forms = forms(domain);
        let arms = forms.iter().map(|form| form.lang(budget)).collect::<Result<_, _>>()?;
        Dfa::from_lang(&Lang::Alt(arms), budget)
    }

    /// Inside a form, numbers sort while only the first varying byte varies. Across two forms, the
    /// first byte decides; if it differs only in the mode, the longer form comes second.
    fn order(&self, domain: &IntDomain) -> Order {
        let forms = forms(domain);
        let mut best: Option<(usize, (u128, u128))> = None;
        let mut offer = |length: usize, pair: Option<(u128, u128)>| {
            if let Some(pair) = pair.filter(|_| best.is_none_or(|(fewest, _)| length < fewest)) {
                best = Some((length, pair));
            }
        };
        for (index, short) in forms.iter().enumerate() {
            offer(2 * short.length, short.carries());
            for long in forms.iter().skip(index + 1) {
                let higher = long.least();
                let lower = short.above(long.key(higher));
                offer(short.length + long.length, lower.map(|lower| (lower, higher)));
            }
        }
        domain.order(best.map(|(_, pair)| pair))
    }
}
