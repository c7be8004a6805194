//! Fixes that use another allocated range of a namespace.

use super::{change::Change, free::namespace, index::clause_after, view::View};
use keyscape_layout::syntax::ast::Clause;

/// Proposes the other ranges of the namespace, one of which may contain the prefix.
pub(super) fn range(view: &View<'_>) -> Vec<Vec<Change>> {
    let (Some(namespace), Some(tree)) = (namespace(view), view.keyspace_tree()) else {
        return Vec::new();
    };
    let said = tree.clauses.iter().find_map(|clause| match clause {
        Clause::In(name) => Some(name.span),
        _ => None,
    });
    let change = |name: &str| match said {
        Some(span) => Change::replace(span, name),
        None => clause_after(tree, &format!("in {name}")),
    };
    namespace.ranges.iter().map(|range| vec![change(&range.name)]).collect()
}
