//! A transaction-output index on Keyscape.
pub mod error;
pub mod genesis;
pub mod invariants;
pub mod layout;
pub mod sim;
pub mod undo;
pub mod values;
