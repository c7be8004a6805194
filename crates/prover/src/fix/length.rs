//! Fixes that change the length of text and bytes, for backends with short keys and for lossy
//! codecs.

use super::{
    bound::{Bound, Guess},
    edit::Edit,
    expr::{codec_expr, with_length, words_expr},
    problem::Problem,
    retype::field_expr,
    site::{Site, sites},
};
use crate::verdict::Fault;
use keyscape_layout::syntax::ast::{Int, Range, TypeExpr};

/// The longest length to try for a field without a longest encoding.
const LONGEST_OF_FIELD: usize = 4096;
/// The highest number of characters of a value per byte of its encoding. `nibbles` have two.
const PER_BYTE: usize = 2;

/// Makes a field non-empty if the backend rejects the empty key.
pub(super) fn not_empty(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let words = if is_empty(problem) { words(problem) } else { Vec::new() };
    let edits = words.iter().filter_map(|(_, expr)| {
        let range = match &expr.length {
            Some(Range { high: Some(high), inclusive, .. }) => {
                let equals = if *inclusive { "=" } else { "" };
                format!("1..{equals}{}", problem.layout.sources.text(high.span))
            }
            _ => "1..".to_owned(),
        };
        Some(vec![with_length(problem, expr, &range)?])
    });
    edits.collect()
}

/// Whether the rejected key is empty.
fn is_empty(problem: &Problem<'_>) -> bool {
    matches!(problem.fault, Fault::Bounded { row, record: None, .. } if row.key.is_empty())
}

/// Proposes a greatest length for each field, longest fields first.
pub(super) fn maximal<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    if is_empty(problem) { Vec::new() } else { each_maximal(problem) }
}

/// Proposes a greatest length for each field if a key can be both empty and too long.
pub(super) fn maximal_not_empty<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    if is_empty(problem) { each_maximal(problem) } else { Vec::new() }
}

fn each_maximal<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let mut words = words(problem);
    words.sort_by_key(|(site, _)| {
        std::cmp::Reverse(site.leaf.codec.longest().unwrap_or(usize::MAX))
    });
    words.into_iter().filter_map(|word| bound_of(problem, &[word])).collect()
}

/// Proposes one greatest length for all fields.
pub(super) fn maximal_of_all<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let words = words(problem);
    let several = words.len() > 1;
    several.then(|| bound_of(problem, &words)).flatten().into_iter().collect()
}

/// Returns the bound with one greatest length for some fields. If the rejected key is empty, the
/// first field becomes non-empty.
fn bound_of<'a>(problem: &Problem<'a>, words: &[(Site<'a>, &'a TypeExpr)]) -> Option<Bound<'a>> {
    let Fault::Bounded { backend, .. } = problem.fault else { return None };
    let limit = backend.longest_key as u128;
    let first = u128::from(is_empty(problem));
    let ends: Vec<(&TypeExpr, Option<u128>, u128, u128)> = words
        .iter()
        .enumerate()
        .map(|(index, (site, expr))| {
            let at_least = if index == 0 { first } else { 0 };
            let low = least(expr).unwrap_or_else(|| shortest(site, expr, problem)).max(at_least);
            let written = least(expr)
                .map(|low| low.max(at_least))
                .or((low > 0 && at_least > 0).then_some(low));
            (*expr, written, low, most(expr).unwrap_or(u128::MAX))
        })
        .collect();
    let low = ends.iter().map(|(_, _, low, _)| *low).min()?;
    let high = ends.iter().map(|(_, _, _, high)| *high).max()?.min(limit);
    let problem = *problem;
    let edits = move |end: u128| {
        let edits = ends.iter().filter(|(_, _, _, high)| *high > low + end).map(
            |(expr, written, least, _)| {
                let written = written.map_or(String::new(), |low| low.to_string());
                with_length(&problem, expr, &format!("{written}..={}", (low + end).max(*least)))
            },
        );
        edits.collect::<Option<Vec<Edit>>>()
    };
    Some(Bound::new(high.checked_sub(low)?, Guess::KeyLength(backend.longest_key), edits))
}

/// Proposes a shorter length for fields of fixed length.
pub(super) fn shorter<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let Fault::Bounded { backend, .. } = problem.fault else { return Vec::new() };
    let limit = backend.longest_key;
    let of_one_length = words(problem).into_iter().filter_map(|(_, expr)| {
        let length = least(expr).filter(|&length| most(expr) == Some(length))?;
        let problem = *problem;
        let edits = move |end: u128| Some(vec![with_length(&problem, expr, &end.to_string())?]);
        Some(Bound::new(length.min(limit as u128), Guess::KeyLength(limit), edits))
    });
    of_one_length.collect()
}

/// Proposes bounds of the length of text or bytes in the field of the claim.
pub(super) fn of_field<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let words =
        field_expr(problem).and_then(|(leaf, expr)| Some((leaf, words_expr(problem, expr)?)));
    let bound = words.and_then(|(leaf, expr)| {
        let low = least(expr).unwrap_or(0);
        // Values longer than this cannot all have distinct encodings.
        let longest = leaf.codec.longest();
        let longest = longest.map_or(LONGEST_OF_FIELD, |bytes| bytes.saturating_mul(PER_BYTE));
        let high = most(expr).unwrap_or(u128::MAX).min(longest as u128);
        let problem = *problem;
        let edits =
            move |end| Some(vec![with_length(&problem, expr, &format!("{low}..={}", low + end))?]);
        Some(Bound::new(high.checked_sub(low)?, Guess::Codec(None), edits))
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
fn shortest(site: &Site<'_>, expr: &TypeExpr, problem: &Problem<'_>) -> u128 {
    let dfa = site.leaf.language.over();
    let is_whole = codec_expr(problem, site).is_some_and(|whole| whole.span == expr.span);
    if is_whole { dfa.shortest().unwrap_or(0) as u128 } else { 1 }
}

/// Returns the leaves of text and bytes in the rejected key, without duplicates.
fn words<'a>(problem: &Problem<'a>) -> Vec<(Site<'a>, &'a TypeExpr)> {
    let Fault::Bounded { row, .. } = problem.fault else { return Vec::new() };
    let mut found: Vec<(Site<'a>, &'a TypeExpr)> = Vec::new();
    for site in sites(problem.keyspace(), &row.fields) {
        let expr = codec_expr(problem, &site).and_then(|expr| words_expr(problem, expr));
        if let Some(expr) = expr.filter(|expr| found.iter().all(|(_, e)| e.span != expr.span)) {
            found.push((site, expr));
        }
    }
    found
}
