//! Reads and proves documents, on a thread of its own.

use crate::location::{of_path, offset, range};
use crossbeam_channel::{Receiver, Sender, unbounded};
use keyscape_diagnostics::file::{FileError, read_bytes, why};
use keyscape_layout::{FileId, Layout, Loader, Rejected, Source, Sources, Span, read, syntax::ast};
use keyscape_prover::{Config, Report, check_with};
use lsp_types::{Location, Position, Range, Uri};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

/// The texts of the open documents, which replace the contents of the files.
pub(crate) type OpenTexts = HashMap<PathBuf, Arc<str>>;

/// A document that has been read and proved.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The version of the document.
    pub(crate) version: i32,
    /// The layout with its claims, or its errors.
    pub(crate) outcome: Result<(Layout, Report), Rejected>,
}

impl Analysis {
    /// Reads and proves a document.
    pub(crate) fn new(path: &Path, version: i32, open: &OpenTexts) -> Self {
        let text = open.get(path).cloned().unwrap_or_default();
        let name = path.display().to_string();
        let outcome = read(&name, &text, &mut Files { open }).map(|layout| {
            let report = check_with(&layout, Config::default(), &keyscape_prover::Cache::default());
            (layout, report)
        });
        Self { version, outcome }
    }

    /// Returns the document and the files that it imports.
    pub(crate) fn sources(&self) -> &Sources {
        match &self.outcome {
            Ok((layout, _)) => &layout.sources,
            Err(rejected) => &rejected.sources,
        }
    }

    fn document(&self) -> Option<&Source> {
        self.sources().files().first()
    }

    /// Returns the text of the document.
    pub(crate) fn text(&self) -> &str {
        self.document().map_or("", |file| &file.text)
    }

    /// Returns the syntax trees of the document and of the files that it imports. Files with errors
    /// have trees as well.
    pub(crate) fn trees(&self) -> &[ast::File] {
        match &self.outcome {
            Ok((layout, _)) => &layout.trees,
            Err(rejected) => &rejected.trees,
        }
    }

    /// Returns the imports of the document, each with the imported file.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&ast::Import, FileId)> {
        let imports = self.trees().first().into_iter().flat_map(ast::File::imports);
        imports.filter_map(|import| {
            Some((import, self.sources().linked(&import.path.text, FileId::default())?))
        })
    }

    /// Returns the offset of a position in the document.
    pub(crate) fn offset(&self, position: Position) -> usize {
        self.document().map_or(0, |file| offset(file, position))
    }

    /// Returns the range of a span of the document.
    pub(crate) fn range(&self, span: Span) -> Range {
        self.document().map_or_else(Range::default, |file| range(file, span))
    }

    /// Whether the document is, or imports, a file.
    pub(crate) fn depends_on(&self, path: &Path) -> bool {
        self.sources().files().iter().any(|file| Path::new(&file.path) == path)
    }

    /// Returns the location of a span, in the file to which it belongs.
    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        let file = self.sources().get(span.file)?;
        Some(Location::new(of_path(Path::new(&file.path))?, range(file, span)))
    }
}

/// Loads imports from the open documents, or from files.
struct Files<'a> {
    open: &'a OpenTexts,
}

impl Loader for Files<'_> {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let joined = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let found = joined.canonicalize().unwrap_or(joined);
        let name = found.display().to_string();
        match self.open.get(&found) {
            Some(text) => Ok((name, text.as_bytes().to_vec())),
            None => match read_bytes(&found) {
                Ok(bytes) => Ok((name, bytes)),
                Err(FileError::Read { source, .. } | FileError::Write { source, .. }) => {
                    Err(why(&found, &source))
                }
            },
        }
    }
}

/// A document to prove, with the texts of all open documents.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) version: i32,
    pub(crate) open: OpenTexts,
}

/// A document that has been proved.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) uri: Uri,
    pub(crate) analysis: Analysis,
}

/// Starts the thread. It ends when the sender of jobs is dropped.
pub(crate) fn start() -> (Sender<Job>, Receiver<Done>) {
    let (jobs, todo) = unbounded::<Job>();
    let (results, done) = unbounded();
    thread::spawn(move || {
        let mut waiting: Vec<Job> = Vec::new();
        loop {
            if waiting.is_empty() {
                let Ok(job) = todo.recv() else { return };
                waiting.push(job);
            }
            for job in todo.try_iter() {
                // A newer version replaces one that is not proved yet.
                waiting.retain(|old| old.uri != job.uri);
                waiting.push(job);
            }
            let Job { uri, path, version, open } = waiting.remove(0);
            let analysis = Analysis::new(&path, version, &open);
            if results.send(Done { uri, analysis }).is_err() {
                return;
            }
        }
    });
    (jobs, done)
}
