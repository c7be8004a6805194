//! Byte automata: languages of byte strings as deterministic automata, and weighted shortest-path
//! search over products of them.
//!
//! This crate knows bytes only: no codecs, no layouts, no files. A [`Lang`] (or a regular
//! expression) is compiled to a minimised [`Dfa`]. Equal languages give equal automata, so a `Dfa`
//! can be shared and compared.
//!
//! Every construction takes a [`Budget`]. If it exceeds the budget, it returns [`OverBudget`]
//! instead of running on.
//!
//! Use the `keyscape` tools instead of this crate unless you build on the prover itself.
//!
//! ```
//! use keyscape_automata::{Budget, Dfa, regex};
//!
//! let denom = regex::parse_text(r"[a-z][a-z0-9]{2,15}")?;
//! let dfa = Dfa::from_lang(&denom, Budget::default())?;
//! assert!(dfa.accepts(b"uatom"));
//! assert!(!dfa.accepts(b"u"));
//! assert_eq!(dfa.longest(), Some(16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod budget;
mod byte_set;
mod determinize;
mod dfa;
mod fit;
mod groups;
mod lang;
mod length_prefix;
mod lengths;
mod minimize;
mod nfa;
mod of_length;
mod operations;
mod pairs;
mod preference;
pub mod regex;
mod rows;
pub mod search;
mod state_lengths;
mod stepped;
mod words;

pub use budget::{Budget, Meter, OverBudget, STEPS_PER_UNIT, Total};
pub use byte_set::ByteSet;
pub use dfa::{DEAD, Dfa, Outgoing, StateId};
pub use lang::Lang;
pub use lengths::Lengths;
pub use preference::{preferred_bytes, rank};

/// Builds the automaton of an expression over text.
#[cfg(test)]
fn text_dfa(pattern: &str) -> Dfa {
    let lang = regex::parse_text(pattern).unwrap();
    Dfa::from_lang(&lang, Budget::default()).unwrap()
}
