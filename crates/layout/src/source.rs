//! The files of a layout, and lines and columns in them.

use crate::{FileId, Span};
use std::sync::OnceLock;

/// The source files of a layout: the main file first, then its imports.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// The imports: a file, the path in its text, and the imported file.
    links: Vec<(FileId, String, FileId)>,
}

/// One source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given or found.
    pub path: String,
    /// The contents of the file.
    pub text: String,
    /// The start offset of each line, computed at the first use.
    line_starts: OnceLock<Vec<u32>>,
}

/// A line and a column, both counted from one. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line, from one.
    pub line: usize,
    /// The column, from one.
    pub column: usize,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        self.files.push(Source { path: path.into(), text, line_starts: OnceLock::new() });
        FileId(self.files.len() as u32 - 1)
    }

    /// Records that a path in one file refers to another file.
    pub fn link(&mut self, from: FileId, path: impl Into<String>, to: FileId) {
        self.links.push((from, path.into(), to));
    }

    /// Returns the file that a path in the file `from` refers to.
    #[must_use]
    pub fn linked(&self, path: &str, from: FileId) -> Option<FileId> {
        let link = self.links.iter().find(|(id, written, _)| *id == from && written == path);
        link.map(|(_, _, to)| *to)
    }

    /// Lists a file and the files that it imports, directly or through others.
    pub(crate) fn reachable(&self, start: FileId) -> Vec<FileId> {
        let mut files = vec![start];
        let mut at = 0;
        while let Some(&file) = files.get(at) {
            at += 1;
            for (from, _, to) in &self.links {
                if *from == file && !files.contains(to) {
                    files.push(*to);
                }
            }
        }
        files
    }

    /// Returns a file by its id.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.files.get(file.0 as usize)
    }

    /// Returns all files.
    #[must_use]
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// Returns the text of a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// Returns the line and column at which a span starts.
    #[must_use]
    pub fn start(&self, span: Span) -> LineColumn {
        self.position(span.file, span.start)
    }

    /// Returns the line and column at which a span ends.
    #[must_use]
    pub fn end(&self, span: Span) -> LineColumn {
        self.position(span.file, span.end)
    }

    fn position(&self, file: FileId, offset: u32) -> LineColumn {
        self.get(file).map_or(LineColumn { line: 1, column: 1 }, |file| file.position(offset))
    }
}

impl Source {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let starts = self.text.match_indices('\n').map(|(at, _)| at as u32 + 1);
            core::iter::once(0).chain(starts).collect()
        })
    }

    /// Returns a line by its number, from one: its offset, and its text without the line break.
    #[must_use]
    pub fn line(&self, line: usize) -> (usize, &str) {
        let start = line.checked_sub(1).and_then(|index| self.line_starts().get(index));
        let Some(start) = start.map(|&start| start as usize) else { return (self.text.len(), "") };
        let end = self.line_starts().get(line).map_or(self.text.len(), |&next| next as usize - 1);
        (start, self.text.get(start..end).unwrap_or_default().trim_end_matches('\r'))
    }

    /// Returns the line and column of an offset.
    #[must_use]
    pub fn position(&self, offset: u32) -> LineColumn {
        let line = self.line_starts().partition_point(|&start| start <= offset);
        let start = self.line_starts().get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or_default();
        LineColumn { line, column: before.chars().count() + 1 }
    }
}
