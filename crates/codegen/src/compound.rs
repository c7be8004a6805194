//! Generated types: enums, structs and enums with fields.

use crate::{
    decode::{Goal, arms_differ, starts},
    names::ident,
    part_ops::Operand,
    parts::{Def, FieldPart, Parts, Seg, fields, shape_of, traits},
    textual::textual,
    types::{def_field_impl, from_reference, take_fn},
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
    let lent = from_reference(&name, def.traits, TokenStream::new);
    let field = def_field_impl(
        def,
        &quote!(out.put(view.as_str().as_bytes());),
        &quote! {
            match bytes {
                #(#bytes => Ok(Self::#idents),)*
                _ => Err(rt::Malformed { reason: "none of the texts that an enum has" }),
            }
        },
    );
    let text = textual(
        &quote!(#name),
        what,
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

        #field

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

    /// Returns the name of the type of a field in the layout.
    fn written(&self, field: &FieldPart) -> String {
        let ty = &field.part.ty;
        match (self.layout.named(ty), &**ty) {
            (Some(named), _) => format!(" `{}`", named.name),
            (None, keyscape_layout::model::Type::Leaf(leaf)) => format!(" `{}`", leaf.codec.text()),
            (None, _) => format!(" `{}`", field.name),
        }
    }

    /// Generates an expression that converts a field to a value that borrows nothing.
    pub(crate) fn own_field(&self, field: &FieldPart, value: &TokenStream) -> TokenStream {
        if !field.optional || !field.part.view.traits().borrows {
            return self.own(&field.part, value);
        }
        let own = self.own(&field.part, &quote!(value));
        quote!(#value.map(|value| #own))
    }

    /// Generates an expression that borrows a field.
    pub(crate) fn lend_field(&self, field: &FieldPart, place: &Operand) -> TokenStream {
        if !field.optional || field.part.view.traits().copies {
            return self.lend(&field.part, place);
        }
        let (lend, value) = (self.lend(&field.part, &Operand::bound(&quote!(value))), &place.value);
        quote!(#value.as_ref().map(|value| #lend))
    }

    /// Generates the initialisers of a struct from the locals of its fields.
    pub(crate) fn initialisers(segs: &[Seg]) -> Vec<TokenStream> {
        let init = |field: &FieldPart| {
            let (name, local) = (&field.ident, &field.local);
            if name == local { quote!(#name) } else { quote!(#name: #local) }
        };
        fields(segs).into_iter().map(init).collect()
    }

    /// Generates a struct with its conversions and its text. Errors name it `what`.
    pub(crate) fn struct_items(
        &self,
        name: &Ident,
        docs: &TokenStream,
        what: &str,
        segs: &[Seg],
    ) -> TokenStream {
        let traits = traits(segs);
        let (derives, generics) = (traits.derives(), traits.generics());
        let struct_fields = self.struct_fields(segs, true);
        let owns = fields(segs).into_iter().map(|field| {
            let (name, own) =
                (&field.ident, self.own_field(field, &in_struct(quote!(self))(field).value));
            quote!(#name: #own)
        });
        let own_fn = own_fn(name, traits.borrows, &quote!(#name { #(#owns),* }));
        let conversions = self.conversions(name, segs);
        let text = self.struct_text(name, what, segs);
        quote! {
            #docs
            #derives
            pub struct #name #generics { #(#struct_fields),* }

            #own_fn
            #conversions
            #text
        }
    }

    pub(crate) fn composite(&self, def: &Def, segs: &[Seg]) -> TokenStream {
        let (name, docs) = (ident(&def.name), crate::doc(&def.doc));
        let items = self.struct_items(&name, &docs, &def.what, segs);
        let inits = Self::initialisers(segs);
        let build = quote!(#name { #(#inits),* });
        let encode = self.encode(segs, &in_struct(quote!(view)));
        let ty = def.view().tokens(&quote!('_));
        let decode = self.decode(segs, &Goal { ty, build: build.clone() });
        let field = def_field_impl(def, &encode, &decode);
        let take = self.take_all(segs).filter(|_| self.can_take(def)).map(|steps| {
            take_fn(&name, def.traits.borrows, &with_rest(&steps, &quote!(Ok(#build))))
        });
        quote!(#items #field #take)
    }

    pub(crate) fn variant(&self, def: &Def, arms: &[(String, Vec<Seg>)]) -> TokenStream {
        let (docs, derives, name) = (crate::doc(&def.doc), def.traits.derives(), ident(&def.name));
        let (borrows, generics) = (def.traits.borrows, def.traits.generics());
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
        let decode = self.decode_arms(&name, arms, &def.view().tokens(&quote!('_)));
        let field = def_field_impl(def, &quote!(match view { #(#encodes)* }), &decode);
        let owns = rebuilt(&name, arms, |field| {
            let local = &field.local;
            self.own_field(field, &quote!(#local))
        });
        let own_fn = own_fn(&name, borrows, &quote!(match self { #owns }));
        let lent = from_reference(&name, def.traits, || {
            let lends = rebuilt(&name, arms, |field| self.lend_field(field, &bound(field)));
            quote!(match value { #lends })
        });
        let take = self.can_take(def).then(|| self.take_arms(&name, arms, borrows));
        let text = self.variant_text(def, arms);
        quote! {
            #docs
            #derives
            pub enum #name #generics { #(#variants),* }

            #own_fn
            #lent
            #field
            #take
            #text
        }
    }

    /// Generates code that chooses the arm by its first bytes, or else tries to read each.
    fn decode_arms(
        &self,
        name: &Ident,
        arms: &[(String, Vec<Seg>)],
        ty: &TokenStream,
    ) -> TokenStream {
        let differ = arms_differ(arms);
        let tries = arms.iter().map(|(variant, segs)| {
            let build = pattern(name, variant, segs);
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
            let starts = starts(&shape_of(segs), &quote!(rest));
            let steps = self.take_all(segs).unwrap_or_default();
            let build = pattern(name, variant, segs);
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

/// Generates the method that copies the borrowed parts of a value. `owned` uses `self`.
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

/// Generates code that runs steps on a copy of `rest`, which it writes back at the end.
fn with_rest(steps: &TokenStream, finish: &TokenStream) -> TokenStream {
    quote! {
        let place = rest;
        let mut rest = *place;
        #steps
        *place = rest;
        #finish
    }
}

/// Returns a variant with the locals of its fields, as a pattern or as an expression.
pub(crate) fn pattern(name: &Ident, variant: &str, segs: &[Seg]) -> TokenStream {
    let (variant, fields) = (ident(variant), Parts::initialisers(segs));
    quote!(#name::#variant { #(#fields),* })
}

/// Returns the arms of a `match` that rebuild each variant from `value` of its fields.
fn rebuilt(
    name: &Ident,
    arms: &[(String, Vec<Seg>)],
    value: impl Fn(&FieldPart) -> TokenStream,
) -> TokenStream {
    let arms = arms.iter().map(|(variant, segs)| {
        let (pattern, variant) = (pattern(name, variant, segs), ident(variant));
        let values = fields(segs).into_iter().map(|field| {
            let (name, value) = (&field.ident, value(field));
            quote!(#name: #value)
        });
        quote!(#pattern => #name::#variant { #(#values),* },)
    });
    arms.collect()
}
