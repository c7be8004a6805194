//! The badges module, tested through its public API.

mod approvals;
mod arithmetic;
mod costs;
mod defects;
mod faults;
mod invariants;
mod keys;
mod lifecycle;
mod permissions;
mod setup;
mod sims;
mod transfers;
