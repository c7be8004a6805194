//! Fixes of indexes that do not distinguish all rows.

use super::{
    change::Change, separate, site::may_hold, unit::head, view::View, written::literal_text,
};
use crate::verdict::Fault;
use keyscape_layout::{
    model::{RowValue, Segment, Type},
    syntax::ast::{Keyspace, Seg},
};

/// Makes the index unique. Its value is then the key of the row.
pub(super) fn unique(view: &View<'_>) -> Vec<Vec<Change>> {
    let holds_nothing =
        matches!(view.keyspace().value, None | Some(RowValue::Empty | RowValue::Const(_)));
    match view.keyspace_tree() {
        Some(tree) if !holds_nothing => vec![vec![clause_after(tree, "unique")]],
        _ => Vec::new(),
    }
}

/// Appends the missing field to the key.
pub(super) fn append(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::Indexed { missing, .. } = view.fault else { return None };
    let last = view.keyspace_tree()?.key.last()?;
    Some(vec![Change::after(last.span(), format!(" {{{missing}}}"))])
}

/// Appends the missing field after a separator that the last field of the key cannot contain.
pub(super) fn append_separated(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::Indexed { missing, .. } = view.fault else { return None };
    let key = &view.keyspace().key;
    let Some(Segment::Field(before)) = key.last() else { return None };
    let Type::Leaf(leaf) = &*before.ty else { return None };
    let literals = key.iter().filter_map(|segment| match segment {
        Segment::Literal(literal) => literal.bytes.last(),
        _ => None,
    });
    // Try the separators that the key already uses first.
    let mut bytes = literals.rev().chain(&separate::USUAL);
    let separator = bytes.find(|byte| !may_hold(leaf, **byte))?;
    let last = view.keyspace_tree()?.key.last()?;
    let added = format!(" {} {{{missing}}}", literal_text(&[*separator]));
    Some(vec![Change::after(last.span(), added)])
}

/// Appends the missing field with the optional part that contains it in the map's key.
pub(super) fn append_guarded(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::Indexed { missing, .. } = view.fault else { return None };
    let map = view.layout.keyspace(view.keyspace().of?);
    let option = view.tree_of(map)?.key.iter().find_map(|seg| match seg {
        Seg::Option(option) => option
            .segs
            .iter()
            .any(|seg| matches!(seg, Seg::Field(field) if field.name.text == *missing))
            .then_some(option),
        _ => None,
    })?;
    let parts = option.segs.iter().map(|seg| match seg {
        Seg::Field(field) => Some(format!("{{{}}}", field.name.text)),
        Seg::Lit(lit) => Some(view.layout.sources.text(lit.span).to_owned()),
        Seg::Option(_) | Seg::Wrap(_) | Seg::Derived(_) => None,
    });
    let parts = parts.collect::<Option<Vec<_>>>()?.join(" ");
    let guard = option.segs.last()?.span().end as usize..option.span.end as usize;
    let guarded = format!(" [{parts}{}", view.layout.text().get(guard)?);
    let last = view.keyspace_tree()?.key.last()?;
    Some(vec![Change::after(last.span(), guarded)])
}

/// Gives a field the type that it has in the map's key.
pub(super) fn as_in_map(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::Indexed { missing, .. } = view.fault else { return None };
    let key = &view.keyspace_tree()?.key;
    let field = key.iter().find_map(|seg| match seg {
        Seg::Field(field) if field.name.text == *missing => Some(field),
        _ => None,
    })?;
    Some(vec![Change::replace(field.span, format!("{{{missing}}}"))])
}

/// Adds a clause after the key and the value.
pub(super) fn clause_after(tree: &Keyspace, clause: &str) -> Change {
    Change::after(head(tree), format!(" {clause}"))
}
