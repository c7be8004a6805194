//! All files of a layout in one text, the form in which databases store layouts.
//!
//! A layout of one file is its own bundle. Otherwise lines that begin with `//@` separate the
//! parts:
//!
//! ```text
//! //@ layout bank stores bank acc
//! store bank
//! …
//! //@ file common.keys
//! type Address = …
//! //@ layout txo stores txo
//! …
//! ```
//!
//! A `layout` part is a main file. Only its named stores belong to the layout. The `file` parts
//! after it are its imports. Every main file has its own types.

use crate::{
    Built, FileId, Layout, Loader, Rejected,
    descriptor::DescriptorSet,
    resolve::{Root, read_roots},
    syntax::{
        self,
        ast::{self, Decl},
    },
};
use std::fmt::Write;

const LAYOUT: &str = "//@ layout ";
const STORES: &str = " stores ";
const FILE: &str = "//@ file ";

/// The main files of a layout with their imports, as one text.
///
/// ```
/// use keyscape_layout::{Built, Bundle, NoImports};
///
/// let shop = Bundle::parse("store shop\nmap orders = \"o\" {id: u64be} -> text\n");
/// let log = Bundle::parse("store log\nitem last = \"l\" -> text\n");
/// let both = Bundle::join([(&shop, None), (&log, None)]);
/// let layout = both.read(&Built::default(), "both.keys", &mut NoImports).unwrap();
/// assert_eq!(layout.stores.len(), 2);
/// assert_eq!(Bundle::parse(&both.text()).text(), both.text());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    sections: Vec<Section>,
}

/// A main file and its imports.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    /// Empty if the text has no separators.
    name: String,
    /// The stores that belong to the layout, or `None` for all.
    stores: Option<Vec<String>>,
    text: String,
    imports: Vec<Import>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    name: String,
    text: String,
}

impl Bundle {
    /// Splits a text at its separators. Every text is a bundle.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut bundle = Self::default();
        if !text.starts_with(LAYOUT) {
            bundle.sections.push(Section::new(String::new(), None));
        }
        for line in text.split_inclusive('\n') {
            if let Some(head) = line.strip_prefix(LAYOUT) {
                let (name, stores) =
                    head.trim_end().split_once(STORES).unwrap_or((head.trim_end(), ""));
                let stores = stores.split_whitespace().map(str::to_owned).collect();
                bundle.sections.push(Section::new(name.to_owned(), Some(stores)));
                continue;
            }
            let Some(section) = bundle.sections.last_mut() else { continue };
            if let Some(name) = line.strip_prefix(FILE) {
                let name = name.trim_end().to_owned();
                section.imports.push(Import { name, text: String::new() });
                continue;
            }
            match section.imports.last_mut() {
                Some(import) => import.text.push_str(line),
                None => section.text.push_str(line),
            }
        }
        bundle
    }

    /// Joins bundles, with only the given stores of each.
    #[must_use]
    pub fn join<'b>(parts: impl IntoIterator<Item = (&'b Self, Option<&'b [String]>)>) -> Self {
        let mut sections = Vec::new();
        for (bundle, stores) in parts {
            for section in &bundle.sections {
                let mut section = section.clone();
                if let Some(selected) = stores {
                    let declared = section.declared_stores();
                    let is_selected = |store: &String| selected.contains(store);
                    if !declared.iter().all(is_selected) {
                        section.stores = Some(declared.into_iter().filter(is_selected).collect());
                    }
                }
                sections.push(section);
            }
        }
        Self { sections }
    }

    /// Returns the text. Parsing it returns the same bundle, except that comments that look like
    /// separators are escaped.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let is_plain = self.sections.len() == 1;
        for (number, section) in self.sections.iter().enumerate() {
            if !is_plain || section.stores.is_some() {
                let stores = section.declared_stores();
                let name = match section.name.as_str() {
                    "" => stores.first().cloned().unwrap_or_else(|| number.to_string()),
                    name => name.to_owned(),
                };
                let _ = writeln!(text, "{LAYOUT}{name}{STORES}{}", stores.join(" "));
            }
            push_lines(&section.text, &mut text);
            for import in &section.imports {
                let _ = writeln!(text, "{FILE}{}", import.name);
                push_lines(&import.text, &mut text);
            }
        }
        text
    }

    /// Reads the layout. `loader` loads imports that the bundle does not contain.
    ///
    /// # Errors
    /// [`Rejected`] contains all errors.
    pub fn read(
        &self,
        built: &Built,
        path: &str,
        loader: &mut dyn Loader,
    ) -> Result<Layout, Rejected> {
        let named = |(number, section): (usize, &Section)| match self.sections.len() {
            1 => path.to_owned(),
            _ if section.name.is_empty() => format!("{path}:{number}"),
            _ => format!("{path}:{}", section.name),
        };
        let paths: Vec<String> = self.sections.iter().enumerate().map(named).collect();
        let roots = self.sections.iter().zip(&paths).map(|(section, path)| Root {
            path,
            text: &section.text,
            stores: section.stores.clone(),
        });
        let roots: Vec<Root<'_>> = roots.collect();
        read_roots(built, &roots, &mut Bundled { bundle: self, paths: &paths, loader })
    }
}

impl Section {
    fn new(name: String, stores: Option<Vec<String>>) -> Self {
        Self { name, stores, text: String::new(), imports: Vec::new() }
    }

    /// Returns the stores that belong to the layout.
    fn declared_stores(&self) -> Vec<String> {
        if let Some(stores) = &self.stores {
            return stores.clone();
        }
        let (tree, _) = syntax::parse(&self.text, FileId::default());
        let stores = tree.decls.into_iter().filter_map(|decl| match decl {
            Decl::Store(store) => Some(store.name.text),
            _ => None,
        });
        stores.collect()
    }
}

/// Appends a text and ends its last line. Escapes comments that look like separators.
fn push_lines(text: &str, out: &mut String) {
    for line in text.split_inclusive('\n') {
        if line.starts_with(LAYOUT) || line.starts_with(FILE) {
            out.push_str("// ");
        }
        out.push_str(line);
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Loads imports from a bundle, and others from a loader.
struct Bundled<'a> {
    bundle: &'a Bundle,
    paths: &'a [String],
    loader: &'a mut dyn Loader,
}

impl Loader for Bundled<'_> {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        for (section, root) in self.bundle.sections.iter().zip(self.paths) {
            let name = |import: &Import| format!("{root}:{}", import.name);
            let is_from = from == root || section.imports.iter().any(|import| name(import) == from);
            let mut imports =
                section.imports.iter().filter(|import| is_from && import.name == path);
            if let Some(import) = imports.next() {
                return Ok((name(import), import.text.clone().into_bytes()));
            }
        }
        self.loader.load(path, from)
    }
}

impl Layout {
    /// Returns all files of the layout as one formatted text.
    #[must_use]
    pub fn bundle(&self) -> Bundle {
        let sections = (0..).map(FileId).zip(&self.root_stores).map(|(root, declared)| {
            let stores = self.stores.iter().filter(|store| store.span.file == root);
            let stores: Vec<String> = stores.map(|store| store.name.clone()).collect();
            let files = self.sources.reachable(root);
            let names = import_names(&files, |file| self.path_of(file));
            let text = |file| self.with_imports(file, &files, &names);
            let imports = files.iter().zip(&names).skip(1);
            let is_whole = self.root_stores.len() == 1 && declared.is_none();
            let name = stores.first().filter(|_| !is_whole).cloned().unwrap_or_default();
            Section {
                name,
                stores: (!is_whole).then_some(stores),
                text: text(root),
                imports: imports
                    .map(|(&file, name)| Import { name: name.clone(), text: text(file) })
                    .collect(),
            }
        });
        Bundle { sections: sections.collect() }
    }

    fn path_of(&self, file: FileId) -> &str {
        self.sources.get(file).map_or("", |source| &source.path)
    }

    /// Returns the formatted text of a file, with the names of its imports in the bundle.
    fn with_imports(&self, file: FileId, files: &[FileId], names: &[String]) -> String {
        let Some(source) = self.sources.get(file) else { return String::new() };
        let mut text = source.text.clone();
        let imports = self.trees.get(file.0 as usize).into_iter().flat_map(ast::File::imports);
        let paths: Vec<&ast::Name> = imports.map(|import| &import.path).collect();
        // Start at the end, which leaves earlier offsets unchanged.
        for path in paths.into_iter().rev() {
            let target = self.sources.linked(&path.text, file);
            let name =
                files.iter().position(|file| Some(*file) == target).and_then(|at| names.get(at));
            let place = path.span.start as usize..path.span.end as usize;
            if let (Some(name), true) = (name, text.get(place.clone()).is_some()) {
                text.replace_range(place, &format!("\"{name}\""));
            }
        }
        // The text of a descriptor set is base64.
        if DescriptorSet::has_name(&source.path) {
            return text;
        }
        syntax::format(&text).unwrap_or(text)
    }
}

/// Chooses a name without directories for each file. The first is the main file.
fn import_names<'l>(files: &[FileId], path: impl Fn(FileId) -> &'l str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for &file in files {
        let last = path(file).rsplit(['/', '\\', ':']).next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let plain: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut name = plain.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{number}-{plain}");
            number += 1;
        }
        names.push(name);
    }
    names
}
