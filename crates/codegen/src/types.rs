//! Generated types: newtypes of leaves.

use crate::{
    codec_form::Form,
    leaf::Constants,
    names::ident,
    parts::{Def, DefKind, Parts},
    rust_type::{LeafType, Lifetimes, RustType, Traits},
    textual::textual,
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A newtype.
struct Newtype<'a> {
    def: &'a Def,
    leaf: &'a LeafType,
    name: Ident,
    /// The type with the lifetime `'k`, if it borrows.
    this: TokenStream,
    what: &'a str,
    /// The type inside.
    inner: TokenStream,
    /// The codec or the domain, by which values are checked.
    constant: TokenStream,
    /// The allowed values in messages.
    allowed: String,
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
    let constant = match (&leaf.form, &leaf.words) {
        (Form::Dynamic, _) => {
            let codec = leaf.lazy_codec();
            quote! {
                fn codec() -> &'static rt::Dynamic {
                    static CODEC: rt::LazyLock<rt::Dynamic> = #codec;
                    &CODEC
                }
            }
        }
        (_, Some(words)) => {
            let domain = words.tokens();
            quote!(const DOMAIN: rt::codec::domain::Domain = #domain;)
        }
        _ => TokenStream::new(),
    };
    let this = Newtype {
        def,
        leaf,
        name: ident(&def.name),
        this: def.view().tokens(&quote!('k)),
        what: &def.what,
        inner: leaf.view.tokens(&quote!('k)),
        constant,
        allowed: leaf.model.codec.allowed(),
    };
    let (items, field, text, aliases) = (this.items(), this.field(), this.text(), aliases(def));
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
                let allowed = &self.allowed;
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

    fn docs(&self) -> TokenStream {
        let mut lines = self.def.doc.clone();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("Holds {}.", self.allowed));
        crate::doc(&lines)
    }

    /// Generates the type with its constructors and conversions.
    fn items(&self) -> TokenStream {
        let Self { def, leaf, name, inner, constant, .. } = self;
        let (docs, derives, generics) = (self.docs(), def.traits.derives(), def.traits.generics());
        let (borrows, check) = (def.traits.borrows, self.check());
        let into = borrows.then(|| quote!(.into()));
        let sources = match leaf.view {
            RustType::Text => vec![quote!(&'k str), quote!(String)],
            RustType::Bytes => vec![quote!(&'k [u8]), quote!(Vec<u8>)],
            _ => vec![inner.clone()],
        };
        let is_public = (check.is_none() && !borrows).then(|| quote!(pub));
        let build = match check {
            None => quote!(Ok(#name(self #into))),
            Some(_) => quote!(#name::new(self)),
        };
        let plain = leaf.view.plain_types();
        let plain = plain.iter().map(|from| into_field(&generics, from, &self.this, &build));
        let (new, conversions) = match check {
            None => {
                let cow = borrows.then(|| inner.clone());
                let from = sources.into_iter().chain(cow).map(|from| {
                    quote! {
                        impl #generics From<#from> for #name #generics {
                            fn from(value: #from) -> Self { Self(value #into) }
                        }
                    }
                });
                (None, quote!(#(#from)*))
            }
            Some(check) => {
                let from = sources.iter().map(|from| quote! {
                    impl #generics TryFrom<#from> for #name #generics {
                        type Error = rt::DomainError;
                        fn try_from(value: #from) -> Result<Self, rt::DomainError> { Self::new(value) }
                    }
                });
                (Some(self.new_fn(&check)), quote!(#(#from)*))
            }
        };
        let access = self.access_fns();
        let lent = from_reference(name, def.traits, || quote!(value.by_ref()));
        let unwrap = (!borrows).then(|| {
            quote! {
                impl From<#name> for #inner {
                    fn from(value: #name) -> Self { value.0 }
                }
            }
        });
        quote! {
            #docs
            #derives
            pub struct #name #generics(#is_public #inner);

            impl #generics #name #generics {
                #constant
                #new
                #access
            }

            #conversions
            #(#plain)*
            #lent
            #unwrap
        }
    }

    /// Generates the constructor of a type that rejects some values.
    fn new_fn(&self, check: &TokenStream) -> TokenStream {
        let inner = &self.inner;
        let (parameter, error, into) = if self.def.traits.borrows {
            let error =
                " `DomainError` with the first wrong character, if the value is not allowed.";
            (quote!(impl Into<#inner>), error, Some(quote!(let value = value.into();)))
        } else {
            (quote!(#inner), " `DomainError` if the value is not allowed.", None)
        };
        quote! {
            /// Checks a value.
            ///
            /// # Errors
            #[doc = #error]
            pub fn new(value: #parameter) -> Result<Self, rt::DomainError> {
                #into
                #check
                Ok(Self(value))
            }
        }
    }

    /// Generates the functions that return the value inside.
    fn access_fns(&self) -> TokenStream {
        let (name, inner) = (&self.name, &self.inner);
        let get = match self.leaf.view {
            RustType::Text => quote! {
                /// Returns the text.
                #[must_use]
                pub fn as_str(&self) -> &str { &self.0 }
            },
            RustType::Bytes => quote! {
                /// Returns the bytes.
                #[must_use]
                pub fn as_bytes(&self) -> &[u8] { &self.0 }
            },
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
        let copies = self.def.traits.borrows.then(|| {
            quote! {
                /// Copies the value if it is borrowed.
                #[must_use]
                pub fn into_owned(self) -> #name<'static> { #name(rt::leaf::own(self.0)) }

                /// Borrows the value.
                #[must_use]
                pub fn by_ref(&self) -> #name<'_> { #name(rt::leaf::lend(&*self.0)) }
            }
        });
        quote!(#get #copies)
    }

    /// Generates the functions that write and read a value.
    fn field(&self) -> TokenStream {
        let Self { leaf, name, what, .. } = self;
        let borrows = self.def.traits.borrows;
        let put = leaf.put(&quote!(view.0), what, Constants::OfType);
        let checked_later = !leaf.is_full() && !borrows && !matches!(leaf.form, Form::Dynamic);
        let parsed = |parse: &TokenStream| {
            if checked_later {
                quote!(#name::new(#parse?).map_err(|_| rt::leaf::outside()))
            } else {
                quote!(#parse.map(#name))
            }
        };
        let parse = parsed(&leaf.parse(&quote!(bytes), Constants::OfType));
        let take = leaf.take(&quote!(*rest), Constants::OfType);
        let take = take.map(|take| take_fn(name, borrows, &parsed(&take)));
        let field = def_field_impl(self.def, &put, &parse);
        quote!(#field #take)
    }

    /// Generates the text and JSON of values.
    fn text(&self) -> TokenStream {
        let Self { name, what, .. } = self;
        let any = self.def.view().tokens(&quote!('_));
        let shown = self.leaf.shown();
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
        let (inner, allowed) = (self.leaf.view.tokens(&quote!('_)), &self.allowed);
        let conversions = textual(
            &any,
            what,
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

/// Generates `impl rt::Field for …`. `encode` uses `view` and `out`, `decode` uses `bytes`, and
/// `into_owned` uses `view`.
pub(crate) fn field_impl(
    this: &TokenStream,
    view: &RustType,
    [encode, decode, into_owned]: [&TokenStream; 3],
) -> TokenStream {
    let Lifetimes { named, any, owned } = view.lifetimes();
    quote! {
        impl rt::Field for #this {
            type View<'k> = #named;

            #[inline]
            fn encode(view: &#any, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                #encode
                Ok(())
            }

            #[inline]
            fn decode(bytes: &[u8]) -> Result<#any, rt::Malformed> { #decode }

            fn into_owned(view: #any) -> #owned { #into_owned }
        }
    }
}

/// Generates `impl rt::Field for …` of a generated type.
pub(crate) fn def_field_impl(def: &Def, encode: &TokenStream, decode: &TokenStream) -> TokenStream {
    let into_owned = if def.traits.borrows { quote!(view.into_owned()) } else { quote!(view) };
    let view = def.view();
    field_impl(&view.tokens(&quote!('static)), &view, [encode, decode, &into_owned])
}

/// Generates the conversion of a plain value. `value` converts `self`.
pub(crate) fn into_field(
    generics: &TokenStream,
    from: &TokenStream,
    to: &TokenStream,
    value: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics rt::IntoField<#to> for #from {
            #[inline]
            fn into_field(self) -> Result<#to, rt::DomainError> { #value }
        }
    }
}

/// Generates `From<&T>`. `lend` borrows the parts of `value`.
pub(crate) fn from_reference(
    name: &Ident,
    traits: Traits,
    lend: impl FnOnce() -> TokenStream,
) -> TokenStream {
    let lend = match traits {
        Traits { borrows: true, .. } => lend(),
        Traits { copies: true, .. } => quote!(*value),
        _ => quote!(value.clone()),
    };
    let (generics, from, to) = if traits.borrows {
        (quote!(<'k>), quote!(&'k #name<'_>), quote!(#name<'k>))
    } else {
        (TokenStream::new(), quote!(&#name), quote!(#name))
    };
    quote! {
        impl #generics From<#from> for #to {
            fn from(value: #from) -> Self { #lend }
        }
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
