//! Lengths of encodings that are known without an automaton of them.

use crate::{Codec, Language};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Lengths, Meter, OverBudget};

/// The length of an encoding as a function of the length of the inner encoding. Longer inner
/// encodings have longer encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The bytes that each inner byte becomes; at least 1.
    times: u64,
    added: Added,
}

/// The bytes that an encoding has in addition to the inner bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Added {
    Always(u64),
    /// The LEB128 form of the inner length.
    Leb128,
}

/// Inner lengths to which the same number of bytes is added.
struct Piece {
    first: u64,
    last: u64,
    added: u64,
}

impl Stretch {
    /// The length of the inner encoding.
    pub(crate) const NONE: Self = Self::by(0);
    /// Two bytes for each inner byte.
    pub(crate) const DOUBLE: Self = Self { times: 2, added: Added::Always(0) };
    /// The inner length as LEB128, then the inner encoding.
    pub(crate) const LEB128: Self = Self { times: 1, added: Added::Leb128 };

    /// Adds a fixed number of bytes.
    pub(crate) const fn by(added: u64) -> Self {
        Self { times: 1, added: Added::Always(added) }
    }

    fn pieces(self) -> impl Iterator<Item = Piece> {
        let (always, sizes) = match self.added {
            Added::Always(added) => (Some(Piece { first: 0, last: u64::MAX, added }), 0),
            Added::Leb128 => (None, 9),
        };
        let by_size = (1..=sizes).map(|size| Piece {
            first: if size == 1 { 0 } else { 1 << (7 * (size - 1)) },
            last: (1 << (7 * size)) - 1,
            added: size,
        });
        always.into_iter().chain(by_size)
    }

    /// Returns the length of the encoding around an inner encoding.
    pub(crate) fn after(self, inner: u64) -> u64 {
        let piece = self.pieces().find(|piece| inner <= piece.last);
        let added = piece.map_or(0, |piece| piece.added);
        inner.saturating_mul(self.times).saturating_add(added)
    }

    /// Returns the inner length that becomes `outer`.
    fn before(self, outer: u64) -> Option<u64> {
        self.pieces().find_map(|piece| {
            let inner = outer.checked_sub(piece.added)?;
            let inner = inner.is_multiple_of(self.times).then_some(inner / self.times)?;
            (piece.first..=piece.last).contains(&inner).then_some(inner)
        })
    }

    /// Returns the least inner length that becomes at least `cap`.
    fn least_before(self, cap: u64) -> u64 {
        let least = self.pieces().find_map(|piece| {
            let inner = cap.saturating_sub(piece.added).div_ceil(self.times).max(piece.first);
            (inner <= piece.last).then_some(inner)
        });
        least.unwrap_or(u64::MAX)
    }

    fn lengths(self, inner: &dyn Codec, cap: u64, budget: Budget) -> Result<Lengths, OverBudget> {
        let of_inner = inner.lengths(self.least_before(cap), budget)?;
        let meter = &mut Meter::new(budget);
        let mut lengths = Lengths::none(cap);
        for Piece { first, last, added } in self.pieces() {
            let some = of_inner.stretched(first..=last, self.times, added, cap);
            lengths = lengths.union(&some, meter)?;
        }
        Ok(lengths)
    }
}

/// Returns the lengths of a codec's encodings. If its language is not exact, and its lengths do not
/// follow from those of an inner codec, the set is empty.
pub(crate) fn lengths<C: Codec + ?Sized>(
    codec: &C,
    cap: u64,
    budget: Budget,
) -> Result<Lengths, OverBudget> {
    if let Some((inner, stretch)) = codec.stretch() {
        return stretch.lengths(inner, cap, budget);
    }
    match codec.language(budget)? {
        Language::Exact(dfa) => dfa.lengths(None, cap, budget),
        Language::Between { .. } => Ok(Lengths::none(cap)),
    }
}

/// Returns an encoding of a length: made from an inner one, or a word of the upper automaton that
/// the codec decodes.
pub(crate) fn of_length<C: Codec + ?Sized>(
    codec: &C,
    length: usize,
    budget: Budget,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let Some((inner, stretch)) = codec.stretch() else {
        let word = codec.language(budget)?.over().word_of_length(length, budget)?;
        return Ok(word.filter(|word| codec.decode(word).is_ok()));
    };
    let before = stretch.before(length as u64).and_then(|before| usize::try_from(before).ok());
    let Some(before) = before else { return Ok(None) };
    let Some(word) = inner.of_length(before, budget)? else { return Ok(None) };
    let encoding = inner.decode(&word).ok().and_then(|value| codec.encoding(&value).ok());
    Ok(encoding.filter(|encoding| encoding.len() == length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leb128;

    #[test]
    fn lengths_and_their_inverse_agree() {
        let kinds = [Stretch::NONE, Stretch::DOUBLE, Stretch::LEB128, Stretch::by(16)];
        let inner: Vec<u64> = (0..300).chain(16_380..16_390).chain([u64::from(u32::MAX)]).collect();
        for stretch in kinds {
            for &length in &inner {
                let after = stretch.after(length);
                assert_eq!(stretch.before(after), Some(length));
                assert_eq!(stretch.least_before(after), length);
            }
        }
        for length in inner {
            let mut prefix = Vec::new();
            leb128::put(length, &mut prefix);
            assert_eq!(Stretch::LEB128.after(length), length + prefix.len() as u64);
        }
        assert_eq!(Stretch::DOUBLE.before(3), None);
        // No length of 129 bytes: 127 bytes have a prefix of one byte, 128 one of two.
        assert_eq!((Stretch::LEB128.before(129), Stretch::LEB128.least_before(129)), (None, 128));
    }
}
