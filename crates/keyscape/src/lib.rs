//! Keyscape: declare the byte layout of your keys once, prove that it is sound, use it with types.

pub use keyscape_codec::{KeyBuf, Malformed, Sink, Uint as U256};
pub use keyscape_keys::{Buffer, DomainError, Field, Keyspace};
#[cfg(feature = "macros")]
pub use keyscape_macros::layout;

/// What generated code names. Nothing here is meant for people; it changes with the generator.
#[doc(hidden)]
pub mod rt {
    pub use keyscape_codec::{self as codec, KeyBuf, Malformed, Sink};
    pub use keyscape_keys::{DomainError, Dynamic, Field, Keyspace, cut, leaf};
    pub use std::{borrow::Cow, fmt, str::FromStr, sync::LazyLock};
}
