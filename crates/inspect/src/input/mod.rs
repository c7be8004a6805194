//! Parses input: keys as digits, values as text or JSON, and names of the layout.

pub mod argument;
mod error;
pub mod json;
pub mod key;
pub mod name;
pub mod value;

pub use error::InputError;
