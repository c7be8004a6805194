//! Concentrated liquidity on Keyscape.

pub mod math;
