//! Codecs by their descriptions: the static functions that write and read them, and the code that
//! builds those without such functions.

use keyscape_codec::{Arg, Description, IntBounds, IntType, Uint, Values, fixed::Endian};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The innermost codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// Bytes of an integer.
    Fixed {
        /// The least significant byte first.
        little: bool,
    },
    /// Decimal text.
    Dec,
    /// With the sign turned.
    Flip,
    /// A sign byte first.
    SignI64 {
        /// The sign of numbers below zero.
        neg: u8,
        /// The sign of the others.
        pos: u8,
    },
    /// One byte.
    Bool,
    /// A number that sorts.
    Float,
    /// A varint.
    Leb128,
    VarintMsb,
    /// A varint of Bitcoin.
    CompactSize,
    /// A varint that sorts.
    UvarintOrdered,
    /// Text or bytes, as they are.
    Words,
}

/// A codec around text or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// Nothing.
    None,
    /// A length of one byte.
    Len8,
    /// A length of two or four bytes.
    Len {
        /// `u16` or `u32`.
        int: &'static str,
        /// The least significant byte first.
        little: bool,
    },
    /// A length as a varint.
    LenVar,
    /// A zero byte at the end.
    Nul,
    /// Hexadecimal text.
    Hex,
    /// The last byte first.
    Rev,
    /// Hexadecimal text, the last byte first.
    HexRev,
}

/// The generated form of a codec.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// By static functions.
    Static(Base, Wrap),
    /// By the codec, built once.
    Dynamic,
}

/// Returns the form of a codec, and the description of the text or bytes inside, if it has some.
pub(crate) fn form(codec: &Description) -> (Form, Option<&Description>) {
    if let Some((wrap, words)) = words(codec) {
        return (Form::Static(Base::Words, wrap), Some(words));
    }
    match base(codec) {
        Some(base) => (Form::Static(base, Wrap::None), None),
        None => (Form::Dynamic, None),
    }
}

/// Returns text or bytes with at most one wrap around them; `hex(rev(…))` counts as one.
fn words(codec: &Description) -> Option<(Wrap, &Description)> {
    if codec.values == Values::Words {
        return Some((Wrap::None, codec));
    }
    let inner = codec.inner()?;
    let (wrap, words) = match (wrap(codec.name)?, inner.name) {
        (Wrap::Hex, "rev") => (Wrap::HexRev, inner.inner()?),
        (wrap, _) => (wrap, inner),
    };
    (words.values == Values::Words).then_some((wrap, words))
}

fn wrap(name: &str) -> Option<Wrap> {
    Some(match name {
        "len8" => Wrap::Len8,
        "len16" => Wrap::Len { int: "u16", little: false },
        "len16le" => Wrap::Len { int: "u16", little: true },
        "len32" => Wrap::Len { int: "u32", little: false },
        "len32le" => Wrap::Len { int: "u32", little: true },
        "lenvar" => Wrap::LenVar,
        "nul" => Wrap::Nul,
        "hex" => Wrap::Hex,
        "rev" => Wrap::Rev,
        _ => return None,
    })
}

fn base(codec: &Description) -> Option<Base> {
    let byte = |wanted: &str| {
        codec.args.iter().find_map(|arg| match arg {
            Arg::Named(name, value) if name == wanted => match **value {
                [byte] => Some(byte),
                _ => None,
            },
            _ => None,
        })
    };
    Some(match codec.name {
        "dec" => Base::Dec,
        "flip" => Base::Flip,
        "sign_i64" => Base::SignI64 { neg: byte("neg")?, pos: byte("pos")? },
        "bool" => Base::Bool,
        "f64" => Base::Float,
        "leb128" => Base::Leb128,
        "varint_msb" => Base::VarintMsb,
        "compact_size" => Base::CompactSize,
        "uvarint_ordered" => Base::UvarintOrdered,
        name => {
            let (_, endian) = keyscape_codec::fixed_type(name)?;
            Base::Fixed { little: endian == Endian::Little }
        }
    })
}

/// Returns the types of both integers of a codec of pairs, and whether all of their values are
/// allowed.
pub(crate) fn pair(codec: &Description) -> Option<([IntType; 2], bool)> {
    match *codec.base().args {
        [Arg::Int(a), Arg::Int(b), ..] => Some(([a, b], true)),
        [Arg::Int(a) | Arg::IntIn(a, _), Arg::Int(b) | Arg::IntIn(b, _), ..] => {
            Some(([a, b], false))
        }
        _ => None,
    }
}

/// Returns Rust that builds a codec: the argument of `rt::Dynamic::new`.
pub(crate) fn builder(codec: &Description) -> TokenStream {
    let name = codec.name;
    let mut call = quote!(rt::codec::Call::new(#name));
    for arg in &codec.args {
        let arg = argument(arg);
        call = quote!(#call.arg(#arg));
    }
    if let Some(length) = codec.length {
        let min = Literal::u32_unsuffixed(length.min);
        let max = length.max.map_or(quote!(None), |max| {
            let max = Literal::u32_unsuffixed(max);
            quote!(Some(#max))
        });
        call = quote!(#call.length(#min, #max));
    }
    if let Some(range) = &codec.domain {
        let bounds = bounds(range);
        call = quote!(#call.domain(#bounds));
    }
    call
}

fn bounds(range: &IntBounds) -> TokenStream {
    let (low, high) = (bound(range.low), bound(range.high));
    quote!(rt::codec::IntBounds { low: #low, high: #high })
}

fn bound(end: Option<(bool, Uint)>) -> TokenStream {
    let Some((negative, magnitude)) = end else { return quote!(None) };
    let number = uint(magnitude);
    quote!(Some((#negative, #number)))
}

/// Returns an integer of 256 bits as an expression.
pub(crate) fn uint(number: Uint) -> TokenStream {
    let (high, low) = number.into_words();
    let (high, low) = (Literal::u128_unsuffixed(high), Literal::u128_unsuffixed(low));
    quote!(rt::codec::Uint::from_words(#high, #low))
}

fn int_type(of: IntType) -> TokenStream {
    let (bits, signed) = (Literal::u32_unsuffixed(of.bits), of.signed);
    quote!(rt::codec::IntType { bits: #bits, signed: #signed })
}

fn argument(arg: &Arg<Box<Description>>) -> TokenStream {
    let bytes = |bytes: &[u8]| {
        let bytes = Literal::byte_string(bytes);
        quote!(#bytes.to_vec())
    };
    match arg {
        Arg::Codec(inner) => {
            let call = builder(inner);
            quote!(rt::Dynamic::inner(#call))
        }
        Arg::Int(of) => {
            let of = int_type(*of);
            quote!(rt::codec::Arg::Int(#of))
        }
        Arg::IntIn(of, range) => {
            let (of, bounds) = (int_type(*of), bounds(range));
            quote!(rt::codec::Arg::IntIn(#of, #bounds))
        }
        Arg::Number(number) => {
            let number = uint(*number);
            quote!(rt::codec::Arg::Number(#number))
        }
        Arg::Regex { pattern, bytes } => {
            quote!(rt::codec::Arg::Regex { pattern: #pattern.into(), bytes: #bytes })
        }
        Arg::NotRegex { pattern, bytes } => {
            quote!(rt::codec::Arg::NotRegex { pattern: #pattern.into(), bytes: #bytes })
        }
        Arg::NotLiteral(literal) => {
            let literal = bytes(literal);
            quote!(rt::codec::Arg::NotLiteral(#literal))
        }
        Arg::Named(name, value) => {
            let value = bytes(value);
            quote!(rt::codec::Arg::Named(#name.into(), #value))
        }
        Arg::Literal(literal) => {
            let literal = bytes(literal);
            quote!(rt::codec::Arg::Literal(#literal))
        }
    }
}
