//! Changes of a text.

use keyscape_layout::Span;

/// A replacement of a place in the main file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Change {
    pub(super) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    pub(super) fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }

    /// Adds text after a place.
    pub(super) fn after(span: Span, text: impl Into<String>) -> Self {
        Self::replace(Span { start: span.end, ..span }, text)
    }

    /// Adds text before a place.
    pub(super) fn before(span: Span, text: impl Into<String>) -> Self {
        Self::replace(Span { end: span.start, ..span }, text)
    }
}

/// Applies changes to a text. Returns `None` if they overlap, change nothing or belong to another
/// file.
pub(super) fn apply(text: &str, changes: &[Change]) -> Option<String> {
    let mut changes: Vec<&Change> = changes.iter().collect();
    changes.sort_by_key(|change| (change.span.start, change.span.end));
    changes.dedup();
    let mut changed = String::with_capacity(text.len());
    let mut at = 0;
    for change in changes {
        let (start, end) = (change.span.start as usize, change.span.end as usize);
        if change.span.file.0 != 0 {
            return None;
        }
        changed.push_str(text.get(at..start)?);
        changed.push_str(&change.text);
        at = end;
    }
    changed.push_str(text.get(at..)?);
    (changed != text).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end, ..Span::default() }
    }

    #[test]
    fn changes_are_made_together_whatever_their_order() {
        let changes = [Change::remove(span(4, 5)), Change::after(span(0, 2), "!")];
        assert_eq!(apply("ab cde", &changes).as_deref(), Some("ab! ce"));
    }

    #[test]
    fn what_changes_nothing_or_overlaps_is_refused() {
        assert_eq!(apply("ab", &[Change::replace(span(0, 1), "a")]), None);
        assert_eq!(apply("abc", &[Change::remove(span(0, 2)), Change::remove(span(1, 3))]), None);
    }
}
