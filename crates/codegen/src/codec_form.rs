//! Codecs by their descriptions: the functions of `keyscape-codec` that write and read values, and
//! the code that builds the codecs without such functions.

use crate::names::ident;
use keyscape_codec::{
    Arg, Description, IntBounds, IntType, Number, Uint, Values, fixed::Endian, lengths::Length,
};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// The generated form of a codec.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Numbers and booleans, by functions.
    Functions(Functions),
    /// Text or bytes.
    Words(Wrap),
    /// By the codec, built once.
    Dynamic,
}

/// The functions that write and read the values of a codec.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    /// Writes a value to a sink.
    pub(crate) put: TokenStream,
    /// Parses a value from all bytes.
    pub(crate) parse: TokenStream,
    /// Parses a value from the left, if values mark their own end.
    pub(crate) take: Option<TokenStream>,
    /// Whether the type of values is a parameter of `parse` and `take`.
    pub(crate) is_generic: bool,
    /// The value form of the runtime with the same bytes.
    pub(crate) value_form: Option<&'static str>,
}

/// The codec around text or bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrap {
    None,
    Length(Length),
    Nul,
    Hex,
    Rev,
    HexRev,
}

/// Returns the form of a codec, and the description of the text or bytes inside, if it has some.
pub(crate) fn form(codec: &Description) -> (Form, Option<&Description>) {
    if let Some((wrap, words)) = words(codec) {
        return (Form::Words(wrap), Some(words));
    }
    (functions(codec).map_or(Form::Dynamic, Form::Functions), None)
}

/// Returns text or bytes with at most one wrap around them; `hex(rev(…))` counts as one.
fn words(codec: &Description) -> Option<(Wrap, &Description)> {
    if codec.values == Values::Words {
        return Some((Wrap::None, codec));
    }
    let inner = codec.inner()?;
    let (wrap, words) = match (codec.name, inner.name) {
        ("hex", "rev") => (Wrap::HexRev, inner.inner()?),
        ("hex", _) => (Wrap::Hex, inner),
        ("rev", _) => (Wrap::Rev, inner),
        ("nul", _) => (Wrap::Nul, inner),
        (name, _) => (Wrap::Length(Length::find(name)?), inner),
    };
    (words.values == Values::Words).then_some((wrap, words))
}

fn functions(codec: &Description) -> Option<Functions> {
    Some(match codec.name {
        "dec" => Functions { value_form: Some("Dec"), ..Functions::of_module("dec", "") },
        "flip" => Functions::of_module("flip", ""),
        name @ ("leb128" | "varint_msb" | "compact_size" | "uvarint_ordered") => {
            let module = ident(name);
            let take = Some(quote!(rt::codec::#module::take));
            Functions { take, ..Functions::of_module(name, "") }
        }
        "bool" => Functions {
            is_generic: false,
            value_form: Some("Bool"),
            ..Functions::of_module("boolean", "")
        },
        "f64" => Functions { is_generic: false, ..Functions::of_module("float", "") },
        "sign_i64" => {
            let (neg, pos) = (sign(codec, "neg")?, sign(codec, "pos")?);
            let signs = quote!(rt::codec::sign_i64::Signs { neg: #neg, pos: #pos });
            let (put, parse) = (quote!(#signs.put), quote!(#signs.parse));
            Functions { put, parse, take: None, is_generic: false, value_form: None }
        }
        name => {
            let (suffix, form) = match keyscape_codec::fixed_type(name)?.1 {
                Endian::Big => ("_be", "Be"),
                Endian::Little => ("_le", "Le"),
            };
            Functions { value_form: Some(form), ..Functions::of_module("fixed", suffix) }
        }
    })
}

impl Functions {
    /// Returns the functions `put` and `parse` of a module, both with a suffix.
    fn of_module(module: &str, suffix: &str) -> Self {
        let module = ident(module);
        let [put, parse] = ["put", "parse"].map(|name| {
            let name = format_ident!("{name}{suffix}");
            quote!(rt::codec::#module::#name)
        });
        Self { put, parse, take: None, is_generic: true, value_form: None }
    }
}

/// Returns the byte of a named argument.
fn sign(codec: &Description, argument: &str) -> Option<Literal> {
    codec.args.iter().find_map(|arg| match arg {
        Arg::Named(name, value) if name == argument => match **value {
            [byte] => Some(Literal::u8_unsuffixed(byte)),
            _ => None,
        },
        _ => None,
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

fn bound(end: Option<Number>) -> TokenStream {
    let Some(end) = end else { return quote!(None) };
    let (negative, magnitude) = (end.is_negative(), uint(end.magnitude()));
    quote!(Some(rt::codec::Number::new(#negative, #magnitude)))
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
        Arg::Regex { pattern, bytes, negated } => quote!(rt::codec::Arg::Regex {
            pattern: #pattern.into(),
            bytes: #bytes,
            negated: #negated
        }),
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
