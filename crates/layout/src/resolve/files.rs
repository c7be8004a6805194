//! The file of a layout and the files that it imports.

use super::Imports;
use crate::{
    Diagnostic, FileId, Span,
    descriptor::DescriptorSet,
    source::Sources,
    syntax::{self, ast},
};
use std::{collections::HashMap, path::Path, sync::Arc};

/// The highest total length of all files of a layout in bytes.
pub const MAX_BYTES: usize = 2 << 20;

/// Loads imported files. This crate opens no files.
pub trait Loader {
    /// Returns the path and the contents of the file that the import `path` in the file `from`
    /// refers to. `path` is relative. The returned path identifies the file.
    ///
    /// # Errors
    /// Returns the reason if the file cannot be read.
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String>;
}

/// A loader for layouts that import nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl Loader for NoImports {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        Err("imports are not available here".to_owned())
    }
}

/// A loader of files that have been read before, for reading a layout again.
#[derive(Clone, Copy, Debug)]
pub struct Reread<'a>(pub &'a Sources);

impl Loader for Reread<'_> {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let from = self.0.files().iter().position(|file| file.path == from);
        let linked = from.and_then(|from| self.0.linked(path, FileId(from as u32)));
        match linked.and_then(|file| self.0.get(file)) {
            Some(file) => Ok((file.path.clone(), file.text.clone().into_bytes())),
            None => Err("it was not imported before".to_owned()),
        }
    }
}

#[derive(Default)]
pub(super) struct Files {
    pub(super) sources: Sources,
    pub(super) trees: Vec<ast::File>,
    pub(super) imports: Vec<Imports>,
}

/// A main file: its stores are stores of the layout.
#[derive(Clone, Debug)]
pub(crate) struct Root<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// The stores that belong to the layout, or `None` for all.
    pub(crate) stores: Option<Vec<String>>,
}

/// Parses the main files and their imports, each file once. The main files come first.
pub(super) fn read_all(roots: &[Root<'_>], loader: &mut dyn Loader) -> (Files, Vec<Diagnostic>) {
    let mut reader = Reader {
        files: Files::default(),
        known: HashMap::new(),
        diagnostics: Vec::new(),
        bytes: 0,
        sets: HashMap::new(),
        loader,
    };
    let mut todo: Vec<FileId> = roots.iter().map(|root| reader.add(root.path, root.text)).collect();
    let mut at = 0;
    while let Some(&file) = todo.get(at) {
        at += 1;
        let imports: Vec<ast::Import> =
            reader.files.trees[file.0 as usize].imports().cloned().collect();
        for import in &imports {
            reader.import(file, import, &mut todo);
        }
    }
    reader.report_cycles();
    (reader.files, reader.diagnostics)
}

struct Reader<'a> {
    files: Files,
    known: HashMap<String, FileId>,
    diagnostics: Vec<Diagnostic>,
    /// The number of bytes of all files.
    bytes: usize,
    /// The imported descriptor sets.
    sets: HashMap<FileId, Arc<DescriptorSet>>,
    loader: &'a mut dyn Loader,
}

impl Reader<'_> {
    /// Adds a descriptor set, which has no syntax tree.
    fn add_set(&mut self, path: &str, set: DescriptorSet) -> FileId {
        let file = self.add_source(path, &set.text());
        self.files.trees.push(ast::File::default());
        self.sets.insert(file, Arc::new(set));
        file
    }

    fn add(&mut self, path: &str, text: &str) -> FileId {
        let file = self.add_source(path, text);
        let text = self.files.sources.get(file).map_or("", |source| &source.text);
        let (tree, mut diagnostics) = syntax::parse(text, file);
        self.files.trees.push(tree);
        self.diagnostics.append(&mut diagnostics);
        file
    }

    /// Adds a file to the sources, without its text if the layout is too large.
    fn add_source(&mut self, path: &str, text: &str) -> FileId {
        // A model can need a hundred times the memory of its text.
        self.bytes = self.bytes.saturating_add(text.len());
        let fits = self.bytes <= MAX_BYTES;
        let text = if fits { text } else { "" };
        let file = self.files.sources.add(path, text);
        if !fits {
            let message =
                format!("the layout is too large: its files may have {MAX_BYTES} bytes in all");
            let span = Span { file, ..Span::default() };
            let help = "split it into several layouts, such as one for each store";
            self.diagnostics.push(Diagnostic::error(span, message).help(help));
        }
        self.files.imports.push(Imports::default());
        self.known.insert(path.to_owned(), file);
        file
    }

    fn import(&mut self, from: FileId, import: &ast::Import, todo: &mut Vec<FileId>) {
        let from_path = self.files.sources.get(from).map_or(String::new(), |s| s.path.clone());
        let cannot_import = |reason: &str| {
            let message = format!("cannot import `{}`: {reason}", import.path.text);
            Diagnostic::error(import.path.span, message)
        };
        if Path::new(&import.path.text).is_absolute() {
            let error = cannot_import("a path is relative to the file that imports it");
            return self.diagnostics.push(error);
        }
        let (path, bytes) = match self.loader.load(&import.path.text, &from_path) {
            Ok(found) => found,
            Err(reason) => return self.diagnostics.push(cannot_import(&reason)),
        };
        let target = match self.known.get(&path) {
            Some(&file) => file,
            None if DescriptorSet::has_name(&import.path.text) => {
                let Some(set) = DescriptorSet::read(&bytes) else {
                    let error = cannot_import("it is not a descriptor set of protobuf");
                    let help = "write it with `protoc --include_imports --descriptor_set_out`, or \
                                with `buf build`";
                    return self.diagnostics.push(error.help(help));
                };
                self.add_set(&path, set)
            }
            None => {
                let Ok(text) = String::from_utf8(bytes) else {
                    return self.diagnostics.push(cannot_import("it is not UTF-8 text"));
                };
                let file = self.add(&path, &text);
                todo.push(file);
                file
            }
        };
        self.files.sources.link(from, &import.path.text, target);
        let imports = &mut self.files.imports[from.0 as usize];
        if let Some(set) = self.sets.get(&target) {
            imports.sets.push(Arc::clone(set));
            if let Some(alias) = &import.alias {
                let message = "a descriptor set takes no alias";
                let help = "remove `as` and the name: messages are found by their own names";
                self.diagnostics.push(Diagnostic::error(alias.span, message).help(help));
            }
            return;
        }
        let alias = import.alias.as_ref();
        let is_known = |name: &ast::Name| {
            imports.files.iter().any(|(known, _)| known.as_deref() == Some(&*name.text))
        };
        if let Some(name) = alias.filter(|name| is_known(name)) {
            let message = format!("alias `{}` is declared twice", name.text);
            let help = "give each imported file an alias of its own";
            self.diagnostics.push(Diagnostic::error(name.span, message).help(help));
        }
        imports.files.push((alias.map(|name| name.text.clone()), target));
    }

    /// Reports imports that form a cycle.
    fn report_cycles(&mut self) {
        let Files { sources, trees, .. } = &self.files;
        for (from, tree) in (0..).map(FileId).zip(trees) {
            for ast::Name { text, span } in tree.imports().map(|import| &import.path) {
                // Only the import of an earlier file is reported.
                let to = sources.linked(text, from).filter(|to| *to <= from);
                let Some(to) = to.filter(|to| sources.reachable(*to).contains(&from)) else {
                    continue;
                };
                let path = sources.get(to).map_or("", |source| &source.path);
                let message = format!("`{path}` imports itself, directly or through other files");
                let help = "move the shared types into a file that imports neither";
                self.diagnostics.push(Diagnostic::error(*span, message).help(help));
            }
        }
    }
}
