//! Edits of the text of a layout, and the fix that an edited layout shows.

use crate::verdict::{Effect, Fix};
use keyscape_layout::{Layout, Span, syntax::ast};

/// A replacement of a place in the main file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Edit {
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

/// Applies edits to a text. Returns `None` if they overlap, change nothing or belong to another
/// file.
pub(super) fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|change| (change.span.start, change.span.end));
    edits.dedup();
    let mut changed = String::with_capacity(text.len());
    let mut at = 0;
    for change in edits {
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

/// Returns the fix that edits one layout into another, or `None` if more than declarations and
/// clauses differ.
pub(super) fn fix(before: &Layout, after: &Layout, effect: Effect) -> Option<Fix> {
    let (old, new) = (units(before), units(after));
    let same = |(a, b): &(&Span, &Span)| before.sources.text(**a) == after.sources.text(**b);
    let mut first = old.iter().zip(&new).take_while(same).count();
    let suffix = old.iter().skip(first).rev().zip(new.iter().skip(first).rev());
    let same_at_end = suffix.take_while(same).count();
    // An added clause is shown with the preceding unit.
    if old.len() - same_at_end == first {
        first = first.checked_sub(1)?;
    }
    let (old, new) =
        (old.get(first..old.len() - same_at_end)?, new.get(first..new.len() - same_at_end)?);
    let replaces = old.first()?.to(*old.last()?);
    let edit = after.sources.text(new.first()?.to(*new.last()?)).to_owned();
    let unchanged = |index: usize| old.len() == new.len() && same(&(&old[index], &new[index]));
    let lines = new.iter().enumerate().filter(|(index, _)| !unchanged(*index));
    let lines: Vec<String> = match old.len() == new.len() {
        true => lines.map(|(_, unit)| on_one_line(after.sources.text(*unit))).collect(),
        false => vec![on_one_line(&edit)],
    };
    let mut applied = before.text().to_owned();
    applied.replace_range(replaces.start as usize..replaces.end as usize, &edit);
    let text = lines.join("\n");
    let idle_accepts = Vec::new();
    (applied == after.text()).then_some(Fix { text, replaces, edit, effect, idle_accepts })
}

/// Joins lines, unless one of them ends with a comment.
fn on_one_line(text: &str) -> String {
    let glue = if text.contains("//") { "\n" } else { " " };
    text.lines().map(str::trim).collect::<Vec<_>>().join(glue)
}

/// Returns the parts in which a fix is shown: declarations without their clauses, and clauses.
fn units(layout: &Layout) -> Vec<Span> {
    let mut found = Vec::new();
    for decl in ast::all_decls(layout.decls()) {
        match decl {
            ast::Decl::Type(decl) => found.push(decl.span),
            ast::Decl::Keyspace(keyspace) => {
                found.push(head(keyspace));
                found.extend(keyspace.clauses.iter().map(|clause| clause.span));
            }
            _ => {}
        }
    }
    found
}

/// Returns the span of a keyspace without its clauses.
pub(super) fn head(keyspace: &ast::Keyspace) -> Span {
    let key = keyspace.key.last().map(ast::Seg::span);
    let value = keyspace.value.as_ref().map(|value| value.span);
    let reads = keyspace.reads.as_ref().map(|value| value.span);
    let end = reads.or(value).or(key).unwrap_or(keyspace.name.span).end;
    Span { end, ..keyspace.span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end, ..Span::default() }
    }

    #[test]
    fn edits_are_applied_in_any_order() {
        let edits = [Edit::remove(span(4, 5)), Edit::after(span(0, 2), "!")];
        assert_eq!(apply("ab cde", &edits).as_deref(), Some("ab! ce"));
    }

    #[test]
    fn edits_that_overlap_or_change_nothing_are_rejected() {
        assert_eq!(apply("ab", &[Edit::replace(span(0, 1), "a")]), None);
        assert_eq!(apply("abc", &[Edit::remove(span(0, 2)), Edit::remove(span(1, 3))]), None);
    }
}
