//! Generated types: newtypes of leaves.

use crate::codec_form::Form;
use crate::{
    leaf::dynamic,
    names::ident,
    parts::{Def, DefKind, Parts},
    plain_value::{into_field, plain_types},
    rust_type::{LeafType, RustType},
    textual::{Textual, shown},
};
use keyscape_codec::Shown;
use keyscape_layout::model::Type;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A newtype with what is needed to write about it.
struct Newtype<'a> {
    def: &'a Def,
    leaf: &'a LeafType,
    name: Ident,
    what: &'a str,
    /// The type inside.
    inner: TokenStream,
    /// The codec or the domain, by which values are checked.
    constant: TokenStream,
}

impl Parts<'_> {
    /// Generates a type with its implementations.
    pub(crate) fn type_items(&self, def: &Def) -> TokenStream {
        match &def.kind {
            DefKind::Leaf(leaf) => newtype(def, leaf),
            DefKind::Enum(variants) => crate::compound::enumeration(def, variants),
            DefKind::Composite(segs) => self.composite(def, segs),
            DefKind::Variant(arms) => self.variant(def, arms),
        }
    }
}

fn newtype(def: &Def, leaf: &LeafType) -> TokenStream {
    let constant = match (&leaf.form, &leaf.words, &*def.ty) {
        (Form::Dynamic, _, Type::Leaf(model)) => {
            let codec = dynamic(model);
            quote! {
                fn codec() -> &'static rt::Dynamic {
                    static CODEC: rt::LazyLock<rt::Dynamic> = #codec;
                    &CODEC
                }
            }
        }
        (_, Some(words), _) => {
            let domain = words.tokens();
            quote!(const DOMAIN: rt::codec::domain::Domain = #domain;)
        }
        _ => TokenStream::new(),
    };
    let this = Newtype {
        def,
        leaf,
        name: ident(&def.name),
        what: &def.what,
        inner: leaf.view.tokens(&quote!('k)),
        constant,
    };
    let items = match leaf.view {
        RustType::Text | RustType::Bytes => this.borrowed(),
        _ => this.copied(),
    };
    let (field, text, aliases) = (this.field(), this.text(), aliases(def));
    quote!(#items #field #text #aliases)
}

/// Returns the names of equal inline domains.
fn aliases(def: &Def) -> TokenStream {
    let (name, generics) = (ident(&def.name), def.traits.generics());
    let aliases = def.aliases.iter().map(|alias| {
        let (line, alias) = (format!(" The same domain as [`{}`].", def.name), ident(alias));
        quote!(#[doc = #line] pub type #alias #generics = #name #generics;)
    });
    aliases.collect()
}

impl Newtype<'_> {
    /// Generates a check of the local `value`, if the type rejects any value.
    fn check(&self) -> Option<TokenStream> {
        if self.leaf.is_full() {
            return None;
        }
        let what = self.what;
        if matches!(self.leaf.form, Form::Dynamic) {
            return Some(quote!(Self::codec().check(#what, &value)?;));
        }
        Some(match (&self.leaf.view, &self.leaf.range) {
            (RustType::Int(name), Some(range)) => {
                let (low, high) = range.ends();
                let (low, high) = (name.literal(low), name.literal(high));
                let allowed = self.allowed();
                quote! {
                    if !(#low..=#high).contains(&value) {
                        return Err(rt::DomainError::outside(#what, #allowed).given(value));
                    }
                }
            }
            (RustType::Text, _) => {
                quote!(rt::leaf::checked(#what, Self::DOMAIN.check_text(&value))?;)
            }
            _ => quote!(rt::leaf::checked(#what, Self::DOMAIN.check_bytes(&value))?;),
        })
    }

    fn allowed(&self) -> String {
        match &*self.def.ty {
            Type::Leaf(leaf) => leaf.codec.allowed(),
            _ => String::new(),
        }
    }

    fn docs(&self) -> TokenStream {
        let mut lines = self.def.doc.clone();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("Holds {}.", self.allowed()));
        crate::doc(&lines)
    }

    /// Generates a type of text or bytes, which borrows if possible.
    fn borrowed(&self) -> TokenStream {
        let Self { def, name, inner, constant, .. } = self;
        let (docs, derives) = (self.docs(), def.traits.derives());
        let is_text = self.leaf.view == RustType::Text;
        let (borrowed, owned) =
            if is_text { (quote!(str), quote!(String)) } else { (quote!([u8]), quote!(Vec<u8>)) };
        let as_ref = if is_text {
            quote! {
                /// Returns the text.
                #[must_use]
                pub fn as_str(&self) -> &str { &self.0 }
            }
        } else {
            quote! {
                /// Returns the bytes.
                #[must_use]
                pub fn as_bytes(&self) -> &[u8] { &self.0 }
            }
        };
        let build = match self.check() {
            None => quote!(Ok(#name(self.into()))),
            Some(_) => quote!(#name::new(self)),
        };
        let plain = plain_types(self.leaf)
            .into_iter()
            .map(|from| into_field(&quote!('k), &from, &quote!(#name<'k>), &build));
        let lent = into_field(
            &quote!('k),
            &quote!(&'k #name<'_>),
            &quote!(#name<'k>),
            &quote!(Ok(self.by_ref())),
        );
        let (new, conversions) = match self.check() {
            None => {
                let from = [quote!(&'k #borrowed), owned, inner.clone()].into_iter().map(|from| {
                    quote! {
                        impl<'k> From<#from> for #name<'k> {
                            fn from(value: #from) -> Self { Self(value.into()) }
                        }
                    }
                });
                (TokenStream::new(), quote!(#(#from)*))
            }
            Some(check) => {
                let new = quote! {
                    /// Checks a value.
                    ///
                    /// # Errors
                    /// `DomainError` with the first wrong character, if the value is not allowed.
                    pub fn new(value: impl Into<#inner>) -> Result<Self, rt::DomainError> {
                        let value = value.into();
                        #check
                        Ok(Self(value))
                    }
                };
                let from = [quote!(&'k #borrowed), owned].into_iter().map(|from| quote! {
                    impl<'k> TryFrom<#from> for #name<'k> {
                        type Error = rt::DomainError;
                        fn try_from(value: #from) -> Result<Self, rt::DomainError> { Self::new(value) }
                    }
                });
                (new, quote!(#(#from)*))
            }
        };
        quote! {
            #docs
            #derives
            pub struct #name<'k>(#inner);

            impl<'k> #name<'k> {
                #constant
                #new
                #as_ref

                /// Copies the value if it is borrowed.
                #[must_use]
                pub fn into_owned(self) -> #name<'static> { #name(rt::leaf::own(self.0)) }

                /// Borrows the value.
                #[must_use]
                pub fn by_ref(&self) -> #name<'_> { #name(rt::leaf::lend(&*self.0)) }
            }

            #conversions
            #(#plain)*
            #lent

            impl<'k> From<&'k #name<'_>> for #name<'k> {
                fn from(value: &'k #name<'_>) -> Self { value.by_ref() }
            }
        }
    }

    /// Generates a type of a number, an array or a bool.
    fn copied(&self) -> TokenStream {
        let Self { def, name, inner, constant, .. } = self;
        let (docs, derives) = (self.docs(), def.traits.derives());
        let get = match self.leaf.view {
            RustType::Array(_) => quote! {
                /// Returns the bytes.
                #[must_use]
                pub const fn as_bytes(&self) -> &#inner { &self.0 }
            },
            _ => quote! {
                /// Returns the value.
                #[must_use]
                pub const fn get(self) -> #inner { self.0 }
            },
        };
        let build = match self.check() {
            None => quote!(Ok(#name(self))),
            Some(_) => quote!(#name::new(self)),
        };
        let none = TokenStream::new();
        let plain = into_field(&none, inner, &quote!(#name), &build);
        let lent = into_field(&none, &quote!(&#name), &quote!(#name), &quote!(Ok(*self)));
        let unwrap = quote! {
            impl From<#name> for #inner {
                fn from(value: #name) -> Self { value.0 }
            }
        };
        let Some(check) = self.check() else {
            return quote! {
                #plain
                #lent
                #unwrap

                #docs
                #derives
                pub struct #name(pub #inner);

                impl #name { #constant #get }

                impl From<#inner> for #name {
                    fn from(value: #inner) -> Self { Self(value) }
                }

                impl From<&#name> for #name {
                    fn from(value: &#name) -> Self { *value }
                }
            };
        };
        quote! {
            #plain
            #lent
            #unwrap

            #docs
            #derives
            pub struct #name(#inner);

            impl #name {
                #constant

                /// Checks a value.
                ///
                /// # Errors
                /// `DomainError` if the value is not allowed.
                pub fn new(value: #inner) -> Result<Self, rt::DomainError> {
                    #check
                    Ok(Self(value))
                }

                #get
            }

            impl TryFrom<#inner> for #name {
                type Error = rt::DomainError;
                fn try_from(value: #inner) -> Result<Self, rt::DomainError> { Self::new(value) }
            }

            impl From<&#name> for #name {
                fn from(value: &#name) -> Self { *value }
            }
        }
    }

    /// Generates the functions that write and read a value.
    fn field(&self) -> TokenStream {
        let Self { leaf, name, what, .. } = self;
        let borrows = self.def.traits.borrows;
        let (codec, domain) = (quote!(Self::codec()), quote!(Self::DOMAIN));
        let put = leaf.put(&quote!(view.0), &codec, what);
        let checked_later = !leaf.is_full() && !borrows && !matches!(leaf.form, Form::Dynamic);
        let parsed = |parse: TokenStream| {
            if checked_later {
                quote!(#name::new(#parse?).map_err(|_| rt::leaf::outside()))
            } else {
                quote!(#parse.map(#name))
            }
        };
        let parse = parsed(leaf.parse(&quote!(bytes), &codec, &domain));
        let take = leaf.take(&quote!(*rest)).map(|taken| {
            let parse = parsed(leaf.parse_taken(taken, &domain));
            take_fn(name, borrows, &parse)
        });
        let (own, view, any, fixed) = forms(name, borrows);
        let into_owned = if borrows { quote!(view.into_owned()) } else { quote!(view) };
        quote! {
            impl rt::Field for #fixed {
                type View<'k> = #own;

                #[inline]
                fn encode(view: &#any, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                    #put
                    Ok(())
                }

                #[inline]
                fn decode(bytes: &[u8]) -> Result<#any, rt::Malformed> { #parse }

                fn into_owned(view: #view) -> #fixed { #into_owned }
            }
            #take
        }
    }

    /// Generates the text and JSON of values.
    fn text(&self) -> TokenStream {
        let Self { name, what, .. } = self;
        let borrows = self.def.traits.borrows;
        let (.., any, _) = forms(name, borrows);
        let shown = match &*self.def.ty {
            Type::Leaf(leaf) => shown(leaf),
            _ => quote!(None),
        };
        let build = if self.leaf.is_full() {
            quote!(Ok(#name::from(value)))
        } else {
            quote!(#name::new(value))
        };
        let show = match &self.leaf.view {
            RustType::Text => quote!(f.pad(&self.0)),
            RustType::Bytes | RustType::Array(_) => quote!(rt::leaf::show(#shown, &self.0, f)),
            RustType::Pair(..) => quote!(rt::leaf::show_pair(self.0, f)),
            RustType::Float => quote!(rt::fmt::Debug::fmt(&self.0, f)),
            _ => quote!(rt::fmt::Display::fmt(&self.0, f)),
        };
        let (inner, allowed) = (self.leaf.view.tokens(&quote!('_)), self.allowed());
        let conversions = Textual { name, borrows, what }.conversions(
            &quote!(rt::text::leaf(#shown, &self.0)),
            &quote! {
                let value: #inner = rt::text::read_leaf(#what, #allowed, #shown, datum)?;
                #build
            },
        );
        quote! {
            impl rt::fmt::Display for #any {
                fn fmt(&self, f: &mut rt::fmt::Formatter<'_>) -> rt::fmt::Result { #show }
            }

            impl rt::FromStr for #any {
                type Err = rt::DomainError;
                fn from_str(text: &str) -> Result<Self, rt::DomainError> {
                    rt::text::Textual::from_datum(rt::text::Datum::text(text))
                }
            }

            #conversions
        }
    }
}

/// Returns a type as `T<'k>`, as `T<'_>` twice, and as `T<'static>`; or as `T` if it borrows
/// nothing.
pub(crate) fn forms(
    name: &Ident,
    borrows: bool,
) -> (TokenStream, TokenStream, TokenStream, TokenStream) {
    if borrows {
        (quote!(#name<'k>), quote!(#name<'_>), quote!(#name<'_>), quote!(#name<'static>))
    } else {
        (quote!(#name), quote!(#name), quote!(#name), quote!(#name))
    }
}

/// Generates the function that takes a value from the left.
pub(crate) fn take_fn(name: &Ident, borrows: bool, body: &TokenStream) -> TokenStream {
    let (this, bytes, generics) = if borrows {
        (quote!(#name<'k>), quote!(&'k [u8]), quote!(<'k>))
    } else {
        (quote!(#name), quote!(&[u8]), TokenStream::new())
    };
    quote! {
        impl #generics #this {
            /// Takes a value off the left.
            pub(super) fn take(rest: &mut #bytes) -> Result<Self, rt::Malformed> { #body }
        }
    }
}

pub(crate) fn shown_tokens(shown: &Shown) -> TokenStream {
    match shown {
        Shown::Bech32(prefix) => {
            let prefix = prefix.as_str();
            quote!(rt::leaf::shown_bech32(#prefix))
        }
        Shown::Base58Check => quote!(rt::codec::Shown::Base58Check),
        Shown::ReversedHex => quote!(rt::codec::Shown::ReversedHex),
        Shown::Utf8 => quote!(rt::codec::Shown::Utf8),
        _ => quote!(rt::codec::Shown::Hex),
    }
}
