//! Text and JSON of generated types: conversions to and from `rt::text::Datum`.

use crate::{
    compound::{bound, in_struct, pattern},
    encode::Operands,
    names::ident,
    part_ops::Operand,
    parts::{Def, DefKind, Part, Parts, Plain, Seg, fields, traits},
    rust_type::RustType,
};
use keyscape_layout::model::Type;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Generates the conversions of a type to and from text and JSON, with serde. `to` converts `self`;
/// `from` converts `datum`. Errors name the type `what`.
pub(crate) fn textual(
    ty: &TokenStream,
    what: &str,
    to: &TokenStream,
    from: &TokenStream,
) -> TokenStream {
    quote! {
        impl rt::text::Textual for #ty {
            const WHAT: &'static str = #what;

            fn to_datum(&self) -> rt::text::Datum { #to }

            fn from_datum(datum: rt::text::Datum) -> Result<Self, rt::DomainError> { #from }
        }

        rt::serde_forms!(#ty);
    }
}

/// Generates `Display` and `FromStr` of a type whose text is a line of fields.
fn line(ty: &TokenStream) -> TokenStream {
    quote! {
        impl rt::fmt::Display for #ty {
            fn fmt(&self, f: &mut rt::fmt::Formatter<'_>) -> rt::fmt::Result {
                rt::fmt::Display::fmt(&rt::text::show(&rt::text::Textual::to_datum(self)), f)
            }
        }

        impl rt::FromStr for #ty {
            type Err = rt::DomainError;
            fn from_str(text: &str) -> Result<Self, rt::DomainError> { rt::text::parse(text) }
        }
    }
}

impl Parts<'_> {
    /// Returns the text items of a struct: a composite or a key.
    pub(crate) fn struct_text(&self, name: &Ident, what: &str, segs: &[Seg]) -> TokenStream {
        let put = self.put_fields(segs, &in_struct(quote!(self)));
        let to = quote!(#put fields.finish());
        let from = self.read_fields(segs, &quote!(#name), what, &quote!(datum));
        let ty = RustType::Named(traits(segs), name.to_string()).tokens(&quote!('_));
        let (conversions, line) = (textual(&ty, what, &to, &from), line(&ty));
        quote!(#conversions #line)
    }

    /// Returns the text items of an enum with fields.
    pub(crate) fn variant_text(&self, def: &Def, arms: &[(String, Vec<Seg>)]) -> TokenStream {
        let Type::Variant(declared) = &*def.ty else { return TokenStream::new() };
        let (name, what) = (ident(&def.name), &def.what);
        let names = declared.iter().map(|arm| arm.name.as_str());
        let arms: Vec<_> = arms.iter().zip(names).collect();
        let known: Vec<String> = arms.iter().map(|(_, arm)| format!("`{arm}`")).collect();
        let allowed = format!("an object with the name of one arm: {}", known.join(", "));
        let to = arms.iter().map(|((variant, segs), arm)| {
            let (pattern, put) = (pattern(&name, variant, segs), self.put_fields(segs, &bound));
            quote!(#pattern => {
                #put
                rt::text::Datum::Arm(#arm, Box::new(fields.finish()))
            })
        });
        let from = arms.iter().map(|((variant, segs), arm)| {
            let (variant, what) = (ident(variant), format!("{what}.{arm}"));
            let read = self.read_fields(segs, &quote!(#name::#variant), &what, &quote!(inner));
            quote!(#arm => { #read })
        });
        let to = quote!(match self { #(#to)* });
        let from = quote! {
            let (arm, inner) = rt::text::read_arm(#what, #allowed, datum)?;
            match &*arm {
                #(#from)*
                arm => Err(rt::DomainError::outside(#what, #allowed).given(arm)),
            }
        };
        let ty = def.view().tokens(&quote!('_));
        let (conversions, line) = (textual(&ty, what, &to, &from), line(&ty));
        quote!(#conversions #line)
    }

    /// Generates code that collects all fields in the local `fields`.
    fn put_fields(&self, segs: &[Seg], place: Operands<'_>) -> TokenStream {
        let puts = fields(segs).into_iter().map(|field| {
            let (name, Operand { value, reference }) = (&field.name, place(field));
            if field.optional {
                let to = to_datum(&field.part, &quote!(value));
                return quote!(fields.put_option(#name, #value.as_ref(), |value| #to););
            }
            let to = to_datum(&field.part, &reference);
            quote!(fields.put(#name, #to);)
        });
        quote! {
            let mut fields = rt::text::Fields::new();
            #(#puts)*
        }
    }

    /// Returns the struct or arm `name` from the fields of a datum: a `Result`.
    fn read_fields(
        &self,
        segs: &[Seg],
        name: &TokenStream,
        what: &str,
        datum: &TokenStream,
    ) -> TokenStream {
        let all = fields(segs);
        let names: Vec<&str> = all.iter().map(|field| field.name.as_str()).collect();
        let reads = all.iter().map(|field| {
            let (ident, name, what) = (&field.ident, &field.name, &field.part.what);
            let from = self.datum_to_value(&field.part, &quote!(datum));
            if field.optional {
                return quote! {
                    #ident: match fields.take_option(#name) {
                        Some(datum) => Some(#from?),
                        None => None,
                    }
                };
            }
            let from = self.datum_to_value(&field.part, &quote!(fields.take(#name, #what)?));
            quote!(#ident: #from?)
        });
        quote! {
            let mut fields = rt::text::Fields::read(#what, #datum)?;
            let value = #name { #(#reads),* };
            fields.end(&[#(#names),*])?;
            Ok(value)
        }
    }

    /// Generates an expression that converts a datum to a value: a `Result`.
    fn datum_to_value(&self, part: &Part, datum: &TokenStream) -> TokenStream {
        let what = &part.what;
        match &part.plain {
            Plain::Named => {
                // The error of a type with fields names one of them.
                let has_fields = self.def_of(part).is_some_and(|def| {
                    matches!(def.kind, DefKind::Composite(_) | DefKind::Variant(_))
                });
                let at = (!has_fields).then(|| quote!(.map_err(|error| error.at(#what))));
                quote!(rt::text::Textual::from_datum(#datum)#at)
            }
            Plain::Leaf(leaf) => {
                let (allowed, shown) = (leaf.model.codec.allowed(), leaf.shown());
                quote!(rt::text::read_leaf(#what, #allowed, #shown, #datum))
            }
            Plain::List(element) => {
                let from = self.datum_to_value(element, &quote!(element));
                quote!(rt::text::read_list(#what, #datum, |element| #from))
            }
        }
    }
}

/// Generates an expression that converts a value to a datum.
fn to_datum(part: &Part, reference: &TokenStream) -> TokenStream {
    match &part.plain {
        Plain::Leaf(leaf) => {
            let shown = leaf.shown();
            quote!(rt::text::leaf(#shown, #reference))
        }
        Plain::List(element) => {
            let to = to_datum(element, &quote!(element));
            quote!(rt::text::list(#reference, |element| #to))
        }
        Plain::Named => quote!(rt::text::Textual::to_datum(#reference)),
    }
}
