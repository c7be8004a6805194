//! Keyspaces: their markers, keys, and the bytes of those.

use crate::{
    access::is_structure,
    compound::in_struct,
    decode::Goal,
    names::{KeyspaceNames, ident},
    parts::{DefKind, FieldPart, Parts, Seg, fields, shape_of, traits},
    rust_type::{Lifetimes, RustType, Traits},
    types::{from_reference, into_field},
};
use keyscape_codec::record::Kind;
use keyscape_layout::model::{self, Keyspace, KeyspaceId, Segment};
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
pub(crate) const RECORD: &[u8] = &[Kind::Row.byte()];

impl Parts<'_> {
    /// Returns the literal before the key of a plain row in a store of structures.
    fn record_byte(&self, keyspace: &Keyspace) -> Option<Segment> {
        let plain = !is_structure(keyspace.kind) && keyspace.hash.is_none();
        let records = self.records && self.layout.store(keyspace.store).structures;
        (plain && records).then(|| {
            let (bytes, span) = (RECORD.to_vec(), keyspace.key_span);
            let (is_text, call, end_of) = (true, None, None);
            Segment::Literal(model::Literal { bytes, is_text, call, end_of, span })
        })
    }

    /// Claims the names of a keyspace, and builds the segments of its key.
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
        let name = &self.layout.keyspace(part.id).name;
        let line = format!(" A key of [`{marker}`], the keyspace `{name}`.");
        self.struct_items(key, &quote!(#[doc = #line]), name, segs)
    }

    /// Generates the conversions from a reference, from one field and from a tuple of fields.
    pub(crate) fn conversions(&self, name: &Ident, segs: &[Seg]) -> TokenStream {
        let traits = traits(segs);
        let lent = from_reference(name, traits, || {
            let value = in_struct(quote!(value));
            let lends = fields(segs).into_iter().map(|field| {
                let (name, lend) = (&field.ident, self.lend_field(field, &value(field)));
                quote!(#name: #lend)
            });
            quote!(#name { #(#lends),* })
        });
        let from = match fields(segs).as_slice() {
            [] => TokenStream::new(),
            [field] => self.field_conversions(name, traits, field),
            all => self.tuple_conversions(name, traits, all),
        };
        quote!(#lent #from)
    }

    /// Generates the conversions of the values that a program can pass for a struct with one field.
    fn field_conversions(&self, name: &Ident, traits: Traits, field: &FieldPart) -> TokenStream {
        let (generics, init) = (traits.generics(), &field.ident);
        let ty = self.field_type(field, &quote!('k));
        let mut sources = vec![ty.clone()];
        match &field.part.view {
            _ if field.optional => {}
            RustType::Named(traits, of) => {
                let of = ident(of);
                sources.push(if traits.borrows { quote!(&'k #of<'_>) } else { quote!(&#of) });
                if let Some(DefKind::Leaf(leaf)) = self.def_of(&field.part).map(|def| &def.kind) {
                    sources.extend(leaf.view.plain_types());
                }
            }
            view @ (RustType::Text | RustType::Bytes) => sources.extend(view.plain_types()),
            _ => {}
        }
        let what = &field.part.what;
        let value = quote! {
            let value: #ty = self.into_field().map_err(|error: rt::DomainError| error.at(#what))?;
            Ok(#name { #init: value })
        };
        let this = quote!(#name #generics);
        let given = sources.iter().map(|from| into_field(&generics, from, &this, &value));
        quote! {
            impl #generics From<#ty> for #this {
                fn from(value: #ty) -> Self { #name { #init: value } }
            }
            #(#given)*
        }
    }

    /// Generates the conversions of tuples with a value for each field.
    fn tuple_conversions(&self, name: &Ident, traits: Traits, all: &[&FieldPart]) -> TokenStream {
        let this = traits.generics();
        let this = quote!(#name #this);
        let mut params = Vec::from_iter(traits.borrows.then(|| quote!('k)));
        let mut plain_params = params.clone();
        let (mut given, mut inits, mut checked) = (Vec::new(), Vec::new(), Vec::new());
        for (index, field) in all.iter().enumerate() {
            let (ident, local, what) = (&field.ident, &field.local, &field.part.what);
            let ty = self.field_type(field, &quote!('k));
            // Other types are not generic, so the types of literals are inferred.
            if !field.optional && field.part.view.converts() {
                let param = format_ident!("T{index}");
                params.push(quote!(#param: Into<#ty>));
                plain_params.push(quote!(#param: rt::IntoField<#ty>));
                given.push(quote!(#param));
                inits.push(quote!(#ident: #local.into()));
                checked.push(quote!(#ident: #local.into_field().map_err(|error| error.at(#what))?));
            } else {
                given.push(ty);
                inits.push(quote!(#ident: #local));
                checked.push(quote!(#ident: #local));
            }
        }
        let locals: Vec<&Ident> = all.iter().map(|field| &field.local).collect();
        let from = quote!((#(#given),*));
        let value = quote! {
            let (#(#locals),*) = self;
            Ok(#name { #(#checked),* })
        };
        let given_fields = into_field(&quote!(<#(#plain_params),*>), &from, &this, &value);
        quote! {
            impl<#(#params),*> From<#from> for #this {
                fn from((#(#locals),*): #from) -> Self {
                    #name { #(#inits),* }
                }
            }
            #given_fields
        }
    }

    fn keyspace_impl(&self, part: &KeyspacePart) -> TokenStream {
        let KeyspacePart { marker, key, segs, .. } = part;
        let name = &self.layout.keyspace(part.id).name;
        let space = self.space(part.id);
        let unit = fields(segs).is_empty();
        let traits = traits(segs);
        let view = RustType::Named(traits, key.to_string());
        let Lifetimes { named, any, owned } = match unit {
            true => Lifetimes { named: quote!(()), any: quote!(()), owned: quote!(()) },
            false => view.lifetimes(),
        };
        let buffer = match shape_of(segs).length.max {
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
        let into_owned = if traits.borrows { quote!(key.into_owned()) } else { quote!(key) };
        let into_owned_fn = if unit {
            quote!(
                fn into_owned((): ()) {}
            )
        } else {
            quote!(fn into_owned(key: #any) -> #owned { #into_owned })
        };
        quote! {
            impl rt::Keyspace for #marker {
                const NAME: &'static str = #name;
                const SPACE: &'static str = #space;
                type Buffer = #buffer;
                type Key<'k> = #named;

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
