//! The encoding of rows: protobuf messages in a canonical form.
//!
//! Fields are written in ascending order of their tags. A field that is neither optional nor
//! repeated is always written, even with its default. Decoding accepts only this form, so rows and
//! values correspond one to one.

use crate::layout::paw::{Account, Party, Token};
use keyscape::{U256, ValueForm, forms::Dec};

/// The reason why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadMessage {
    /// The bytes end inside a field.
    #[error("the message is cut off")]
    CutOff,
    /// A field is missing, out of order or of another type.
    #[error("field {0} is missing or malformed")]
    Field(u32),
    /// Bytes follow the last field.
    #[error("the message has more fields than its type")]
    Trailing,
    /// A field has a value that its type does not allow.
    #[error("{0}")]
    Value(String),
}

/// Varints have wire type 0, everything else has a length and wire type 2.
const VARINT: u8 = 0;
const LENGTH: u8 = 2;

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7F) as u8);
}

/// Reads the fields of a message one after another.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn varint(&mut self) -> Result<u64, BadMessage> {
        let mut number = 0;
        for place in 0..10 {
            let (&byte, rest) = self.0.split_first().ok_or(BadMessage::CutOff)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7F);
            let shifted = bits << (7 * place);
            // The tenth byte has one bit, and the last byte of a longer number is not zero.
            if shifted >> (7 * place) != bits || (byte == 0 && place > 0) {
                break;
            }
            number |= shifted;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(BadMessage::Value("a number has another spelling than its shortest".into()))
    }

    fn bytes(&mut self) -> Result<&'a [u8], BadMessage> {
        let length = usize::try_from(self.varint()?).map_err(|_| BadMessage::CutOff)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(BadMessage::CutOff)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads the key of a field if it is the next one.
    fn has(&mut self, tag: u32, wire: u8) -> bool {
        let mut after = Reader(self.0);
        let is_next = after.varint() == Ok(u64::from(tag) << 3 | u64::from(wire));
        if is_next {
            self.0 = after.0;
        }
        is_next
    }
}

/// The value of one field.
pub(crate) trait Part: Sized {
    /// Writes the value without its length.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the value out of its bytes.
    ///
    /// # Errors
    /// [`BadMessage`].
    fn get(bytes: &[u8]) -> Result<Self, BadMessage>;
}

/// A number that is written as a varint.
pub(crate) trait Number: Copy {
    /// Returns the number.
    fn number(self) -> u64;
    /// Returns the value of a number, if it has one.
    fn of(number: u64) -> Option<Self>;
}

impl Number for u64 {
    fn number(self) -> u64 {
        self
    }
    fn of(number: u64) -> Option<u64> {
        Some(number)
    }
}

impl Number for bool {
    fn number(self) -> u64 {
        self.into()
    }
    fn of(number: u64) -> Option<bool> {
        (number < 2).then_some(number == 1)
    }
}

/// The content of a field: a part, a number, an optional part or a list of parts.
pub(crate) trait Field: Sized {
    /// Writes the field.
    fn write(&self, tag: u32, out: &mut Vec<u8>);
    /// Reads the field.
    ///
    /// # Errors
    /// [`BadMessage`].
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<Self, BadMessage>;
}

impl<T: Part> Field for T {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        put_varint(u64::from(tag) << 3 | u64::from(LENGTH), out);
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        put_varint(bytes.len() as u64, out);
        out.extend_from_slice(&bytes);
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<T, BadMessage> {
        if from.has(tag, LENGTH) { T::get(from.bytes()?) } else { Err(BadMessage::Field(tag)) }
    }
}

impl<T: Part> Field for Vec<T> {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|part| part.write(tag, out));
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<Vec<T>, BadMessage> {
        let mut parts = Vec::new();
        while from.has(tag, LENGTH) {
            parts.push(T::get(from.bytes()?)?);
        }
        Ok(parts)
    }
}

/// Implements [`Field`] for numbers.
macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl $crate::values::wire::Field for $type {
            fn write(&self, tag: u32, out: &mut Vec<u8>) {
                $crate::values::wire::write_number(
                    $crate::values::wire::Number::number(*self), tag, out);
            }
            fn read(
                from: &mut $crate::values::wire::Reader<'_>,
                tag: u32,
            ) -> Result<Self, $crate::values::BadMessage> {
                $crate::values::wire::read_number(from, tag)
            }
        }
    )*};
}
pub(crate) use numbers;

pub(crate) fn write_number(number: u64, tag: u32, out: &mut Vec<u8>) {
    put_varint(u64::from(tag) << 3 | u64::from(VARINT), out);
    put_varint(number, out);
}

pub(crate) fn read_number<T: Number>(from: &mut Reader<'_>, tag: u32) -> Result<T, BadMessage> {
    if !from.has(tag, VARINT) {
        return Err(BadMessage::Field(tag));
    }
    T::of(from.varint()?).ok_or(BadMessage::Field(tag))
}

numbers!(u64, bool);

/// Reads a whole message.
pub(crate) fn message<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, BadMessage>,
) -> Result<T, BadMessage> {
    let mut from = Reader(bytes);
    let message = read(&mut from)?;
    if from.0.is_empty() { Ok(message) } else { Err(BadMessage::Trailing) }
}

fn bad(error: &impl ToString) -> BadMessage {
    BadMessage::Value(error.to_string())
}

/// Decimal text, as the origin stores amounts.
impl Part for U256 {
    fn put(&self, out: &mut Vec<u8>) {
        // A decimal has no domain, so this does not fail.
        let _ = Dec::<U256>::encode(*self, out);
    }
    fn get(bytes: &[u8]) -> Result<U256, BadMessage> {
        Dec::<U256>::decode(bytes).map_err(|error| bad(&error))
    }
}

impl Part for String {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
    fn get(bytes: &[u8]) -> Result<String, BadMessage> {
        String::from_utf8(bytes.to_vec()).map_err(|error| bad(&error))
    }
}

impl Part for [u8; 32] {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn get(bytes: &[u8]) -> Result<[u8; 32], BadMessage> {
        bytes.try_into().map_err(|error| bad(&error))
    }
}

/// Implements [`Part`] for types of the layout.
macro_rules! of_layout {
    ($($type:ident: $bytes:ident $read:expr),*) => {$(
        impl Part for $type<'static> {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(self.$bytes().as_ref());
            }
            fn get(bytes: &[u8]) -> Result<Self, BadMessage> {
                $type::new($read(bytes)?).map_err(|error| bad(&error))
            }
        }
    )*};
}

of_layout!(
    Account: as_bytes owned,
    Party: as_bytes owned,
    Token: as_str String::get
);

fn owned(bytes: &[u8]) -> Result<Vec<u8>, BadMessage> {
    Ok(bytes.to_vec())
}
