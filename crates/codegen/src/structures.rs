//! Structures: hashes with their fields, sets, sorted sets and queues.

use crate::{
    access::{Access, deref},
    names::{Names, camel, ident},
    parts::Parts,
};
use keyscape_layout::model::{Keyspace, KeyspaceKind, Type};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use std::sync::Arc;

impl Parts<'_> {
    /// Generates the implementations of the runtime traits for a structure.
    pub(crate) fn structure_items(&mut self, access: Access<'_>) -> TokenStream {
        let marker = &access.part.marker;
        let kind = match access.keyspace.kind {
            KeyspaceKind::Set => "Set",
            KeyspaceKind::Zset => "Zset",
            KeyspaceKind::Queue => "Queue",
            _ => "Hash",
        };
        let described = match &access.keyspace.member {
            Some(member) => self.member_items(access, member, kind),
            None => self.hash_items(access),
        };
        let (kind_ident, handle) = (ident(kind), deref(access.part, kind));
        let scans = self.scan_items(access);
        quote! {
            impl rt::Structure for #marker {
                const KIND: rt::Kind = rt::Kind::#kind_ident;
            }
            #described
            #handle
            #scans
        }
    }

    /// Returns the type that implements `Field` for members or scores, and its items.
    fn member(
        &mut self,
        access: Access<'_>,
        ty: &Arc<Type>,
        what: &str,
    ) -> (TokenStream, TokenStream) {
        let Keyspace { name, store, .. } = access.keyspace;
        let owner = format!("{}{}", access.part.marker, camel(what));
        let part = self.part(ty, &owner, &format!("{name}.{what}"), *store);
        self.field_marker(&part, &owner, *store)
    }

    /// Generates the items of a set, sorted set or queue.
    fn member_items(&mut self, access: Access<'_>, member: &Arc<Type>, kind: &str) -> TokenStream {
        let (marker, keyspace) = (&access.part.marker, access.keyspace);
        let (member, items) = self.member(access, member, "member");
        let (mut score_items, mut scores) = (None, None);
        if let Some(score) = &keyspace.score {
            let width = match score.fixed_length() {
                Some(width) => {
                    let width = Literal::usize_unsuffixed(width);
                    quote!(Some(#width))
                }
                None => quote!(None),
            };
            let (score, items) = self.member(access, score, "score");
            let ranked = keyspace.ranked;
            score_items = Some(items);
            scores = Some(quote! {
                impl rt::Scores for #marker {
                    type Score = #score;
                    const SCORE_WIDTH: Option<usize> = #width;
                    const RANKED: bool = #ranked;
                }
            });
        }
        let (counted, kind) = (keyspace.counted, format_ident!("{kind}Keyspace"));
        quote! {
            #items
            #score_items
            impl rt::Members for #marker {
                type Member = #member;
                const COUNTED: bool = #counted;
            }
            #scores
            impl rt::#kind for #marker {}
        }
    }

    /// Generates the items of a hash, with one variant for each declared field.
    fn hash_items(&mut self, access: Access<'_>) -> TokenStream {
        let (marker, keyspace, layout) = (&access.part.marker, access.keyspace, self.layout);
        let mut names = Names::default();
        let mut declared = Vec::new();
        for part in access.all {
            let field = layout.keyspace(part.id);
            if field.hash == Some(access.part.id) {
                let short = field.name.rsplit('.').next().unwrap_or(&field.name);
                declared.push((ident(&names.claim(&camel(short))), part, &field.doc));
            }
        }
        let entry = ident(&self.names(keyspace.store).claim(&format!("{marker}Entry")));
        let variants = declared.iter().map(|(variant, part, doc)| {
            let (field, docs) = (&part.marker, crate::doc(doc));
            quote! {
                #docs
                #variant {
                    /// The field.
                    field: <#field as rt::Keyspace>::Key<'r>,
                    /// Its value.
                    value: rt::ViewOf<'r, #field>,
                }
            }
        });
        let reads = declared.iter().map(|(variant, part, _)| {
            let field = &part.marker;
            quote! {
                if let Ok(field) = <#field as rt::Keyspace>::decode(bytes) {
                    let value = <<#field as rt::Rows>::Value as rt::ValueForm>::decode_row(bytes, value)?;
                    return Ok(#entry::#variant { field, value });
                }
            }
        });
        let shown = declared.iter().map(|(variant, _, _)| {
            let name = variant.to_string();
            quote!(#entry::#variant { field, .. } => {
                f.debug_struct(#name).field("field", field).finish_non_exhaustive()
            })
        });
        let line = format!(" A field of `{}` with its value.", keyspace.name);
        quote! {
            #[doc = #line]
            pub enum #entry<'r> { #(#variants),* }

            impl rt::fmt::Debug for #entry<'_> {
                fn fmt(&self, f: &mut rt::fmt::Formatter<'_>) -> rt::fmt::Result {
                    match self { #(#shown)* }
                }
            }

            impl rt::HashKeyspace for #marker {
                type Entry<'r> = #entry<'r>;

                fn entry<'r>(bytes: &'r [u8], value: &'r [u8]) -> Result<#entry<'r>, rt::EntryError> {
                    #(#reads)*
                    Err(rt::Malformed { reason: "none of the fields that the hash has" }.into())
                }
            }
        }
    }
}

/// Generates the items of a field of a hash.
pub(crate) fn hash_field_items(access: Access<'_>) -> TokenStream {
    let Some(hash) = access.keyspace.hash.and_then(|id| access.of(id)) else {
        return TokenStream::new();
    };
    let (marker, hash, prefix) = (&access.part.marker, &hash.marker, access.prefix());
    quote! {
        impl rt::HashField for #marker {
            type Hash = #hash;
            const PREFIX: &'static [u8] = #prefix;
        }
    }
}
