//! Fixes with other codecs for the same values.

use super::{
    bound::range_text,
    edit::Edit,
    expr::{expr_at, inner_codec, integer_type, ranged, types_in, used_expr, wrapped},
    literal::separators,
    order,
    problem::Problem,
    site::{Site, differing_site, stray},
};
use crate::lossless;
use keyscape_codec::Values;
use keyscape_layout::{Span, model::Leaf, syntax::ast::TypeExpr};

/// Adds a length prefix to a leaf.
pub(super) fn prefixed(problem: &Problem<'_>, site: &Site<'_>) -> Option<Vec<Edit>> {
    let short = site.leaf.codec.longest().is_some_and(|longest| longest <= 0xff);
    let codec = if short { "len8" } else { "len16" };
    Some(vec![wrapped(problem, used_expr(problem, site)?, codec)])
}

/// Adds escapes and a terminator to the first differing field.
pub(super) fn escaped(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    let expr = used_expr(problem, &site)?;
    // Do not nest the codec in itself.
    (expr.name.text != "escaped").then(|| vec![wrapped(problem, expr, "escaped")])
}

/// Adds escapes and a terminator to text or bytes that may contain every separator.
pub(super) fn escaped_words(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    let is_plain = site.leaf.codec.describe().values == Values::Words;
    (is_plain && separators(&site).next().is_none()).then(|| escaped(problem)).flatten()
}

/// Encodes the field that a split cuts in digits: unsigned integers of a fixed width in decimal
/// digits, other values in hexadecimal digits.
pub(super) fn in_digits(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let expr = used_expr(problem, &stray(problem)?)?;
    // The field consists of digits already.
    if matches!(expr.name.text.as_str(), "hex" | "dec" | "dec0") {
        return None;
    }
    let integer = if types_in(expr).next().is_none() { integer_type(expr) } else { None };
    let change = match integer.and_then(order::padded_decimal) {
        Some(decimal) => with_codec(problem, expr, decimal),
        None => wrapped(problem, expr, "hex"),
    };
    Some(vec![change])
}

/// Gives the integers of the field of the claim a fixed width.
pub(super) fn lossless(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let Some((leaf, expr)) = field_expr(problem) else { return Vec::new() };
    let codecs = of_fixed_width(problem, &leaf, expr);
    codecs.into_iter().map(|codec| vec![with_codec(problem, expr, codec)]).collect()
}

/// Returns codecs of a fixed width for the integers of a leaf, in the same direction and range.
pub(super) fn of_fixed_width(problem: &Problem<'_>, leaf: &Leaf, expr: &TypeExpr) -> Vec<String> {
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
        _ => inner_range(problem, expr),
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
fn inner_range(problem: &Problem<'_>, expr: &TypeExpr) -> String {
    let domain = ranged(expr).and_then(|ranged| ranged.domain.as_ref());
    domain
        .filter(|_| expr.domain.is_none())
        .map_or(String::new(), |domain| format!(" in {}", problem.layout.sources.text(domain.span)))
}

/// Whether the codecs of an expression reverse the order.
fn is_descending(expr: &TypeExpr) -> bool {
    let inner = types_in(expr).next().is_some_and(is_descending);
    (expr.name.text == "desc") != inner
}

/// Replaces the codec of the field by its argument.
pub(super) fn unwrapped(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let expr = field_expr(problem).map(|(_, expr)| expr);
    expr.and_then(|expr| without_codec(problem, expr)).into_iter().collect()
}

/// Replaces a codec by its argument.
pub(super) fn without_codec(problem: &Problem<'_>, expr: &TypeExpr) -> Option<Vec<Edit>> {
    // Keep `desc`, which is the declared direction, and codecs of several arguments.
    let is_wrapper = expr.name.text != "desc" && types_in(expr).count() == 1;
    let inner = inner_codec(expr).filter(|_| is_wrapper)?;
    Some(vec![with_codec(problem, expr, problem.layout.sources.text(inner.span))])
}

/// Replaces the codec of an expression, and retains its domain and its display form.
pub(super) fn with_codec(problem: &Problem<'_>, expr: &TypeExpr, codec: impl Into<String>) -> Edit {
    Edit::replace(call_span(problem, expr), codec)
}

/// Returns the leaf of the claim and its expression.
pub(super) fn field_expr<'a>(problem: &Problem<'a>) -> Option<(Leaf, &'a TypeExpr)> {
    let leaf =
        lossless::leaf_fields(problem.keyspace()).into_iter().nth(problem.subject.field?)?.leaf;
    let expr = expr_at(problem, leaf.span)?;
    Some((leaf, expr))
}

/// Returns the span of the name, the arguments and the length of an expression.
pub(super) fn call_span(problem: &Problem<'_>, expr: &TypeExpr) -> Span {
    let after = [
        expr.domain.as_ref().map(|range| range.span.start),
        expr.shown.as_ref().map(|shown| shown.span.start),
    ];
    let end = after.into_iter().flatten().min().unwrap_or(expr.span.end);
    let text = problem.layout.sources.text(Span { end, ..expr.span }).trim_end();
    let text = match &expr.domain {
        Some(_) => text.strip_suffix("in").unwrap_or(text).trim_end(),
        None => text,
    };
    Span { end: expr.span.start + text.len() as u32, ..expr.span }
}
