//! Typed access: the implementations of the runtime's traits for each keyspace.

use crate::{
    codec_form::{Form, Functions, Wrap},
    keyspaces::KeyspacePart,
    names::ident,
    part_ops::{Operand, named},
    parts::{Part, Parts, Plain, SegKind, fields},
    rust_type::RustType,
    structures::hash_field_items,
    types::field_impl,
};
use keyscape_codec::wrapper::Wrapper;
use keyscape_layout::{
    kind_name,
    model::{Keyspace, KeyspaceId, KeyspaceKind, RowValue, StoreId, TypedValue},
};
use keyscape_prover::{Claim, Report, Rule};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The inputs of the access code of one keyspace.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    pub(crate) part: &'a KeyspacePart,
    pub(crate) keyspace: &'a Keyspace,
    /// All keyspaces of the layout, by id.
    pub(crate) all: &'a [KeyspacePart],
    pub(crate) report: &'a Report,
}

impl Access<'_> {
    /// Returns the literals that every key begins with.
    pub(crate) fn prefix(&self) -> Literal {
        match self.part.segs.first().map(|seg| &seg.kind) {
            Some(SegKind::Literal(bytes)) => Literal::byte_string(bytes),
            _ => Literal::byte_string(b""),
        }
    }

    pub(crate) fn of(&self, id: KeyspaceId) -> Option<&KeyspacePart> {
        self.all.iter().find(|part| part.id == id)
    }

    /// Returns the claim of a rule about a scan of the keyspace.
    pub(crate) fn scan_claim(&self, rule: Rule, scan: usize) -> Option<&Claim> {
        let is_about = |claim: &&Claim| {
            (claim.rule, claim.keyspace, claim.scan) == (rule, self.part.id, Some(scan))
        };
        self.report.claims.iter().find(is_about)
    }
}

impl Parts<'_> {
    /// Generates the items that give access to a keyspace.
    pub(crate) fn access_items(&mut self, access: Access<'_>) -> TokenStream {
        if is_structure(access.keyspace.kind) {
            return self.structure_items(access);
        }
        let rows = self.rows_items(access);
        if access.keyspace.hash.is_some() {
            let (field, handle) = (hash_field_items(access), deref(access.part, "HashFieldOf"));
            return quote!(#rows #field #handle);
        }
        let (described, handle) = match access.keyspace.kind {
            KeyspaceKind::Item => (item_items(access), "Item"),
            KeyspaceKind::Sequence => {
                let marker = &access.part.marker;
                let has_fields = !fields(&access.part.segs).is_empty();
                let item = (!has_fields).then(|| item_items(access));
                (quote!(#item impl rt::SequenceRows for #marker {}), "Sequence")
            }
            KeyspaceKind::Index => (self.index_items(access), "Index"),
            _ => (self.map_items(access), "Map"),
        };
        let (handle, scans) = (deref(access.part, handle), self.scan_items(access));
        quote!(#rows #described #handle #scans)
    }

    fn map_items(&self, access: Access<'_>) -> TokenStream {
        let (marker, prefix) = (&access.part.marker, access.prefix());
        let indexes = access
            .all
            .iter()
            .rev()
            .filter(|other| self.layout.keyspace(other.id).of == Some(access.part.id));
        let indexes = indexes.fold(quote!(()), |rest, index| {
            let index = &index.marker;
            quote!((#index, #rest))
        });
        quote! {
            impl rt::MapRows for #marker {
                const PREFIX: &'static [u8] = #prefix;
                type Indexes = #indexes;
            }
        }
    }

    /// Generates the type of the values of rows.
    fn rows_items(&mut self, access: Access<'_>) -> TokenStream {
        let marker = &access.part.marker;
        let (value, mut items) = match &access.keyspace.value {
            Some(value) => self.value_form(access, value, "Value"),
            None => (quote!(rt::Empty), TokenStream::new()),
        };
        let form = match &access.keyspace.reads {
            None => value,
            Some(reads) => {
                let (reads, more) = self.value_form(access, reads, "Reads");
                items.extend(more);
                quote!(rt::Reads<#value, #reads>)
            }
        };
        quote! {
            #items
            impl rt::Rows for #marker {
                type Value = #form;
            }
        }
    }

    /// Returns the form of a value, and the items that it needs.
    fn value_form(
        &mut self,
        access: Access<'_>,
        value: &RowValue,
        suffix: &str,
    ) -> (TokenStream, TokenStream) {
        let Keyspace { name: keyspace, store, .. } = access.keyspace;
        let (owner, none) = (format!("{}{suffix}", access.part.marker), TokenStream::new());
        match value {
            RowValue::Empty => (quote!(rt::Empty), none),
            RowValue::Const(bytes) => {
                let name = self.names(*store).claim(&owner);
                let (name, bytes) = (ident(&name), Literal::byte_string(bytes));
                let line = format!(" The bytes of the value of a row of `{keyspace}`.");
                let items = quote! {
                    #[doc = #line]
                    #[derive(Clone, Copy, Debug)]
                    pub struct #name;

                    impl rt::Constant for #name {
                        const BYTES: &'static [u8] = #bytes;
                    }
                };
                (quote!(rt::Const<#name>), items)
            }
            RowValue::Json(None) => (quote!(rt::Json<rt::JsonValue>), none),
            RowValue::Json(Some(name)) => {
                let own = own_type(name);
                (quote!(rt::Json<#own>), none)
            }
            RowValue::Proto(message) => {
                let own = own_type(&message.name);
                (quote!(rt::Proto<#own>), none)
            }
            RowValue::Own(name) => (own_type(name), none),
            RowValue::Typed(TypedValue { wrapper: Some(wrapper), .. }) => {
                let ty = match wrapper {
                    Wrapper::Bool => quote!(bool),
                    Wrapper::Int32 => quote!(i32),
                    Wrapper::Int64 => quote!(i64),
                    Wrapper::UInt32 => quote!(u32),
                    Wrapper::UInt64 => quote!(u64),
                };
                (quote!(rt::Wrapped<#ty>), none)
            }
            RowValue::Typed(typed) => {
                let value = self.part(&typed.ty, &owner, keyspace, *store);
                self.typed_form(&value, &owner, *store)
            }
        }
    }

    fn typed_form(
        &mut self,
        value: &Part,
        owner: &str,
        store: StoreId,
    ) -> (TokenStream, TokenStream) {
        if let Plain::Leaf(leaf) = &value.plain {
            let ty = leaf.view.tokens(&quote!('static));
            let form = match (&leaf.form, &leaf.view) {
                (Form::Functions(_), RustType::Bool) => Some(quote!(rt::Bool)),
                (Form::Functions(functions), _) => functions.value_form.map(|form| {
                    let form = ident(form);
                    quote!(rt::#form<#ty>)
                }),
                (Form::Words(Wrap::None), RustType::Text) => Some(quote!(rt::Text)),
                (Form::Words(Wrap::None), RustType::Bytes) => Some(quote!(rt::Bytes)),
                _ => None,
            };
            if let Some(form) = form {
                return (form, TokenStream::new());
            }
        }
        let (field, items) = self.field_marker(value, owner, store);
        (quote!(rt::OfField<#field>), items)
    }

    /// Returns the type that implements `Field` for a part, and its items if they do not exist yet.
    pub(crate) fn field_marker(
        &mut self,
        part: &Part,
        owner: &str,
        store: StoreId,
    ) -> (TokenStream, TokenStream) {
        match (&part.plain, &part.view) {
            _ if part.wrapped.is_some() => {}
            (Plain::Named, view) => {
                let name = named(view);
                let name = if view.traits().borrows { quote!(#name<'static>) } else { name };
                return (name, TokenStream::new());
            }
            (Plain::Leaf(leaf), RustType::Int(int)) => {
                if let Form::Functions(Functions {
                    value_form: Some(form @ ("Be" | "Le")), ..
                }) = leaf.form
                {
                    let (form, int) = (ident(form), int.tokens());
                    return (quote!(rt::#form<#int>), TokenStream::new());
                }
            }
            _ => {}
        }
        let name = ident(&self.names(store).claim(&format!("{owner}Field")));
        let put = self.put(part, &Operand::bound(&quote!(view)));
        let parse = self.parse(part, &quote!(bytes));
        let into_owned = self.own(part, &quote!(view));
        let field = field_impl(&quote!(#name), &part.view, [&put, &parse, &into_owned]);
        let line = format!(" The encoding of `{}`.", part.what);
        let items = quote! {
            #[doc = #line]
            #[derive(Clone, Copy, Debug)]
            pub struct #name;

            #field
        };
        (quote!(#name), items)
    }

    /// Generates `LAYOUT` and `fits`, which describe all stores. The module of the first store
    /// defines them.
    pub(crate) fn layout_items(&self, keyspaces: &[KeyspacePart], store: StoreId) -> TokenStream {
        match self.layout.stores.first() {
            Some(first) if store.0 > 0 => {
                let first = ident(&first.name);
                quote!(pub use super::#first::{LAYOUT, fits};)
            }
            _ => {
                let (constant, fits) =
                    (self.layout_constant(keyspaces, store), self.fits(keyspaces, store));
                quote!(#constant #fits)
            }
        }
    }

    /// Generates the function that checks rows.
    fn fits(&self, keyspaces: &[KeyspacePart], store: StoreId) -> TokenStream {
        let layout = self.layout;
        // A field of a hash is a part of its records.
        let own = keyspaces.iter().filter(|part| layout.keyspace(part.id).hash.is_none());
        let asked = own.map(|part| {
            let keyspace = layout.keyspace(part.id);
            let (module, marker) = (ident(&layout.store(keyspace.store).name), &part.marker);
            let kind = match keyspace.kind {
                KeyspaceKind::Hash => ident("hash"),
                KeyspaceKind::Set => ident("set"),
                KeyspaceKind::Zset => ident("zset"),
                KeyspaceKind::Queue => ident("queue"),
                _ => ident("row"),
            };
            // `super` does not work for the own module: a layout may be declared inside a function.
            match keyspace.store == store {
                true => quote!(rt::fits::#kind::<#marker>),
                false => quote!(rt::fits::#kind::<super::#module::#marker>),
            }
        });
        quote! {
            /// Checks that a row of a database fits the layout: a keyspace has its key, and the
            /// value has the form of that keyspace. `adopt` takes this function to check rows that
            /// are older than the layout.
            ///
            /// # Errors
            /// `Misfit` with the reason.
            pub fn fits(space: &str, key: &[u8], value: &[u8]) -> Result<(), rt::Misfit> {
                rt::fits::any(&[#(#asked),*], space, key, value)
            }
        }
    }

    /// Generates the constant that describes the layout to the database.
    fn layout_constant(&self, keyspaces: &[KeyspacePart], store: StoreId) -> TokenStream {
        let layout = self.layout;
        let name = &layout.stores.first().map_or("", |store| &store.name);
        let mut spaces: Vec<String> = layout.keyspace_ids().map(|id| self.space(id)).collect();
        spaces.sort();
        spaces.dedup();
        let infos = layout.keyspace_ids().map(|id| {
            let keyspace = layout.keyspace(id);
            let (space, name) = (self.space(id), &keyspace.name);
            let kind = if keyspace.hash.is_some() { "field" } else { kind_name(keyspace.kind) };
            let text = layout.canonical(id);
            let fingerprint = Literal::byte_string(&layout.fingerprint(id));
            let version = layout.store(keyspace.store).version.unwrap_or_default();
            let version = Literal::u64_unsuffixed(version);
            quote! {
                rt::KeyspaceInfo {
                    space: #space,
                    name: #name,
                    kind: #kind,
                    text: #text,
                    fingerprint: *#fingerprint,
                    version: #version,
                }
            }
        });
        let indexes = keyspaces.iter().filter(|part| layout.keyspace(part.id).of.is_some());
        let indexes = indexes.map(|part| {
            let keyspace = layout.keyspace(part.id);
            let (space, name, marker) = (self.space(part.id), &keyspace.name, &part.marker);
            let marker = if keyspace.store == store {
                quote!(#marker)
            } else {
                let module = ident(&layout.store(keyspace.store).name);
                quote!(super::#module::#marker)
            };
            quote! {
                rt::IndexInfo {
                    space: #space,
                    name: #name,
                    source: &rt::Index::<#marker>::new(),
                }
            }
        });
        let text = layout.bundle().text();
        quote! {
            /// The whole layout. A database stores its text and compares its fingerprints.
            pub const LAYOUT: rt::Layout<'static> = rt::Layout {
                name: #name,
                text: #text,
                spaces: &[#(#spaces),*],
                keyspaces: &[#(#infos),*],
                indexes: &[#(#indexes),*],
            };
        }
    }
}

fn item_items(access: Access<'_>) -> TokenStream {
    let (marker, key) = (&access.part.marker, access.prefix());
    quote! {
        impl rt::ItemRows for #marker {
            const KEY: &'static [u8] = #key;
        }
    }
}

/// Whether a keyspace consists of structures, not of plain rows.
pub(crate) const fn is_structure(kind: KeyspaceKind) -> bool {
    use KeyspaceKind::{Hash, Queue, Set, Zset};
    matches!(kind, Hash | Set | Zset | Queue)
}

/// Returns the path of a type of the program. Such a type is in scope next to the generated
/// modules.
fn own_type(name: &str) -> TokenStream {
    let path = name.split('.').map(ident);
    quote!(super::#(#path)::*)
}

/// Generates `Deref` to the handle of the runtime.
pub(crate) fn deref(part: &KeyspacePart, handle: &str) -> TokenStream {
    let (marker, handle) = (&part.marker, ident(handle));
    quote! {
        impl rt::Deref for #marker {
            type Target = rt::#handle<#marker>;

            fn deref(&self) -> &Self::Target {
                const { &rt::#handle::new() }
            }
        }
    }
}
