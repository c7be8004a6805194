//! The forms of row values in the checked model.

use crate::model::{Keyspace, Type};
use keyscape_codec::wrapper::Wrapper;
use std::sync::Arc;

/// The form of the value of a row. Keys do not depend on it.
#[derive(Clone, Debug)]
pub enum RowValue {
    /// Nothing.
    Empty,
    /// Fixed bytes.
    Const(Vec<u8>),
    /// JSON, perhaps of a named type.
    Json(Option<String>),
    /// A protobuf message of the program.
    Proto(String),
    /// A codec, a declared type, or a wrapper message of protobuf.
    Typed(TypedValue),
    /// A type that the program knows and the layout does not.
    Own(String),
}

/// The type of a value whose contents the layout knows.
#[derive(Clone, Debug)]
pub struct TypedValue {
    /// The type. As a value, `dec` has 256 bits, and `text` and `bytes` have any length.
    pub ty: Arc<Type>,
    /// The value form as the layout writes it, without a default length.
    pub text: String,
    /// The protobuf message that the value is the only field of. Then `ty` has the same values in
    /// other bytes.
    pub wrapper: Option<Wrapper>,
}

/// The value of an entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue<'a> {
    /// The bytes of the map's key after the literals that it begins with.
    OwnerKey,
    /// Always the same bytes.
    Fixed(&'a [u8]),
}

impl Keyspace {
    /// Returns the value of an entry of an index, if it follows from the row of the map: a `unique`
    /// index holds the key as `bytes`, any other is `empty` or `const`. A layout can describe other
    /// forms, but only the program can write them.
    #[must_use]
    pub fn entry_value(&self) -> Option<EntryValue<'_>> {
        match (&self.value, self.unique) {
            (None, true) => Some(EntryValue::OwnerKey),
            (Some(RowValue::Typed(typed)), true) => match &*typed.ty {
                Type::Leaf(leaf) if leaf.is_bytes() => Some(EntryValue::OwnerKey),
                _ => None,
            },
            (None | Some(RowValue::Empty), false) => Some(EntryValue::Fixed(b"")),
            (Some(RowValue::Const(bytes)), false) => Some(EntryValue::Fixed(bytes)),
            _ => None,
        }
    }
}
