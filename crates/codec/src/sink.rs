//! Targets for encodings: a vector, or a buffer on the stack.

use alloc::vec::Vec;

/// A target for the bytes of a key, in order.
///
/// ```
/// use keyscape_codec::Sink;
///
/// let mut key = Vec::new();
/// Sink::put(&mut key, b"o/");
/// Sink::push(&mut key, 7);
/// assert_eq!(key, b"o/\x07");
/// ```
pub trait Sink {
    /// Appends bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Appends one byte.
    fn push(&mut self, byte: u8) {
        self.put(&[byte]);
    }
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        Self::push(self, byte);
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        (**self).put(bytes);
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        (**self).push(byte);
    }
}

/// A key of at most `N` bytes, without allocation.
///
/// Bytes that do not fit are dropped, and [`KeyBuf::bytes`] then returns an error: a key is never
/// silently truncated.
///
/// ```
/// use keyscape_codec::{KeyBuf, fixed, sink::Sink};
///
/// let mut key = KeyBuf::<9>::new();
/// key.push(0x01);
/// fixed::put_be(7_u64, &mut key);
/// assert_eq!(key.bytes(), Ok(&[1, 0, 0, 0, 0, 0, 0, 0, 7][..]));
/// key.push(0);
/// assert!(key.bytes().is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeyBuf<const N: usize> {
    bytes: [u8; N],
    // INVARIANT: length <= N.
    length: usize,
    full: bool,
}

impl<const N: usize> KeyBuf<N> {
    /// Creates an empty key.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; N], length: 0, full: false }
    }

    /// Returns the bytes of the key.
    ///
    /// # Errors
    /// [`Overflow`] if more than `N` bytes were written.
    #[inline]
    pub fn bytes(&self) -> Result<&[u8], Overflow> {
        match self.bytes.get(..self.length) {
            Some(bytes) if !self.full => Ok(bytes),
            _ => Err(Overflow { capacity: N }),
        }
    }

    /// Removes all bytes.
    #[inline]
    pub const fn clear(&mut self) {
        self.length = 0;
        self.full = false;
    }
}

impl<const N: usize> Default for KeyBuf<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Sink for KeyBuf<N> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let rest = self.bytes.get_mut(self.length..);
        match rest.and_then(|rest| rest.get_mut(..bytes.len())) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.length += bytes.len();
            }
            None => self.full = true,
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        match self.bytes.get_mut(self.length) {
            Some(place) => {
                *place = byte;
                self.length += 1;
            }
            None => self.full = true,
        }
    }
}

/// The error of a [`KeyBuf`] that was too small.
///
/// ```
/// use keyscape_codec::{KeyBuf, Overflow, Sink};
///
/// let mut key = KeyBuf::<1>::new();
/// key.put(b"ab");
/// assert_eq!(key.bytes(), Err(Overflow { capacity: 1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key is longer than {capacity} bytes")]
pub struct Overflow {
    /// The capacity of the buffer in bytes.
    pub capacity: usize,
}
