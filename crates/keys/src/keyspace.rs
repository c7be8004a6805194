//! The traits that generated code implements for keyspaces and fields.

use crate::DomainError;
use keyscape_codec::{KeyBuf, Malformed, Overflow, Sink};
use std::fmt;

/// A keyspace: a marker type that knows the bytes of its keys. Generated code implements this
/// trait. All code that reads and writes rows is generic over it.
///
/// INVARIANT: `decode(encode(k)) = k`, and `decode` accepts nothing that `encode` does not write.
///
/// ```
/// use keyscape_codec::{KeyBuf, Malformed, Sink, fixed};
/// use keyscape_keys::{Buffer, DomainError, Keyspace};
///
/// /// `map notes = "n" {note: u16be} -> …`
/// #[derive(Clone, Copy, Debug)]
/// struct Notes;
///
/// impl Keyspace for Notes {
///     const NAME: &'static str = "notes";
///     const SPACE: &'static str = "desk";
///     type Buffer = KeyBuf<3>;
///     type Key<'k> = u16;
///
///     fn encode(note: &u16, out: &mut impl Sink) -> Result<(), DomainError> {
///         out.put(b"n");
///         fixed::put_be(*note, out);
///         Ok(())
///     }
///
///     fn decode(bytes: &[u8]) -> Result<u16, Malformed> {
///         fixed::parse_be(bytes.strip_prefix(b"n").ok_or(Malformed { reason: "no `n`" })?)
///     }
///
///     fn into_owned(note: u16) -> u16 {
///         note
///     }
/// }
///
/// let mut buffer = <Notes as Keyspace>::Buffer::default();
/// Notes::encode(&7, &mut buffer)?;
/// assert_eq!(buffer.written()?, b"n\0\x07");
/// assert_eq!(Notes::decode(b"n\0\x07")?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Keyspace: Copy + fmt::Debug + Send + Sync + 'static {
    /// The name in the layout.
    const NAME: &'static str;

    /// The name of the space: the store, or `store/family`.
    const SPACE: &'static str;

    /// The buffer for encoded keys: [`KeyBuf`] on the stack, or a vector if keys can be very long.
    type Buffer: Buffer;

    /// A key, which may borrow from the decoded bytes.
    type Key<'k>: Clone + fmt::Debug;

    /// Appends the bytes of a key.
    ///
    /// # Errors
    /// [`DomainError`] if parts of the key contradict each other. The domain of each part was
    /// checked when the part was created.
    fn encode(key: &Self::Key<'_>, out: &mut impl Sink) -> Result<(), DomainError>;

    /// Decodes a key.
    ///
    /// # Errors
    /// [`Malformed`] if the bytes are not a key of this keyspace.
    fn decode(bytes: &[u8]) -> Result<Self::Key<'_>, Malformed>;

    /// Converts the key to one that borrows nothing.
    fn into_owned(key: Self::Key<'_>) -> Self::Key<'static>;
}

/// A typed part: a member or score of a structure, a bound of a scan, a value.
///
/// ```
/// use keyscape_codec::{Malformed, Sink, fixed};
/// use keyscape_keys::{DomainError, Field};
///
/// /// `u16be`
/// struct Score;
///
/// impl Field for Score {
///     type View<'k> = u16;
///
///     fn encode(score: &u16, out: &mut impl Sink) -> Result<(), DomainError> {
///         fixed::put_be(*score, out);
///         Ok(())
///     }
///
///     fn decode(bytes: &[u8]) -> Result<u16, Malformed> {
///         fixed::parse_be(bytes)
///     }
///
///     fn into_owned(score: u16) -> u16 {
///         score
///     }
/// }
/// assert_eq!(Score::decode(&[1, 0]), Ok(256));
/// ```
pub trait Field: 'static {
    /// The Rust type, which may borrow from the decoded bytes.
    type View<'k>: Clone + fmt::Debug;

    /// Appends the bytes of a value.
    ///
    /// # Errors
    /// [`DomainError`] if parts of the value contradict each other.
    fn encode(view: &Self::View<'_>, out: &mut impl Sink) -> Result<(), DomainError>;

    /// Decodes a value from all of `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if the bytes are not an encoding.
    fn decode(bytes: &[u8]) -> Result<Self::View<'_>, Malformed>;

    /// Converts the value to one that borrows nothing.
    fn into_owned(view: Self::View<'_>) -> Self::View<'static>;
}

/// A buffer for an encoded key.
///
/// ```
/// use keyscape_codec::{KeyBuf, Sink};
/// use keyscape_keys::Buffer;
///
/// let mut key = KeyBuf::<2>::default();
/// key.put(b"ab");
/// assert_eq!(key.written(), Ok(&b"ab"[..]));
/// key.put(b"c");
/// assert!(key.written().is_err(), "never cut short in silence");
/// ```
pub trait Buffer: Sink + Default + Clone + fmt::Debug {
    /// Returns the written bytes.
    ///
    /// # Errors
    /// [`Overflow`] if more bytes were written than the buffer can hold.
    fn written(&self) -> Result<&[u8], Overflow>;
}

impl<const N: usize> Buffer for KeyBuf<N> {
    #[inline]
    fn written(&self) -> Result<&[u8], Overflow> {
        self.bytes()
    }
}

impl Buffer for Vec<u8> {
    #[inline]
    fn written(&self) -> Result<&[u8], Overflow> {
        Ok(self)
    }
}
