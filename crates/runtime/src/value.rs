//! What rows hold, and how it is written and read.

mod forms;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "proto")]
mod proto;
mod reads;

pub use forms::{Be, Bool, Bytes, Const, Constant, Dec, Empty, Le, OfField, Text, Wrapped};
#[cfg(feature = "json")]
pub use json::Json;
#[cfg(feature = "proto")]
pub use proto::Proto;
pub use reads::Reads;

use crate::{DomainError, Rows};
use std::fmt;

/// A form of values: how they become the bytes of a row and back.
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
/// A program's own form implements this; the forms that layouts name are here.
pub trait ValueForm: 'static {
    /// What a read borrows from the row.
    type View<'v>;

    /// What a read that borrows nothing returns.
    type Owned: 'static;

    /// What a write takes.
    type Input<'v>;

    /// Appends the bytes of a value.
    ///
    /// # Errors
    /// [`DomainError`] if the value is not of the form's domain.
    fn encode(input: Self::Input<'_>, out: &mut Vec<u8>) -> Result<(), DomainError>;

    /// The bytes of a value, where it has them as they are written. Then they are written from there.
    fn as_bytes<'a>(input: &'a Self::Input<'_>) -> Option<&'a [u8]> {
        let _ = input;
        None
    }

    /// The value with these bytes.
    ///
    /// # Errors
    /// [`BadValue`] if the bytes are not of this form.
    fn decode(bytes: &[u8]) -> Result<Self::View<'_>, BadValue>;

    /// The same value, borrowing nothing.
    fn into_owned(view: Self::View<'_>) -> Self::Owned;

    /// Appends the bytes of a value that was read.
    ///
    /// # Errors
    /// As [`ValueForm::encode`].
    fn encode_owned(owned: &Self::Owned, out: &mut Vec<u8>) -> Result<(), DomainError>;
}

/// What a read of a keyspace borrows from a row.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Motto;
/// let motto: keyscape_runtime::ViewOf<'_, Motto> = "ink";
/// ```
pub type ViewOf<'v, K> = <<K as Rows>::Value as ValueForm>::View<'v>;

/// What a read of a keyspace returns that borrows nothing.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Motto;
/// let motto: keyscape_runtime::OwnedOf<Motto> = "ink".to_owned();
/// ```
pub type OwnedOf<K> = <<K as Rows>::Value as ValueForm>::Owned;

/// What a write to a keyspace takes.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::Motto;
/// let motto: keyscape_runtime::InputOf<'_, Motto> = "ink";
/// ```
pub type InputOf<'v, K> = <<K as Rows>::Value as ValueForm>::Input<'v>;

/// The bytes of a row are not a value of its form.
///
/// ```
/// use keyscape_runtime::BadValue;
///
/// let error = "x".parse::<u8>().expect_err("no number");
/// let bad = BadValue::new("it is no number").because(error);
/// assert_eq!(bad.to_string(), "it is no number");
/// assert!(std::error::Error::source(&bad).is_some());
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct BadValue {
    /// Why not.
    pub reason: String,
    /// What the library that reads the form said.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BadValue {
    /// Bytes that are not of a form, for this reason.
    #[must_use]
    pub fn new(reason: impl fmt::Display) -> Self {
        Self { reason: reason.to_string(), source: None }
    }

    /// The same with what the library that reads the form said.
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
