//! Facts about the codecs of leaves.

use crate::model::Leaf;
use keyscape_codec::{Kind, Values};
use std::sync::Arc;

impl Leaf {
    /// Whether both leaves have the same values with the same bytes.
    #[must_use]
    pub fn has_codec_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.codec, &other.codec) || self.codec.describe() == other.codec.describe()
    }

    /// Whether the values are bytes that are stored as they are.
    #[must_use]
    pub fn is_bytes(&self) -> bool {
        self.codec.kind() == Kind::Bytes && self.codec.describe().values == Values::Words
    }
}
