//! Values that other libraries serialize.

use crate::{BadValue, DomainError, ValueForm};
use std::marker::PhantomData;
#[cfg(feature = "json")]
use {
    keyscape_codec::ValueError,
    serde::{Serialize, de::DeserializeOwned},
    std::any::type_name,
};

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
#[cfg(feature = "json")]
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(PhantomData<T>);

#[cfg(feature = "json")]
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

/// A protobuf message.
///
/// Decoding drops fields that the message type does not declare, so rewriting a row loses them.
/// Programs that share rows with newer programs must not rewrite them.
///
/// ```
/// use keyscape_runtime::{Proto, ValueForm};
///
/// // prost encodes `u64` as a message with one such field, numbered 1.
/// let mut row = Vec::new();
/// Proto::<u64>::encode(&7, &mut row)?;
/// assert_eq!(row, [0x08, 7]);
/// assert_eq!(Proto::<u64>::decode(&row)?, 7);
/// assert!(Proto::<u64>::decode(&[0x08]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "proto")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Proto<T>(PhantomData<T>);

#[cfg(feature = "proto")]
impl<T: prost::Message + Default + 'static> ValueForm for Proto<T> {
    type View<'v> = T;
    type Owned = T;
    type Input<'v> = &'v T;

    fn encode(input: &T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        // Encoding fails only if the buffer is too small, and a vector grows.
        out.extend_from_slice(&input.encode_to_vec());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<T, BadValue> {
        T::decode(bytes)
            .map_err(|error| BadValue::new(format!("as protobuf: {error}")).because(error))
    }

    fn into_owned(view: T) -> T {
        view
    }

    fn encode_owned(owned: &T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        Self::encode(owned, out)
    }
}
