//! The codecs: how the values of a field become bytes and back, and what is known of those bytes.
//!
//! Each codec is one file, and that file is the only place that knows its bytes: encoding,
//! decoding, the language (exactly the byte strings that it can produce), order, loss and the
//! longest encoding. What is proved is what runs.
#![no_std]

extern crate alloc;

mod codec;
mod value;

pub use codec::{Codec, IntRange, IntType, Kind, Language, Loss, Order, PrefixOrder};
pub use value::{Malformed, Value, ValueError};
