//! Fixes with other codecs for the same values.

use super::{
    bound::range_text,
    change::Change,
    order, separate,
    site::{Site, other_parting, parting, stray},
    view::View,
    written::{expr_at, inner_codec, integer_type, ranged, types_in, used_expr, wrapped},
};
use crate::lossless;
use keyscape_codec::Values;
use keyscape_layout::{Span, model::Leaf, syntax::ast::TypeExpr};

/// Adds a length prefix to the first differing field.
pub(super) fn prefixed(view: &View<'_>) -> Option<Vec<Change>> {
    with_length_before(view, &parting(view)?)
}

/// Adds a length prefix to the first differing field of the other reading.
pub(super) fn prefixed_other_reading(view: &View<'_>) -> Option<Vec<Change>> {
    with_length_before(view, &other_parting(view)?)
}

fn with_length_before(view: &View<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let short = site.leaf.codec.longest().is_some_and(|longest| longest <= 0xff);
    let codec = if short { "len8" } else { "len16" };
    Some(vec![wrapped(used_expr(view, site)?, codec, view)?])
}

/// Adds escapes and a terminator to the first differing field.
pub(super) fn escaped(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let expr = used_expr(view, &site)?;
    // Do not nest the codec in itself.
    let again = expr.name.text == "escaped";
    (!again).then(|| wrapped(expr, "escaped", view)).flatten().map(|change| vec![change])
}

/// Adds escapes and a terminator to text or bytes that may contain every separator.
pub(super) fn escaped_words(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let is_plain = site.leaf.codec.describe().values == Values::Words;
    (is_plain && separate::free(&site).next().is_none()).then(|| escaped(view)).flatten()
}

/// Encodes the field that a split cuts in digits: unsigned integers of a fixed width in decimal
/// digits, other values in hexadecimal digits.
pub(super) fn in_digits(view: &View<'_>) -> Option<Vec<Change>> {
    let expr = used_expr(view, &stray(view)?)?;
    // The field consists of digits already.
    if matches!(expr.name.text.as_str(), "hex" | "dec" | "dec0") {
        return None;
    }
    let integer = if types_in(expr).next().is_none() { integer_type(expr) } else { None };
    let change = match integer.and_then(order::padded_decimal) {
        Some(decimal) => Change::replace(call_span(view, expr), decimal),
        None => wrapped(expr, "hex", view)?,
    };
    Some(vec![change])
}

/// Gives the integers of the field of the claim a fixed width.
pub(super) fn lossless(view: &View<'_>) -> Vec<Vec<Change>> {
    let Some((leaf, expr)) = field_expr(view) else { return Vec::new() };
    let codecs = of_fixed_width(view, &leaf, expr);
    codecs.into_iter().map(|name| vec![Change::replace(call_span(view, expr), name)]).collect()
}

/// Returns codecs of a fixed width for the integers of a leaf, in the same direction and range.
pub(super) fn of_fixed_width(view: &View<'_>, leaf: &Leaf, expr: &TypeExpr) -> Vec<String> {
    let Some(range) = leaf.codec.integers() else { return Vec::new() };
    let (usual, largest) = match range.is_signed() {
        false => ("u64be", "u128be"),
        true => ("flip(i64)", "flip(i128)"),
    };
    let described = leaf.codec.describe();
    let named = described.int_type().map(|int| {
        let sign = if int.signed { 'i' } else { 'u' };
        format!("{sign}{}", int.bits)
    });
    let fixed = named.as_deref().and_then(order::fixed);
    let own_range = match described.base().domain {
        Some(_) if ranged(expr).is_none() => format!(" in {}", range_text(&range, false)),
        _ => inner_range(view, expr),
    };
    // An integer type that the layout does not name may have more values. A domain after the codec
    // stays in the layout.
    let explicit_range = match expr.domain {
        Some(_) => String::new(),
        None => format!(" in {}", range_text(&range, false)),
    };
    let first = match &fixed {
        Some(fixed) => (fixed.as_str(), &own_range),
        None => (usual, &explicit_range),
    };
    let mut codecs = vec![first];
    if first.0 != largest {
        codecs.push((largest, &explicit_range));
    }
    let written = codecs.into_iter().map(|(name, range)| match is_descending(expr) {
        true => format!("desc({name}{range})"),
        false => format!("{name}{range}"),
    });
    written.collect()
}

/// Returns the text of a range of integers that an expression declares in its argument.
fn inner_range(view: &View<'_>, expr: &TypeExpr) -> String {
    let domain = ranged(expr).and_then(|ranged| ranged.domain.as_ref());
    domain
        .filter(|_| expr.domain.is_none())
        .map_or(String::new(), |domain| format!(" in {}", view.layout.sources.text(domain.span)))
}

/// Whether the codecs of an expression reverse the order.
fn is_descending(expr: &TypeExpr) -> bool {
    let inner = types_in(expr).next().is_some_and(is_descending);
    (expr.name.text == "desc") != inner
}

/// Replaces the codec of the field by its argument.
pub(super) fn unwrapped(view: &View<'_>) -> Vec<Vec<Change>> {
    let expr = field_expr(view).map(|(_, expr)| expr);
    expr.and_then(|expr| without_codec(view, expr)).into_iter().collect()
}

/// Replaces a codec by its argument.
pub(super) fn without_codec(view: &View<'_>, expr: &TypeExpr) -> Option<Vec<Change>> {
    // Keep `desc`, which is the declared direction, and codecs of several arguments.
    let is_wrapper = expr.name.text != "desc" && types_in(expr).count() == 1;
    let inner = inner_codec(expr).filter(|_| is_wrapper)?;
    let text = view.layout.text().get(inner.span.start as usize..inner.span.end as usize)?;
    Some(vec![Change::replace(call_span(view, expr), text)])
}

/// Returns the leaf of the claim and its expression.
pub(super) fn field_expr<'a>(view: &View<'a>) -> Option<(Leaf, &'a TypeExpr)> {
    let leaf = lossless::leaf_fields(view.keyspace()).into_iter().nth(view.subject.field?)?.leaf;
    let expr = expr_at(view, leaf.span)?;
    Some((leaf, expr))
}

/// Returns the span of the name, the arguments and the length of an expression.
pub(super) fn call_span(view: &View<'_>, expr: &TypeExpr) -> Span {
    let after = [
        expr.domain.as_ref().map(|range| range.span.start),
        expr.shown.as_ref().map(|shown| shown.span.start),
    ];
    let end = after.into_iter().flatten().min().unwrap_or(expr.span.end);
    let text = view.layout.text().get(expr.span.start as usize..end as usize).unwrap_or_default();
    let text = text.trim_end();
    let text = match &expr.domain {
        Some(_) => text.strip_suffix("in").unwrap_or(text).trim_end(),
        None => text,
    };
    Span { end: expr.span.start + text.len() as u32, ..expr.span }
}
