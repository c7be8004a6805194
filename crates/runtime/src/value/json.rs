//! Values as JSON.

use crate::{BadValue, DomainError, ValueForm};
use keyscape_codec::ValueError;
use serde::{Serialize, de::DeserializeOwned};
use std::{any::type_name, marker::PhantomData};

/// A value as JSON, written without spaces in the order of its fields.
///
/// ```
/// use keyscape_runtime::{Json, ValueForm};
///
/// let mut row = Vec::new();
/// Json::<Vec<u8>>::encode(&vec![1, 2], &mut row)?;
/// assert_eq!(row, b"[1,2]");
/// assert_eq!(Json::<Vec<u8>>::decode(&row)?, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned + 'static> ValueForm for Json<T> {
    type View<'v> = T;
    type Owned = T;
    type Input<'v> = &'v T;

    fn encode(input: &T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        serde_json::to_writer(out, input).map_err(|error| DomainError {
            what: type_name::<T>(),
            source: ValueError::Outside { allowed: format!("what JSON can hold: {error}") },
        })
    }

    fn decode(bytes: &[u8]) -> Result<T, BadValue> {
        serde_json::from_slice(bytes)
            .map_err(|error| BadValue::new(format!("as JSON: {error}")).because(error))
    }

    fn into_owned(view: T) -> T {
        view
    }

    fn encode_owned(owned: &T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        Self::encode(owned, out)
    }
}
