//! The tests of the bank, one file per theme.

#![expect(clippy::expect_used, reason = "a test that cannot be set up fails")]

mod accounts;
mod bytes;
mod chains;
mod cosmos;
mod costs;
mod defects;
mod faults;
mod golden;
mod invariants;
mod messages;
mod model;
mod rows;
mod rules;
mod setup;
mod sim;
mod transfers;
mod vesting;
