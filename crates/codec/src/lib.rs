//! The codecs: the encodings of field values as bytes, and the properties of these bytes.
//!
//! Each codec is one file, and only that file knows its bytes: encoding, decoding, the language
//! (exactly the byte strings that it can produce), order, loss and the longest encoding. The prover
//! reasons about the same code that programs run.
//!
//! [`build`] creates a codec from its form in a layout. The modules named after codecs contain the
//! functions that write and parse the bytes. The codecs call them, and so does generated code.
//!
//! ```
//! use keyscape_codec::{Arg, Call, Value, build};
//!
//! let dec = build(Call::new("dec").arg(Arg::Int(keyscape_codec::int_type("u64").unwrap())))?;
//! let mut key = Vec::new();
//! dec.encode(&Value::uint(850_000), &mut key)?;
//! assert_eq!(key, b"850000");
//! assert_eq!(dec.decode(b"850000")?, Value::uint(850_000));
//! assert!(dec.decode(b"0850000").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod changed;
mod checksummed;
mod civil;
mod codec;
mod compact;
mod complement;
mod dec0;
mod description;
mod display_form;
mod error;
mod escape;
mod escaped;
mod f64_of;
mod f64_sum;
mod fdb;
mod fit;
mod groups8;
mod int_range;
mod integer_codec;
mod integers;
mod interval;
mod lower_bound;
mod nibbles;
mod order;
mod registry;
mod rfc3339;
mod rune;
mod sample_words;
mod stretch;
mod time_text;
mod value;
mod words;
mod wrap;

pub mod base58check;
pub mod bech32;
pub mod boolean;
pub mod compact_size;
pub mod dec;
pub mod desc;
pub mod domain;
pub mod fixed;
pub mod flip;
pub mod float;
pub mod hash;
pub mod hex;
pub mod leb128;
pub mod lengths;
pub mod nul;
pub mod record;
pub mod rev;
pub mod sign_i64;
pub mod sink;
pub mod uvarint_ordered;
pub mod varint_msb;
pub mod word;
pub mod wrapper;

pub use keyscape_automata::Budget;

pub use codec::{Codec, Comparison, IntType, Kind, Language, Loss, Order, PairDomain, PrefixOrder};
pub use description::{Description, Direction, Values, quoted};
pub use display_form::{Shown, ShownError, parse_bytes, show_bytes, shown, shown_names};
pub use error::{BuildError, BuildReason};
pub use hash::{derived, hashed_literal};
pub use int_range::IntRange;
pub use integers::Number;
pub use lower_bound::LowerBound;
pub use registry::{Arg, Call, IntBounds, LengthRange, build, fixed_type, int_type, names};
pub use sink::{KeyBuf, Overflow, Sink};
pub use stretch::Stretch;
pub use value::{Malformed, Uint, Value, ValueError};
pub use wrap::{Wrap, WrapPart, WrapPlace};
