//! End-to-end tests of the built-in systems, from simulation to genesis.
#![expect(clippy::unwrap_used, reason = "a test whose folder or program cannot start fails")]

#[path = "cli/harness.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod harness;

mod systems {
    mod audit;
    mod demo;
    mod genesis;
    mod invariants;
    mod queries;
    mod sim;
}
