//! `len8(c)`: one byte for the length, then the encoding of `c`. [`lengths`](crate::lengths)
//! contains the codec itself.

use crate::{Malformed, sink::Sink};

/// The largest length that one byte holds.
pub const MOST: usize = 255;

/// A body of more than 255 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes do not fit a length byte, which holds at most 255")]
pub struct TooLong {
    /// The number of bytes.
    pub length: usize,
}

/// Writes the length of `bytes` and then `bytes`.
///
/// # Errors
/// [`TooLong`] above 255 bytes; nothing is written then.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) -> Result<(), TooLong> {
    let length = u8::try_from(bytes.len()).map_err(|_| TooLong { length: bytes.len() })?;
    sink.push(length);
    sink.put(bytes);
    Ok(())
}

/// Parses a length and that many bytes from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; nothing is consumed then.
///
/// ```
/// let mut key = &b"\x02abrest"[..];
/// assert_eq!(keyscape_codec::len8::take(&mut key)?, b"ab");
/// assert_eq!(key, b"rest");
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
#[inline]
pub fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    const SHORT: Malformed =
        Malformed { reason: "a length is larger than the bytes that follow it" };
    let (&length, rest) = bytes.split_first().ok_or(SHORT)?;
    let (body, rest) = rest.split_at_checked(usize::from(length)).ok_or(SHORT)?;
    *bytes = rest;
    Ok(body)
}

/// Parses all of `bytes` as a length and that many bytes.
///
/// # Errors
/// [`Malformed`] if the length is not that of the rest.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut rest = bytes;
    let body = take(&mut rest)?;
    if rest.is_empty() {
        Ok(body)
    } else {
        Err(Malformed { reason: "a length is smaller than the bytes that follow it" })
    }
}
