//! Comparisons of the prover with the enumeration, on fixed seeds.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agreement;
mod facts;
mod findings;
mod integers;
mod moves;
mod pairs;
mod parts;
mod wraps;
