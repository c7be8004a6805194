//! Indexes: entries from rows, rows from entries.

use crate::{
    access::Access,
    compound::in_struct,
    keyspaces::KeyspacePart,
    names::ident,
    part_ops::{Operand, named},
    parts::{DefKind, FieldPart, Part, Parts, Plain, Seg, fields, find_field},
    rust_type::{IntName, RustType},
};
use keyscape_layout::model::{EntryValue, FromValue, PathPart, RowValue, Take};
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::quote;

impl Parts<'_> {
    /// Generates the implementations of the runtime traits for an index.
    pub(crate) fn index_items(&mut self, access: Access<'_>) -> TokenStream {
        let keyspace = access.keyspace;
        let Some(map) = keyspace.of.and_then(|id| access.of(id)) else { return TokenStream::new() };
        let index = access.part;
        let (marker, owner, prefix, unique) =
            (&index.marker, &map.marker, access.prefix(), keyspace.unique);
        let from_value = fields(&index.segs).iter().any(|field| field.from_value.is_some());
        let entry = match keyspace.entry_value() {
            Some(EntryValue::Fixed(bytes)) if !bytes.is_empty() => {
                let bytes = Literal::byte_string(bytes);
                Some(quote!(const ENTRY: &'static [u8] = #bytes;))
            }
            Some(EntryValue::OwnerKey | EntryValue::Fixed(_)) => None,
            None => {
                let message = format!(
                    "the values of the entries of the index `{}` do not follow from its map; declare \
                     `-> empty` or `-> const …`, or `-> bytes` for a `unique` index",
                    keyspace.name
                );
                return quote!(compile_error!(#message););
            }
        };
        let (extractor, entry_keys) = self.entry_keys(access, map);
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

                fn entry_keys(
                    row: &rt::IndexedRow<'_, '_, #owner>,
                    mut visit: impl FnMut(&<Self as rt::Keyspace>::Key<'_>) -> Result<(), rt::Error>,
                ) -> Result<(), rt::Error> {
                    #entry_keys
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

    /// Generates the extractor of an index, and the function that lists the entries of a row.
    fn entry_keys(&mut self, access: Access<'_>, map: &KeyspacePart) -> (TokenStream, TokenStream) {
        let index = access.part;
        let value_part = self.value_part(map);
        let taken: Vec<(&FieldPart, Take)> = fields(&index.segs)
            .into_iter()
            .filter_map(|field| Some((field, field.from_value.as_ref()?.take)))
            .collect();
        let parts: Option<Vec<TokenStream>> =
            taken.iter().map(|(field, _)| self.part_of_value(field, value_part.as_ref())).collect();
        let (items, sources) = match parts {
            Some(parts) => (TokenStream::new(), parts),
            None => {
                let (name, items) = self.extractor(access, map);
                let call = |(field, _): &(&FieldPart, Take)| {
                    let (ident, what) = (&field.ident, &field.name);
                    quote! {
                        #name::#ident(&value)
                            .map_err(|error| row.extract_error::<Self>(#what, error))?
                    }
                };
                (items, taken.iter().map(call).collect())
            }
        };
        let mut body = TokenStream::new();
        if !taken.is_empty() {
            body.extend(quote!(let value = row.value()?;));
        }
        let mut list = None;
        for ((field, take), source) in taken.iter().zip(sources) {
            let local = &field.local;
            match take {
                Take::One => body.extend(quote!(let #local = #source;)),
                Take::Optional => {
                    body.extend(quote!(let Some(#local) = #source else { return Ok(()) };));
                }
                Take::Each => list = Some((local, source)),
            }
        }
        let entry_fields = fields(&index.segs).into_iter().map(|field| {
            let (ident, local) = (&field.ident, &field.local);
            let value = match field.from_value.as_ref().map(|from| from.take) {
                None => self.carried(field, &map.segs, &quote!(row.key)),
                // Each entry of a list needs the other fields again.
                Some(Take::One | Take::Optional) if list.is_some() => {
                    self.lend_field(field, &Operand::local(&quote!(#local)))
                }
                Some(_) if ident == local => return quote!(#ident),
                Some(_) => quote!(#local),
            };
            quote!(#ident: #value)
        });
        let key = key_of(index, &entry_fields.collect::<Vec<_>>());
        body.extend(match list {
            None => quote!(visit(&#key)),
            Some((element, list)) => quote! {
                for #element in #list {
                    visit(&#key)?;
                }
                Ok(())
            },
        });
        (items, body)
    }

    /// Generates the trait through which values return the fields that the index takes from them.
    fn extractor(&mut self, access: Access<'_>, map: &KeyspacePart) -> (Ident, TokenStream) {
        let (index, keyspace) = (access.part, access.keyspace);
        let name = ident(&self.names(keyspace.store).claim(&format!("{}Fields", index.marker)));
        let of = &self.layout.keyspace(map.id).name;
        let line =
            format!(" The fields that the index `{}` takes from a value of `{of}`.", keyspace.name);
        let module = &self.layout.store(keyspace.store).name;
        let taken: Vec<(&FieldPart, Take, TokenStream)> = fields(&index.segs)
            .into_iter()
            .filter_map(|field| {
                let take = field.from_value.as_ref()?.take;
                let ty = self.field_type(field, &quote!('_));
                let ty = match take {
                    Take::One => ty,
                    Take::Optional => quote!(Option<#ty>),
                    Take::Each => quote!(Vec<#ty>),
                };
                Some((field, take, ty))
            })
            .collect();
        let signatures = taken.iter().map(|(field, _, ty)| {
            let ty = self.outside_type(ty, module);
            format!("fn {}(&self) -> keyscape::Extracted<{ty}> {{{{ … }}}}", field.ident)
        });
        let signatures = signatures.collect::<Vec<_>>().join(" ");
        let note = format!("write `impl {module}::{name} for {{Self}} {{{{ {signatures} }}}}`");
        let message = format!(
            "the index `{}` takes fields from `{{Self}}`, which does not provide them",
            keyspace.name
        );
        let functions = taken.iter().map(|(field, take, ty)| {
            let ident = &field.ident;
            let entries = match take {
                Take::One => "",
                Take::Optional => " Without a value, the row has no entry.",
                Take::Each => " The row has an entry for each distinct value.",
            };
            let line = format!(" Returns the field `{}` of the index.{entries}", field.name);
            quote! {
                #[doc = #line]
                ///
                /// # Errors
                /// Any error, which rejects the row.
                fn #ident(&self) -> rt::Extracted<#ty>;
            }
        });
        let items = quote! {
            #[doc = #line]
            #[diagnostic::on_unimplemented(message = #message, note = #note)]
            pub trait #name { #(#functions)* }
        };
        (name, items)
    }

    /// Returns a type as a program outside the module of its store writes it.
    fn outside_type(&self, ty: &TokenStream, module: &str) -> String {
        let text = |tree: TokenTree| {
            let text = tree.to_string();
            let is_generated = self.defs.iter().any(|def| def.name == text);
            if is_generated { format!("{module}::{text}") } else { text }
        };
        let text: String = ty.clone().into_iter().map(text).collect();
        text.replace("rt::Cow", "std::borrow::Cow")
    }

    /// Returns the value of the rows of a map as a part, if the layout describes it.
    fn value_part(&mut self, map: &KeyspacePart) -> Option<Part> {
        let layout = self.layout;
        let keyspace = layout.keyspace(map.id);
        let Some(RowValue::Typed(typed)) = &keyspace.value else { return None };
        let owner = format!("{}Value", map.marker);
        Some(self.part(&typed.ty, &owner, &keyspace.name, keyspace.store))
    }

    /// Returns a field of an index as a part of the decoded value: an optional value for
    /// `optional`, an iterator for `each`, otherwise a value. `None` if only the program can take
    /// the field from the value.
    fn part_of_value(&self, field: &FieldPart, value: Option<&Part>) -> Option<TokenStream> {
        let FromValue { take, path } = field.from_value.as_ref()?;
        let value = value.filter(|_| !field.optional)?;
        let name = match &path[..] {
            [] => &field.name,
            [PathPart::Name(name)] => name,
            _ => return None,
        };
        match self.def_of(value).map(|def| &def.kind) {
            Some(DefKind::Composite(segs)) => {
                let part = find_field(segs, name)?;
                let place = in_struct(quote!(value))(part);
                match take {
                    Take::One if !part.optional => self.given(&part.part, &field.part, &place),
                    Take::Optional if part.optional => {
                        let bound = Operand::bound(&quote!(value));
                        let given = self.given(&part.part, &field.part, &bound)?;
                        let of = &place.value;
                        Some(quote! {
                            #of.as_ref().map(|value| Ok::<_, rt::DomainError>(#given)).transpose()?
                        })
                    }
                    Take::Each if !part.optional => self.elements(&part.part, field, &place),
                    _ => None,
                }
            }
            Some(DefKind::Variant(_)) => None,
            _ => {
                let place = Operand::local(&quote!(value));
                match take {
                    Take::One => self.given(value, &field.part, &place),
                    Take::Each => self.elements(value, field, &place),
                    Take::Optional => None,
                }
            }
        }
    }

    /// Returns a part of a value as a value of a field, if both have the same values.
    fn given(&self, from: &Part, to: &Part, place: &Operand) -> Option<TokenStream> {
        let is_list = matches!(from.plain, Plain::List(_));
        (!is_list && self.have_same_values(from, to)).then(|| self.converted(from, to, place))
    }

    /// Returns the elements of a list as values of a field.
    fn elements(&self, list: &Part, field: &FieldPart, place: &Operand) -> Option<TokenStream> {
        let Plain::List(element) = &list.plain else { return None };
        let given = self.given(element, &field.part, &Operand::bound(&quote!(element)))?;
        let list = &place.value;
        Some(quote! {
            #list
                .iter()
                .map(|element| Ok(#given))
                .collect::<Result<Vec<_>, rt::DomainError>>()?
        })
    }

    /// Whether values of one part are values of another: the same type, or integers.
    fn have_same_values(&self, from: &Part, to: &Part) -> bool {
        let number = |part| self.number(part, &TokenStream::new()).is_some();
        from.view == to.view || (number(from) && number(to))
    }

    /// Returns the value of a field, taken from the field of the same name in another key.
    fn carried(&self, field: &FieldPart, other: &[Seg], base: &TokenStream) -> TokenStream {
        let Some(source) = find_field(other, &field.name) else {
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

    /// Generates an expression that converts a value of one part to a value of another.
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
            Some(DefKind::Leaf(leaf)) => {
                let name = named(&to.view);
                if leaf.is_full() { quote!(#name(#number)) } else { quote!(#name::new(#number)?) }
            }
            _ => number,
        }
    }

    /// Returns the integer of a part as an expression.
    pub(crate) fn number(
        &self,
        part: &Part,
        value: &TokenStream,
    ) -> Option<(IntName, TokenStream)> {
        match (&part.view, self.def_of(part).map(|def| &def.kind)) {
            (RustType::Int(name), _) => Some((*name, value.clone())),
            (_, Some(DefKind::Leaf(leaf))) => match leaf.view {
                RustType::Int(name) => Some((name, quote!(#value.get()))),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Generates an expression that builds a key from its fields.
fn key_of(part: &KeyspacePart, fields: &[TokenStream]) -> TokenStream {
    let key = &part.key;
    if fields.is_empty() { quote!(()) } else { quote!(#key { #(#fields),* }) }
}
