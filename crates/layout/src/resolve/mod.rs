//! Converts a syntax tree to a checked model: resolves names, builds domains and reports errors.

mod clauses;
mod codecs;
mod files;
mod index_fields;
mod keyspaces;
mod scans;
mod segments;
mod types;
mod values;
mod wraps;

use crate::{
    BACKENDS, Backend, Diagnostic, FileId, Span,
    built::{Account, Built, Paid},
    descriptor::DescriptorSet,
    guard::{MAX_CASES, cases},
    model::{KeyspaceId, Layout, Segment, Store, StoreId},
    source::Sources,
    syntax::ast,
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use std::{
    fmt::Display,
    mem::{replace, take},
    sync::Arc,
};

pub use codecs::int_bounds;
use files::Files;
pub(crate) use files::Root;
pub use files::{Loader, MAX_BYTES, NoImports, Reread};
pub(crate) use wraps::escaped;

/// The highest number of literal bytes, leaves and choices of one key or type.
pub const MAX_PLACES: u32 = 4096;
/// The highest number of reported errors of a layout.
const MAX_MISTAKES: usize = 20;
/// The highest number of syntax errors with which other errors are compared.
const MAX_COMPARED: usize = 1000;
/// The deepest nesting of types.
const MAX_DEPTH: u32 = 64;

/// The highest number of units of work for the automata of one layout.
const MAX_WORK: usize = 1 << 23;

/// Returns the total work for the automata of one layout.
const fn read_total() -> Total {
    Total::new("units of work for the automata of the layout", MAX_WORK)
}

/// Returns the budget of one construction within a total.
fn budget(total: &Total) -> Budget<'_> {
    Budget { total: Some(total), ..Budget::default() }
}

/// The errors of a layout.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The errors in source order, at least one.
    pub diagnostics: Vec<Diagnostic>,
    /// The source files.
    pub sources: Sources,
    /// The syntax trees of the files, in the order of `sources`.
    pub trees: Vec<ast::File>,
    /// The units of work of its codecs and automata.
    pub work: usize,
}

impl Rejected {
    /// Creates the errors of a file without a syntax tree.
    #[must_use]
    pub fn of_file(path: &str, text: &str, diagnostics: Vec<Diagnostic>) -> Self {
        let mut sources = Sources::default();
        sources.add(path, text);
        Self { diagnostics, sources, trees: Vec::new(), work: 0 }
    }

    /// Returns the number of mistakes, including those that no diagnostic shows.
    #[must_use]
    pub fn mistakes(&self) -> usize {
        self.diagnostics.iter().map(|diagnostic| diagnostic.mistakes).sum()
    }
}

/// Reads a layout: parses it and its imports and resolves them.
///
/// # Errors
/// [`Rejected`] contains all errors.
pub fn read(path: &str, text: &str, loader: &mut dyn Loader) -> Result<Layout, Rejected> {
    read_beside(&Built::default(), path, text, loader)
}

/// Reads a layout again with a changed text of its first file. Existing codecs and automata are
/// reused. New ones are charged to `total`.
///
/// # Errors
/// [`Rejected`] contains all errors.
pub fn read_again(layout: &Layout, text: &str, total: &Total) -> Result<Layout, Rejected> {
    let roots = layout.root_stores.iter().zip(layout.sources.files()).enumerate();
    let roots = roots.map(|(number, (stores, file))| Root {
        path: &file.path,
        text: if number == 0 { text } else { &file.text },
        stores: stores.clone(),
    });
    let roots: Vec<Root<'_>> = roots.collect();
    let account = Account::new(budget(total), layout.paid.clone());
    read_with(&roots, &mut Reread(&layout.sources), layout.built.clone(), account)
}

/// Reads a layout with a cache that similar layouts share, such as other versions of it.
///
/// # Errors
/// [`Rejected`] contains all errors.
pub fn read_beside(
    built: &Built,
    path: &str,
    text: &str,
    loader: &mut dyn Loader,
) -> Result<Layout, Rejected> {
    read_roots(built, &[Root { path, text, stores: None }], loader)
}

/// Reads a layout that has several main files.
pub(crate) fn read_roots(
    built: &Built,
    roots: &[Root<'_>],
    loader: &mut dyn Loader,
) -> Result<Layout, Rejected> {
    let total = read_total();
    let account = Account::new(budget(&total), Paid::default());
    match read_with(roots, loader, built.clone(), account) {
        Ok(layout) => Ok(Layout { work: total.spent(), ..layout }),
        Err(rejected) => Err(Rejected { work: total.spent(), ..rejected }),
    }
}

fn read_with(
    roots: &[Root<'_>],
    loader: &mut dyn Loader,
    built: Built,
    account: Account<'_>,
) -> Result<Layout, Rejected> {
    let (files, mut diagnostics) = files::read_all(roots, loader);
    let (layout, found) = {
        let mut resolver = Resolver::new(&files.trees, &files.imports, built, account);
        resolver.declare_types();
        let layout = resolver.layout(roots);
        (Layout { paid: resolver.account.paid(), ..layout }, resolver.diagnostics)
    };
    // Omit errors of the resolver that overlap a syntax error. Compare only with the first syntax
    // errors, to bound the work.
    let reported: Vec<Span> = diagnostics.iter().take(MAX_COMPARED).map(|d| d.span).collect();
    let is_reported = |found: &Diagnostic| reported.iter().any(|span| span.meets(found.span));
    diagnostics.extend(found.into_iter().filter(|found| !is_reported(found)));
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start, d.span.end));
    diagnostics.dedup();
    if let Some(first_left_out) = diagnostics.get(MAX_MISTAKES).map(|d| d.span) {
        let count = diagnostics.drain(MAX_MISTAKES..).map(|omitted| omitted.mistakes).sum();
        diagnostics.push(Diagnostic::omitted(first_left_out, count).label("from here on"));
    }
    let Files { sources, trees, .. } = files;
    if !diagnostics.is_empty() {
        return Err(Rejected { diagnostics, sources, trees, work: 0 });
    }
    let root_stores = roots.iter().map(|root| root.stores.clone()).collect();
    Ok(Layout { sources, trees, root_stores, ..layout })
}

/// The imports of one file.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// The imported files, each with the qualifier of its types.
    files: Vec<(Option<String>, FileId)>,
    /// The descriptor sets of protobuf.
    sets: Vec<Arc<DescriptorSet>>,
}

struct Resolver<'a> {
    imports: &'a [Imports],
    trees: &'a [ast::File],
    types: HashMap<(FileId, String), types::Entry<'a>>,
    built: Built,
    /// The keyspaces and namespaces by name, for lookups in constant time.
    keyspaces: HashMap<(StoreId, String), KeyspaceId>,
    namespaces: HashMap<(StoreId, String), Span>,
    diagnostics: Vec<Diagnostic>,
    account: Account<'a>,
    /// Whether the limit on the work of the whole layout has been reported.
    is_exhausted: bool,
    depth: u32,
}

impl<'a> Resolver<'a> {
    fn new(
        trees: &'a [ast::File],
        imports: &'a [Imports],
        built: Built,
        account: Account<'a>,
    ) -> Self {
        Self {
            imports,
            trees,
            types: HashMap::new(),
            built,
            keyspaces: HashMap::new(),
            namespaces: HashMap::new(),
            diagnostics: Vec::new(),
            account,
            is_exhausted: false,
            depth: 0,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Reports the error of a part, and returns `None` for the part.
    fn reject<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.report(error);
        None
    }

    /// Like [`Resolver::reject`], for an error without advice.
    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.reject(Diagnostic::error(span, message))
    }

    /// Returns the declaration of a name. If it is missing, reports `message` and suggests a
    /// similar name.
    fn find_or_report<'n, T>(
        &mut self,
        found: Option<T>,
        name: &ast::Name,
        message: String,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<T> {
        if found.is_none() {
            self.report(Diagnostic::error(name.span, message).suggest(&name.text, names));
        }
        found
    }

    /// Reports the second declaration of a name.
    fn declared_twice(&mut self, what: impl Display, span: Span, first: Span) {
        let error = Diagnostic::error(span, format!("{what} is declared twice"));
        self.report(error.related(first, "first declared here"));
    }

    /// Reports a domain that is too large. At the limit of the whole layout, every further domain
    /// is too large, so this limit is reported once.
    fn too_large(&mut self, span: Span, message: String, over: OverBudget) {
        if self.account.budget.total.map(Total::over) != Some(over) {
            let help = "use smaller lengths and counts";
            self.report(Diagnostic::error(span, message).help(help));
        } else if !replace(&mut self.is_exhausted, true) {
            let message = format!("the domains of this layout are too large together: {over}");
            let help = "use smaller counts in the largest domains, or divide the layout";
            let found = Diagnostic::error(span, message).label("the limit is reached here");
            self.report(found.help(help));
        }
    }

    /// Returns the model of the main files. Imported files contribute only types.
    fn layout(&mut self, roots: &[Root<'_>]) -> Layout {
        let trees = self.trees;
        let mut layout = Layout { built: self.built.clone(), ..Layout::default() };
        let mut outlines = Vec::new();
        let mut outside = None;
        for (file, root) in trees.iter().zip(roots) {
            let mut file_doc = file.doc.clone();
            // The comment of a single main file describes the layout. Otherwise the comment of each
            // main file describes its first store.
            if roots.len() == 1 {
                layout.doc = take(&mut file_doc);
            }
            // Whether a store of this file is open, and whether it belongs to the layout.
            let mut open = None;
            for decl in &file.decls {
                match (decl, open) {
                    (ast::Decl::Import(_) | ast::Decl::Type(_), _) => {}
                    (ast::Decl::Store(store), _) => {
                        let stores = root.stores.as_ref();
                        let is_selected = stores.is_none_or(|all| all.contains(&store.name.text));
                        open = Some(is_selected);
                        if is_selected {
                            self.store(store, take(&mut file_doc), &mut layout);
                        }
                    }
                    (_, None) => {
                        outside.get_or_insert(decl);
                    }
                    (_, Some(false)) => {}
                    (decl, Some(true)) => {
                        let scope = keyspaces::Scope::default();
                        self.outline(decl, &scope, &mut layout, &mut outlines);
                    }
                }
            }
        }
        let missing = match outside {
            Some(decl) => Some((decl.name_span(), "this declaration precedes every `store`")),
            None if layout.stores.is_empty() && self.diagnostics.is_empty() => {
                Some((Span::default(), "the layout has no `store`"))
            }
            None => None,
        };
        if let Some((span, message)) = missing {
            let help = "begin the layout with `store NAME`";
            self.report(Diagnostic::error(span, message).help(help));
        }
        self.fill_keyspaces(&outlines, &mut layout);
        layout.types = self.declared_types();
        layout
    }

    /// Adds a store. Its documentation follows `file_doc`.
    fn store(&mut self, store: &ast::Store, file_doc: Vec<String>, layout: &mut Layout) {
        if let Some(first) = layout.stores.iter().find(|s| s.name == store.name.text) {
            let what = format!("store `{}`", store.name.text);
            self.declared_twice(what, store.name.span, first.span);
        }
        let backend = store.backend.as_ref().and_then(|name| self.backend(name));
        let mut paragraphs = vec![file_doc, store.doc.clone()];
        paragraphs.retain(|doc| !doc.is_empty());
        layout.stores.push(Store {
            name: store.name.text.clone(),
            // An empty line separates paragraphs.
            doc: paragraphs.join(&String::new()),
            structures: store.structures,
            backend,
            version: store.version,
            namespaces: Vec::new(),
            span: store.span,
        });
    }

    fn backend(&mut self, name: &ast::Name) -> Option<&'static Backend> {
        let found = Backend::find(&name.text);
        if found.is_none() {
            let known: Vec<&str> = BACKENDS.iter().map(|backend| backend.name).collect();
            let error =
                Diagnostic::error(name.span, format!("there is no backend `{}`", name.text));
            self.report(error.suggest_or_list(&name.text, &known));
        }
        found
    }

    /// Whether the guards of a list have few cases. Reports too many.
    fn check_cases(&mut self, segments: &[Segment], span: Span) -> bool {
        let fits = cases(segments).is_some();
        if !fits {
            let message = format!("the guards here make more than {MAX_CASES} cases");
            let help = "use fewer fields in guards, or compare them with fewer values";
            self.report(Diagnostic::error(span, message).help(help));
        }
        fits
    }
}
