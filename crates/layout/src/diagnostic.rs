//! Mistakes of a layout, as data. The caller renders them.

/// A place in a file: byte offsets, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file of the layout.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A file of a layout: the file itself is 0, its imports follow.
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
    /// Whether two places share a character, or one contains the other, empty one.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        let last = |span: Self| span.end.max(span.start + 1);
        self.file == other.file && self.start < last(other) && other.start < last(self)
    }
}

/// The severity of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The layout cannot be used until this is fixed.
    Error,
    /// The layout can be used, but may not mean what its author intended.
    Warning,
}

/// A mistake of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The problem: lower case, no full stop, user text in backticks.
    pub message: String,
    /// The place of the mistake.
    pub span: Span,
    /// The text at that place; may be empty.
    pub label: String,
    /// Related places with their texts.
    pub related: Vec<(Span, String)>,
    /// Advice in the imperative.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes an error at a place.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
        }
    }

    /// Adds a text at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}
