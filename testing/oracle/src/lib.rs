//! An independent check of the prover that decides every claim about a small layout by enumeration.
//!
//! The [oracle](Oracle) lists all rows of a layout whose fields have few values. It uses the
//! checked model and the `encode` functions of the codecs, but neither the automata nor the
//! decoder. An error in those parts therefore cannot affect both answers. [`generate`] draws random
//! layouts as text, [`examine`] compares both answers to every claim, and [`compare_seed`] reduces
//! a layout with a disagreement. The README lists the compared claims, the drawn layouts and the
//! limits of enumeration.

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
mod writes;

pub use change::{Change, compare_moves_seed, compare_pair_seed};
pub use compare::Outcome;
pub use condition::Condition;
pub use declared::{Allocation, Single};
pub use examine::{Disagreement, Examined, Setting, examine, report};
pub use generate::{codecs, generate};
pub use leaf::{Listed, Word, Words};
pub use oracle::Oracle;
pub use random::Random;
pub use rows::{Mark, Reading, Row, Step, TooMany, What};
pub use scan::{Form, Interval, Leading, ScanAnswer, Wrong};
pub use seed::{Compared, compare_seed};
pub use sketch::Sketch;
