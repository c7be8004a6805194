//! A second opinion on the prover: every claim about a small layout decided again, by enumeration.
//!
//! The [oracle](Oracle) lists all rows of a layout whose fields have few values, and looks. It uses
//! the checked model and the codecs' `encode`, and neither the automata nor the decoder, so that it
//! can only be wrong in other ways than the prover is. [`generate`] draws random layouts as text,
//! [`examine`] compares both answers to every claim, and [`shrink`] makes a disagreement small. The
//! README lists what is compared, what is drawn, and what cannot be enumerated.

mod change;
mod compare;
mod condition;
mod declared;
mod decoding;
mod examine;
mod generate;
mod indexes;
mod leaf;
mod oracle;
mod order;
mod random;
mod records;
mod rows;
mod scan;
mod seed;
mod shrink;
mod sketch;
mod split;

pub use change::{Change, Compared, Pair, compare_pair, compare_pair_seed, draw};
pub use compare::Outcome;
pub use declared::{Allocation, Single};
pub use examine::{Disagreement, Examined, Setting, examine, report};
pub use generate::generate;
pub use leaf::{Listed, Word, Words};
pub use oracle::Oracle;
pub use random::Random;
pub use rows::{Mark, Reading, Row, Step, TooMany, What};
pub use scan::{Form, Interval, Leading, ScanAnswer, Wrong};
pub use seed::{Disagreed, Seeded, compare_seed};
pub use shrink::shrink;
pub use sketch::Sketch;
