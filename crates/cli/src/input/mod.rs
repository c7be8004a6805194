//! Parses input: keys as digits, values as text or JSON, and names of the layout.

mod error;
pub(crate) mod genesis;
mod git;
pub(crate) mod given;
pub(crate) mod key;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod load;
pub(crate) mod name;
mod number;
pub(crate) mod value;

pub(crate) use error::{FieldError, FieldReason, InputError};
