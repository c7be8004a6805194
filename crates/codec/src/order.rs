//! Searches for two values whose bytes are in the wrong order.

use crate::{Codec, Comparison, Language, Order, PrefixOrder, Value, checksummed::encodings};
use alloc::{sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, ByteSet, Dfa, OverBudget};

/// Encodings that differ at a byte sort like values. No encoding is a prefix of another, or their
/// order does not matter.
pub(crate) const ORDERED: Order = Order::Ordered { prefix: PrefixOrder::ShorterFirst };

const TRIED: usize = 200;

/// Computes the order of any codec under another comparison.
pub(crate) fn by<C: Codec + ?Sized>(
    codec: &C,
    comparison: Comparison,
    budget: Budget<'_>,
) -> Order {
    let Ok(language) = codec.language(budget) else {
        return Order::Unknown("the automaton of the codec is too large");
    };
    if one_length(language.over()) {
        if comparison == Comparison::LengthFirst {
            return codec.order();
        }
        if matches!(codec.order(), Order::Ordered { .. }) {
            return from_the_right(codec, &language, budget);
        }
    }
    by_samples(codec, |a, b| compared(comparison, a, b)).unwrap_or(Order::Unknown(
        match comparison {
            Comparison::LengthFirst => "not decided for these encodings of several lengths",
            Comparison::FromTheRight => "not decided for these encodings read backwards",
        },
    ))
}

fn compared(comparison: Comparison, a: &[u8], b: &[u8]) -> Ordering {
    match comparison {
        Comparison::LengthFirst => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        Comparison::FromTheRight => a.iter().rev().cmp(b.iter().rev()),
    }
}

/// Computes the order of encodings of one length that are compared from the right.
fn from_the_right<C: Codec + ?Sized>(codec: &C, language: &Language, budget: Budget) -> Order {
    let Ok(found) = search(language, |dfa| dfa.larger_from_the_right(budget)) else {
        return Order::Unknown("the search for two misordered values is too large");
    };
    // All pairs have the same number of bytes, so prefer simple numbers to readable bytes.
    let simpler = match (&found, codec.integers()) {
        (PairSearch::Pair { .. }, Some(_)) => {
            by_samples(codec, |a, b| compared(Comparison::FromTheRight, a, b))
        }
        _ => None,
    };
    match simpler {
        Some(Order::Misordered { lower, higher, .. }) => {
            Order::Misordered { lower, higher, minimal: true }
        }
        _ => found.into_order(codec),
    }
}

/// The result of a search in the automata of a language.
pub(crate) enum PairSearch {
    Nothing,
    /// Encodings of the lower and of the higher value.
    Pair {
        lower: Vec<u8>,
        higher: Vec<u8>,
        minimal: bool,
    },
    /// A pair in the upper automaton that may not be real.
    Doubtful,
}

impl PairSearch {
    pub(crate) fn into_order<C: Codec + ?Sized>(self, codec: &C) -> Order {
        match self {
            Self::Nothing => ORDERED,
            Self::Doubtful => Order::Unknown("the language of the codec is not known exactly"),
            Self::Pair { lower, higher, minimal } => {
                match (codec.decode(&lower), codec.decode(&higher)) {
                    (Ok(lower), Ok(higher)) => Order::Misordered { lower, higher, minimal },
                    _ => Order::Unknown("a word of the language does not decode"),
                }
            }
        }
    }
}

/// Searches both automata of a language for a pair, lower first.
pub(crate) fn search(
    language: &Language,
    find: impl Fn(&Dfa) -> Result<Option<(Vec<u8>, Vec<u8>)>, OverBudget>,
) -> Result<PairSearch, OverBudget> {
    let over = language.over();
    if find(over)?.is_none() {
        return Ok(PairSearch::Nothing);
    }
    let under = language.under();
    let exact = Arc::ptr_eq(over, under);
    Ok(match find(under)? {
        Some((lower, higher)) => PairSearch::Pair { lower, higher, minimal: exact },
        None => PairSearch::Doubtful,
    })
}

pub(crate) fn one_length(dfa: &Dfa) -> bool {
    dfa.longest().is_some() && dfa.shortest() == dfa.longest()
}

/// Compares samples in pairs and returns the misordered pair with the fewest bytes, if any.
/// `compared` orders two encodings.
pub(crate) fn by_samples<C: Codec + ?Sized>(
    codec: &C,
    compared: impl Fn(&[u8], &[u8]) -> Ordering,
) -> Option<Order> {
    let encoded = encodings(codec, TRIED);
    let mut best = None;
    let mut fewest = usize::MAX;
    for (higher, high) in &encoded {
        for (lower, low) in &encoded {
            let total = low.len() + high.len();
            if total < fewest
                && compared(low, high) == Ordering::Greater
                && codec.compare(lower, higher) == Ordering::Less
            {
                fewest = total;
                best = Some((lower.clone(), higher.clone()));
            }
        }
    }
    best.map(|(lower, higher)| Order::Misordered { lower, higher, minimal: false })
}

/// Returns the order for two values with one encoding.
pub(crate) fn tied<C: Codec + ?Sized>(codec: &C, a: Value, b: Value) -> Order {
    let (lower, higher) = if codec.compare(&a, &b) == Ordering::Greater { (b, a) } else { (a, b) };
    Order::Tied { lower, higher }
}

/// Returns the total length of two encodings; `None` unless both values are in the domain.
pub(crate) fn total<C: Codec + ?Sized>(codec: &C, a: &Value, b: &Value) -> Option<usize> {
    Some(codec.encoding(a).ok()?.len() + codec.encoding(b).ok()?.len())
}

/// Compares two encodings at their first different byte.
pub(crate) fn at_a_byte(a: &[u8], b: &[u8]) -> Option<Ordering> {
    a.iter().zip(b).map(|(a, b)| a.cmp(b)).find(|order| order.is_ne())
}

/// All bytes except zero.
pub(crate) const ABOVE_ZERO: ByteSet = ByteSet::range(0x01, 0xff);
