//! Values as protobuf messages.

use crate::{BadValue, DomainError, ValueForm};
use prost::Message;
use std::marker::PhantomData;

/// A protobuf message.
///
/// Fields that the message type does not know are dropped when it is read, so that a row that is
/// read and written again loses them. Programs that share rows with newer ones must not rewrite them.
///
/// ```
/// use keyscape_runtime::{Proto, ValueForm};
///
/// // `u64` stands for the message with one such field, numbered 1.
/// let mut row = Vec::new();
/// Proto::<u64>::encode(&7, &mut row)?;
/// assert_eq!(row, [0x08, 7]);
/// assert_eq!(Proto::<u64>::decode(&row)?, 7);
/// assert!(Proto::<u64>::decode(&[0x08]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Proto<T>(PhantomData<T>);

impl<T: Message + Default + 'static> ValueForm for Proto<T> {
    type View<'v> = T;
    type Owned = T;
    type Input<'v> = &'v T;

    fn encode(input: &T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        // Writing to a vector cannot run out of room, the only failure that there is.
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
