//! Fixes that change the length of text and bytes, for backends with short keys and for lossy
//! codecs.

use super::{
    bound::{Bound, End},
    change::Change,
    retype::field_expr,
    site::{Site, sites},
    view::View,
    written::{codec_expr, with_length, words_expr},
};
use crate::verdict::Fault;
use keyscape_layout::syntax::ast::{Int, TypeExpr};

/// The longest length to try for a field without a longest encoding.
const LONGEST_OF_FIELD: usize = 4096;
/// The highest number of characters of a value per byte of its encoding. `nibbles` have two.
const PER_BYTE: usize = 2;

/// Makes a field non-empty if the backend rejects the empty key.
pub(super) fn not_empty(view: &View<'_>) -> Vec<Vec<Change>> {
    let words = if is_empty(view) { words(view) } else { Vec::new() };
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

/// Whether the rejected key is empty.
fn is_empty(view: &View<'_>) -> bool {
    matches!(view.fault, Fault::Bounded { row, record: None, .. } if row.key.is_empty())
}

fn high_text<'a>(view: &View<'a>, expr: &TypeExpr) -> Option<&'a str> {
    let high = expr.length.as_ref()?.high.as_ref()?;
    view.layout.text().get(high.span.start as usize..high.span.end as usize)
}

/// Proposes a greatest length for each field, longest fields first.
pub(super) fn maximal<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    if is_empty(view) { Vec::new() } else { each_maximal(view) }
}

/// Proposes a greatest length for each field if a key can be both empty and too long.
pub(super) fn maximal_not_empty<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    if is_empty(view) { each_maximal(view) } else { Vec::new() }
}

fn each_maximal<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    let mut words = words(view);
    words.sort_by_key(|(site, _)| {
        std::cmp::Reverse(site.leaf.codec.longest().unwrap_or(usize::MAX))
    });
    words.into_iter().filter_map(|word| bound_of(view, &[word])).collect()
}

/// Proposes one greatest length for all fields.
pub(super) fn maximal_of_all<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    let words = words(view);
    let several = words.len() > 1;
    several.then(|| bound_of(view, &words)).flatten().into_iter().collect()
}

/// Returns the bound with one greatest length for some fields. If the rejected key is empty, the
/// first field becomes non-empty.
fn bound_of<'a>(view: &View<'a>, words: &[(Site<'a>, &'a TypeExpr)]) -> Option<Bound<'a>> {
    let Fault::Bounded { backend, .. } = view.fault else { return None };
    let limit = backend.longest_key as u128;
    let first = u128::from(is_empty(view));
    let ends: Vec<(&TypeExpr, Option<u128>, u128, u128)> = words
        .iter()
        .enumerate()
        .map(|(index, (site, expr))| {
            let at_least = if index == 0 { first } else { 0 };
            let low = least(expr).unwrap_or_else(|| shortest(site, expr, view)).max(at_least);
            let written = least(expr)
                .map(|low| low.max(at_least))
                .or((low > 0 && at_least > 0).then_some(low));
            (*expr, written, low, most(expr).unwrap_or(u128::MAX))
        })
        .collect();
    let low = ends.iter().map(|(_, _, low, _)| *low).min()?;
    let high = ends.iter().map(|(_, _, _, high)| *high).max()?.min(limit);
    let view = *view;
    let changes = move |end: u128| {
        let changes = ends.iter().filter(|(_, _, _, high)| *high > low + end).map(
            |(expr, written, least, _)| {
                let written = written.map_or(String::new(), |low| low.to_string());
                with_length(&view, expr, &format!("{written}..={}", (low + end).max(*least)))
            },
        );
        changes.collect::<Option<Vec<Change>>>()
    };
    Some(Bound {
        most: high.checked_sub(low)?,
        changes: Box::new(changes),
        end: End::KeyLength(backend.longest_key),
        below: None,
    })
}

/// Proposes a shorter length for fields of fixed length.
pub(super) fn shorter<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    let Fault::Bounded { backend, .. } = view.fault else { return Vec::new() };
    let limit = backend.longest_key;
    let of_one_length = words(view).into_iter().filter_map(|(_, expr)| {
        let length = least(expr).filter(|&length| most(expr) == Some(length))?;
        let view = *view;
        let changes = move |end: u128| Some(vec![with_length(&view, expr, &end.to_string())?]);
        let end = End::KeyLength(limit);
        Some(Bound {
            most: length.min(limit as u128),
            changes: Box::new(changes),
            end,
            below: None,
        })
    });
    of_one_length.collect()
}

/// Proposes bounds of the length of text or bytes in the field of the claim.
pub(super) fn of_field<'a>(view: &View<'a>) -> Vec<Bound<'a>> {
    let words = field_expr(view).and_then(|(leaf, expr)| Some((leaf, words_expr(view, expr)?)));
    let bound = words.and_then(|(leaf, expr)| {
        let low = least(expr).unwrap_or(0);
        // Values longer than this cannot all have distinct encodings.
        let longest = leaf.codec.longest();
        let longest = longest.map_or(LONGEST_OF_FIELD, |bytes| bytes.saturating_mul(PER_BYTE));
        let high = most(expr).unwrap_or(u128::MAX).min(longest as u128);
        let view = *view;
        let changes =
            move |end| Some(vec![with_length(&view, expr, &format!("{low}..={}", low + end))?]);
        let end = End::Codec(Box::new(|| None));
        Some(Bound { most: high.checked_sub(low)?, changes: Box::new(changes), end, below: None })
    });
    bound.into_iter().collect()
}

/// Returns the least length that an expression declares.
fn least(expr: &TypeExpr) -> Option<u128> {
    u128::try_from(expr.length.as_ref()?.low.as_ref()?.magnitude).ok()
}

fn most(expr: &TypeExpr) -> Option<u128> {
    let length = expr.length.as_ref()?;
    let Int { magnitude, .. } = length.high.as_ref()?;
    let magnitude = u128::try_from(*magnitude).ok()?;
    if length.inclusive { Some(magnitude) } else { magnitude.checked_sub(1) }
}

/// Returns the least length of the words of an expression without a declared length.
fn shortest(site: &Site<'_>, expr: &TypeExpr, view: &View<'_>) -> u128 {
    let dfa = site.leaf.language.over();
    let is_whole = codec_expr(view, site).is_some_and(|whole| whole.span == expr.span);
    if is_whole { dfa.shortest().unwrap_or(0) as u128 } else { 1 }
}

/// Returns the leaves of text and bytes in the rejected key, without duplicates.
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
