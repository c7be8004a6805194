//! The key type of redb tables.

use keyscape_store::compare_keys;
use redb::{Key, TypeName, Value};
use std::{borrow::Cow, cmp::Ordering};

/// Stored exactly as redb's own `&[u8]`, but compared faster. A search compares keys at each step,
/// and most keys differ early.
#[derive(Debug)]
pub(crate) struct ByteKey;

/// The type that redb stores.
type Own = &'static [u8];

impl Value for ByteKey {
    type SelfType<'a> = &'a [u8];
    type AsBytes<'a> = &'a [u8];

    fn fixed_width() -> Option<usize> {
        None
    }

    fn from_bytes<'a>(bytes: &'a [u8]) -> &'a [u8]
    where
        Self: 'a,
    {
        bytes
    }

    fn as_bytes<'a, 'b: 'a>(key: &'a &'b [u8]) -> &'a [u8]
    where
        Self: 'b,
    {
        key
    }

    fn type_name() -> TypeName {
        Own::type_name()
    }
}

impl Key for ByteKey {
    #[inline]
    fn compare(left: &[u8], right: &[u8]) -> Ordering {
        compare_keys(left, right)
    }

    fn separator<'a>(left: &'a [u8], right: &'a [u8]) -> Cow<'a, [u8]> {
        Own::separator(left, right)
    }

    fn min_encoded_key() -> Option<Cow<'static, [u8]>> {
        Own::min_encoded_key()
    }
}
