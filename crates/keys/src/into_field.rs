//! Plain values for keys and fields.

use crate::DomainError;
use std::borrow::Cow;

/// A value that a program can pass for a key, a field, a member or a score of type `T`.
///
/// It is a `T`, a reference to one, or a plain value: text or bytes for a type with a domain, an
/// integer for a range of integers, and a tuple for a key with several fields. Generated code
/// implements the trait for these values.
///
/// ```
/// use keyscape_keys::IntoField;
/// use std::borrow::Cow;
///
/// let name: Cow<'_, str> = "ann".into_field()?;
/// assert_eq!(name, "ann");
/// # Ok::<(), keyscape_keys::DomainError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed as `{T}`",
    label = "not a value for `{T}`",
    note = "pass a `{T}` or a reference to one; for a field with a domain, the plain text, bytes or \
            integer; for a key with several fields, a tuple of them in the order of the layout"
)]
pub trait IntoField<T> {
    /// Converts the value.
    ///
    /// # Errors
    /// [`DomainError`] with the name of the field, if the value is outside its domain.
    fn into_field(self) -> Result<T, DomainError>;
}

impl<T> IntoField<T> for T {
    #[inline]
    fn into_field(self) -> Result<T, DomainError> {
        Ok(self)
    }
}

impl<'k, T: From<&'k T>> IntoField<T> for &'k T {
    #[inline]
    fn into_field(self) -> Result<T, DomainError> {
        Ok(self.into())
    }
}

macro_rules! lent {
    ($($from:ty => $to:ty),*) => {$(
        impl<'k> IntoField<$to> for $from {
            #[inline]
            fn into_field(self) -> Result<$to, DomainError> {
                Ok(self.into())
            }
        }
    )*};
}

lent! {
    &'k str => Cow<'k, str>,
    &'k String => Cow<'k, str>,
    String => Cow<'k, str>,
    &'k [u8] => Cow<'k, [u8]>,
    &'k Vec<u8> => Cow<'k, [u8]>,
    Vec<u8> => Cow<'k, [u8]>
}
