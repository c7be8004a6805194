//! Keyspaces with values.

use crate::{Keyspace, ValueForm};

/// A keyspace whose rows hold a value.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Motto;
/// use keyscape_runtime::{Rows, ValueForm};
///
/// /// The bytes that rows of a keyspace hold for a value.
/// fn bytes<K: Rows>(value: <K::Value as ValueForm>::Input<'_>) -> Option<Vec<u8>> {
///     let mut out = Vec::new();
///     K::Value::encode(value, &mut out).ok().map(|()| out)
/// }
/// assert_eq!(bytes::<Motto>("ink").as_deref(), Some(&b"ink"[..]));
/// ```
pub trait Rows: Keyspace {
    /// How the value is written and read.
    type Value: ValueForm;
}
