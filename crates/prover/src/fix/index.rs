//! Fixes of indexes that do not distinguish all rows.

use super::{
    clause::clause_after, edit::Edit, expr::literal_text, literal::USUAL_SEPARATORS,
    problem::Problem, site::may_hold,
};
use crate::verdict::Fault;
use keyscape_layout::{
    Span,
    model::{RowValue, Segment, Type},
    syntax::ast::Seg,
};

/// Makes the index unique. Its value is then the key of the row.
pub(super) fn unique(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let holds_nothing =
        matches!(problem.keyspace().value, None | Some(RowValue::Empty | RowValue::Const(_)));
    match problem.declaration() {
        Some(tree) if !holds_nothing => vec![vec![clause_after(tree, "unique")]],
        _ => Vec::new(),
    }
}

/// Appends the missing field to the key.
pub(super) fn append(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Fault::Indexed { missing, .. } = problem.fault else { return None };
    let last = problem.declaration()?.key.last()?;
    Some(vec![Edit::after(last.span(), format!(" {{{missing}}}"))])
}

/// Appends the missing field after a separator that the last field of the key cannot contain.
pub(super) fn append_separated(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Fault::Indexed { missing, .. } = problem.fault else { return None };
    let key = &problem.keyspace().key;
    let Some(Segment::Field(before)) = key.last() else { return None };
    let Type::Leaf(leaf) = &*before.ty else { return None };
    let literals = key.iter().filter_map(|segment| match segment {
        Segment::Literal(literal) => literal.bytes.last(),
        _ => None,
    });
    // Try the separators that the key already uses first.
    let mut bytes = literals.rev().chain(&USUAL_SEPARATORS);
    let separator = bytes.find(|byte| !may_hold(leaf, **byte))?;
    let last = problem.declaration()?.key.last()?;
    let added = format!(" {} {{{missing}}}", literal_text(&[*separator]));
    Some(vec![Edit::after(last.span(), added)])
}

/// Appends the missing field with the optional part that contains it in the map's key.
pub(super) fn append_guarded(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Fault::Indexed { missing, .. } = problem.fault else { return None };
    let map = problem.layout.keyspace(problem.keyspace().of?);
    let option = problem.declaration_of(map)?.key.iter().find_map(|seg| match seg {
        Seg::Option(option) => option
            .segs
            .iter()
            .any(|seg| matches!(seg, Seg::Field(field) if field.name.text == *missing))
            .then_some(option),
        _ => None,
    })?;
    let parts = option.segs.iter().map(|seg| match seg {
        Seg::Field(field) => Some(format!("{{{}}}", field.name.text)),
        Seg::Lit(lit) => Some(problem.layout.sources.text(lit.span).to_owned()),
        Seg::Option(_) | Seg::Wrap(_) | Seg::Derived(_) => None,
    });
    let parts = parts.collect::<Option<Vec<_>>>()?.join(" ");
    let guard = Span { start: option.segs.last()?.span().end, ..option.span };
    let guarded = format!(" [{parts}{}", problem.layout.sources.text(guard));
    let last = problem.declaration()?.key.last()?;
    Some(vec![Edit::after(last.span(), guarded)])
}

/// Gives a field the type that it has in the map's key.
pub(super) fn as_in_map(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Fault::Indexed { missing, .. } = problem.fault else { return None };
    let key = &problem.declaration()?.key;
    let field = key.iter().find_map(|seg| match seg {
        Seg::Field(field) if field.name.text == *missing => Some(field),
        _ => None,
    })?;
    Some(vec![Edit::replace(field.span, format!("{{{missing}}}"))])
}
