//! Ranges and amounts against a plain map from points, over a small universe and at its edges.

use keyscape::U256;
use keyscape_badges::{Amounts, AmountsError, Range, Ranges};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The points of the small universe: a few at the bottom and a few at the top.
const SMALL: u64 = 6;

/// Maps 0..12 to 1..=6 and the six largest numbers.
fn point(index: u64) -> U256 {
    if index < SMALL {
        U256::from(index + 1)
    } else {
        U256::MAX - U256::from(2 * SMALL - 1 - index)
    }
}

fn ranges() -> impl Strategy<Value = Range> {
    (0..2 * SMALL, 0..2 * SMALL)
        .prop_map(|(a, b)| Range::new(point(a.min(b)), point(a.max(b))).expect("ordered"))
}

fn sets() -> impl Strategy<Value = Ranges> {
    prop::collection::vec(ranges(), 0..4).prop_map(|ranges| ranges.into_iter().collect())
}

fn amounts() -> impl Strategy<Value = Amounts> {
    prop::collection::vec((1_u64..4, sets(), sets()), 0..4).prop_map(|parts| {
        parts.into_iter().fold(Amounts::default(), |sum, (amount, ids, times)| {
            sum.checked_add(&Amounts::of(amount, ids, times)).expect("small amounts")
        })
    })
}

/// Returns the numbers of a set among the points.
fn members(set: &Ranges) -> BTreeSet<u64> {
    (0..2 * SMALL).filter(|index| set.contains(point(*index))).collect()
}

/// Returns the amounts at all points.
fn naive(amounts: &Amounts) -> BTreeMap<(u64, u64), U256> {
    let mut all = BTreeMap::new();
    for id in 0..2 * SMALL {
        for time in 0..2 * SMALL {
            // Looks at every rectangle, and finds overlaps that a search for the first would hide.
            let containing = amounts
                .iter()
                .filter(|(ids, times, _)| ids.contains(point(id)) && times.contains(point(time)));
            let containing: Vec<U256> = containing.map(|(.., amount)| amount).collect();
            assert!(containing.len() <= 1, "rectangles overlap");
            let sum = containing.first().copied().unwrap_or(U256::ZERO);
            assert_eq!(sum, amounts.at(point(id), point(time)));
            all.insert((id, time), sum);
        }
    }
    all
}

/// Asserts that the ranges of a set are sorted, disjoint and merged.
fn normal(set: &Ranges) {
    let ranges: Vec<Range> = set.iter().collect();
    for pair in ranges.windows(2) {
        assert!(pair[0].end() + 1 < pair[1].start(), "{set}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn sets_of_ranges_are_sets_of_points(a in sets(), b in sets()) {
        let (x, y) = (members(&a), members(&b));
        for (set, expected) in [
            (a.union(&b), x.union(&y).copied().collect::<BTreeSet<u64>>()),
            (a.intersection(&b), x.intersection(&y).copied().collect()),
            (a.without(&b), x.difference(&y).copied().collect()),
        ] {
            normal(&set);
            prop_assert_eq!(members(&set), expected);
        }
        prop_assert_eq!(&a.without(&b).union(&a.intersection(&b)), &a);
        prop_assert_eq!(a.is_subset(&b), a.without(&b).is_empty());
    }

    #[test]
    fn amounts_are_amounts_of_points(a in amounts(), b in amounts()) {
        let (x, y) = (naive(&a), naive(&b));
        let each = |f: fn(U256, U256) -> U256| -> BTreeMap<_, _> {
            x.iter().map(|(point, amount)| (*point, f(*amount, y[point]))).collect()
        };
        prop_assert_eq!(naive(&a.checked_add(&b).unwrap()), each(|a, b| a + b));
        prop_assert_eq!(naive(&a.min(&b)), each(U256::min));
        prop_assert_eq!(naive(&a.saturating_sub(&b)), each(U256::saturating_sub));
        let fits = x.iter().all(|(point, amount)| *amount >= y[point]);
        // The amounts are constant between the compared points, so the points suffice.
        prop_assert_eq!(a.checked_sub(&b).is_ok(), b.is_within(&a));
        if b.is_within(&a) {
            prop_assert!(fits);
            prop_assert_eq!(&a.checked_sub(&b).unwrap().checked_add(&b).unwrap(), &a);
        }
    }

    /// Equal amounts are equal values with equal messages, however they were put together.
    #[test]
    fn the_form_of_amounts_is_unique(a in amounts(), b in amounts()) {
        let there = a.checked_add(&b).unwrap().checked_sub(&b).unwrap();
        prop_assert_eq!(&there, &a);
        prop_assert_eq!(there.to_messages(), a.to_messages());
        prop_assert_eq!(Amounts::from_messages(&a.to_messages()).unwrap(), a);
    }
}

#[test]
fn ranges_that_touch_overlap_and_nest_are_merged() {
    let set = |parts: &[(u64, u64)]| -> Ranges {
        parts.iter().map(|(a, b)| Range::new(*a, *b).unwrap()).collect()
    };
    assert_eq!(set(&[(1, 3), (4, 6)]).to_string(), "1-6");
    assert_eq!(set(&[(1, 5), (3, 9)]).to_string(), "1-9");
    assert_eq!(set(&[(1, 9), (3, 5)]).to_string(), "1-9");
    assert_eq!(set(&[(5, 6), (1, 3)]).to_string(), "1-3, 5-6");
}

#[test]
fn the_last_number_is_a_number_like_any_other() {
    let last = Range::new(U256::MAX, U256::MAX).unwrap();
    let rest = Ranges::all().without(&last.into());
    assert_eq!(rest.iter().next().unwrap().end(), U256::MAX - 1);
    assert_eq!(rest.union(&last.into()), Ranges::all());
    assert_eq!(last.shifted(U256::ONE), None);
    let most = Amounts::of(U256::MAX, last, last);
    assert_eq!(most.checked_add(&Amounts::of(1_u64, last, last)), Err(AmountsError::Overflow));
    assert!(most.checked_add(&Amounts::of(1_u64, rest, last)).is_ok());
}

#[test]
fn a_million_badges_are_one_range() {
    let all = Amounts::of(1_u64, Range::new(1_u64, 1_000_000_u64).unwrap(), Range::ALL);
    assert_eq!(all.iter().count(), 1);
    let one = Amounts::of(1_u64, Range::new(500_u64, 500_u64).unwrap(), Range::ALL);
    assert_eq!(all.checked_sub(&one).unwrap().iter().count(), 2);
}
