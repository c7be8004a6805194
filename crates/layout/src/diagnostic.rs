//! Errors of a layout as data. The caller renders them.

/// A range of byte offsets in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file of the layout.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// A file of a layout. The main file is 0, its imports follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl Span {
    /// Returns the place from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl Span {
    /// Whether two places overlap. An empty place counts as one character.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        let last = |span: Self| span.end.max(span.start + 1);
        self.file == other.file && self.start < last(other) && other.start < last(self)
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The layout cannot be used until this is fixed.
    Error,
    /// The layout can be used, but may not mean what its author intended.
    Warning,
}

/// An error or warning about a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The problem: lower case, no full stop, user text in backticks.
    pub message: String,
    /// The place of the problem.
    pub span: Span,
    /// The text at that place, possibly empty.
    pub label: String,
    /// Related places with their texts.
    pub related: Vec<(Span, String)>,
    /// Advice in the imperative.
    pub help: Option<String>,
    /// The number of mistakes that the diagnostic reports: one, or the number of omitted ones.
    pub mistakes: usize,
}

impl Diagnostic {
    /// Creates an error at a place.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            mistakes: 1,
        }
    }

    /// Creates an error that counts mistakes instead of showing them.
    pub(crate) fn omitted(span: Span, mistakes: usize) -> Self {
        let message = match mistakes {
            1 => "1 more mistake is not shown".to_owned(),
            _ => format!("{mistakes} more mistakes are not shown"),
        };
        Self { mistakes, ..Self::error(span, message) }
    }

    /// Sets the text at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}
