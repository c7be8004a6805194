//! Generates the code of the operations on a part: write, read, take, own, lend.

use crate::{
    decode::arms_differ,
    leaf::Constants,
    names::ident,
    parts::{Def, DefKind, Part, Parts, Plain},
    rust_type::RustType,
};
use keyscape_codec::{Wrap, WrapPart};
use keyscape_layout::model::{List, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// An expression of generated code for a value: the value itself, and a reference to it.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// `key.owner` or `*owner`
    pub(crate) value: TokenStream,
    /// `&key.owner` or `owner`
    pub(crate) reference: TokenStream,
}

impl Operand {
    /// Returns the operand for a field of a struct.
    pub(crate) fn of(base: &TokenStream, field: &TokenStream) -> Self {
        Self { value: quote!(#base.#field), reference: quote!(&#base.#field) }
    }

    /// Returns the operand for a local that is a reference.
    pub(crate) fn bound(local: &TokenStream) -> Self {
        Self { value: quote!((*#local)), reference: quote!(#local) }
    }

    /// Returns the operand for a local that holds the value.
    pub(crate) fn local(local: &TokenStream) -> Self {
        Self { value: quote!(#local), reference: quote!(&#local) }
    }
}

impl Parts<'_> {
    /// Generates code that appends a value to `out`, or returns a `DomainError`.
    pub(crate) fn put(&self, part: &Part, place: &Operand) -> TokenStream {
        let put = self.put_declared(part, place);
        match &part.wrapped {
            None => put,
            Some(wrapped) => {
                let wraps = wrap_parts(&wrapped.wraps);
                quote!(rt::wrap::put(#wraps, out, |out| { #put Ok(()) })?;)
            }
        }
    }

    /// Generates code that appends a value to `out` without the wraps around the part.
    pub(crate) fn put_declared(&self, part: &Part, place: &Operand) -> TokenStream {
        let what = &part.what;
        match &part.plain {
            Plain::Named => {
                let name = named(&part.view);
                let reference = &place.reference;
                quote!(#name::encode(#reference, out)?;)
            }
            Plain::Leaf(leaf) => leaf.put(&place.value, what, Constants::Inline),
            Plain::List(element) => {
                let (min, max) = counts(part);
                let value = &place.value;
                let put = self.put(element, &Operand::bound(&quote!(element)));
                quote! {
                    rt::DomainError::check_count(#what, #value.len(), #min, #max)?;
                    for element in &#value {
                        #put
                    }
                }
            }
        }
    }

    /// Generates an expression that reads a value from all of `bytes`: a `Result`.
    pub(crate) fn parse(&self, part: &Part, bytes: &TokenStream) -> TokenStream {
        let Some(wrapped) = &part.wrapped else { return self.parse_declared(part, bytes) };
        let (wraps, parse) =
            (wrap_parts(&wrapped.wraps), self.parse_declared(part, &quote!(bytes)));
        // A value from temporary bytes borrows nothing.
        let own = part.view.traits().borrows.then(|| {
            let own = self.own(part, &quote!(value));
            quote!(.map(|value| #own))
        });
        quote!(rt::wrap::parse(#wraps, #bytes, |bytes| #parse #own))
    }

    fn parse_declared(&self, part: &Part, bytes: &TokenStream) -> TokenStream {
        match &part.plain {
            Plain::Named => {
                let name = named(&part.view);
                quote!(#name::decode(#bytes))
            }
            Plain::Leaf(leaf) => leaf.parse(bytes, Constants::Inline),
            Plain::List(element) => {
                let (min, max) = counts(part);
                let parse = self.parse(element, &quote!(element));
                match element.ty.fixed_length() {
                    Some(length) => {
                        let length = Literal::usize_unsuffixed(length);
                        quote!(rt::cut::chunks(#bytes, #length, (#min, #max), |element| #parse))
                    }
                    None => quote!(rt::cut::elements(#bytes, (#min, #max), |element| #parse)),
                }
            }
        }
    }

    /// Generates an expression that takes a value off the left of `rest`: a `Result`. Returns
    /// `None` if the value does not mark its own end.
    pub(crate) fn take(&self, part: &Part) -> Option<TokenStream> {
        if let Some(length) = part.bytes().fixed_length() {
            let length = Literal::usize_unsuffixed(length);
            return Some(self.parse(part, &quote!(rt::cut::take(&mut rest, #length)?)));
        }
        if let Some(wrapped) = &part.wrapped {
            let [WrapPart { wrap: Wrap::Escaped | Wrap::Escaped01, .. }] = *wrapped.wraps else {
                return None;
            };
            let length = Literal::usize_unsuffixed(part.ty.fixed_length()?);
            return Some(self.parse(part, &quote!(rt::wrap::take_escaped(&mut rest, #length)?)));
        }
        match &part.plain {
            Plain::Leaf(leaf) => leaf.take(&quote!(rest), Constants::Inline),
            Plain::Named => {
                let name = named(&part.view);
                let def = self.def_of(part).filter(|def| self.can_take(def));
                def.map(|_| quote!(#name::take(&mut rest)))
            }
            Plain::List(_) => None,
        }
    }

    /// Whether a generated type has a function `take`. A type of a fixed length needs none.
    pub(crate) fn can_take(&self, def: &Def) -> bool {
        if def.ty.fixed_length().is_some() {
            return false;
        }
        match &def.kind {
            DefKind::Leaf(leaf) => leaf.take(&quote!(rest), Constants::OfType).is_some(),
            DefKind::Enum(variants) => {
                let begins = |a: &str, b: &str| a != b && b.starts_with(a);
                let texts = || variants.iter().map(|(_, text)| text.as_str());
                texts().all(|a| texts().all(|b| !begins(a, b)))
            }
            DefKind::Composite(segs) => self.take_all(segs).is_some(),
            DefKind::Variant(arms) => {
                arms_differ(arms) && arms.iter().all(|(_, segs)| self.take_all(segs).is_some())
            }
        }
    }

    /// Generates an expression that converts a value to one that borrows nothing. It moves `value`.
    pub(crate) fn own(&self, part: &Part, value: &TokenStream) -> TokenStream {
        match (&part.plain, &part.view) {
            _ if !part.view.traits().borrows => value.clone(),
            (Plain::List(element), _) => {
                let own = self.own(element, &quote!(element));
                quote!(#value.into_iter().map(|element| #own).collect::<Vec<_>>())
            }
            (_, RustType::Named(..)) => {
                let name = named(&part.view);
                quote!(<#name<'static> as rt::Field>::into_owned(#value))
            }
            _ => quote!(rt::leaf::own(#value)),
        }
    }

    /// Generates an expression that borrows a value.
    pub(crate) fn lend(&self, part: &Part, place: &Operand) -> TokenStream {
        let Operand { value, reference } = place;
        match (&part.plain, &part.view) {
            _ if part.view.traits().copies => value.clone(),
            (Plain::List(element), _) => {
                let lend = self.lend(element, &Operand::bound(&quote!(element)));
                quote!(#value.iter().map(|element| #lend).collect())
            }
            (_, RustType::Named(..)) if part.view.traits().borrows => {
                let name = named(&part.view);
                quote!(#name::from(#reference))
            }
            (_, RustType::Named(..)) => quote!(#value.clone()),
            _ => quote!(rt::leaf::lend(&*#value)),
        }
    }
}

/// Returns the name of a generated type.
pub(crate) fn named(view: &RustType) -> TokenStream {
    match view {
        RustType::Named(_, name) => {
            let name = ident(name);
            quote!(#name)
        }
        view => view.tokens(&quote!('_)),
    }
}

fn counts(part: &Part) -> (Literal, Literal) {
    let (min, max) = match &*part.ty {
        Type::List(List { min, max, .. }) => (*min, *max),
        _ => (0, 0),
    };
    (Literal::u32_unsuffixed(min), Literal::u32_unsuffixed(max))
}

/// Generates a slice of wraps.
pub(crate) fn wrap_parts(wraps: &[WrapPart]) -> TokenStream {
    let parts = wraps.iter().map(|part| {
        // Variants are shown by their names.
        let (wrap, ends) = (ident(&format!("{:?}", part.wrap)), part.ends);
        let before = if part.wrap.counts() { part.at.bytes_before() } else { 0 };
        let before = Literal::usize_unsuffixed(before);
        quote! {
            rt::codec::WrapPart {
                wrap: rt::codec::Wrap::#wrap,
                at: rt::codec::WrapPlace::at(#before),
                ends: #ends,
            }
        }
    });
    quote!(&[#(#parts),*])
}
