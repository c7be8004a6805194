//! Other codecs for the same values.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
    written::{expr_at, used_expr, wrapped},
};
use crate::lossless;
use keyscape_codec::IntRange;
use keyscape_layout::{Span, syntax::ast::TypeExpr};

/// A length before the field in which two rows part.
pub(super) fn prefixed(view: &View<'_>) -> Option<Vec<Change>> {
    with_length_before(view, &parting(view)?)
}

/// A length before the field that the other reading has there.
pub(super) fn prefixed_other_reading(view: &View<'_>) -> Option<Vec<Change>> {
    with_length_before(view, &other_parting(view)?)
}

fn with_length_before(view: &View<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let short = site.leaf.codec.longest().is_some_and(|longest| longest <= 0xff);
    let codec = if short { "len8" } else { "len16" };
    Some(vec![wrapped(used_expr(view, site)?, codec, view)?])
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

/// The name, the arguments and the length of an expression, without what follows them.
pub(super) fn call_span(view: &View<'_>, expr: &TypeExpr) -> Span {
    let after = [
        expr.domain.as_ref().map(|range| range.span.start),
        expr.shown.as_ref().map(|shown| shown.span.start),
    ];
    let end = after.into_iter().flatten().min().unwrap_or(expr.span.end);
    let text = view.text.get(expr.span.start as usize..end as usize).unwrap_or_default();
    let text = text.trim_end();
    let text = match &expr.domain {
        Some(_) => text.strip_suffix("in").unwrap_or(text).trim_end(),
        None => text,
    };
    Span { end: expr.span.start + text.len() as u32, ..expr.span }
}
