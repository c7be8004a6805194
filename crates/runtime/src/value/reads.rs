//! Rows of older versions.

use crate::{BadValue, DomainError, ValueForm};
use std::{fmt, marker::PhantomData};

/// Writes `A`, and reads `A` or else `B`, whose values become values of `A`. Bytes that are of both
/// forms are read as `A`. A value of `B` that does not become one of `A` is corrupt.
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
    B::Owned: TryInto<A::Owned, Error: fmt::Display>,
{
    /// What borrows would have two types; both forms have one owned type.
    type View<'v> = A::Owned;
    type Owned = A::Owned;
    type Input<'v> = A::Input<'v>;

    fn encode(input: A::Input<'_>, out: &mut Vec<u8>) -> Result<(), DomainError> {
        A::encode(input, out)
    }

    fn decode(bytes: &[u8]) -> Result<A::Owned, BadValue> {
        match A::decode(bytes) {
            Ok(view) => Ok(A::into_owned(view)),
            Err(bad) => match B::decode(bytes) {
                Ok(view) => B::into_owned(view).try_into().map_err(BadValue::new),
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
