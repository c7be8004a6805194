//! Other codecs for the same values.

use super::{
    change::Change,
    site::{other_parting, parting},
    view::View,
    written::{expr_at, used_expr, wrapped},
};
use crate::lossless;
use keyscape_codec::IntRange;
use keyscape_layout::{Span, syntax::ast::TypeExpr};

/// A length before the field in which two rows part.
pub(super) fn len8(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    Some(vec![wrapped(used_expr(view, &site)?, "len8", view)?])
}

/// A length before the field that the other reading has there.
pub(super) fn len8_other_reading(view: &View<'_>) -> Option<Vec<Change>> {
    let site = other_parting(view)?;
    Some(vec![wrapped(used_expr(view, &site)?, "len8", view)?])
}

/// A fixed width for the integers of the field that the claim is about.
pub(super) fn lossless(view: &View<'_>) -> Vec<Vec<Change>> {
    let fields = lossless::leaf_fields(view.keyspace());
    let Some(field) = view.subject.field.and_then(|field| fields.get(field)) else {
        return Vec::new();
    };
    let Some(expr) = expr_at(view, field.leaf.span) else { return Vec::new() };
    let names: &[&str] = match field.leaf.codec.integers() {
        Some(IntRange::Unsigned { .. }) => &["u64be", "u128be"],
        Some(IntRange::Signed { .. }) => &["flip(i64)", "flip(i128)"],
        None => &[],
    };
    names.iter().map(|name| vec![Change::replace(call_span(view, expr), *name)]).collect()
}

/// The name and the arguments of an expression, without what follows them.
pub(super) fn call_span(view: &View<'_>, expr: &TypeExpr) -> Span {
    let after = [
        expr.length.as_ref().map(|range| range.span.start),
        expr.domain.as_ref().map(|range| range.span.start),
        expr.shown.as_ref().map(|shown| shown.span.start),
    ];
    let end = after.into_iter().flatten().min().unwrap_or(expr.span.end);
    let text = view.text.get(expr.span.start as usize..end as usize).unwrap_or_default();
    let text = text.trim_end().trim_end_matches('[').trim_end();
    let text = match &expr.domain {
        Some(_) => text.strip_suffix("in").unwrap_or(text).trim_end(),
        None => text,
    };
    Span { end: expr.span.start + text.len() as u32, ..expr.span }
}
