//! Keys and fields as text and as JSON, in the forms that the CLI prints and reads.
//!
//! Generated types implement [`Textual`]. Their `Display`, `FromStr` and serde implementations
//! convert them to a [`Datum`] and back.

mod datum;
mod json;
mod line;
#[cfg(feature = "serde")]
mod serialize;

pub use datum::{Datum, Fields, leaf, list, read_arm, read_leaf, read_list};
pub use line::{parse, show};
#[cfg(feature = "serde")]
pub use serialize::{deserialize, serialize};

use crate::DomainError;

/// A generated type: its values have a text and a JSON form.
///
/// ```
/// use keyscape_keys::text::{Datum, Textual};
///
/// // The key of a keyspace without fields.
/// assert_eq!(().to_datum(), Datum::Record(Vec::new()));
/// ```
pub trait Textual: Sized {
    /// The type, or the keyspace of a key, in errors.
    const WHAT: &'static str;

    /// Converts the value.
    fn to_datum(&self) -> Datum;

    /// Converts a value that was read.
    ///
    /// # Errors
    /// [`DomainError`] with the name of the field, if a part is missing, unknown or outside its
    /// domain.
    fn from_datum(datum: Datum) -> Result<Self, DomainError>;
}

impl Textual for () {
    const WHAT: &'static str = "key";

    fn to_datum(&self) -> Datum {
        Datum::Record(Vec::new())
    }

    fn from_datum(datum: Datum) -> Result<Self, DomainError> {
        Fields::read(Self::WHAT, datum)?.end(&[])
    }
}
