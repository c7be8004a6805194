//! Each codec compared with handwritten code.

mod checksummed;
mod decimal;
mod fixed_width;
mod strings;

use crate::{Entry, Format, Group, Side, side::agree};
use std::marker::PhantomData;

/// A codec, and handwritten code that writes the same bytes and rejects the same ones.
pub(crate) trait Contest: 'static {
    /// The text of the codec in a layout, with the encoded values.
    const ID: &'static str;
    /// A description of the handwritten code.
    const HAND: &'static str;
    /// The type of the encoded values.
    type Value;
    /// The type that decoding returns. It is compared with the encoded value.
    type Read<'a>: PartialEq<Self::Value>;

    fn values() -> Vec<Self::Value>;
    fn ours(value: &Self::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8]));
    fn hand(value: &Self::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8]));
    fn read_ours(key: &[u8]) -> Option<Self::Read<'_>>;
    fn read_hand(key: &[u8]) -> Option<Self::Read<'_>>;
}

struct Ours<C>(PhantomData<C>);
struct Hand<C>(PhantomData<C>);

impl<C: Contest> Format for Ours<C> {
    type Value = C::Value;
    type Read<'a> = C::Read<'a>;
    const NAME: &'static str = "Keyscape";

    #[inline]
    fn encode(&mut self, value: &C::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8])) {
        C::ours(value, buffer, emit);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8]) -> Option<C::Read<'a>> {
        C::read_ours(key)
    }
}

impl<C: Contest> Format for Hand<C> {
    type Value = C::Value;
    type Read<'a> = C::Read<'a>;
    const NAME: &'static str = "by hand";
    const ENCODE_NOTE: &'static str = C::HAND;
    const DECODE_NOTE: &'static str = C::HAND;

    #[inline]
    fn encode(&mut self, value: &C::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8])) {
        C::hand(value, buffer, emit);
    }

    #[inline]
    fn decode<'a>(&mut self, key: &'a [u8]) -> Option<C::Read<'a>> {
        C::read_hand(key)
    }
}

fn encode<C: Contest>() -> Group {
    agree(&mut Ours::<C>(PhantomData), &mut Hand::<C>(PhantomData), &C::values());
    let ours = Side::encode(Ours::<C>(PhantomData), C::values());
    let hand = Side::encode(Hand::<C>(PhantomData), C::values());
    Group { title: format!("{}, encode", C::ID), sides: vec![ours, hand] }
}

fn decode<C: Contest>() -> Group {
    let ours = Side::decode(Ours::<C>(PhantomData), &C::values());
    let hand = Side::decode(Hand::<C>(PhantomData), &C::values());
    Group { title: format!("{}, decode", C::ID), sides: vec![ours, hand] }
}

fn both<C: Contest>() -> [Entry; 2] {
    [
        Entry { id: format!("codec {} encode", C::ID), build: encode::<C> },
        Entry { id: format!("codec {} decode", C::ID), build: decode::<C> },
    ]
}

/// Returns the groups of all codecs.
#[must_use]
pub fn entries() -> Vec<Entry> {
    [
        both::<fixed_width::BigEndian>(),
        both::<fixed_width::LittleEndian>(),
        both::<fixed_width::Flip>(),
        both::<fixed_width::SignByte>(),
        both::<fixed_width::Float>(),
        both::<fixed_width::Descending>(),
        both::<decimal::Unsigned>(),
        both::<decimal::Signed>(),
        both::<strings::Len8>(),
        both::<strings::Nul>(),
        both::<fixed_width::Hex>(),
        both::<fixed_width::Rev>(),
        both::<checksummed::Bech32>(),
        both::<checksummed::Base58Check>(),
    ]
    .concat()
}
