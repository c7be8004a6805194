//! A refuted claim for which fixes are searched.

use super::edit::{Edit, apply};
use crate::{
    cache::CacheView,
    check::{Config, Subject, decide, is_proved},
    context::Context,
    verdict::{Fault, Verdict},
};
use keyscape_automata::Total;
use keyscape_layout::{
    Layout, Side,
    model::{Keyspace, Scan, Split},
    read_again,
    syntax::ast::{self, all_decls},
};

/// The number of bytes of a layout that one unit of work parses.
const BYTES_PER_UNIT: usize = 2;

/// A claim and the fault that refutes it in a layout.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) layout: &'a Layout,
    pub(super) config: Config,
    /// The remaining work for edited layouts: parsing, construction and searches.
    pub(super) budget: &'a Total,
    /// The whole layout.
    pub(super) whole: &'a Layout,
    /// Whether KS001 is proved for the keyspace in the whole layout.
    pub(super) is_disjoint: bool,
    pub(super) cache: &'a CacheView<'a>,
    pub(super) subject: &'a Subject,
    pub(super) fault: &'a Fault,
}

impl<'a> Problem<'a> {
    /// Creates a context for deciding claims of an edited layout.
    pub(super) fn context<'l>(&'l self, layout: &'l Layout) -> Context<'l> {
        Context::new(layout, self.config, self.cache, self.budget)
    }

    pub(super) fn keyspace(&self) -> &'a Keyspace {
        self.layout.keyspace(self.subject.keyspace)
    }

    /// Returns the declaration of the keyspace of the claim.
    pub(super) fn declaration(&self) -> Option<&'a ast::Keyspace> {
        self.declaration_of(self.keyspace())
    }

    /// Returns the declaration of a keyspace of this layout.
    pub(super) fn declaration_of(&self, keyspace: &Keyspace) -> Option<&'a ast::Keyspace> {
        let name = keyspace.name_span;
        all_decls(self.layout.decls()).into_iter().find_map(|decl| match decl {
            ast::Decl::Keyspace(keyspace) => (keyspace.name.span == name).then_some(keyspace),
            _ => None,
        })
    }

    /// Yields the declarations of types in the main file.
    pub(super) fn types(&self) -> impl Iterator<Item = &'a ast::TypeDecl> {
        all_decls(self.layout.decls()).into_iter().filter_map(|decl| match decl {
            ast::Decl::Type(decl) => Some(decl),
            _ => None,
        })
    }

    pub(super) fn scan(&self) -> Option<&'a Scan> {
        self.keyspace().scans.get(self.subject.scan?)
    }

    pub(super) fn split(&self) -> Option<&'a Split> {
        self.keyspace().splits.get(self.subject.split?)
    }

    /// Returns the layout with some edits, or `None` if the result is not a layout, has other
    /// keyspaces, or exceeds the remaining work.
    pub(super) fn edited(&self, edits: &[Edit]) -> Option<Layout> {
        let text = apply(self.layout.text(), edits)?;
        self.budget.take(text.len() / BYTES_PER_UNIT).ok()?;
        let edited = read_again(self.layout, &text, self.budget).ok()?;
        let names = |layout: &Layout| -> Vec<(String, Vec<String>)> {
            let of = layout.keyspaces.iter();
            of.map(|k| (k.name.clone(), k.scans.iter().map(|s| s.name.clone()).collect())).collect()
        };
        (names(&edited) == names(self.layout)).then_some(edited)
    }

    /// Returns the length of the longest key of the claim's keyspace in an edited layout, or `None`
    /// if the length is unbounded.
    pub(super) fn longest_key(&self, edited: &Layout) -> Option<usize> {
        let machine = self.context(edited).reader.machine(&[self.subject.keyspace], Side::Over);
        machine.ok()?.longest()
    }

    /// Decides the claim in an edited layout.
    pub(super) fn decide(&self, edited: &Layout) -> Option<Verdict> {
        decide(&self.focused(edited), self.subject).map(|decision| decision.verdict)
    }

    /// Returns the layout with some edits if the claim is proved in it.
    pub(super) fn fixed(&self, edits: &[Edit]) -> Option<Layout> {
        self.edited(edits).filter(|edited| is_proved(&self.focused(edited), self.subject))
    }

    /// Creates a context for the claim alone, which needs only the collisions of its keyspace.
    fn focused<'l>(&'l self, edited: &'l Layout) -> Context<'l> {
        self.context(edited).focused(vec![self.subject.keyspace])
    }
}
