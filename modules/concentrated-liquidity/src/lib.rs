//! Concentrated liquidity on Keyscape.

mod address;
mod error;
pub mod keeper;
pub mod layout;
pub mod math;
pub mod values;

pub use error::{Error, ErrorKind, Role};
