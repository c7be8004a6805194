//! What a keyspace expected where it could not read on.

use keyscape_layout::{Expected, Layout, NearMiss};

/// In one or two words, for JSON.
pub(crate) fn words(expected: &Expected) -> String {
    match expected {
        Expected::Byte(byte) => format!("0x{byte:02x}"),
        Expected::Leaf(codec) => codec.clone(),
        Expected::End => "the end of the key".to_owned(),
    }
}

/// In a sentence: `` `balances` expects 0x02 here, not 0x15 ``.
pub(crate) fn sentence(layout: &Layout, key: &[u8], miss: &NearMiss) -> String {
    let name = &layout.keyspace(miss.keyspace).name;
    let offset = miss.offset;
    let expected = match &miss.expected {
        Expected::Byte(byte) => format!("expected 0x{byte:02x}"),
        Expected::Leaf(codec) => format!("does not fit {codec}"),
        Expected::End => "the key should have ended before it".to_owned(),
    };
    match (key.get(offset), &miss.expected) {
        (Some(byte), _) => format!("`{name}`: byte {offset} (0x{byte:02x}): {expected}"),
        (None, Expected::Leaf(codec)) => format!("`{name}`: the key ends inside {codec}"),
        (None, _) => format!("`{name}`: the key ends too early: {expected}"),
    }
}
