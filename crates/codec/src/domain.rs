//! Domains of text and bytes as constants. Generated code uses them to check values without
//! building an automaton.

use crate::ValueError;

/// The allowed texts or byte strings of a field.
///
/// ```
/// use keyscape_codec::domain::{Domain, Table};
///
/// const CLASSES: [u8; 256] = Table::classes(&[(b'a', b'z', 1)]);
/// const WORD: Domain = Domain {
///     min: 1,
///     max: 3,
///     table: Some(Table {
///         classes: &CLASSES,
///         width: 2,
///         steps: &[Table::DEAD, 0],
///         accepting: &[true],
///     }),
///     allowed: "text of 1 to 3 bytes matching `[a-z]*`",
/// };
/// assert!(WORD.check_text("abc").is_ok());
/// assert_eq!(
///     WORD.check_text("aBc").unwrap_err().to_string(),
///     "`B` at position 2 is not allowed; expected text of 1 to 3 bytes matching `[a-z]*`"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The minimum length in bytes.
    pub min: usize,
    /// The maximum length in bytes.
    pub max: usize,
    /// The automaton, unless lengths alone define the domain.
    pub table: Option<Table>,
    /// The description of allowed values, for messages.
    pub allowed: &'static str,
}

/// A deterministic automaton as a table, starting in state 0.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The class of each byte.
    pub classes: &'static [u8; 256],
    /// The number of classes.
    pub width: usize,
    /// The next state for each state and class; [`Table::DEAD`] if no word continues like that.
    pub steps: &'static [u16],
    /// Whether a word may end in each state.
    pub accepting: &'static [bool],
}

impl Table {
    /// No state.
    pub const DEAD: u16 = u16::MAX;

    /// Builds the classes of bytes from ranges, each with its class; class 0 for all other bytes.
    #[must_use]
    pub const fn classes(ranges: &[(u8, u8, u8)]) -> [u8; 256] {
        let mut classes = [0; 256];
        let mut at = 0;
        while at < ranges.len() {
            let (low, high, class) = ranges[at];
            let mut byte = low as usize;
            while byte <= high as usize {
                classes[byte] = class;
                byte += 1;
            }
            at += 1;
        }
        classes
    }

    /// Returns the number of bytes that the automaton reads, and whether a word may end there.
    fn walk(&self, bytes: &[u8]) -> (usize, bool) {
        let mut state = 0_u16;
        for (at, &byte) in bytes.iter().enumerate() {
            let class = usize::from(self.classes[usize::from(byte)]);
            match self.steps.get(usize::from(state) * self.width + class) {
                Some(&next) if next != Self::DEAD => state = next,
                _ => return (at, false),
            }
        }
        (bytes.len(), self.accepting.get(usize::from(state)).copied().unwrap_or(false))
    }
}

impl Domain {
    /// Whether bytes are in the domain.
    #[must_use]
    pub fn contains(&self, bytes: &[u8]) -> bool {
        self.fits(bytes) && self.table.is_none_or(|table| table.walk(bytes).1)
    }

    /// Checks that a text is in the domain.
    ///
    /// # Errors
    /// [`ValueError`] names the first character that is not allowed at its position.
    pub fn check_text(&self, text: &str) -> Result<(), ValueError> {
        if self.contains(text.as_bytes()) {
            Ok(())
        } else {
            Err(self.wrong(text.as_bytes(), Some(text)))
        }
    }

    /// Checks that bytes are in the domain.
    ///
    /// # Errors
    /// [`ValueError`] names the first byte that is not allowed at its position.
    pub fn check_bytes(&self, bytes: &[u8]) -> Result<(), ValueError> {
        if self.contains(bytes) { Ok(()) } else { Err(self.wrong(bytes, None)) }
    }

    const fn fits(&self, bytes: &[u8]) -> bool {
        self.min <= bytes.len() && bytes.len() <= self.max
    }

    #[cold]
    fn wrong(&self, bytes: &[u8], text: Option<&str>) -> ValueError {
        let read = self.table.map_or(bytes.len(), |table| table.walk(bytes).0).min(self.max);
        let wrong = ValueError::at(read, bytes, text, self.allowed);
        wrong.unwrap_or_else(|| ValueError::Incomplete { allowed: self.allowed.into() })
    }
}
