//! Declarations of values that rows contain as protobuf messages, in a canonical form.
//!
//! Fields are written in ascending order of their tags. A field that is not repeated is always
//! written, even with its default. Decoding accepts only this form, so rows and values correspond
//! one to one.

use crate::layout::paw::{Account, Party, Token};
use keyscape::{U256, ValueForm, forms::Dec};

/// Declares messages: structures with a tag for each field.
macro_rules! messages {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $tag:literal $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::values::message::Field for $name {
            fn write(&self, tag: u32, out: &mut Vec<u8>) {
                let mut bytes = Vec::new();
                $(self.$field.write($tag, &mut bytes);)*
                $crate::values::message::write_bytes(&bytes, tag, out);
            }
            fn read(
                from: &mut $crate::values::message::Reader<'_>,
                tag: u32,
            ) -> Result<$name, $crate::values::BadMessage> {
                $name::parse($crate::values::message::read_bytes(from, tag)?)
            }
        }

        impl $name {
            fn parse(bytes: &[u8]) -> Result<$name, $crate::values::BadMessage> {
                let mut from = $crate::values::message::Reader(bytes);
                let message =
                    $name { $($field: $crate::values::message::Field::read(&mut from, $tag)?,)* };
                from.end().map(|()| message)
            }
        }

        impl keyscape::ValueForm for $name {
            type View<'v> = $name;
            type Owned = $name;
            type Input<'v> = &'v $name;

            fn encode(message: &$name, out: &mut Vec<u8>) -> Result<(), keyscape::DomainError> {
                $($crate::values::message::Field::write(&message.$field, $tag, out);)*
                Ok(())
            }
            fn decode(bytes: &[u8]) -> Result<$name, keyscape::BadValue> {
                $name::parse(bytes).map_err(keyscape::BadValue::new)
            }
            fn into_owned(message: $name) -> $name {
                message
            }
            fn encode_owned(message: &$name, out: &mut Vec<u8>) -> Result<(), keyscape::DomainError> {
                Self::encode(message, out)
            }
        }
    )*};
}

/// Declares choices: enums that are written as numbers.
macro_rules! choices {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $number:literal $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant = $number,)*
        }

        impl $crate::values::message::Field for $name {
            fn write(&self, tag: u32, out: &mut Vec<u8>) {
                (*self as u64).write(tag, out);
            }
            fn read(
                from: &mut $crate::values::message::Reader<'_>,
                tag: u32,
            ) -> Result<$name, $crate::values::BadMessage> {
                match u64::read(from, tag)? {
                    $($number => Ok($name::$variant),)*
                    _ => Err($crate::values::BadMessage::Field(tag)),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(match self {
                    $($name::$variant => $text,)*
                })
            }
        }
    )*};
}

pub(super) use {choices, messages};

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
const VARINT: u64 = 0;
const LENGTH: u64 = 2;

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7F) as u8);
}

/// Reads the fields of a message one after another.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn varint(&mut self) -> Result<u64, BadMessage> {
        let mut number = 0;
        for index in 0..10 {
            let (&byte, rest) = self.0.split_first().ok_or(BadMessage::CutOff)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7F);
            let shifted = bits << (7 * index);
            // The tenth byte has one bit, and the last byte of a longer number is not zero.
            if shifted >> (7 * index) != bits || (byte == 0 && index > 0) {
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

    /// Returns an error if bytes are left.
    pub(crate) fn end(&self) -> Result<(), BadMessage> {
        if self.0.is_empty() { Ok(()) } else { Err(BadMessage::Trailing) }
    }

    /// Reads the key of a field.
    fn key(&mut self, tag: u32, wire: u64) -> Result<(), BadMessage> {
        if self.varint() == Ok(u64::from(tag) << 3 | wire) {
            Ok(())
        } else {
            Err(BadMessage::Field(tag))
        }
    }
}

/// The content of a field.
pub(crate) trait Field: Sized {
    /// Writes the field.
    fn write(&self, tag: u32, out: &mut Vec<u8>);
    /// Reads the field.
    ///
    /// # Errors
    /// [`BadMessage`].
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<Self, BadMessage>;
}

impl<T: Field> Field for Vec<T> {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|part| part.write(tag, out));
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<Vec<T>, BadMessage> {
        let mut parts = Vec::new();
        while Reader(from.0).key(tag, LENGTH).is_ok() {
            parts.push(T::read(from, tag)?);
        }
        Ok(parts)
    }
}

impl Field for u64 {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        put_varint(u64::from(tag) << 3 | VARINT, out);
        put_varint(*self, out);
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<u64, BadMessage> {
        from.key(tag, VARINT)?;
        from.varint()
    }
}

impl Field for bool {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        u64::from(*self).write(tag, out);
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<bool, BadMessage> {
        let number = u64::read(from, tag)?;
        if number < 2 { Ok(number == 1) } else { Err(BadMessage::Field(tag)) }
    }
}

/// Writes a field that consists of bytes.
pub(crate) fn write_bytes(bytes: &[u8], tag: u32, out: &mut Vec<u8>) {
    put_varint(u64::from(tag) << 3 | LENGTH, out);
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Reads a field that consists of bytes.
pub(crate) fn read_bytes<'a>(from: &mut Reader<'a>, tag: u32) -> Result<&'a [u8], BadMessage> {
    from.key(tag, LENGTH)?;
    from.bytes()
}

fn bad(error: &impl ToString) -> BadMessage {
    BadMessage::Value(error.to_string())
}

/// Implements [`Field`] for types that are written as bytes.
macro_rules! written_as_bytes {
    ($($type:ty: |$value:ident| $bytes:expr, |$read:ident| $parsed:expr;)*) => {$(
        impl Field for $type {
            fn write(&self, tag: u32, out: &mut Vec<u8>) {
                let $value = self;
                write_bytes($bytes, tag, out);
            }
            fn read(from: &mut Reader<'_>, tag: u32) -> Result<Self, BadMessage> {
                let $read = read_bytes(from, tag)?;
                $parsed.map_err(|error| bad(&error))
            }
        }
    )*};
}

written_as_bytes! {
    String: |text| text.as_bytes(), |bytes| String::from_utf8(bytes.to_vec());
    [u8; 32]: |digest| digest, |bytes| bytes.try_into();
    Account<'static>: |account| account.as_bytes(), |bytes| Account::new(bytes.to_vec());
    Party<'static>: |party| party.as_bytes(), |bytes| Party::new(bytes.to_vec());
    // Decimal text, as the origin stores amounts.
    U256: |amount| amount.to_string().as_bytes(), |bytes| Dec::<U256>::decode(bytes);
}

impl Field for Token<'static> {
    fn write(&self, tag: u32, out: &mut Vec<u8>) {
        write_bytes(self.as_str().as_bytes(), tag, out);
    }
    fn read(from: &mut Reader<'_>, tag: u32) -> Result<Self, BadMessage> {
        Token::new(String::read(from, tag)?).map_err(|error| bad(&error))
    }
}
