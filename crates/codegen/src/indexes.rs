//! Indexes: entries from rows, rows from entries.

use crate::{
    access::Access,
    compound::in_struct,
    keyspaces::KeyspacePart,
    names::ident,
    part_ops::{Place, named},
    parts::{DefKind, FieldPart, Part, Parts, fields},
    view::{IntName, View},
};
use keyscape_layout::model::{EntryValue, Keyspace};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

impl Parts<'_> {
    /// What the runtime has to know about an index.
    pub(crate) fn index_items(&mut self, access: Access<'_>, keyspace: &Keyspace) -> TokenStream {
        let Some(map) = keyspace.of.and_then(|id| access.of(id)) else { return TokenStream::new() };
        let index = access.part;
        let (marker, owner, prefix, unique) =
            (&index.marker, &map.marker, access.prefix(), keyspace.unique);
        let from_value = fields(&index.segs).iter().any(|field| field.from_value);
        let entry = match keyspace.entry_value() {
            Some(EntryValue::Fixed(bytes)) if !bytes.is_empty() => {
                let bytes = Literal::byte_string(bytes);
                Some(quote!(const ENTRY: &'static [u8] = #bytes;))
            }
            Some(EntryValue::OwnerKey | EntryValue::Fixed(_)) => None,
            None => {
                let message = format!(
                    "what entries of the index `{}` hold does not follow from its map: let it hold `empty` or \
                     `const`, or `bytes` if it is `unique`",
                    keyspace.name
                );
                return quote!(compile_error!(#message););
            }
        };
        let (name, extractor) = self.extractor(index, keyspace, map);
        let value = from_value.then(|| quote!(let value = row.value()?;));
        let entry_fields = fields(&index.segs).into_iter().map(|field| {
            let ident = &field.ident;
            let value = match from_value.then_some(()).filter(|()| field.from_value) {
                Some(()) => quote!(#name::#ident(&value)),
                None => self.carried(field, map, &quote!(row.key)),
            };
            quote!(#ident: #value)
        });
        let entry_key = key_of(index, &entry_fields.collect::<Vec<_>>());
        let owner_key = if unique {
            quote! {
                out.put(<#owner as rt::MapRows>::PREFIX);
                out.put(entry);
                Ok(())
            }
        } else {
            let owned = fields(&map.segs).into_iter().map(|field| {
                let (ident, value) = (&field.ident, self.carried(field, index, &quote!(key)));
                quote!(#ident: #value)
            });
            let owned = key_of(map, &owned.collect::<Vec<_>>());
            quote! {
                let key = #owned;
                Ok(<#owner as rt::Keyspace>::encode(&key, out)?)
            }
        };
        quote! {
            #extractor

            impl rt::IndexRows for #marker {
                type Map = #owner;
                const PREFIX: &'static [u8] = #prefix;
                const UNIQUE: bool = #unique;
                const FROM_VALUE: bool = #from_value;
                #entry

                fn entry_key(
                    row: &rt::IndexedRow<'_, '_, #owner>,
                    out: &mut impl rt::Sink,
                ) -> Result<(), rt::Error> {
                    #value
                    let key = #entry_key;
                    Ok(<Self as rt::Keyspace>::encode(&key, out)?)
                }

                fn owner_key(
                    key: &<Self as rt::Keyspace>::Key<'_>,
                    entry: &[u8],
                    out: &mut impl rt::Sink,
                ) -> Result<(), rt::Error> {
                    #owner_key
                }
            }
        }
    }

    /// The trait by which values give the fields that the index takes from them.
    fn extractor(
        &mut self,
        index: &KeyspacePart,
        keyspace: &Keyspace,
        map: &KeyspacePart,
    ) -> (Ident, TokenStream) {
        let wanted: Vec<&FieldPart> =
            fields(&index.segs).into_iter().filter(|field| field.from_value).collect();
        if wanted.is_empty() {
            return (index.marker.clone(), TokenStream::new());
        }
        let name = ident(&self.names(keyspace.store).claim(&format!("{}Fields", index.marker)));
        let of = &self.layout.keyspace(map.id).name;
        let line = format!(" What the index `{}` takes from a value of `{of}`.", keyspace.name);
        let functions = wanted.iter().map(|field| {
            let (ident, ty) = (&field.ident, self.field_type(field, &quote!('_)));
            let line = format!(" The field `{}` of the index.", field.name);
            quote!(#[doc = #line] fn #ident(&self) -> #ty;)
        });
        let items = quote! {
            #[doc = #line]
            pub trait #name { #(#functions)* }
        };
        (name, items)
    }

    /// The value of a field as another key carries it under the same name.
    fn carried(&self, field: &FieldPart, other: &KeyspacePart, base: &TokenStream) -> TokenStream {
        let Some(source) = fields(&other.segs).into_iter().find(|source| source.name == field.name)
        else {
            // The prover refutes an index that does not carry a field of its map.
            let message = format!("`{}` has no field `{}`", other.marker, field.name);
            return quote!(compile_error!(#message));
        };
        let place = in_struct(base.clone())(source);
        let what = &field.part.what;
        match (source.optional, field.optional) {
            (true, true) if source.part.view == field.part.view => self.lend_field(source, &place),
            (false, false) => self.converted(&source.part, &field.part, &place),
            (false, true) => {
                let value = self.converted(&source.part, &field.part, &place);
                quote!(Some(#value))
            }
            (true, _) => {
                let value =
                    self.converted(&source.part, &field.part, &Place::bound(&quote!(value)));
                let of = &place.value;
                let given =
                    quote!(#of.as_ref().map(|value| Ok::<_, rt::DomainError>(#value)).transpose()?);
                if field.optional {
                    given
                } else {
                    quote!(#given.ok_or_else(|| rt::DomainError::outside(#what, "a value"))?)
                }
            }
        }
    }

    /// A value of one part as a value of another.
    fn converted(&self, from: &Part, to: &Part, place: &Place) -> TokenStream {
        if from.view == to.view {
            return self.lend(from, place);
        }
        let message = format!("`{}` and `{}` are of different types", from.what, to.what);
        let (Some((from_int, number)), Some((to_int, _))) =
            (self.number(from, &place.value), self.number(to, &place.value))
        else {
            return quote!(compile_error!(#message));
        };
        let what = &to.what;
        let number = if from_int == to_int {
            number
        } else {
            let ty = to_int.tokens();
            quote!(<#ty>::try_from(#number).map_err(|_| rt::DomainError::outside(#what, "a number of its type"))?)
        };
        match self.def_of(to).map(|def| &def.kind) {
            Some(DefKind::Leaf(leaf, _)) => {
                let name = named(&to.view);
                if leaf.is_full() { quote!(#name(#number)) } else { quote!(#name::new(#number)?) }
            }
            _ => number,
        }
    }

    /// The integer that a part is, as an expression.
    fn number(&self, part: &Part, value: &TokenStream) -> Option<(IntName, TokenStream)> {
        match (&part.view, self.def_of(part).map(|def| &def.kind)) {
            (View::Int(name), _) => Some((*name, value.clone())),
            (_, Some(DefKind::Leaf(leaf, _))) => match leaf.view {
                View::Int(name) => Some((name, quote!(#value.get()))),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A key from its fields.
fn key_of(part: &KeyspacePart, fields: &[TokenStream]) -> TokenStream {
    let key = &part.key;
    if fields.is_empty() { quote!(()) } else { quote!(#key { #(#fields),* }) }
}
