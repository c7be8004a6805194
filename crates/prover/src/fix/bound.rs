//! The weakest bound: domains whose ends cannot be moved further out.
//!
//! A claim that holds for a domain holds for each smaller domain, so bisection finds each end.

use super::{
    edit::Edit,
    expr::{domain_expr, inner_codec, ranged, types_in, with_domain},
    problem::Problem,
    retype::field_expr,
    site::{Site, sites},
};
use crate::verdict::{Fault, Rule};
use keyscape_codec::{Codec, IntRange, Loss, Order, PairDomain, Uint};
use keyscape_layout::{Layout, syntax::ast::TypeExpr};
use std::sync::Arc;

/// A domain whose ends can be chosen.
pub(super) struct Bound<'a> {
    /// The largest end. The smallest one is 0.
    max_end: u128,
    /// The highest number of further integers at the start of the domain.
    max_below: u128,
    guess: Guess,
    edits: Box<dyn Fn(u128, u128) -> Option<Vec<Edit>> + 'a>,
}

/// A method to find the largest end without deciding the claim for every end.
pub(super) enum Guess {
    /// The largest end for which the codec alone does not refute the claim, if known.
    Codec(Option<u128>),
    /// The highest length of a key.
    KeyLength(usize),
}

impl<'a> Bound<'a> {
    /// Creates a bound with a fixed start. `edits` returns the edits for an end.
    pub(super) fn new(
        max_end: u128,
        guess: Guess,
        edits: impl Fn(u128) -> Option<Vec<Edit>> + 'a,
    ) -> Self {
        Self { max_end, max_below: 0, guess, edits: Box::new(move |end, _| edits(end)) }
    }

    /// Returns the edits for an end and a number of further integers at the start.
    fn edits(&self, end: u128, below: u128) -> Option<Vec<Edit>> {
        (self.edits)(end, below)
    }
}

/// Returns the largest number up to `max` for which `holds` is true. If `holds` is true for a
/// number, it must be true for all smaller ones.
pub(super) fn weakest(max: u128, holds: &mut dyn FnMut(u128) -> bool) -> Option<u128> {
    if !holds(0) {
        return None;
    }
    if holds(max) {
        return Some(max);
    }
    // Most ends are far below `max`, so find the number of binary digits first.
    let digits = u128::BITS - max.leading_zeros();
    let (mut short, mut long) = (0, digits);
    while long - short > 1 {
        let middle = short + (long - short) / 2;
        if holds((1 << middle) - 1) {
            short = middle;
        } else {
            long = middle;
        }
    }
    let above = |digits: u32| 1_u128.checked_shl(digits).map_or(u128::MAX, |power| power - 1);
    let (mut yes, mut no) = (above(short), above(long).min(max));
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    Some(yes)
}

/// Returns the layout with the weakest bound that proves the claim.
pub(super) fn weakest_layout(problem: &Problem<'_>, bound: &Bound<'_>) -> Option<Layout> {
    let (end, layout) = largest_end(problem, bound)?;
    if bound.max_below == 0 {
        return Some(layout);
    }
    let fixed_from = |below: u128| problem.fixed(&bound.edits(end, below)?);
    // Most domains cannot begin earlier, and the current start is proved.
    let Some(one_more) = fixed_from(1) else { return Some(layout) };
    let below = weakest(bound.max_below, &mut |below| below <= 1 || fixed_from(below).is_some())?;
    if below == 1 { Some(one_more) } else { fixed_from(below) }
}

/// Returns the largest end that proves the claim, and the layout with it.
fn largest_end(problem: &Problem<'_>, bound: &Bound<'_>) -> Option<(u128, Layout)> {
    let fixed = |end: u128| problem.fixed(&bound.edits(end, 0)?);
    let max = match bound.guess {
        // Two edited layouts confirm the guess.
        Guess::Codec(limit) => {
            if let Some(limit) = limit.filter(|limit| (1..bound.max_end).contains(limit))
                && let Some(found) = fixed(limit)
                && fixed(limit + 1).is_none()
            {
                return Some((limit, found));
            }
            bound.max_end
        }
        Guess::KeyLength(limit) => {
            let length = |end| problem.longest_key(&problem.edited(&bound.edits(end, 0)?)?);
            let end = longest_fitting(bound.max_end, limit, &length)?;
            if let Some(found) = fixed(end) {
                return Some((end, found));
            }
            // The length of the key is not the only condition.
            end.checked_sub(1)?
        }
    };
    let end = weakest(max, &mut |end| fixed(end).is_some())?;
    // A domain of one value is useless.
    let is_one_value = end == 0 && matches!(bound.guess, Guess::Codec(_));
    if is_one_value { None } else { Some((end, fixed(end)?)) }
}

/// Returns the largest end up to `max` for which the longest key has at most `limit` bytes.
///
/// The length of keys usually grows linearly with the end, in groups of at most eight bytes, so
/// interpolation needs few steps. Every second further step bisects, which bounds the steps for
/// other growth.
fn longest_fitting(
    max: u128,
    limit: usize,
    length: &dyn Fn(u128) -> Option<usize>,
) -> Option<u128> {
    let fits = |end| length(end).filter(|&length| length <= limit);
    let shortest = fits(0)?;
    let step = max.min(8);
    let growth = length(step).map_or(1, |longer| longer.saturating_sub(shortest).max(1));
    let (mut yes, mut no) = ((0, shortest), max.checked_add(1)?);
    let mut tries = 0_usize;
    while no - yes.0 > 1 {
        let guess = match tries {
            1 => yes.0 + step,
            3.. if !tries.is_multiple_of(2) => yes.0 + (no - yes.0) / 2,
            _ => yes.0 + (limit - yes.1) as u128 * step / growth as u128,
        };
        let guess = guess.clamp(yes.0 + 1, no - 1);
        match fits(guess) {
            Some(length) => yes = (guess, length),
            None => no = guess,
        }
        tries += 1;
    }
    Some(yes.0)
}

/// Proposes bounds of the integers in the field of the claim.
pub(super) fn of_field<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let Some((leaf, whole)) = field_expr(problem) else { return Vec::new() };
    if let Some(pairs) = leaf.codec.pairs() {
        return of_pairs(pairs, whole).into_iter().collect();
    }
    // In some codecs, only the inner codec can have a range.
    let exprs = [Some(whole), inner_codec(whole)].into_iter().flatten();
    let bounds = exprs.filter_map(|expr| of_codec(problem, &leaf.codec, expr));
    let is_layout =
        |bound: &Bound<'_>| bound.edits(0, 0).is_some_and(|edits| problem.edited(&edits).is_some());
    bounds.into_iter().find(is_layout).into_iter().collect()
}

/// Proposes bounds of the first integers of pairs. Always excludes second integers of at least one
/// whole, because they would make adjacent wholes equal.
fn of_pairs(pairs: PairDomain, expr: &TypeExpr) -> Option<Bound<'_>> {
    let types: Vec<&TypeExpr> = types_in(expr).collect();
    let [whole, part] = types[..] else { return None };
    let (low, high) = pairs.wholes;
    let max_end = u128::from(high.checked_sub(low)?);
    let range = |low: u64, high: u64| IntRange::Unsigned { low: low.into(), high: high.into() };
    let edits = move |end: u128| {
        let mut edits = Vec::new();
        if end < max_end {
            let high = low.checked_add(u64::try_from(end).ok()?)?;
            edits.push(with_domain(whole, &range_text(&range(low, high), false)));
        }
        if pairs.last_part >= pairs.scale {
            let last = pairs.scale.checked_sub(1)?;
            edits.push(with_domain(part, &range_text(&range(0, last), false)));
        }
        (!edits.is_empty()).then_some(edits)
    };
    let limit = pairs.max_distinct_whole.and_then(|whole| whole.checked_sub(low));
    Some(Bound::new(max_end, Guess::Codec(limit.map(u128::from)), edits))
}

/// Proposes bounds of the integers in the first field of the key.
pub(super) fn of_first<'a>(problem: &Problem<'a>) -> Vec<Bound<'a>> {
    let Fault::Allocated { row, .. } = problem.fault else { return Vec::new() };
    of_site(problem, sites(problem.keyspace(), &row.fields).into_iter().next())
}

/// Proposes bounds of the integers in a leaf.
pub(super) fn of_site<'a>(problem: &Problem<'a>, site: Option<Site<'_>>) -> Vec<Bound<'a>> {
    let bound =
        site.and_then(|site| of_codec(problem, &site.leaf.codec, domain_expr(problem, &site)?));
    bound.into_iter().collect()
}

fn of_codec<'a>(
    problem: &Problem<'a>,
    codec: &Arc<dyn Codec>,
    expr: &'a TypeExpr,
) -> Option<Bound<'a>> {
    // Edit an existing range, even in an inner codec.
    let expr = ranged(expr).unwrap_or(expr);
    let domain = codec.integers()?;
    let max_below = match domain {
        IntRange::Unsigned { .. } => 0,
        IntRange::Signed { low, high } => usual_start(low, high).abs_diff(low),
    };
    let distance = domain.distance() - Uint::new(max_below);
    // Bounds above 128 bits are not searched.
    let max_end = u128::try_from(distance).unwrap_or(u128::MAX);
    let rule = problem.subject.rule;
    // A codec alone does not decide other rules.
    let is_decisive = matches!(rule, Rule::Ordered | Rule::Lossless);
    let mut holds = |end| {
        let narrower = part_of(&domain, end, 0).and_then(|range| codec.restrict(&range));
        narrower.is_some_and(|codec| is_fine(rule, &codec))
    };
    let limit = is_decisive.then(|| weakest(max_end, &mut holds)).flatten();
    // Without a declared upper bound, a domain that reaches its end needs only a lower bound.
    let is_open = distance == Uint::new(max_end)
        && expr.domain.as_ref().is_none_or(|domain| domain.high.is_none());
    let edits = move |end, below| {
        let text = range_text(&part_of(&domain, end, below)?, end == max_end && is_open);
        Some(vec![with_domain(expr, &text)])
    };
    Some(Bound { max_end, max_below, guess: Guess::Codec(limit), edits: Box::new(edits) })
}

/// Returns the first integer to retain in a domain: the first one that is not negative, because
/// two's complement sorts negative integers after the others.
fn usual_start(low: i128, high: i128) -> i128 {
    if high >= 0 { low.max(0) } else { low }
}

/// Returns the integers of a domain from its usual start to `end` after it, and `below` integers
/// before the start.
fn part_of(domain: &IntRange, end: u128, below: u128) -> Option<IntRange> {
    Some(match *domain {
        IntRange::Unsigned { low, .. } => {
            IntRange::Unsigned { low, high: low.saturating_add(end.into()) }
        }
        IntRange::Signed { low, high } => {
            let start = usual_start(low, high);
            let high = start.saturating_add_unsigned(end);
            IntRange::Signed { low: start.checked_sub_unsigned(below)?, high }
        }
    })
}

/// Whether a codec alone does not refute a rule.
fn is_fine(rule: Rule, codec: &Arc<dyn Codec>) -> bool {
    match rule {
        Rule::Ordered => !matches!(codec.order(), Order::Misordered { .. } | Order::Tied { .. }),
        Rule::Lossless => codec.lossless() == Loss::None,
        _ => true,
    }
}

pub(super) fn range_text(range: &IntRange, is_open: bool) -> String {
    if is_open { format!("{}..", range.ends().0) } else { range.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn bisection_agrees_with_counting() {
        for most in 0..40 {
            // The first number that does not hold. With `most + 1`, all numbers hold.
            for first in 0..=most + 1 {
                let mut asked = 0;
                let found = weakest(most, &mut |n| {
                    asked += 1;
                    n < first
                });
                assert_eq!(found, first.checked_sub(1).map(|last| last.min(most)));
                assert!(asked <= 2 + 3 + 6, "{asked} questions for {most}");
            }
        }
        assert_eq!(weakest(u128::MAX, &mut |n| n <= 1 << 100), Some(1 << 100));
    }

    /// The length of the longest key for an end.
    type Growth = fn(usize) -> usize;

    #[test]
    fn lengths_of_all_kinds_are_found_with_few_of_them() {
        let kinds: [(&str, Growth); 5] = [
            ("even", |n| n + 3),
            ("twice", |n| 2 * n + 1),
            ("groups", |n| 9 * (n / 8 + 1)),
            ("length before it", |n| n + 1 + usize::from(n > 127) + usize::from(n > 16383)),
            ("another arm is longer at first", |n| (n * n).max(5000)),
        ];
        for (kind, length) in kinds {
            for limit in [511, 2730, 10_000] {
                let asked = Cell::new(0);
                let found = longest_fitting(limit as u128, limit, &|end| {
                    asked.set(asked.get() + 1);
                    Some(length(usize::try_from(end).unwrap()))
                });
                let expected = (0..=limit).take_while(|&n| length(n) <= limit).last();
                assert_eq!(found, expected.map(|n| n as u128), "{kind} {limit}");
                let limit_of_calls = if kind.starts_with("another") { 30 } else { 12 };
                assert!(asked.get() <= limit_of_calls, "{kind} {limit}: {}", asked.get());
            }
        }
    }
}
