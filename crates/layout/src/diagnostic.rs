//! Errors of a layout as data, and suggestions for misspelt names. The caller renders them.

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
    /// Returns the span from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether two spans overlap. An empty span counts as one character.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        let last = |span: Self| span.end.max(span.start + 1);
        self.file == other.file && self.start < last(other) && other.start < last(self)
    }
}

/// An error in a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The problem: lower case, no full stop, user text in backticks.
    pub message: String,
    /// The span of the problem.
    pub span: Span,
    /// The text below that span, possibly empty.
    pub label: String,
    /// Related spans with their texts.
    pub related: Vec<(Span, String)>,
    /// Advice in the imperative.
    pub help: Option<String>,
    /// The number of mistakes that the diagnostic reports: one, or the number of omitted ones.
    pub mistakes: usize,
}

impl Diagnostic {
    /// Creates an error at a span.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
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

    /// Sets the text below the span.
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

    /// Sets the advice, if there is any.
    pub(crate) fn optional_help(mut self, help: Option<impl Into<String>>) -> Self {
        self.help = help.map(Into::into);
        self
    }

    /// Suggests the most similar of some names, if one is similar.
    pub(crate) fn suggest<'n>(
        mut self,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        self.help = did_you_mean(given, names);
        self
    }

    /// Suggests the most similar of some names, or lists all of them.
    pub(crate) fn suggest_or_list(self, given: &str, names: &[&str]) -> Self {
        let list = || format!("it is one of {}", names.join(", "));
        self.help(did_you_mean(given, names.iter().copied()).unwrap_or_else(list))
    }

    /// Adds a related span.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}

/// The highest number of names that [`did_you_mean`] compares: a layout can misspell many names.
const MAX_CANDIDATES: usize = 256;
/// The length of the longest name for which a similar one is searched.
const MAX_NAME: usize = 64;

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
