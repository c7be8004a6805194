//! The input of an idea: a layout, its text, and the counterexample.

use super::effort::Effort;
use crate::{cache::CacheView, check::Config, context::Context, decide::Subject, verdict::Fault};
use keyscape_layout::{
    Layout,
    model::{Keyspace, Scan, Split},
    syntax::ast::{self, all_decls},
};

#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) layout: &'a Layout,
    pub(super) config: Config,
    /// The remaining work for changed layouts.
    pub(super) effort: &'a Effort,
    /// The whole layout.
    pub(super) whole: &'a Layout,
    /// Whether KS001 is proved for the keyspace in the whole layout.
    pub(super) is_disjoint: bool,
    pub(super) cache: &'a CacheView<'a>,
    pub(super) subject: &'a Subject,
    pub(super) fault: &'a Fault,
}

impl<'a> View<'a> {
    /// Creates a context for deciding claims of a changed layout.
    pub(super) fn context<'l>(&'l self, layout: &'l Layout) -> Context<'l> {
        Context::within(layout, self.config, self.cache, self.effort.total.clone())
    }

    pub(super) fn keyspace(&self) -> &'a Keyspace {
        self.layout.keyspace(self.subject.keyspace)
    }

    /// Returns the declaration of the keyspace of the claim.
    pub(super) fn keyspace_tree(&self) -> Option<&'a ast::Keyspace> {
        self.tree_of(self.keyspace())
    }

    /// Returns the declaration of a keyspace of this layout.
    pub(super) fn tree_of(&self, keyspace: &Keyspace) -> Option<&'a ast::Keyspace> {
        let name = keyspace.name_span;
        all_decls(self.layout.decls()).into_iter().find_map(|decl| match decl {
            ast::Decl::Keyspace(keyspace) => (keyspace.name.span == name).then_some(keyspace),
            _ => None,
        })
    }

    pub(super) fn scan(&self) -> Option<&'a Scan> {
        self.keyspace().scans.get(self.subject.scan?)
    }

    pub(super) fn split(&self) -> Option<&'a Split> {
        self.keyspace().splits.get(self.subject.split?)
    }
}
