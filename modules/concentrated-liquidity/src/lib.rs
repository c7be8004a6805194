//! Concentrated liquidity on Keyscape.

mod address;
pub mod layout;
pub mod math;
pub mod values;
