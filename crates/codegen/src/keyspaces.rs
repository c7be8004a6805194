//! Keyspaces: their markers, keys, and the bytes of those.

use crate::{
    compound::{borrowing, in_struct, own_fn},
    decode::Goal,
    names::{KeyspaceNames, ident},
    parts::{DefKind, FieldPart, Parts, Seg, fields, shape_of, traits},
    plain_value::{into_field, plain_types},
    rust_type::RustType,
    textual::Textual,
    types::forms,
};
use keyscape_layout::model::{self, Keyspace, KeyspaceId, KeyspaceKind, Segment};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// Longer keys are encoded on the heap.
const STACK: usize = 1024;

/// A keyspace with its names in Rust.
#[derive(Clone, Debug)]
pub(crate) struct KeyspacePart {
    pub(crate) id: KeyspaceId,
    /// The marker type.
    pub(crate) marker: Ident,
    /// The constant.
    pub(crate) constant: Ident,
    /// The type of keys.
    pub(crate) key: Ident,
    /// The segments of the key, after the byte of a record if there is one.
    pub(crate) segs: Vec<Seg>,
    /// Whether the key begins with [`RECORD`].
    pub(crate) record: bool,
}

/// The first byte of the keys of plain rows in a store of structures.
pub(crate) const RECORD: &[u8] = b"r";

impl Parts<'_> {
    /// Returns the literal before the key of a plain row in a store of structures.
    fn record_byte(&self, keyspace: &Keyspace) -> Option<Segment> {
        use KeyspaceKind::{Index, Item, Map, Sequence};
        let plain =
            matches!(keyspace.kind, Item | Map | Index | Sequence) && keyspace.hash.is_none();
        let records = self.records && self.layout.store(keyspace.store).structures;
        (plain && records).then(|| {
            let (bytes, span) = (RECORD.to_vec(), keyspace.key_span);
            let (is_text, call, end_of) = (true, None, None);
            Segment::Literal(model::Literal { bytes, is_text, call, end_of, span })
        })
    }

    /// Names for a keyspace, and its segments.
    pub(crate) fn keyspace(&mut self, id: KeyspaceId) -> KeyspacePart {
        let keyspace = self.layout.keyspace(id);
        let store = keyspace.store;
        let KeyspaceNames { marker, constant } = self.keyspace_names[id.0 as usize].clone();
        let key = self.names(store).claim(&format!("{marker}Key"));
        let record = self.record_byte(keyspace);
        let key_segments: Vec<Segment> = record.iter().chain(&keyspace.key).cloned().collect();
        let segs = self.segs(&key_segments, &marker, &keyspace.name, store);
        let (marker, key, constant) = (ident(&marker), ident(&key), ident(&constant));
        KeyspacePart { id, marker, constant, key, segs, record: record.is_some() }
    }

    /// Returns the name of the space of a keyspace: its store, and its family if it has one.
    pub(crate) fn space(&self, id: KeyspaceId) -> String {
        let keyspace = self.layout.keyspace(id);
        let store = &self.layout.store(keyspace.store).name;
        match &keyspace.family {
            Some(family) => format!("{store}/{family}"),
            None => store.clone(),
        }
    }

    /// Generates the marker and the key of a keyspace.
    pub(crate) fn keyspace_items(&self, part: &KeyspacePart) -> TokenStream {
        let keyspace = self.layout.keyspace(part.id);
        let KeyspacePart { marker, constant, .. } = part;
        let mut lines = keyspace.doc.clone();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("A key is `{}`.", self.layout.sources.text(keyspace.key_span).trim()));
        let docs = crate::doc(&lines);
        let deprecated =
            keyspace.deprecated.as_ref().map(|note| quote!(#[deprecated(note = #note)]));
        let short = format!(" The keyspace `{}`.", keyspace.name);
        let key_items = self.key_items(part);
        let implementation = self.keyspace_impl(part);
        quote! {
            #docs
            #[derive(Clone, Copy, Debug)]
            pub struct #marker;

            #[doc = #short]
            #deprecated
            pub const #constant: #marker = #marker;

            #key_items

            #implementation
        }
    }

    fn key_items(&self, part: &KeyspacePart) -> TokenStream {
        let KeyspacePart { marker, key, segs, .. } = part;
        if fields(segs).is_empty() {
            return TokenStream::new();
        }
        let traits = traits(segs);
        let (derives, generics) = (traits.derives(), traits.generics());
        let name = &self.layout.keyspace(part.id).name;
        let line = format!(" A key of [`{marker}`], the keyspace `{name}`.");
        let struct_fields = self.struct_fields(segs, true);
        let conversions = self.conversions(key, traits.borrows, segs);
        let own_fn = own_fn(key, traits.borrows, &self.owned_struct(key, segs));
        let textual = Textual { name: key, borrows: traits.borrows, what: name };
        let text = self.struct_text(&textual, segs);
        quote! {
            #[doc = #line]
            #derives
            pub struct #key #generics { #(#struct_fields),* }

            #own_fn
            #conversions
            #text
        }
    }

    /// Generates the conversions from a reference, from one field and from a tuple of fields.
    pub(crate) fn conversions(&self, name: &Ident, borrows: bool, segs: &[Seg]) -> TokenStream {
        let all = fields(segs);
        let value = in_struct(quote!(value));
        let lends = all.iter().map(|field| {
            let (name, lend) = (&field.ident, self.lend_field(field, &value(field)));
            quote!(#name: #lend)
        });
        let lend = borrowing(name, borrows, traits(segs).copies, &quote!(#name { #(#lends),* }));
        let (own, ..) = forms(name, borrows);
        let lifetime = borrows.then(|| quote!('k,));
        let from = match all.as_slice() {
            [] => TokenStream::new(),
            [field] => {
                let (ty, init) = (self.field_type(field, &quote!('k)), &field.ident);
                let given =
                    self.single_values(field, &own, &quote!(#name { #init: value }), borrows);
                quote! {
                    impl<#lifetime> From<#ty> for #own {
                        fn from(value: #ty) -> Self { #name { #init: value } }
                    }
                    #given
                }
            }
            all => {
                // Plain types are not generic, so the types of literals are inferred.
                let generic = |field: &FieldPart| {
                    !field.optional
                        && matches!(
                            field.part.view,
                            RustType::Named(..) | RustType::Text | RustType::Bytes
                        )
                };
                let types: Vec<TokenStream> =
                    all.iter().map(|field| self.field_type(field, &quote!('k))).collect();
                let params: Vec<Ident> =
                    (0..all.len()).map(|index| format_ident!("T{index}")).collect();
                let bounds = all.iter().zip(&params).zip(&types);
                let bounds: Vec<_> = bounds.filter(|((field, _), _)| generic(field)).collect();
                let plain =
                    bounds.iter().map(|((_, param), ty)| quote!(#param: rt::IntoField<#ty>));
                let bounds = bounds.iter().map(|((_, param), ty)| quote!(#param: Into<#ty>));
                let given: Vec<TokenStream> = all
                    .iter()
                    .zip(params.iter().zip(&types))
                    .map(
                        |(field, (param, ty))| {
                            if generic(field) { quote!(#param) } else { ty.clone() }
                        },
                    )
                    .collect();
                let inits = all.iter().map(|field| {
                    let (ident, local) = (&field.ident, &field.local);
                    let into = generic(field).then(|| quote!(.into()));
                    quote!(#ident: #local #into)
                });
                let locals: Vec<&Ident> = all.iter().map(|field| &field.local).collect();
                let checked = all.iter().map(|field| {
                    let (ident, local, what) = (&field.ident, &field.local, &field.part.what);
                    let convert = generic(field)
                        .then(|| quote!(.into_field().map_err(|error| error.at(#what))?));
                    quote!(#ident: #local #convert)
                });
                let from = quote!((#(#given),*));
                let value = quote! {
                    let (#(#locals),*) = self;
                    Ok(#name { #(#checked),* })
                };
                let given_fields = into_field(&quote!(#lifetime #(#plain),*), &from, &own, &value);
                quote! {
                    impl<#lifetime #(#bounds),*> From<(#(#given),*)> for #own {
                        fn from((#(#locals),*): (#(#given),*)) -> Self {
                            #name { #(#inits),* }
                        }
                    }
                    #given_fields
                }
            }
        };
        quote!(#lend #from)
    }

    /// Generates the conversions of the values that a program can pass for a key or type with one
    /// field. `build` uses a `value` of the type of the field.
    fn single_values(
        &self,
        field: &FieldPart,
        own: &TokenStream,
        build: &TokenStream,
        borrows: bool,
    ) -> TokenStream {
        let ty = self.field_type(field, &quote!('k));
        let generics = if borrows { quote!('k) } else { TokenStream::new() };
        let mut sources = vec![ty.clone()];
        let def = self.def_of(&field.part).filter(|_| !field.optional);
        match (&field.part.view, def) {
            _ if field.optional => {}
            (RustType::Named(traits, name), def) => {
                let name = ident(name);
                sources.push(if traits.borrows { quote!(&'k #name<'_>) } else { quote!(&#name) });
                if let Some(DefKind::Leaf(leaf)) = def.map(|def| &def.kind) {
                    sources.extend(plain_types(leaf));
                }
            }
            (RustType::Text, _) => {
                sources.extend([quote!(&'k str), quote!(&'k String), quote!(String)]);
            }
            (RustType::Bytes, _) => {
                sources.extend([quote!(&'k [u8]), quote!(&'k Vec<u8>), quote!(Vec<u8>)]);
            }
            _ => {}
        }
        let what = &field.part.what;
        let value = quote! {
            let value: #ty = self.into_field().map_err(|error: rt::DomainError| error.at(#what))?;
            Ok(#build)
        };
        sources.iter().map(|from| into_field(&generics, from, own, &value)).collect()
    }

    fn keyspace_impl(&self, part: &KeyspacePart) -> TokenStream {
        let KeyspacePart { marker, key, segs, .. } = part;
        let name = &self.layout.keyspace(part.id).name;
        let space = self.space(part.id);
        let borrows = traits(segs).borrows;
        let unit = fields(segs).is_empty();
        let (own, _, any, fixed) = match unit {
            true => (quote!(()), quote!(()), quote!(()), quote!(())),
            false => forms(key, borrows),
        };
        let buffer = match shape_of(segs).max {
            Some(max) if max <= STACK => {
                let max = Literal::usize_unsuffixed(max);
                quote!(rt::KeyBuf<#max>)
            }
            _ => quote!(Vec<u8>),
        };
        let encode = self.encode(segs, &in_struct(quote!(key)));
        let inits = Self::initialisers(segs);
        let build = if unit { quote!(()) } else { quote!(#key { #(#inits),* }) };
        let decode = self.decode(segs, &Goal { ty: any.clone(), build });
        let into_owned = if borrows { quote!(key.into_owned()) } else { quote!(key) };
        let into_owned_fn = if unit {
            quote!(
                fn into_owned((): ()) {}
            )
        } else {
            quote!(fn into_owned(key: #any) -> #fixed { #into_owned })
        };
        quote! {
            impl rt::Keyspace for #marker {
                const NAME: &'static str = #name;
                const SPACE: &'static str = #space;
                type Buffer = #buffer;
                type Key<'k> = #own;

                #[inline]
                fn encode(key: &#any, out: &mut impl rt::Sink) -> Result<(), rt::DomainError> {
                    #encode
                    Ok(())
                }

                #[inline]
                fn decode(bytes: &[u8]) -> Result<#any, rt::Malformed> { #decode }

                #into_owned_fn
            }
        }
    }
}
