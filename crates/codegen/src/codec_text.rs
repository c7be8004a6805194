//! Codecs by their canonical text: which static functions write and read them, and how they are built
//! where there are none.

use keyscape_codec::{Codec, Uint};
use keyscape_layout::{
    FileId,
    syntax::{ast, parse},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// What the innermost codec writes.
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

/// What stands around text or bytes.
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
    /// A zero byte behind.
    Nul,
    /// Hexadecimal text.
    Hex,
    /// The last byte first.
    Rev,
    /// Hexadecimal text, the last byte first.
    HexRev,
}

/// How a codec is written and read.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// By static functions.
    Static(Base, Wrap),
    /// By the codec, built once.
    Dynamic,
}

/// The expression that the text of a codec is.
pub(crate) fn expression(text: &str) -> Option<ast::TypeExpr> {
    let (file, diagnostics) = parse(&format!("store s type T = {text}"), FileId::default());
    if !diagnostics.is_empty() {
        return None;
    }
    file.decls.into_iter().find_map(|decl| match decl {
        ast::Decl::Type(ast::TypeDecl { body: ast::TypeBody::Expr(expr), .. }) => Some(expr),
        _ => None,
    })
}

/// The form of a codec, and the text or bytes inside if it has some.
pub(crate) fn form(codec: &dyn Codec) -> (Form, Option<ast::TypeExpr>) {
    let known = expression(&codec.text()).and_then(|expr| known(&expr));
    match known {
        Some((base, wrap, words)) => (Form::Static(base, wrap), words),
        None => (Form::Dynamic, None),
    }
}

fn known(expr: &ast::TypeExpr) -> Option<(Base, Wrap, Option<ast::TypeExpr>)> {
    let name = expr.name.text.as_str();
    if matches!(name, "text" | "bytes") {
        return Some((Base::Words, Wrap::None, Some(expr.clone())));
    }
    if let Some(wrap) = wrap(name) {
        let inner = inner(expr)?;
        let (wrap, words) = match (wrap, inner.name.text.as_str()) {
            (Wrap::Hex, "rev") => (Wrap::HexRev, self::inner(inner)?),
            (wrap, _) => (wrap, inner),
        };
        let is_words = matches!(words.name.text.as_str(), "text" | "bytes");
        return is_words.then(|| (Base::Words, wrap, Some(words.clone())));
    }
    Some((base(expr)?, Wrap::None, None))
}

fn inner(expr: &ast::TypeExpr) -> Option<&ast::TypeExpr> {
    match expr.args.as_slice() {
        [ast::TypeArg::Type(inner)] => Some(inner),
        _ => None,
    }
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

fn base(expr: &ast::TypeExpr) -> Option<Base> {
    let byte = |wanted: &str| {
        expr.args.iter().find_map(|arg| match arg {
            ast::TypeArg::Named { name, value } if name.text == wanted => match *value.bytes {
                [byte] => Some(byte),
                _ => None,
            },
            _ => None,
        })
    };
    Some(match expr.name.text.as_str() {
        "dec" => Base::Dec,
        "flip" => Base::Flip,
        "sign_i64" => Base::SignI64 { neg: byte("neg")?, pos: byte("pos")? },
        "bool" => Base::Bool,
        "f64" => Base::Float,
        "leb128" => Base::Leb128,
        "varint_msb" => Base::VarintMsb,
        "compact_size" => Base::CompactSize,
        "uvarint_ordered" => Base::UvarintOrdered,
        "u8" | "i8" => Base::Fixed { little: false },
        name => {
            let (of, little) = match (name.strip_suffix("be"), name.strip_suffix("le")) {
                (Some(of), _) => (of, false),
                (_, Some(of)) => (of, true),
                _ => return None,
            };
            keyscape_codec::int_type(of)?;
            Base::Fixed { little }
        }
    })
}

/// The type of integers that a codec names first, without its byte order: `u64` in `desc(u64be)`.
pub(crate) fn named_int(text: &str) -> Option<keyscape_codec::IntType> {
    if text.starts_with("sign_i64") {
        return keyscape_codec::int_type("i64");
    }
    fn find(expr: &ast::TypeExpr) -> Option<keyscape_codec::IntType> {
        let name = expr.name.text.as_str();
        let plain = name.strip_suffix("be").or(name.strip_suffix("le")).unwrap_or(name);
        keyscape_codec::int_type(plain).or_else(|| {
            expr.args.iter().find_map(|arg| match arg {
                ast::TypeArg::Type(inner) => find(inner),
                _ => None,
            })
        })
    }
    find(&expression(text)?)
}

/// The types of both integers of a codec of pairs, and whether all of their values are allowed.
pub(crate) fn pair(text: &str) -> Option<([keyscape_codec::IntType; 2], bool)> {
    let expr = expression(text)?;
    let ints = expr.args.iter().filter_map(|arg| match arg {
        ast::TypeArg::Type(of) => Some((keyscape_codec::int_type(&of.name.text)?, of)),
        _ => None,
    });
    match *ints.collect::<Vec<_>>() {
        [(a, first), (b, second)] => {
            Some(([a, b], first.domain.is_none() && second.domain.is_none()))
        }
        _ => None,
    }
}

/// Rust that builds a codec: the argument of `rt::Dynamic::new`.
pub(crate) fn builder(expr: &ast::TypeExpr) -> TokenStream {
    let name = &expr.name.text;
    let mut call = quote!(rt::codec::Call::new(#name));
    for arg in &expr.args {
        let arg = argument(arg);
        call = quote!(#call.arg(#arg));
    }
    if let Some(range) = &expr.length {
        let (min, max) = length(range);
        let min = Literal::u32_unsuffixed(min);
        let max = max.map_or(quote!(None), |max| {
            let max = Literal::u32_unsuffixed(max);
            quote!(Some(#max))
        });
        call = quote!(#call.length(#min, #max));
    }
    if let Some(range) = &expr.domain {
        let bounds = bounds(range);
        call = quote!(#call.domain(#bounds));
    }
    call
}

/// The fewest and the most bytes. Canonical texts write both ends included.
pub(crate) fn length(range: &ast::Range) -> (u32, Option<u32>) {
    let number = |int: &ast::Int| u32::try_from(int.magnitude).unwrap_or(u32::MAX);
    (range.low.as_ref().map_or(0, number), range.high.as_ref().map(number))
}

/// Canonical texts write both ends included.
fn bounds(range: &ast::Range) -> TokenStream {
    let (low, high) = (bound(range.low.as_ref()), bound(range.high.as_ref()));
    quote!(rt::codec::IntBounds { low: #low, high: #high })
}

fn bound(int: Option<&ast::Int>) -> TokenStream {
    let Some(int) = int else { return quote!(None) };
    let negative = int.negative;
    let number = uint(int.magnitude);
    quote!(Some((#negative, #number)))
}

/// An integer of 256 bits as an expression.
pub(crate) fn uint(number: Uint) -> TokenStream {
    let (high, low) = number.into_words();
    let (high, low) = (Literal::u128_unsuffixed(high), Literal::u128_unsuffixed(low));
    quote!(rt::codec::Uint::from_words(#high, #low))
}

fn argument(arg: &ast::TypeArg) -> TokenStream {
    let bytes = |bytes: &[u8]| {
        let bytes = Literal::byte_string(bytes);
        quote!(#bytes.to_vec())
    };
    match arg {
        ast::TypeArg::Type(expr) => {
            let plain = expr.args.is_empty() && expr.length.is_none();
            match keyscape_codec::int_type(&expr.name.text) {
                Some(of) if plain => {
                    let (bits, signed) = (Literal::u32_unsuffixed(of.bits), of.signed);
                    let of = quote!(rt::codec::IntType { bits: #bits, signed: #signed });
                    match &expr.domain {
                        None => quote!(rt::codec::Arg::Int(#of)),
                        Some(range) => {
                            let bounds = bounds(range);
                            quote!(rt::codec::Arg::IntIn(#of, #bounds))
                        }
                    }
                }
                _ => {
                    let call = builder(expr);
                    quote!(rt::Dynamic::inner(#call))
                }
            }
        }
        ast::TypeArg::Regex { pattern, bytes, .. } => {
            quote!(rt::codec::Arg::Regex { pattern: #pattern.into(), bytes: #bytes })
        }
        ast::TypeArg::Not(ast::NotArg::Regex { pattern, bytes, .. }) => {
            quote!(rt::codec::Arg::NotRegex { pattern: #pattern.into(), bytes: #bytes })
        }
        ast::TypeArg::Not(ast::NotArg::Lit(lit)) => {
            let lit = bytes(&lit.bytes);
            quote!(rt::codec::Arg::NotLiteral(#lit))
        }
        ast::TypeArg::Named { name, value } => {
            let (name, value) = (&name.text, bytes(&value.bytes));
            quote!(rt::codec::Arg::Named(#name.into(), #value))
        }
        ast::TypeArg::Lit(lit) => {
            let lit = bytes(&lit.bytes);
            quote!(rt::codec::Arg::Literal(#lit))
        }
        ast::TypeArg::Int(int) => {
            let number = uint(int.magnitude);
            quote!(rt::codec::Arg::Number(#number))
        }
    }
}
