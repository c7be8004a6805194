//! A transaction-output index on Keyscape.
pub mod error;
pub mod event;
pub mod genesis;
pub mod invariants;
pub mod keeper;
pub mod keys;
pub mod layout;
pub mod score;
pub mod search;
pub mod sim;
pub mod symbol;
pub mod undo;
pub mod values;
pub mod worker;
