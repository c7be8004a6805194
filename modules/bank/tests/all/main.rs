//! The tests of the bank, a file for each theme.

mod accounts;
mod bytes;
mod costs;
mod defects;
mod faults;
mod golden;
mod invariants;
mod messages;
mod model;
mod setup;
mod sims;
mod transfers;
mod vesting;
