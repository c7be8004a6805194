//! Indexes that tell all rows apart.

use super::{change::Change, unit::head, view::View};
use crate::verdict::Fault;
use keyscape_layout::{model::RowValue, syntax::ast::Keyspace};

/// The index as a unique one, which holds the key of its row as its value.
pub(super) fn unique(view: &View<'_>) -> Vec<Vec<Change>> {
    let holds_nothing =
        matches!(view.keyspace().value, None | Some(RowValue::Empty | RowValue::Const(_)));
    match view.keyspace_tree() {
        Some(tree) if !holds_nothing => vec![vec![clause_behind(tree, "unique")]],
        _ => Vec::new(),
    }
}

/// The field that is missing, behind the key.
pub(super) fn append(view: &View<'_>) -> Option<Vec<Change>> {
    let Fault::Indexed { missing, .. } = view.fault else { return None };
    let last = view.keyspace_tree()?.key.last()?;
    Some(vec![Change::after(last.span(), format!(" {{{missing}}}"))])
}

/// A clause directly behind the key and the value.
pub(super) fn clause_behind(tree: &Keyspace, clause: &str) -> Change {
    Change::after(head(tree), format!(" {clause}"))
}
