//! The badges module, tested through its public API.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot be set up fails")]

mod approvals;
mod arithmetic;
mod challenges;
mod costs;
mod defects;
mod faults;
mod invariants;
mod keys;
mod lifecycle;
mod permissions;
mod setup;
mod transfers;
