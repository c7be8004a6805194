//! Words truncated to a length, and words padded to it.

use crate::{
    Budget, DEAD, Dfa, OverBudget, StateId,
    budget::Meter,
    stepped::{ByteClasses, explored},
};

impl Dfa {
    /// Returns the words truncated to `max` bytes. With `fill`, shorter ones are padded with it.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn fitted(&self, max: u32, fill: Option<u8>, budget: Budget) -> Result<Self, OverBudget> {
        let mut is_fill = [0; 256];
        if let Some(fill) = fill {
            is_fill[usize::from(fill)] = 1;
        }
        let classes = ByteClasses::paired(self.classes(), &is_fill);
        // The state of a word that continues, whether a word has ended before the padding, and the
        // number of bytes.
        let step = |&(state, padded, read): &(StateId, bool, u32), byte| {
            let continues = state != DEAD;
            let target = if continues { self.step(state, byte) } else { DEAD };
            let ended = padded || continues && self.is_accepting(state);
            let padded = ended && fill == Some(byte);
            (read < max && (target != DEAD || padded)).then_some((target, padded, read + 1))
        };
        let accepts = |&(state, _, read): &(StateId, bool, u32)| {
            // Every state of a non-empty language leads to acceptance, so a word is truncated at
            // the end.
            let is_whole = fill.is_none() && self.is_accepting(state);
            is_whole || read == max && !self.is_empty()
        };
        let meter = &mut Meter::new(budget);
        explored((self.start(), false, 0), &classes, STEPS_PER_CLASS, step, accepts, meter)
    }
}

/// The elementary steps of following a class of bytes.
const STEPS_PER_CLASS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{regex::parse_bytes, text_dfa as dfa};

    #[test]
    fn long_words_are_cut_and_short_ones_stay() {
        let budget = Budget::default();
        assert_eq!(dfa("a|bcdef|x*").fitted(3, None, budget).unwrap(), dfa("a|bcd|x{0,3}"));
        assert_eq!(dfa("abc").fitted(0, None, budget).unwrap(), dfa(""));
        assert_eq!(dfa("[a&&b]").fitted(2, None, budget).unwrap(), dfa("[a&&b]"));
    }

    #[test]
    fn short_words_are_filled_up() {
        let filled = dfa("|[1-9][0-9]*").fitted(4, Some(0), Budget::default()).unwrap();
        let expected =
            parse_bytes(r"\x00{4}|[1-9]\x00{3}|[1-9][0-9]\x00{2}|[1-9][0-9]{2}\x00|[1-9][0-9]{3}");
        assert_eq!(filled, Dfa::from_lang(&expected.unwrap(), Budget::default()).unwrap());
    }
}
