//! Writing and reading the values of one codec.

use crate::{
    codec_form::{Base, Form, Wrap, builder},
    domain::WordsDomain,
    names::ident,
    rust_type::{IntName, LeafType, RustType},
};
use keyscape_layout::model::Leaf;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl LeafType {
    /// Appends a value. `value` is the value itself if it is `Copy`, else a place; `domain` and
    /// `codec` are the constants of the type or field.
    pub(crate) fn put(&self, value: &TokenStream, codec: &TokenStream, what: &str) -> TokenStream {
        let Form::Static(base, wrap) = &self.form else {
            return quote!(#codec.put(#what, &#value, out)?;);
        };
        match base {
            Base::Fixed { little: false } => quote!(rt::codec::fixed::put_be(#value, out);),
            Base::Fixed { little: true } => quote!(rt::codec::fixed::put_le(#value, out);),
            Base::Dec if self.is("u64") => quote!(rt::codec::dec::put_u64(#value, out);),
            Base::Dec if self.is_wide() => quote!(rt::codec::dec::put_u256(#value, out);),
            Base::Dec => quote!(rt::codec::dec::put(#value, out);),
            Base::Flip => quote!(rt::codec::flip::put(#value, out);),
            Base::SignI64 { neg, pos } => {
                let signs = signs(*neg, *pos);
                quote!(rt::codec::sign_i64::put(#value, #signs, out);)
            }
            Base::Bool => quote!(rt::codec::boolean::put(#value, out);),
            Base::Float => quote!(rt::leaf::put_float(#what, #value, out)?;),
            Base::Leb128 => quote!(rt::codec::leb128::put(#value, out);),
            Base::VarintMsb => quote!(rt::codec::varint_msb::put(#value, out);),
            Base::CompactSize => quote!(rt::codec::compact_size::put(u64::from(#value), out);),
            Base::UvarintOrdered => {
                quote!(rt::codec::uvarint_ordered::put(u64::from(#value), out);)
            }
            Base::Words => self.put_words(*wrap, value, what),
        }
    }

    fn put_words(&self, wrap: Wrap, value: &TokenStream, what: &str) -> TokenStream {
        let bytes = match self.view {
            RustType::Text => quote!(#value.as_bytes()),
            _ => quote!(&#value[..]),
        };
        match wrap {
            Wrap::None => quote!(out.put(#bytes);),
            Wrap::Len8 => quote!(rt::leaf::fits(#what, rt::codec::len8::put(#bytes, out))?;),
            Wrap::Len { int, little } => {
                let (put, int) = (ident(if little { "put_le" } else { "put_be" }), ident(int));
                quote!(rt::leaf::fits(#what, rt::codec::lengths::#put::<#int>(#bytes, out))?;)
            }
            Wrap::LenVar => quote!(rt::codec::lengths::put_var(#bytes, out);),
            Wrap::Nul => quote!(rt::codec::nul::put(#bytes, out);),
            Wrap::Hex => quote!(rt::codec::hex::put(#bytes, out);),
            Wrap::Rev => quote!(rt::codec::rev::put(#bytes, out);),
            Wrap::HexRev => quote!(rt::codec::hex::put(&rt::codec::rev::reversed(#value), out);),
        }
    }

    /// Reads a value from all of `bytes` and returns a `Result`. The domain of integers is not
    /// checked.
    pub(crate) fn parse(
        &self,
        bytes: &TokenStream,
        codec: &TokenStream,
        domain: &TokenStream,
    ) -> TokenStream {
        let ty = self.view.tokens(&quote!('_));
        let Form::Static(base, wrap) = &self.form else {
            return quote!(#codec.parse::<#ty>(#bytes));
        };
        match base {
            Base::Fixed { little: false } => quote!(rt::codec::fixed::parse_be::<#ty>(#bytes)),
            Base::Fixed { little: true } => quote!(rt::codec::fixed::parse_le::<#ty>(#bytes)),
            Base::Dec if self.is("u64") => quote!(rt::codec::dec::parse_u64(#bytes)),
            Base::Dec if self.is_wide() => quote!(rt::codec::dec::parse_u256(#bytes)),
            Base::Dec => quote!(rt::codec::dec::parse::<#ty>(#bytes)),
            Base::Flip => quote!(rt::codec::flip::parse::<#ty>(#bytes)),
            Base::SignI64 { neg, pos } => {
                let signs = signs(*neg, *pos);
                quote!(rt::codec::sign_i64::parse(#bytes, #signs))
            }
            Base::Bool => quote!(rt::codec::boolean::parse(#bytes)),
            Base::Float => quote!(rt::codec::float::parse(#bytes)),
            Base::Leb128 => quote!(rt::codec::leb128::parse::<#ty>(#bytes)),
            Base::VarintMsb => quote!(rt::codec::varint_msb::parse::<#ty>(#bytes)),
            Base::CompactSize => self.narrowed(quote!(rt::codec::compact_size::parse(#bytes))),
            Base::UvarintOrdered => {
                self.narrowed(quote!(rt::codec::uvarint_ordered::parse(#bytes)))
            }
            Base::Words => self.parse_words(*wrap, bytes, domain),
        }
    }

    /// Converts a value of 64 bits to the type of the field.
    fn narrowed(&self, parsed: TokenStream) -> TokenStream {
        if self.is("u64") {
            return parsed;
        }
        let ty = self.view.tokens(&quote!('_));
        quote!(#parsed.and_then(|wide| <#ty>::try_from(wide).map_err(|_| rt::leaf::outside())))
    }

    fn parse_words(&self, wrap: Wrap, bytes: &TokenStream, domain: &TokenStream) -> TokenStream {
        let length = self.length();
        let inner = match wrap {
            Wrap::None => return self.parse_bare(bytes, domain),
            Wrap::Len8 => quote!(rt::codec::len8::parse(#bytes)),
            Wrap::Len { .. } | Wrap::LenVar => {
                let take = self.take_words(wrap, &quote!(rest));
                quote!({
                    let mut rest = #bytes;
                    #take.and_then(|body| rt::cut::end(rest).map(|()| body))
                })
            }
            Wrap::Nul => quote!(rt::codec::nul::parse(#bytes)),
            Wrap::Rev => {
                return quote!(rt::leaf::array::<#length>(#bytes).map(rt::codec::rev::reversed));
            }
            Wrap::HexRev => {
                return quote!(rt::leaf::hex_array::<#length>(#bytes).map(rt::codec::rev::reversed));
            }
            Wrap::Hex if matches!(self.view, RustType::Array(_)) => {
                return quote!(rt::leaf::hex_array::<#length>(#bytes));
            }
            Wrap::Hex => return self.parse_hex(bytes, domain),
        };
        self.in_domain(&inner, domain)
    }

    /// Bytes that are the value as they are.
    fn parse_bare(&self, bytes: &TokenStream, domain: &TokenStream) -> TokenStream {
        let length = self.length();
        let full = self.words.as_ref().is_some_and(WordsDomain::is_full);
        match self.view {
            RustType::Array(_) => quote!(rt::leaf::array::<#length>(#bytes)),
            RustType::Text if full => quote!(rt::leaf::any_text(#bytes).map(rt::Cow::Borrowed)),
            RustType::Text => quote!(rt::leaf::text(#bytes, &#domain).map(rt::Cow::Borrowed)),
            _ if full => quote!(Ok::<_, rt::Malformed>(rt::Cow::Borrowed(#bytes))),
            _ => quote!(rt::leaf::bytes(#bytes, &#domain).map(rt::Cow::Borrowed)),
        }
    }

    fn parse_hex(&self, bytes: &TokenStream, domain: &TokenStream) -> TokenStream {
        let owned = quote!(rt::leaf::hex_bytes(#bytes));
        match self.view {
            RustType::Text => quote! {
                #owned.and_then(|bytes| {
                    rt::leaf::text(&bytes, &#domain).map(|text| rt::Cow::Owned(text.to_owned()))
                })
            },
            _ => quote! {
                #owned.and_then(|bytes| {
                    rt::leaf::bytes(&bytes, &#domain)?;
                    Ok(rt::Cow::Owned(bytes))
                })
            },
        }
    }

    /// Converts the body of text or bytes to a value.
    fn in_domain(&self, body: &TokenStream, domain: &TokenStream) -> TokenStream {
        let length = self.length();
        let full = self.words.as_ref().is_some_and(WordsDomain::is_full);
        match self.view {
            RustType::Array(_) => quote!(#body.and_then(rt::leaf::array::<#length>)),
            RustType::Text if full => {
                quote!(#body.and_then(rt::leaf::any_text).map(rt::Cow::Borrowed))
            }
            RustType::Text => {
                quote!(#body.and_then(|body| rt::leaf::text(body, &#domain)).map(rt::Cow::Borrowed))
            }
            _ if full => quote!(#body.map(rt::Cow::Borrowed)),
            _ => {
                quote!(#body.and_then(|body| rt::leaf::bytes(body, &#domain)).map(rt::Cow::Borrowed))
            }
        }
    }

    /// Takes the bytes of a value off the left of `rest`, if that can be done without knowing what
    /// follows: a `Result` of them. They are read with [`LeafType::parse_taken`].
    pub(crate) fn take(&self, rest: &TokenStream) -> Option<TokenStream> {
        let Form::Static(base, wrap) = &self.form else { return None };
        let ty = self.view.tokens(&quote!('_));
        match (base, wrap) {
            (Base::Words, Wrap::Len8 | Wrap::Len { .. } | Wrap::LenVar | Wrap::Nul) => {
                Some(self.take_words(*wrap, rest))
            }
            (Base::Leb128, _) => Some(quote!(rt::codec::leb128::take::<#ty>(&mut #rest))),
            (Base::VarintMsb, _) => Some(quote!(rt::codec::varint_msb::take::<#ty>(&mut #rest))),
            (Base::CompactSize, _) => {
                Some(self.narrowed(quote!(rt::codec::compact_size::take(&mut #rest))))
            }
            (Base::UvarintOrdered, _) => {
                Some(self.narrowed(quote!(rt::codec::uvarint_ordered::take(&mut #rest))))
            }
            _ => None,
        }
    }

    fn take_words(&self, wrap: Wrap, rest: &TokenStream) -> TokenStream {
        match wrap {
            Wrap::Len { int, little } => {
                let (take, int) = (ident(if little { "take_le" } else { "take_be" }), ident(int));
                quote!(rt::codec::lengths::#take::<#int>(&mut #rest))
            }
            Wrap::LenVar => quote!(rt::codec::lengths::take_var(&mut #rest)),
            Wrap::Nul => quote!(rt::codec::nul::take(&mut #rest)),
            _ => quote!(rt::codec::len8::take(&mut #rest)),
        }
    }

    /// Converts the result of [`LeafType::take`] to a value and returns a `Result`.
    pub(crate) fn parse_taken(&self, taken: TokenStream, domain: &TokenStream) -> TokenStream {
        match &self.form {
            Form::Static(Base::Words, _) => self.in_domain(&taken, domain),
            _ => taken,
        }
    }

    /// Returns the length of an array.
    fn length(&self) -> Literal {
        Literal::usize_unsuffixed(match self.view {
            RustType::Array(length) => length,
            _ => 0,
        })
    }

    /// Whether the value is this type of integers.
    fn is(&self, name: &str) -> bool {
        matches!(self.view, RustType::Int(IntName(of)) if keyscape_codec::int_type(name) == Some(of))
    }

    fn is_wide(&self) -> bool {
        self.is("u256")
    }
}

fn signs(neg: u8, pos: u8) -> TokenStream {
    let (neg, pos) = (Literal::u8_unsuffixed(neg), Literal::u8_unsuffixed(pos));
    quote!(rt::codec::sign_i64::Signs { neg: #neg, pos: #pos })
}

/// Generates the codec of a leaf without a static form. It is built on first use.
pub(crate) fn dynamic(leaf: &Leaf) -> TokenStream {
    let call = builder(&leaf.codec.describe());
    quote!(rt::LazyLock::new(|| rt::Dynamic::new(#call)))
}
