//! Generated types: enums, structs and enums with fields.

use crate::{
    decode::{Goal, arms_differ, starts},
    names::ident,
    part_ops::Operand,
    parts::{Def, FieldPart, Parts, Seg, fields, shape_of},
    plain_value::into_field,
    textual::Textual,
    types::{forms, take_fn},
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// Generates an enum, whose values are fixed texts.
pub(crate) fn enumeration(def: &Def, variants: &[(String, String)]) -> TokenStream {
    let (docs, derives, name, what) =
        (crate::doc(&def.doc), def.traits.derives(), ident(&def.name), &def.what);
    let idents: Vec<Ident> = variants.iter().map(|(variant, _)| ident(variant)).collect();
    let texts: Vec<&String> = variants.iter().map(|(_, text)| text).collect();
    let lines = texts.iter().map(|text| format!(" `{text}`"));
    let bytes: Vec<Literal> =
        texts.iter().map(|text| Literal::byte_string(text.as_bytes())).collect();
    let count = Literal::usize_unsuffixed(variants.len());
    let allowed =
        format!("one of {}", texts.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", "));
    let takes = idents.iter().zip(&bytes).map(|(variant, bytes)| {
        quote! {
            if let Some(after) = rest.strip_prefix(#bytes) {
                *rest = after;
                return Ok(Self::#variant);
            }
        }
    });
    let take = take_fn(
        &name,
        false,
        &quote! {
            #(#takes)*
            Err(rt::Malformed { reason: "none of the texts that an enum has" })
        },
    );
    let none = TokenStream::new();
    let lent = into_field(&none, &quote!(&#name), &quote!(#name), &quote!(Ok(*self)));
    let textual = Textual { name: &name, borrows: false, what };
    let text = textual.conversions(
        &quote!(rt::text::Datum::text(self.as_str())),
        &quote!(rt::text::read_leaf::<rt::Cow<'_, str>>(#what, #allowed, None, datum)?.parse()),
    );
    quote! {
        #docs
        #derives
        pub enum #name { #(#[doc = #lines] #idents,)* }

        impl #name {
            /// All values, in their order.
            pub const ALL: [Self; #count] = [#(Self::#idents),*];

            /// Returns the text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#idents => #texts,)* }
            }
        }

        #lent

        impl From<&#name> for #name {
            fn from(value: &#name) -> Self { *value }
        }

        impl rt::Field for #name {
            type View<'k> = #name;

            #[inline]
            fn encode(view: &#name, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                out.put(view.as_str().as_bytes());
                Ok(())
            }

            #[inline]
            fn decode(bytes: &[u8]) -> Result<#name, rt::Malformed> {
                match bytes {
                    #(#bytes => Ok(Self::#idents),)*
                    _ => Err(rt::Malformed { reason: "none of the texts that an enum has" }),
                }
            }

            fn into_owned(view: #name) -> #name { view }
        }

        #take

        impl rt::fmt::Display for #name {
            fn fmt(&self, f: &mut rt::fmt::Formatter<'_>) -> rt::fmt::Result { f.pad(self.as_str()) }
        }

        impl rt::FromStr for #name {
            type Err = rt::DomainError;
            fn from_str(text: &str) -> Result<Self, rt::DomainError> {
                let found = Self::ALL.into_iter().find(|value| value.as_str() == text);
                found.ok_or_else(|| rt::DomainError::outside(#what, #allowed).given(text))
            }
        }

        #text
    }
}

/// Returns a function that returns the place of a field of `base`.
pub(crate) fn in_struct(base: TokenStream) -> impl Fn(&FieldPart) -> Operand {
    move |field| {
        let name = &field.ident;
        Operand::of(&base, &quote!(#name))
    }
}

pub(crate) fn bound(field: &FieldPart) -> Operand {
    let local = &field.local;
    Operand::bound(&quote!(#local))
}

impl Parts<'_> {
    /// Returns the fields of a struct, with their types.
    pub(crate) fn struct_fields(&self, segs: &[Seg], public: bool) -> Vec<TokenStream> {
        let public = public.then(|| quote!(pub));
        let field = |field: &FieldPart| {
            let (name, ty, line) =
                (&field.ident, self.field_type(field, &quote!('k)), self.written(field));
            quote!(#[doc = #line] #public #name: #ty)
        };
        fields(segs).into_iter().map(field).collect()
    }

    /// Returns the type of a field.
    pub(crate) fn field_type(&self, field: &FieldPart, lifetime: &TokenStream) -> TokenStream {
        let ty = field.part.view.tokens(lifetime);
        if field.optional { quote!(Option<#ty>) } else { ty }
    }

    /// Returns the name that the layout has for the type of a field.
    fn written(&self, field: &FieldPart) -> String {
        let ty = &field.part.ty;
        match (self.layout.named(ty), &**ty) {
            (Some(named), _) => format!(" `{}`", named.name),
            (None, keyscape_layout::model::Type::Leaf(leaf)) => format!(" `{}`", leaf.codec.text()),
            (None, _) => format!(" `{}`", field.name),
        }
    }

    /// Converts a field to a value that borrows nothing.
    pub(crate) fn own_field(&self, field: &FieldPart, value: &TokenStream) -> TokenStream {
        if !field.optional || !field.part.view.traits().borrows {
            return self.own(&field.part, value);
        }
        let own = self.own(&field.part, &quote!(value));
        quote!(#value.map(|value| #own))
    }

    /// Converts a field to a value that borrows.
    pub(crate) fn lend_field(&self, field: &FieldPart, place: &Operand) -> TokenStream {
        if !field.optional || field.part.view.traits().copies {
            return self.lend(&field.part, place);
        }
        let (lend, value) = (self.lend(&field.part, &Operand::bound(&quote!(value))), &place.value);
        quote!(#value.as_ref().map(|value| #lend))
    }

    /// Initialises the fields of a struct with the locals of the same fields.
    pub(crate) fn initialisers(segs: &[Seg]) -> Vec<TokenStream> {
        let init = |field: &FieldPart| {
            let (name, local) = (&field.ident, &field.local);
            if name == local { quote!(#name) } else { quote!(#name: #local) }
        };
        fields(segs).into_iter().map(init).collect()
    }

    pub(crate) fn composite(&self, def: &Def, segs: &[Seg]) -> TokenStream {
        let (docs, derives, name) = (crate::doc(&def.doc), def.traits.derives(), ident(&def.name));
        let borrows = def.traits.borrows;
        let (own, _, any, fixed) = forms(&name, borrows);
        let generics = def.traits.generics();
        let struct_fields = self.struct_fields(segs, true);
        let encode = self.encode(segs, &in_struct(quote!(view)));
        let inits = Self::initialisers(segs);
        let build = quote!(#name { #(#inits),* });
        let decode = self.decode(segs, &Goal { ty: any.clone(), build: build.clone() });
        let into_owned = self.owned_struct(&name, segs);
        let take = self.can_take(def).then(|| {
            let steps = self.take_all(segs);
            take_fn(&name, borrows, &with_rest(&steps, &quote!(Ok(#build))))
        });
        let conversions = self.conversions(&name, borrows, segs);
        let text = self.struct_text(&Textual { name: &name, borrows, what: &def.what }, segs);
        let own_fn = own_fn(&name, borrows, &into_owned);
        let into_owned = if borrows { quote!(view.into_owned()) } else { quote!(view) };
        quote! {
            #docs
            #derives
            pub struct #name #generics { #(#struct_fields),* }

            #own_fn

            #conversions

            impl rt::Field for #fixed {
                type View<'k> = #own;

                #[inline]
                fn encode(view: &#any, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                    #encode
                    Ok(())
                }

                #[inline]
                fn decode(bytes: &[u8]) -> Result<#any, rt::Malformed> { #decode }

                fn into_owned(view: #any) -> #fixed { #into_owned }
            }
            #take
            #text
        }
    }

    /// Returns the struct `self` with fields that borrow nothing.
    pub(crate) fn owned_struct(&self, name: &Ident, segs: &[Seg]) -> TokenStream {
        let owns = fields(segs).into_iter().map(|field| {
            let (name, own) =
                (&field.ident, self.own_field(field, &in_struct(quote!(self))(field).value));
            quote!(#name: #own)
        });
        quote!(#name { #(#owns),* })
    }

    pub(crate) fn variant(&self, def: &Def, arms: &[(String, Vec<Seg>)]) -> TokenStream {
        let (docs, derives, name) = (crate::doc(&def.doc), def.traits.derives(), ident(&def.name));
        let borrows = def.traits.borrows;
        let (own, _, any, fixed) = forms(&name, borrows);
        let generics = def.traits.generics();
        let variants = arms.iter().map(|(variant, segs)| {
            let (line, variant) = (format!(" `{variant}`"), ident(variant));
            let fields = self.struct_fields(segs, false);
            let fields = (!fields.is_empty()).then(|| quote!({ #(#fields),* }));
            quote!(#[doc = #line] #variant #fields)
        });
        let encodes = arms.iter().map(|(variant, segs)| {
            let (pattern, put) = (pattern(&name, variant, segs), self.encode(segs, &bound));
            quote!(#pattern => { #put })
        });
        let decode = self.decode_arms(&name, arms, &any);
        let owns = arms.iter().map(|(variant, segs)| {
            let pattern = pattern(&name, variant, segs);
            let owned = fields(segs).into_iter().map(|field| {
                let (name, local) = (&field.ident, &field.local);
                let own = self.own_field(field, &quote!(#local));
                quote!(#name: #own)
            });
            let variant = ident(variant);
            quote!(#pattern => #name::#variant { #(#owned),* })
        });
        let own_fn = own_fn(&name, borrows, &quote!(match self { #(#owns,)* }));
        let into_owned = if borrows { quote!(view.into_owned()) } else { quote!(view) };
        let lends = arms.iter().map(|(variant, segs)| {
            let pattern = pattern(&name, variant, segs);
            let lent = fields(segs).into_iter().map(|field| {
                let (name, lend) = (&field.ident, self.lend_field(field, &bound(field)));
                quote!(#name: #lend)
            });
            let variant = ident(variant);
            quote!(#pattern => #name::#variant { #(#lent),* })
        });
        let lend =
            borrowing(&name, borrows, def.traits.copies, &quote!(match value { #(#lends,)* }));
        let take = self.can_take(def).then(|| self.take_arms(&name, arms, borrows));
        let text = self.variant_text(def, arms);
        quote! {
            #docs
            #derives
            pub enum #name #generics { #(#variants),* }

            #own_fn

            #lend

            impl rt::Field for #fixed {
                type View<'k> = #own;

                #[inline]
                fn encode(view: &#any, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                    match view { #(#encodes)* }
                    Ok(())
                }

                #[inline]
                fn decode(bytes: &[u8]) -> Result<#any, rt::Malformed> { #decode }

                fn into_owned(view: #any) -> #fixed { #into_owned }
            }
            #take
            #text
        }
    }

    /// Chooses the arm by its first bytes, or else tries to read each.
    fn decode_arms(
        &self,
        name: &Ident,
        arms: &[(String, Vec<Seg>)],
        ty: &TokenStream,
    ) -> TokenStream {
        let differ = arms_differ(arms);
        let tries = arms.iter().map(|(variant, segs)| {
            let build = arm(name, variant, segs);
            let decode = self.decode(segs, &Goal { ty: ty.clone(), build });
            if differ {
                let starts = starts(&shape_of(segs), &quote!(bytes));
                return quote!(if #starts { return (|| { #decode })(); });
            }
            quote! {
                let found: Result<#ty, rt::Malformed> = (|| { #decode })();
                if found.is_ok() {
                    return found;
                }
            }
        });
        quote! {
            #(#tries)*
            Err(rt::Malformed { reason: "none of the arms that a variant has" })
        }
    }

    fn take_arms(&self, name: &Ident, arms: &[(String, Vec<Seg>)], borrows: bool) -> TokenStream {
        let tries = arms.iter().map(|(variant, segs)| {
            let (starts, steps) = (starts(&shape_of(segs), &quote!(rest)), self.take_all(segs));
            let build = arm(name, variant, segs);
            let body = with_rest(&steps, &quote!(return Ok(#build);));
            quote!(if #starts { #body })
        });
        let body = quote! {
            #(#tries)*
            Err(rt::Malformed { reason: "none of the arms that a variant has" })
        };
        take_fn(name, borrows, &body)
    }
}

/// Returns the method that copies what a value borrows. `owned` uses `self`.
pub(crate) fn own_fn(name: &Ident, borrows: bool, owned: &TokenStream) -> Option<TokenStream> {
    borrows.then(|| {
        quote! {
            impl #name<'_> {
                /// Copies the borrowed parts.
                #[must_use]
                pub fn into_owned(self) -> #name<'static> { #owned }
            }
        }
    })
}

/// Steps on a local `rest`, which is given back at the end.
fn with_rest(steps: &TokenStream, finish: &TokenStream) -> TokenStream {
    quote! {
        let place = rest;
        let mut rest = *place;
        #steps
        *place = rest;
        #finish
    }
}

/// Generates `From<&T<'_>>`, which lends a value.
pub(crate) fn borrowing(
    name: &Ident,
    borrows: bool,
    copies: bool,
    lend: &TokenStream,
) -> TokenStream {
    let value = quote!(Ok(self.into()));
    if borrows {
        let given = into_field(&quote!('k), &quote!(&'k #name<'_>), &quote!(#name<'k>), &value);
        return quote! {
            impl<'k> From<&'k #name<'_>> for #name<'k> {
                fn from(value: &'k #name<'_>) -> Self { #lend }
            }
            #given
        };
    }
    let given = into_field(&TokenStream::new(), &quote!(&#name), &quote!(#name), &value);
    let copy = if copies { quote!(*value) } else { quote!(value.clone()) };
    quote! {
        impl From<&#name> for #name {
            fn from(value: &#name) -> Self { #copy }
        }
        #given
    }
}

pub(crate) fn pattern(name: &Ident, variant: &str, segs: &[Seg]) -> TokenStream {
    let (variant, fields) = (ident(variant), Parts::initialisers(segs));
    quote!(#name::#variant { #(#fields),* })
}

fn arm(name: &Ident, variant: &str, segs: &[Seg]) -> TokenStream {
    pattern(name, variant, segs)
}
