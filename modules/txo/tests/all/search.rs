//! Compares searches with a model: pages, bounds and balances.

use crate::world::{address, memory, name, outpoint, token, txid};
use keyscape::store::{Counter, Db, Mode};
use keyscape_txo::{
    error::Error,
    event,
    keeper::{self, Admission, NewOutput},
    layout::txo::{Event, Outpoint, Score},
    score,
    search::{self, Cursor, Hit, Join, Key, OutputQuery},
};
use proptest::prelude::*;
use std::{collections::BTreeMap, ops::Bound, sync::Arc};

/// The sets of the model, in the order of [`keys`].
type Sets = [BTreeMap<Outpoint, Score>; 3];

fn keys() -> [Key; 3] {
    [
        Key::Event(Event::Own { owner: address(1) }),
        Key::Topic(name("t")),
        Key::Spent(Event::Own { owner: address(1) }),
    ]
}

/// An output: transaction, index, score, whether it is owned and admitted, and the score of the
/// spend.
type Made = (u8, u32, Score, bool, bool, Option<Score>);

fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        (0..3_u32, 0..2_u64).prop_map(|(height, index)| score::confirmed(height, index)),
        (0..3_u64).prop_map(score::seen),
    ]
}

fn outputs() -> impl Strategy<Value = Vec<Made>> {
    let spent = prop::option::weighted(0.4, scores());
    let one = (0..6_u8, 0..3_u32, scores(), any::<bool>(), any::<bool>(), spent);
    prop::collection::vec(one, 0..18)
}

fn fill(db: &Db, outputs: &[Made]) -> (Sets, BTreeMap<Outpoint, u64>) {
    let (mut sets, mut unspent) = (Sets::default(), BTreeMap::new());
    db.write(|tx| {
        for (number, vout, score, owned, admitted, spent) in outputs {
            // Each output has its own transaction and its own spender, so each has its own score.
            let own = *number * 3 + u8::try_from(*vout).unwrap();
            let at = outpoint(own, *vout);
            if keeper::output(tx, at)?.is_some() {
                continue;
            }
            let amount = u64::from(*number) * 10 + u64::from(*vout);
            let mut new = NewOutput::new(at, amount, *score);
            new.owners.extend(owned.then(|| address(1)));
            keeper::save_output(tx, &new)?;
            if *owned {
                sets[0].insert(at, *score);
            }
            if *admitted {
                keeper::admit(tx, &name("t"), at, &Admission::default())?;
                sets[1].insert(at, *score);
            }
            unspent.insert(at, amount);
            if let Some(spent) = spent {
                match keeper::save_spend(tx, at, txid(100 + own), *spent) {
                    // A spend does not precede its output.
                    Err(Error::SpendBeforeOutput { .. } | Error::UnconfirmedParent { .. }) => {
                        continue;
                    }
                    saved => drop(saved?),
                }
                unspent.remove(&at);
                if *owned {
                    sets[2].insert(at, *spent);
                }
            }
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    (sets, unspent)
}

/// Computes the expected result of a query.
fn model(
    sets: &Sets,
    unspent: &BTreeMap<Outpoint, u64>,
    places: &[usize],
    query: &OutputQuery,
) -> Vec<Hit> {
    let inside = |score: &Score| {
        let low = match query.from {
            Bound::Included(low) => *score >= low,
            Bound::Excluded(low) => *score > low,
            Bound::Unbounded => true,
        };
        let high = match query.to {
            Bound::Included(high) => *score <= high,
            Bound::Excluded(high) => *score < high,
            Bound::Unbounded => true,
        };
        low && high
    };
    let scanned = if query.join == Join::Union { places } else { &places[..1] };
    let mut found: BTreeMap<Outpoint, Score> = BTreeMap::new();
    for (at, score) in scanned.iter().flat_map(|place| &sets[*place]).filter(|(_, s)| inside(s)) {
        let best = found.entry(*at).or_insert(*score);
        let is_better = if query.reverse { score > best } else { score < best };
        if is_better {
            *best = *score;
        }
    }
    let others = || places[1..].iter().map(|place| &sets[*place]);
    found.retain(|at, _| match query.join {
        Join::Union => true,
        Join::Intersect => others().all(|set| set.contains_key(at)),
        Join::Difference => others().all(|set| !set.contains_key(at)),
    });
    found.retain(|at, _| !query.unspent || unspent.contains_key(at));
    let mut hits: Vec<Hit> =
        found.into_iter().map(|(outpoint, score)| Hit { outpoint, score }).collect();
    hits.sort_by_key(|hit| (hit.score, hit.outpoint));
    if query.reverse {
        hits.reverse();
    }
    hits
}

fn bounds() -> impl Strategy<Value = Bound<Score>> {
    prop_oneof![
        2 => Just(Bound::Unbounded),
        1 => scores().prop_map(Bound::Included),
        1 => scores().prop_map(Bound::Excluded),
    ]
}

proptest! {
    #[test]
    fn a_search_finds_what_a_model_finds_whole_and_in_pages(
        outputs in outputs(),
        places in prop::collection::vec(0..3_usize, 1..4),
        join in prop::sample::select(vec![Join::Union, Join::Intersect, Join::Difference]),
        (from, to) in (bounds(), bounds()),
        (reverse, unspent) in (any::<bool>(), any::<bool>()),
        (limit, size) in (0..20_u64, 1..5_usize),
    ) {
        let db = memory();
        let (sets, amounts) = fill(&db, &outputs);
        let read = db.read().unwrap();
        let keys = places.iter().map(|place| keys()[*place].clone()).collect();
        let mut query = OutputQuery { keys, join, from, to, reverse, unspent, limit: None, after: None };
        let expected = model(&sets, &amounts, &places, &query);

        let whole: Result<Vec<Hit>, _> = search::search(&read, &query).unwrap().collect();
        prop_assert_eq!(&whole.unwrap(), &expected);

        let some = query.clone().limit(limit);
        let found: Result<Vec<Hit>, _> = search::search(&read, &some).unwrap().collect();
        let most = usize::try_from(limit).unwrap().min(expected.len());
        prop_assert_eq!(&found.unwrap(), &expected[..most]);

        let balance = search::balance(&read, &query).unwrap();
        let held = |hit: &Hit| amounts.get(&hit.outpoint).map(|amount| u128::from(*amount));
        prop_assert_eq!(balance.satoshis, expected.iter().filter_map(held).sum::<u128>());

        let mut paged = Vec::new();
        loop {
            let page = search::page(&read, &query, size).unwrap();
            prop_assert!(page.hits.len() == size || page.next.is_none());
            paged.extend(page.hits);
            let Some(next) = page.next else { break };
            // A cursor can be converted to text and back.
            prop_assert_eq!(next.to_string().parse::<Cursor>().unwrap(), next);
            query = query.after(next);
        }
        prop_assert_eq!(&paged, &expected);

        // A limit applies to all pages, even if cursors are converted to text.
        let (mut query, mut limited) = (some, Vec::new());
        loop {
            let page = search::page(&read, &query, size).unwrap();
            prop_assert!(page.hits.len() == size || page.next.is_none());
            limited.extend(page.hits);
            let Some(next) = page.next else { break };
            query = query.after(next.to_string().parse::<Cursor>().unwrap());
        }
        prop_assert_eq!(&limited[..], &expected[..most]);
    }
}

#[test]
fn reversing_a_query_twice_keeps_it_reversed() {
    let query = OutputQuery::of(Key::Topic(name("t"))).reverse();
    assert!(query.clone().reverse().reverse && query.reverse);
}

#[test]
fn cursors_that_do_not_fit_are_refused() {
    let db = memory();
    db.write(|tx| {
        (0..3).try_for_each(|vout| {
            let new = NewOutput::new(outpoint(1, vout), 1, score::confirmed(5, 0));
            keeper::save_output(tx, &new).map(drop)
        })
    })
    .unwrap();
    let read = db.read().unwrap();
    let query = OutputQuery::of(Key::Event(event::txid(txid(1))));
    let next = search::page(&read, &query, 1).unwrap().next.unwrap();
    let refused = |query: OutputQuery| search::page(&read, &query, 1).unwrap_err();
    let error = refused(query.clone().reverse().after(next));
    assert!(matches!(error, Error::ForeignCursor(_)), "{error}");
    let error = refused(query.from(score::from_height(6)).after(next));
    assert!(matches!(error, Error::ForeignCursor(_)), "{error}");
    let limited = |left: &str| format!("{next}+{left}");
    assert!(limited("7").parse::<Cursor>().is_ok());
    for left in ["", "07", "+7", "-7", "18446744073709551616"] {
        assert!(limited(left).parse::<Cursor>().is_err(), "{left}");
    }
    for text in ["", ">", ">00", "x", &next.to_string()[..40], &next.to_string().to_uppercase()] {
        assert!(text.parse::<Cursor>().is_err(), "{text}");
    }
}

#[test]
fn a_search_reads_only_the_members_that_it_needs() {
    let db = memory();
    db.write(|tx| {
        for vout in 0..400 {
            let mut new = NewOutput::new(outpoint(1, vout), 1, score::confirmed(1, 0));
            new.events.push(Event::Id { token: token(1) }.into());
            keeper::save_output(tx, &new)?;
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    let keys = || [Key::Event(Event::Id { token: token(1) }), Key::Event(event::txid(txid(1)))];
    let [first, second] = keys();
    for join in [Join::Union, Join::Intersect] {
        let counter = Arc::new(Counter::new());
        let mut tx = db.begin(Mode::Read).unwrap();
        tx.set_meter(Some(counter.clone()));
        let query =
            OutputQuery::of(first.clone()).and(second.clone()).joined(join).unspent().limit(3);
        let found = search::search(&tx, &query).unwrap().count();
        let rows = counter.count().rows + counter.count().gets;
        assert!(found == 3 && rows < 40, "{join:?}: {rows} rows for {found}");
    }
}

#[test]
fn a_balance_counts_unspent_outputs() {
    let db = memory();
    db.write(|tx| {
        for vout in 0..3 {
            let mut new = NewOutput::new(outpoint(1, vout), u64::MAX, score::seen(1));
            new.events.push(Event::Id { token: token(1) }.into());
            keeper::save_output(tx, &new)?;
        }
        keeper::save_spend(tx, outpoint(1, 1), txid(2), score::seen(2)).map(drop)
    })
    .unwrap();
    let read = db.read().unwrap();
    let query = OutputQuery::of(Key::Event(Event::Id { token: token(1) }));
    let balance = search::balance(&read, &query).unwrap();
    assert_eq!((balance.satoshis, balance.outputs), (u128::from(u64::MAX) * 2, 2));
}

/// Returns the commits that a subscription reports until nothing more arrives.
fn arrived(watch: &search::Watch) -> Vec<(Vec<Outpoint>, u64)> {
    let mut all = Vec::new();
    while let Some(arrived) = watch.next(std::time::Duration::ZERO).unwrap() {
        all.push((arrived.added.iter().map(|row| row.member).collect(), arrived.removed));
    }
    all
}

#[test]
fn saved_moved_and_removed_outputs_are_notified() {
    let (db, _folder) = crate::world::redb();
    db.write(|tx| keyscape_txo::undo::begin_block(tx, 7)).unwrap();
    let own = Key::Event(Event::Own { owner: address(1) });
    let (watch, spent) = (own.watch(&db).unwrap(), Key::Spent(Event::Own { owner: address(1) }));
    let spends = spent.watch(&db).unwrap();
    let at = outpoint(1, 0);
    let mut new = NewOutput::new(at, 5, score::seen(1));
    new.owners.push(address(1));
    let mut other = NewOutput::new(outpoint(2, 0), 5, score::seen(1));
    other.owners.push(address(2));
    db.write(|tx| {
        keeper::save_output(tx, &other)?;
        keeper::save_output(tx, &new)
    })
    .unwrap();
    assert_eq!(arrived(&watch), [(vec![at], 0)], "other owners are not notified");
    db.write(|tx| keeper::save_output(tx, &other)).unwrap();
    assert_eq!(arrived(&watch), []);
    db.write(|tx| keeper::confirm(tx, at.txid, (7, 0).into())).unwrap();
    assert_eq!(arrived(&watch), [(vec![at], 1)], "a new score is an arrival");
    db.write(|tx| keeper::save_spend(tx, at, txid(9), score::seen(2))).unwrap();
    assert_eq!(arrived(&spends), [(vec![at], 0)]);
    db.write(|tx| keyscape_txo::undo::rollback(tx, at.txid)).unwrap();
    assert_eq!(arrived(&watch).last().map(|(_, removed)| *removed), Some(1));
}
