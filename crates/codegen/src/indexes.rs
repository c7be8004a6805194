//! Indexes: entries from rows, rows from entries.

use crate::{
    access::Access,
    compound::in_struct,
    keyspaces::KeyspacePart,
    names::ident,
    part_ops::{Operand, named},
    parts::{DefKind, FieldPart, Part, Parts, Plain, Seg, fields},
    rust_type::{IntName, RustType},
};
use keyscape_layout::model::{EntryValue, Keyspace, RowValue};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

impl Parts<'_> {
    /// Generates the implementations of the runtime traits for an index.
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
        let value_part = self.value_part(map);
        let described = fields(&index.segs)
            .into_iter()
            .filter(|field| field.from_value)
            .all(|field| self.part_of_value(field, value_part.as_ref()).is_some());
        let (name, extractor) = if described {
            (index.marker.clone(), TokenStream::new())
        } else {
            self.extractor(index, keyspace, map)
        };
        let value = from_value.then(|| quote!(let value = row.value()?;));
        let entry_fields = fields(&index.segs).into_iter().map(|field| {
            let ident = &field.ident;
            let value = match self.part_of_value(field, value_part.as_ref()) {
                _ if !field.from_value => self.carried(field, &map.segs, &quote!(row.key)),
                Some(value) if described => value,
                _ => quote!(#name::#ident(&value)),
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
                let (ident, value) = (&field.ident, self.carried(field, &index.segs, &quote!(key)));
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
        let module = &self.layout.store(keyspace.store).name;
        let signatures = wanted.iter().map(|field| {
            let ty = self.field_type(field, &quote!('_)).to_string().replace(' ', "");
            format!("fn {}(&self) -> {ty} {{{{ … }}}}", field.ident)
        });
        let signatures = signatures.collect::<Vec<_>>().join(" ");
        let note = format!("write `impl {module}::{name} for {{Self}} {{{{ {signatures} }}}}`");
        let message = format!(
            "the index `{}` takes fields from `{{Self}}`, which does not provide them",
            keyspace.name
        );
        let functions = wanted.iter().map(|field| {
            let (ident, ty) = (&field.ident, self.field_type(field, &quote!('_)));
            let line = format!(" The field `{}` of the index.", field.name);
            quote!(#[doc = #line] fn #ident(&self) -> #ty;)
        });
        let items = quote! {
            #[doc = #line]
            #[diagnostic::on_unimplemented(message = #message, note = #note)]
            pub trait #name { #(#functions)* }
        };
        (name, items)
    }

    /// Returns the value of the rows of a map as a part, if the layout describes it.
    fn value_part(&mut self, map: &KeyspacePart) -> Option<Part> {
        let layout = self.layout;
        let keyspace = layout.keyspace(map.id);
        let Some(RowValue::Typed(typed)) = &keyspace.value else { return None };
        let owner = format!("{}Value", map.marker);
        Some(self.part(&typed.ty, &owner, &keyspace.name, keyspace.store))
    }

    /// Returns a field of an index as a part of the decoded value: the part with the same name, or
    /// the value itself. `None` if only the program can take the field from the value.
    fn part_of_value(&self, field: &FieldPart, value: Option<&Part>) -> Option<TokenStream> {
        let value = value.filter(|_| field.from_value && !field.optional)?;
        match self.def_of(value).map(|def| &def.kind) {
            Some(DefKind::Composite(segs)) => {
                let part = fields(segs).into_iter().find(|part| part.name == field.name)?;
                let same = !part.optional && self.have_same_values(&part.part, &field.part);
                same.then(|| self.carried(field, segs, &quote!(value)))
            }
            Some(DefKind::Variant(_)) => None,
            _ if matches!(value.plain, Plain::List(_)) => None,
            _ => self
                .have_same_values(value, &field.part)
                .then(|| self.converted(value, &field.part, &Operand::local(&quote!(value)))),
        }
    }

    /// Whether values of one part are values of another: the same type, or integers.
    fn have_same_values(&self, from: &Part, to: &Part) -> bool {
        let number = |part| self.number(part, &TokenStream::new()).is_some();
        from.view == to.view || (number(from) && number(to))
    }

    /// The value of a field as another key carries it under the same name.
    fn carried(&self, field: &FieldPart, other: &[Seg], base: &TokenStream) -> TokenStream {
        let Some(source) = fields(other).into_iter().find(|source| source.name == field.name)
        else {
            // The prover refutes an index that does not carry a field of its map.
            let message = format!("the other key has no field `{}`", field.name);
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
                    self.converted(&source.part, &field.part, &Operand::bound(&quote!(value)));
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
    fn converted(&self, from: &Part, to: &Part, place: &Operand) -> TokenStream {
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
            (RustType::Int(name), _) => Some((*name, value.clone())),
            (_, Some(DefKind::Leaf(leaf, _))) => match leaf.view {
                RustType::Int(name) => Some((name, quote!(#value.get()))),
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
