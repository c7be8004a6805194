//! Structures: hashes with their fields, sets, sorted sets and queues.

use crate::{
    access::{Access, deref},
    names::{camel, ident},
    parts::Parts,
};
use keyscape_layout::model::{Keyspace, KeyspaceKind, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::sync::Arc;

impl Parts<'_> {
    /// Generates the implementations of the runtime traits for a structure.
    pub(crate) fn structure_items(
        &mut self,
        access: Access<'_>,
        keyspace: &Keyspace,
    ) -> TokenStream {
        let marker = &access.part.marker;
        let (kind, described) = match keyspace.kind {
            KeyspaceKind::Set => ("Set", self.set_items(access, keyspace)),
            KeyspaceKind::Zset => ("Zset", self.sorted_items(access, keyspace)),
            KeyspaceKind::Queue => ("Queue", self.sorted_items(access, keyspace)),
            _ => ("Hash", self.hash_items(access, keyspace)),
        };
        let (kind_ident, handle) = (ident(kind), deref(access.part, kind));
        let scans = self.scan_items(access, keyspace);
        quote! {
            impl rt::Structure for #marker {
                const KIND: rt::Kind = rt::Kind::#kind_ident;
            }
            #described
            #handle
            #scans
        }
    }

    fn member(
        &mut self,
        access: Access<'_>,
        keyspace: &Keyspace,
        ty: &Arc<Type>,
        what: &str,
    ) -> (TokenStream, TokenStream) {
        let owner = format!("{}{}", access.part.marker, camel(what));
        let part = self.part(ty, &owner, &format!("{}.{what}", keyspace.name), keyspace.store);
        self.field_marker(&part, &owner, keyspace)
    }

    fn set_items(&mut self, access: Access<'_>, keyspace: &Keyspace) -> TokenStream {
        let Some(member) = &keyspace.member else { return TokenStream::new() };
        let (member, items) = self.member(access, keyspace, member, "member");
        let (marker, counted) = (&access.part.marker, keyspace.counted);
        quote! {
            #items
            impl rt::Members for #marker {
                type Member = #member;
                const COUNTED: bool = #counted;
            }
            impl rt::SetKeyspace for #marker {}
        }
    }

    fn sorted_items(&mut self, access: Access<'_>, keyspace: &Keyspace) -> TokenStream {
        let (Some(member), Some(score)) = (&keyspace.member, &keyspace.score) else {
            return TokenStream::new();
        };
        let width = match score.fixed_length() {
            Some(width) => {
                let width = Literal::usize_unsuffixed(width);
                quote!(Some(#width))
            }
            None => quote!(None),
        };
        let (member, members) = self.member(access, keyspace, member, "member");
        let (score, scores) = self.member(access, keyspace, score, "score");
        let marker = &access.part.marker;
        let (counted, ranked) = (keyspace.counted, keyspace.ranked);
        let is_queue = keyspace.kind == KeyspaceKind::Queue;
        let kind = ident(if is_queue { "QueueKeyspace" } else { "ZsetKeyspace" });
        quote! {
            #members
            #scores
            impl rt::Members for #marker {
                type Member = #member;
                const COUNTED: bool = #counted;
            }
            impl rt::Scores for #marker {
                type Score = #score;
                const SCORE_WIDTH: Option<usize> = #width;
                const RANKED: bool = #ranked;
            }
            impl rt::#kind for #marker {}
        }
    }

    /// Generates the items of a hash, with one variant for each declared field.
    fn hash_items(&mut self, access: Access<'_>, keyspace: &Keyspace) -> TokenStream {
        let marker = &access.part.marker;
        let own = access
            .all
            .iter()
            .filter(|part| self.layout.keyspace(part.id).hash == Some(access.part.id));
        let own: Vec<_> = own.collect();
        let mut names = crate::names::Names::default();
        let fields_of: Vec<_> = own
            .iter()
            .map(|part| {
                let name = &self.layout.keyspace(part.id).name;
                let short = name.rsplit('.').next().unwrap_or(name);
                (
                    ident(&names.claim(&camel(short))),
                    *part,
                    self.layout.keyspace(part.id).doc.clone(),
                )
            })
            .collect();
        let entry = ident(&self.names(keyspace.store).claim(&format!("{marker}Entry")));
        let variants = fields_of.iter().map(|(variant, part, doc)| {
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
        let reads = fields_of.iter().map(|(variant, part, _)| {
            let field = &part.marker;
            quote! {
                if let Ok(field) = <#field as rt::Keyspace>::decode(bytes) {
                    let value = <<#field as rt::Rows>::Value as rt::ValueForm>::decode_row(bytes, value)?;
                    return Ok(#entry::#variant { field, value });
                }
            }
        });
        let shown = fields_of.iter().map(|(variant, _, _)| {
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

    /// Generates the items of a field of a hash.
    pub(crate) fn hash_field_items(&self, access: Access<'_>, keyspace: &Keyspace) -> TokenStream {
        let Some(hash) = keyspace.hash.and_then(|id| access.of(id)) else {
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
}
