//! Converts a syntax tree to a checked model: resolves names, builds domains and reports errors.

mod carried;
mod files;
mod foreign_type;
mod from_value;
mod keyspaces;
mod lists;
mod places;
mod scans;
mod segments;
mod splits;
mod types;
mod values;
mod wraps;

use crate::{
    BACKENDS, Backend, Diagnostic, FileId, Severity, Span,
    built::{Account, Built, Paid},
    descriptor::DescriptorSet,
    guard::MAX_CASES,
    model::{KeyspaceId, Layout, RootFile, Store, StoreId},
    source::Sources,
    syntax::ast,
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use std::{
    mem::{replace, take},
    sync::Arc,
};

pub(crate) use files::Root;
pub use files::{Loader, MAX_BYTES, NoImports, Reread};
pub use types::int_bounds;
pub(crate) use wraps::escaped;

/// The highest number of literal bytes, leaves and choices of one key or type.
pub const MAX_PLACES: u32 = 4096;
/// The highest number of reported errors of a layout.
const MAX_MISTAKES: usize = 20;
/// The highest number of syntax errors with which other errors are compared.
const MAX_COMPARED: usize = 1000;
/// The highest number of names that [`did_you_mean`] compares: a layout can misspell many names.
const MAX_CANDIDATES: usize = 256;
/// The length of the longest name for which a similar one is searched.
const MAX_NAME: usize = 64;
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
    /// The diagnostics in source order, at least one of them an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The source files.
    pub sources: Sources,
    /// The units of work of its codecs and automata.
    pub work: usize,
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
    let roots = layout.roots.iter().zip(layout.sources.files()).enumerate();
    let roots = roots.map(|(number, (root, file))| Root {
        path: &file.path,
        text: if number == 0 { text } else { &file.text },
        stores: root.stores.clone(),
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
        let layout = resolver.layout(&files.trees, roots);
        (Layout { paid: resolver.account.paid(), ..layout }, resolver.diagnostics)
    };
    // Omit errors of the resolver at places with a syntax error. Compare only with the first syntax
    // errors, to bound the work.
    let said: Vec<Span> = diagnostics.iter().take(MAX_COMPARED).map(|said| said.span).collect();
    let echoes = |found: &Diagnostic| said.iter().any(|said| said.meets(found.span));
    let found: Vec<Diagnostic> = found.into_iter().filter(|found| !echoes(found)).collect();
    diagnostics.extend(found);
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start, d.span.end));
    diagnostics.dedup();
    if let Some(first_left_out) = diagnostics.get(MAX_MISTAKES).map(|d| d.span) {
        let count = diagnostics.drain(MAX_MISTAKES..).map(|omitted| omitted.mistakes).sum();
        diagnostics.push(Diagnostic::omitted(first_left_out, count).label("from here on"));
    }
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(Rejected { diagnostics, sources: files.sources, work: 0 });
    }
    let roots = roots.iter().zip(0..);
    let roots =
        roots.map(|(root, file)| RootFile { file: FileId(file), stores: root.stores.clone() });
    let roots = roots.collect();
    Ok(Layout { sources: files.sources, trees: files.trees, roots, ..layout })
}

/// The imports of one file.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// The files whose types are visible without a qualifier.
    direct: Vec<FileId>,
    /// The files whose types need a qualifier.
    named: Vec<(String, FileId)>,
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
    fn layout(&mut self, trees: &'a [ast::File], roots: &[Root<'_>]) -> Layout {
        // The comment of one main file is about the layout, that of several about their stores.
        let doc = match (roots, trees) {
            ([_], [file, ..]) => file.doc.clone(),
            _ => Vec::new(),
        };
        let mut layout = Layout { doc, built: self.built.clone(), ..Layout::default() };
        let mut outlines = Vec::new();
        let mut outside = None;
        for (file, root) in trees.iter().zip(roots) {
            let counts = |name: &str| {
                root.stores.as_ref().is_none_or(|stores| stores.iter().any(|store| store == name))
            };
            // The comment of the file, for its first store.
            let mut about = file.doc.clone();
            // Whether a store of this file is open, and whether it belongs to the layout.
            let mut open = None;
            for decl in &file.decls {
                match (decl, open) {
                    (ast::Decl::Import(_) | ast::Decl::Type(_), _) => {}
                    (ast::Decl::Store(store), _) => {
                        open = Some(counts(&store.name.text));
                        if open == Some(true) {
                            self.store(store, &mut layout);
                            if let (true, Some(store)) = (roots.len() > 1, layout.stores.last_mut())
                            {
                                let mut parts = vec![take(&mut about), take(&mut store.doc)];
                                parts.retain(|doc| !doc.is_empty());
                                // An empty line separates paragraphs.
                                store.doc = parts.join(&String::new());
                            }
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
        if let Some(decl) = outside {
            let span = keyspaces::decl_span(decl);
            self.report(
                Diagnostic::error(span, "this declaration precedes every `store`")
                    .help("begin the layout with `store NAME`"),
            );
        } else if layout.stores.is_empty() && self.diagnostics.is_empty() {
            let span = Span::default();
            self.report(
                Diagnostic::error(span, "the layout has no `store`")
                    .help("begin the layout with `store NAME`"),
            );
        }
        self.fill_keyspaces(&outlines, &mut layout);
        layout.types = self.declared_types();
        layout
    }

    fn store(&mut self, store: &ast::Store, layout: &mut Layout) {
        if let Some(first) = layout.stores.iter().find(|s| s.name == store.name.text) {
            let message = format!("store `{}` is declared twice", store.name.text);
            self.report(
                Diagnostic::error(store.name.span, message)
                    .related(first.span, "first declared here"),
            );
        }
        let backend = store.backend.as_ref().and_then(|name| self.backend(name));
        layout.stores.push(Store {
            name: store.name.text.clone(),
            doc: store.doc.clone(),
            structures: store.structures,
            backend,
            version: store.version.map(|(version, _)| version),
            namespaces: Vec::new(),
            span: store.span,
        });
    }

    fn backend(&mut self, name: &ast::Name) -> Option<&'static Backend> {
        let found = Backend::find(&name.text);
        if found.is_none() {
            let known: Vec<&str> = BACKENDS.iter().map(|backend| backend.name).collect();
            let help = did_you_mean(&name.text, known.iter().copied())
                .unwrap_or_else(|| format!("it is one of {}", known.join(", ")));
            let message = format!("there is no backend `{}`", name.text);
            self.report(Diagnostic::error(name.span, message).help(help));
        }
        found
    }

    fn check_cases(&mut self, segments: &[crate::model::Segment], span: Span) -> bool {
        if crate::guard::cases(segments).is_some() {
            return true;
        }
        let message = format!("the guards here make more than {MAX_CASES} cases");
        self.report(
            Diagnostic::error(span, message)
                .help("use fewer fields in guards, or compare them with fewer values"),
        );
        false
    }
}

/// Suggests the most similar of the first 256 names.
#[must_use]
pub fn did_you_mean<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let name = most_similar(given, names.into_iter().take(MAX_CANDIDATES))?;
    Some(format!("did you mean `{name}`?"))
}

/// Returns the most similar name, if it is similar enough. Of equally similar names, prefers one
/// with the same letters in another order.
#[must_use]
pub fn most_similar<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    names
        .into_iter()
        .filter(|name| may_be_close(given, name))
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance * 3 <= name.len().max(given.len()) && *distance > 0)
        .min_by_key(|(distance, name)| (*distance, letters(name) != letters(given), *name))
        .map(|(_, name)| name)
}

fn letters(name: &str) -> Vec<u8> {
    let mut letters = name.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// Whether two names could be similar: each byte that occurs in only one of them needs an edit.
/// Computing the distance is much slower, and most names are not similar.
fn may_be_close(a: &str, b: &str) -> bool {
    let longer = a.len().max(b.len());
    if longer > MAX_NAME || a.len().abs_diff(b.len()) * 3 > longer {
        return false;
    }
    let mut counts = [0_i8; 256];
    a.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    b.bytes().for_each(|byte| counts[usize::from(byte)] -= 1);
    let missing: usize =
        counts.iter().filter(|&&n| n > 0).map(|&n| usize::from(n.unsigned_abs())).sum();
    missing * 3 <= longer * 4
}
