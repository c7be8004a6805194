//! Text and bytes of another length, so that keys fit the backend.

use super::{
    bound::Bound,
    change::Change,
    site::{Site, sites},
    view::View,
    written::{codec_expr, with_length, words_expr},
};
use crate::verdict::Fault;
use keyscape_codec::Language;
use keyscape_layout::syntax::ast::{Int, TypeExpr};

/// A field that may not be empty, where a key may not be.
pub(super) fn not_empty(view: &View<'_>) -> Vec<Vec<Change>> {
    let is_empty = matches!(view.fault, Fault::Bounded { row, .. } if row.key.is_empty());
    let words = if is_empty { words(view) } else { Vec::new() };
    let changes = words.iter().filter_map(|(_, expr)| {
        let range = match &expr.length {
            Some(length) => format!(
                "1..{}",
                high_text(view, expr).map_or(String::new(), |high| {
                    format!("{}{high}", if length.inclusive { "=" } else { "" })
                })
            ),
            None => "1..".to_owned(),
        };
        Some(vec![with_length(view, expr, &range)?])
    });
    changes.collect()
}

fn high_text<'a>(view: &View<'a>, expr: &TypeExpr) -> Option<&'a str> {
    let high = expr.length.as_ref()?.high.as_ref()?;
    view.text.get(high.span.start as usize..high.span.end as usize)
}

/// The longest fields first, each with the greatest length that may do.
pub(super) fn maximal<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    let Fault::Bounded { backend, .. } = view.fault else { return Vec::new() };
    let limit = backend.longest_key as u128;
    let mut words = words(view);
    words.sort_by_key(|(site, _)| {
        std::cmp::Reverse(site.leaf.codec.longest().unwrap_or(usize::MAX))
    });
    let bounds = words.into_iter().filter_map(|(site, expr)| {
        let low = least(expr).unwrap_or_else(|| shortest(&site, expr, view));
        let high = most(expr).unwrap_or(limit).min(limit);
        let written = least(expr).map_or(String::new(), |low| low.to_string());
        let view = *view;
        let changes = move |end: u128| {
            Some(vec![with_length(&view, expr, &format!("{written}..={}", low + end))?])
        };
        Some(Bound {
            most: high.checked_sub(low)?,
            changes: Box::new(changes),
            limit: Box::new(|| None),
        })
    });
    bounds.collect()
}

fn least(expr: &TypeExpr) -> Option<u128> {
    u128::try_from(expr.length.as_ref()?.low.as_ref()?.magnitude).ok()
}

fn most(expr: &TypeExpr) -> Option<u128> {
    let length = expr.length.as_ref()?;
    let Int { magnitude, .. } = length.high.as_ref()?;
    let magnitude = u128::try_from(*magnitude).ok()?;
    if length.inclusive { Some(magnitude) } else { magnitude.checked_sub(1) }
}

/// The least length of the words, where the expression does not say so.
fn shortest(site: &Site<'_>, expr: &TypeExpr, view: &View<'_>) -> u128 {
    let (Language::Exact(dfa) | Language::Between { over: dfa, .. }) = &site.leaf.language;
    let is_whole = codec_expr(view, site).is_some_and(|whole| whole.span == expr.span);
    if is_whole { dfa.shortest().unwrap_or(0) as u128 } else { 1 }
}

/// The leaves of text and bytes of the key that was refused, each once.
fn words<'a>(view: &View<'a>) -> Vec<(Site<'a>, &'a TypeExpr)> {
    let Fault::Bounded { row, .. } = view.fault else { return Vec::new() };
    let mut found: Vec<(Site<'a>, &'a TypeExpr)> = Vec::new();
    for site in sites(view.keyspace(), &row.fields) {
        let expr = codec_expr(view, &site).and_then(|expr| words_expr(view, expr));
        if let Some(expr) = expr.filter(|expr| found.iter().all(|(_, e)| e.span != expr.span)) {
            found.push((site, expr));
        }
    }
    found
}
