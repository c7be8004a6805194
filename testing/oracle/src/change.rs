//! Changes of layouts: decides the findings of `diff` for a pair of small layouts by enumeration.
//!
//! This module lists all rows of both layouts and compares the keys and their readings one by one.
//! It computes the correspondence of keyspaces and fields from their names, independently of
//! `evolution`.

mod compare;
mod draw;
mod exchange;
mod moves;
mod rows;
mod statements;
mod stored;
mod values;

use draw::{Pair, draw};
pub use moves::compare_moves_seed;

use crate::{
    Words,
    oracle::Oracle,
    seed::{Compared, read},
    shrink::shrink,
};
use keyscape_codec::Loss;
use keyscape_evolution::{Config, Rule, diff};
use keyscape_layout::{
    Layout,
    traverse::{ItemKind, traverse},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The highest number of rows of a layout to compare.
const MAX_ROWS: usize = 2000;

/// The answer about one subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// No finding.
    Harmless,
    /// A finding with a shortest key.
    Found,
    /// A finding whose key may not be the shortest.
    FoundNotMinimal,
    /// Not decided.
    Unknown,
}

/// Compares a pair of layouts.
fn compare_pair(pair: &Pair, words: &mut Words) -> Compared<(Rule, Change)> {
    let (old, new) = match read_pair(pair) {
        Ok(layouts) => layouts,
        Err(why) => return Compared::Rejected(why),
    };
    // Decoding returns one of several values with the same bytes, but enumeration lists them all.
    if is_lossy(&old) || is_lossy(&new) {
        return Compared::TooLarge;
    }
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| diff(&old, &new, Config::default()))) else {
        return Compared::Disagreed("the comparison panicked".into());
    };
    let Ok(before) = Oracle::new(&old, words, &[], MAX_ROWS) else { return Compared::TooLarge };
    let Ok(after) = Oracle::new(&new, words, &[], MAX_ROWS) else { return Compared::TooLarge };
    let is_complete =
        |oracle: &Oracle<'_>| oracle.layout.keyspace_ids().all(|id| oracle.is_complete(id));
    if !is_complete(&before) || !is_complete(&after) {
        return Compared::TooLarge;
    }
    match compare::compare(&rows::Both::new(&before, &after), &report) {
        Ok(agreed) => Compared::Agreed(agreed),
        Err(message) => Compared::Disagreed(message),
    }
}

/// Reads both layouts of a pair.
///
/// # Errors
/// Returns the first error and the text if one of the texts is not a layout.
fn read_pair(pair: &Pair) -> Result<(Layout, Layout), String> {
    let read_one = |text: String| {
        read(&text).map_err(|rejected| {
            let first = rejected.diagnostics.first().map(|found| &*found.message);
            format!("{}\n{text}", first.unwrap_or_default())
        })
    };
    Ok((read_one(pair.old.to_string())?, read_one(pair.new.to_string())?))
}

fn is_lossy(layout: &Layout) -> bool {
    let keys = layout.keyspaces.iter().flat_map(|keyspace| traverse(&keyspace.key));
    let mut leaves = keys.filter_map(|item| match item.kind {
        ItemKind::Leaf(leaf) => Some(leaf),
        _ => None,
    });
    leaves.any(|leaf| leaf.codec.lossless() != Loss::None)
}

/// Draws the pair of a seed and compares it, and again with other changes. If the answers differ,
/// shrinks the pair and reports the smallest one found.
pub fn compare_pair_seed(seed: u64, words: &mut Words) -> Compared<(Rule, Change)> {
    let pair = draw(seed);
    let exchanged = exchange::exchange(seed, &pair);
    compare_or_shrink(seed, &pair, words).and(|| compare_or_shrink(seed, &exchanged, words))
}

fn compare_or_shrink(seed: u64, pair: &Pair, words: &mut Words) -> Compared<(Rule, Change)> {
    match compare_pair(pair, words) {
        Compared::Disagreed(_) => {
            let smallest = shrink(pair, draw::smaller_pairs, |pair| {
                matches!(compare_pair(pair, words), Compared::Disagreed(_))
            });
            let Compared::Disagreed(why) = compare_pair(&smallest, words) else {
                return Compared::Disagreed("the disagreement depends on chance".into());
            };
            let Pair { old, new } = smallest;
            Compared::Disagreed(format!("seed {seed}\n--- old\n{old}+++ new\n{new}{why}\n"))
        }
        compared => compared,
    }
}
