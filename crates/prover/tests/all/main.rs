//! Tests of the prover on claims, layouts, known bugs and the specification.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bugs;
mod claims;
mod layouts;
mod replay;
mod repository;
mod scale;
mod seeded;
mod spec;
mod values;
