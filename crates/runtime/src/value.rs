//! Value forms: the bytes of the values of rows.

mod forms;
#[cfg(any(feature = "json", feature = "proto"))]
mod serialized;

pub use forms::{Be, Bool, Bytes, Const, Constant, Dec, Empty, Le, OfField, Text, Wrapped};
#[cfg(feature = "json")]
pub use serialized::Json;
#[cfg(feature = "proto")]
pub use serialized::Proto;

use crate::{DomainError, Keyspace};
use std::{fmt, marker::PhantomData};

/// A value form: encodes and decodes the values of rows.
///
/// ```
/// use keyscape_runtime::{BadValue, DomainError, ValueForm};
///
/// /// Degrees, as one byte.
/// struct Degrees;
///
/// impl ValueForm for Degrees {
///     type View<'v> = i8;
///     type Owned = i8;
///     type Input<'v> = i8;
///
///     fn encode(input: i8, out: &mut Vec<u8>) -> Result<(), DomainError> {
///         out.extend_from_slice(&input.to_be_bytes());
///         Ok(())
///     }
///
///     fn decode(bytes: &[u8]) -> Result<i8, BadValue> {
///         let bytes = bytes.try_into().map_err(|_| BadValue::new("not one byte"))?;
///         Ok(i8::from_be_bytes(bytes))
///     }
///
///     fn into_owned(view: i8) -> i8 {
///         view
///     }
///
///     fn encode_owned(owned: &i8, out: &mut Vec<u8>) -> Result<(), DomainError> {
///         Self::encode(*owned, out)
///     }
/// }
///
/// assert_eq!(Degrees::decode(&[0xff])?, -1);
/// # Ok::<(), BadValue>(())
/// ```
///
/// This crate has the forms that layouts name. A program can implement its own.
pub trait ValueForm: 'static {
    /// A value that borrows from the row.
    type View<'v>;

    /// An owned value.
    type Owned: 'static;

    /// A value to write.
    type Input<'v>;

    /// Appends the encoded value.
    ///
    /// # Errors
    /// [`DomainError`] if the value is outside the domain of the form.
    fn encode(input: Self::Input<'_>, out: &mut Vec<u8>) -> Result<(), DomainError>;

    /// Returns the encoded value if the value already contains it. Then it is not copied.
    fn as_bytes<'a>(input: &'a Self::Input<'_>) -> Option<&'a [u8]> {
        let _ = input;
        None
    }

    /// Decodes a value.
    ///
    /// # Errors
    /// [`BadValue`] if the bytes do not have this form.
    fn decode(bytes: &[u8]) -> Result<Self::View<'_>, BadValue>;

    /// Decodes the value of the row with this key. All reads of rows use this function. A form that
    /// depends on the key implements it. In a hash, the key is that of the field.
    ///
    /// # Errors
    /// [`BadValue`] if the bytes are not a value of this row.
    fn decode_row<'v>(key: &[u8], bytes: &'v [u8]) -> Result<Self::View<'v>, BadValue> {
        let _ = key;
        Self::decode(bytes)
    }

    /// Copies a value.
    fn into_owned(view: Self::View<'_>) -> Self::Owned;

    /// Appends the encoding of an owned value.
    ///
    /// # Errors
    /// As [`ValueForm::encode`].
    fn encode_owned(owned: &Self::Owned, out: &mut Vec<u8>) -> Result<(), DomainError>;
}

/// A keyspace whose rows hold a value.
///
/// ```
/// # use keyscape_samples::shop::layout::Motto;
/// use keyscape_runtime::{Rows, ValueForm};
///
/// /// Encodes a value of a keyspace.
/// fn bytes<K: Rows>(value: <K::Value as ValueForm>::Input<'_>) -> Option<Vec<u8>> {
///     let mut out = Vec::new();
///     K::Value::encode(value, &mut out).ok().map(|()| out)
/// }
/// assert_eq!(bytes::<Motto>("ink").as_deref(), Some(&b"ink"[..]));
/// ```
pub trait Rows: Keyspace {
    /// The form of the value.
    type Value: ValueForm;
}

/// The borrowed value of a keyspace.
pub type ViewOf<'v, K> = <<K as Rows>::Value as ValueForm>::View<'v>;

/// The owned value of a keyspace.
pub type OwnedOf<K> = <<K as Rows>::Value as ValueForm>::Owned;

/// The value that a write to a keyspace takes.
pub type InputOf<'v, K> = <<K as Rows>::Value as ValueForm>::Input<'v>;

/// The error for bytes that are not a value of their form.
///
/// ```
/// use keyscape_runtime::BadValue;
///
/// let error = "x".parse::<u8>().expect_err("no number");
/// let bad = BadValue::new("it is not a number").because(error);
/// assert_eq!(bad.to_string(), "it is not a number");
/// assert!(std::error::Error::source(&bad).is_some());
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct BadValue {
    /// The reason why the bytes do not decode.
    pub reason: String,
    /// The error of the library that decodes the form.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BadValue {
    /// Creates an error with a reason.
    #[must_use]
    pub fn new(reason: impl fmt::Display) -> Self {
        Self { reason: reason.to_string(), source: None }
    }

    /// Adds the error of the library that decodes the form.
    #[must_use]
    pub fn because(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }
}

impl From<keyscape_codec::Malformed> for BadValue {
    fn from(malformed: keyscape_codec::Malformed) -> Self {
        Self::new(malformed.reason)
    }
}

/// A form that writes `A`, and reads `A` or the older form `B`. Bytes that are valid in both forms
/// are read as `A`. [`Upgrade`] converts values of `B`.
///
/// ```
/// use keyscape_runtime::{Dec, Be, Reads, ValueForm};
///
/// type Amount = Reads<Dec<u64>, Be<u32>>;
/// assert_eq!(Amount::decode(b"7")?, 7);
/// assert_eq!(Amount::decode(&[0, 0, 1, 0])?, 256);
/// assert!(Amount::decode(b"x").is_err());
/// # Ok::<(), keyscape_runtime::BadValue>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reads<A, B>(PhantomData<(A, B)>);

impl<A: ValueForm, B: ValueForm> ValueForm for Reads<A, B>
where
    B::Owned: Upgrade<A::Owned>,
{
    /// Borrowed values of the two forms would have different types.
    type View<'v> = A::Owned;
    type Owned = A::Owned;
    type Input<'v> = A::Input<'v>;

    fn encode(input: A::Input<'_>, out: &mut Vec<u8>) -> Result<(), DomainError> {
        A::encode(input, out)
    }

    fn decode(bytes: &[u8]) -> Result<A::Owned, BadValue> {
        Self::decode_row(&[], bytes)
    }

    fn decode_row(key: &[u8], bytes: &[u8]) -> Result<A::Owned, BadValue> {
        match A::decode_row(key, bytes) {
            Ok(view) => Ok(A::into_owned(view)),
            Err(bad) => match B::decode_row(key, bytes) {
                Ok(view) => B::into_owned(view).upgrade(key),
                Err(also) => Err(BadValue {
                    reason: format!("{}; and in the older form: {}", bad.reason, also.reason),
                    source: bad.source,
                }),
            },
        }
    }

    fn into_owned(view: A::Owned) -> A::Owned {
        view
    }

    fn encode_owned(owned: &A::Owned, out: &mut Vec<u8>) -> Result<(), DomainError> {
        A::encode_owned(owned, out)
    }
}

/// Converts a value of an older form, with the key of its row at hand. Implemented for every type
/// that implements [`TryInto`]; a conversion that depends on the key implements only this trait.
///
/// ```
/// use keyscape_runtime::{BadValue, Upgrade};
///
/// // Older rows held the number and repeated the first byte of the key.
/// struct Old(Vec<u8>);
/// impl Upgrade<u16> for Old {
///     fn upgrade(self, key: &[u8]) -> Result<u16, BadValue> {
///         match (&self.0[..], key) {
///             ([byte, first], [expected, ..]) if first == expected => Ok(u16::from(*byte)),
///             _ => Err(BadValue::new("it belongs to another key")),
///         }
///     }
/// }
/// let number: u16 = Old(vec![7, b'k']).upgrade(b"k1")?;
/// assert_eq!(number, 7);
/// let wrong: Result<u16, BadValue> = Old(vec![7, b'x']).upgrade(b"k1");
/// assert!(wrong.is_err());
/// # Ok::<(), BadValue>(())
/// ```
pub trait Upgrade<T> {
    /// Converts the value of the row with this key.
    ///
    /// # Errors
    /// [`BadValue`] if the value has no counterpart, or does not belong to the key.
    fn upgrade(self, key: &[u8]) -> Result<T, BadValue>;
}

impl<T, Old: TryInto<T, Error: fmt::Display>> Upgrade<T> for Old {
    fn upgrade(self, _: &[u8]) -> Result<T, BadValue> {
        self.try_into().map_err(BadValue::new)
    }
}
