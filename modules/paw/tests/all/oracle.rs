//! The oracle.

use crate::setup::{
    Outcome, account, at, ballot, fund, governance, has, in_paw, in_paw_with, params, refused,
    refused_for, sound, token, u, validator, vote,
};
use keyscape::store::Tx;
use keyscape_paw::{
    Block, Error, ErrorKind,
    keeper::{self, oracle},
    layout::paw::{AGGREGATE_VOTES, MISSES, PREVOTES, SLASHES, SNAPSHOTS, VALIDATORS, VOTES},
};
use keyscape_sim::is;

/// Registers three validators with stakes of 1, 2 and 3 million.
fn three(tx: &mut Tx<'_>) -> Result<[keyscape_paw::Account<'static>; 3], Error> {
    let all = [account(1), account(2), account(3)];
    for (who, stake) in all.iter().zip([1_000_000, 2_000_000, 3_000_000]) {
        validator(tx, who, stake)?;
    }
    Ok(all)
}

#[test]
fn a_vote_is_committed_in_one_period_and_revealed_in_the_next() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, _] = three(tx)?;
        let prices = vote(&[("BTC", 100)]);
        let (salt, hash) = ([3; 32], oracle::vote_hash(&[3; 32], &prices, &ann));
        let reveal = |tx: &mut Tx<'_>, height, by: &_, prices: &[_]| {
            oracle::reveal(tx, at(height), by, &ann, &salt, prices.to_vec())
        };
        oracle::prevote(tx, at(5), &ann, &ann, hash)?;
        for height in [5, 9, 20, 30] {
            refused_for(tx, is!(NoPrevote), |tx| reveal(tx, height, &ann, &prices));
        }
        let open = refused(tx, |tx| oracle::prevote(tx, at(10), &ann, &ann, [0; 32]));
        assert!(matches!(open.kind(), ErrorKind::Unrevealed(0)));
        refused_for(tx, is!(Hash), |tx| reveal(tx, 10, &ann, &vote(&[("BTC", 101)])));
        // The hash includes the validator, so nobody can copy a commitment.
        oracle::prevote(tx, at(6), &bob, &bob, hash)?;
        refused_for(tx, is!(Hash), |tx| {
            oracle::reveal(tx, at(10), &bob, &bob, &salt, prices.clone())
        });
        refused_for(tx, is!(Unauthorized), |tx| reveal(tx, 10, &bob, &prices));
        reveal(tx, 10, &ann, &prices)?;
        refused_for(tx, is!(NoPrevote), |tx| reveal(tx, 11, &ann, &prices));
        keeper::end_block(tx, at(19))?;
        assert_eq!((VOTES.prefix_all().count(tx)?, PREVOTES.prefix_all().count(tx)?), (0, 0));
        sound(tx);
        Ok(())
    })
}

#[test]
fn prices_must_be_asked_for_sorted_and_positive() -> Outcome {
    in_paw(|tx| {
        let [ann, ..] = three(tx)?;
        let huge = keyscape::U256::MAX;
        let mut too_large = vote(&[("BTC", 1)]);
        too_large[0].price = huge;
        let bad = [
            vote(&[("BTC", 0)]),
            vote(&[("ETH", 1), ("BTC", 1)]),
            vote(&[("BTC", 1), ("BTC", 1)]),
            vote(&[("DOGE", 1)]),
            too_large,
        ];
        for (period, prices) in (0..).zip(bad) {
            let hash = oracle::vote_hash(&[3; 32], &prices, &ann);
            oracle::prevote(tx, at(period * 20), &ann, &ann, hash)?;
            let block = at(period * 20 + 10);
            refused_for(tx, is!(Invalid), |tx| {
                oracle::reveal(tx, block, &ann, &ann, &[3; 32], prices)
            });
            keeper::end_block(tx, at(period * 20 + 19))?;
        }
        Ok(())
    })
}

#[test]
fn the_price_is_the_weighted_median_without_outliers() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, eve] = three(tx)?;
        let votes = [
            (ann.clone(), vote(&[("BTC", 1_000), ("ETH", 50)])),
            (bob.clone(), vote(&[("BTC", 1_010), ("ETH", 50)])),
            (eve.clone(), vote(&[("BTC", 1_005)])),
        ];
        ballot(tx, 0, &votes)?;
        let price = oracle::get_price(tx, &token("BTC"))?;
        assert_eq!((price.price, price.source), (u(1_005), eve.clone()));
        // Half of the stake is below the threshold of 67 %.
        refused_for(tx, is!(NoPrice), |tx| oracle::get_price(tx, &token("ETH")));
        sound(tx);

        let votes = [
            (ann.clone(), vote(&[("BTC", 9_000), ("BTCUSD", 1), ("ETH", 50)])),
            (bob.clone(), vote(&[("BTC", 1_010), ("BTCUSD", 1), ("ETH", 50)])),
            (eve.clone(), vote(&[("BTC", 1_020), ("BTCUSD", 1), ("ETH", 50)])),
        ];
        ballot(tx, 2, &votes)?;
        assert_eq!(oracle::get_price(tx, &token("BTC"))?.price, u(1_020));
        // An outlier is a miss.
        assert_eq!(MISSES.get(tx, ann.by_ref())?, Some(1));
        assert_eq!(MISSES.get(tx, bob.by_ref())?, None);
        let row = AGGREGATE_VOTES.get(tx, ann.by_ref())?.ok_or("ann has voted")?;
        assert_eq!((row.voted, row.outliers), (2, 1));
        sound(tx);
        Ok(())
    })
}

#[test]
fn a_feeder_votes_for_its_validator_and_nobody_else_does() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, _] = three(tx)?;
        let feeder = account(9);
        oracle::set_feeder(tx, &ann, &feeder)?;
        oracle::prevote(tx, at(1), &feeder, &ann, [0; 32])?;
        for by in [&ann, &bob] {
            refused_for(tx, is!(Unauthorized), |tx| oracle::prevote(tx, at(1), by, &ann, [0; 32]));
        }
        oracle::set_feeder(tx, &ann, &ann)?;
        oracle::prevote(tx, at(1), &ann, &ann, [0; 32])?;
        refused_for(tx, is!(NoValidator), |tx| oracle::set_feeder(tx, &feeder, &ann));
        Ok(())
    })
}

#[test]
fn misses_are_counted_per_window_and_slashed() -> Outcome {
    let mut params = params();
    (params.oracle.window, params.oracle.max_misses, params.oracle.slash_cap_bp) = (5, 3, 200);
    in_paw_with(&params, |tx| {
        let [ann, bob, eve] = three(tx)?;
        let end = |tx: &mut Tx<'_>, period: u64| keeper::end_block(tx, at(period * 10 + 9));
        // New validators owe their first vote in the third period.
        for (period, misses) in [(0, None), (1, None), (2, Some(1)), (3, Some(2))] {
            end(tx, period)?;
            assert_eq!(MISSES.get(tx, ann.by_ref())?, misses, "{period}");
        }
        let missed = refused(tx, |tx| oracle::unbond(tx, at(45), &ann, u(1)));
        assert!(matches!(missed.kind(), ErrorKind::Missed(2)));
        end(tx, 4)?;
        // 2 % of each stake is burnt, and the counts start again.
        assert_eq!(MISSES.prefix_all().count(tx)?, 0);
        assert_eq!(oracle::get_stake(tx, &eve)?, u(2_940_000));
        let slash = SLASHES.get(tx, eve.by_ref())?.ok_or("eve was slashed")?;
        assert_eq!((slash.count, slash.last, slash.total), (1, u(60_000), u(60_000)));
        // Below the minimum, a validator is inactive and need not vote.
        assert!(!VALIDATORS.get(tx, ann.by_ref())?.ok_or("registered")?.active);
        refused_for(tx, is!(NoValidator), |tx| oracle::prevote(tx, at(50), &ann, &ann, [0; 32]));
        end(tx, 5)?;
        assert_eq!((MISSES.get(tx, ann.by_ref())?, MISSES.get(tx, bob.by_ref())?), (None, Some(1)));
        fund(tx, &ann, "20000upaw")?;
        oracle::bond(tx, at(60), &ann, u(20_000))?;
        oracle::prevote(tx, at(60), &ann, &ann, [0; 32])?;
        sound(tx);
        Ok(())
    })
}

#[test]
fn a_stake_is_returned_and_the_validator_is_gone() -> Outcome {
    in_paw(|tx| {
        let [ann, ..] = three(tx)?;
        oracle::set_feeder(tx, &ann, &account(9))?;
        refused_for(tx, is!(Stake), |tx| oracle::unbond(tx, at(1), &ann, u(1_000_001)));
        oracle::unbond(tx, at(1), &ann, u(1_000_000))?;
        assert_eq!((has(tx, &ann, "upaw"), VALIDATORS.prefix_all().count(tx)?), (1_000_000, 2));
        sound(tx);
        oracle::register(tx, at(2), &ann, u(1_000_000))?;
        refused_for(tx, is!(AlreadyRegistered), |tx| {
            oracle::register(tx, at(2), &ann, u(1_000_000))
        });
        refused_for(tx, is!(Stake), |tx| oracle::register(tx, at(2), &account(7), u(1)));
        Ok(())
    })
}

#[test]
fn the_number_of_validators_is_bounded() -> Outcome {
    let mut params = params();
    params.oracle.max_validators = 2;
    in_paw_with(&params, |tx| {
        validator(tx, &account(1), 1_000_000)?;
        validator(tx, &account(2), 1_000_000)?;
        fund(tx, &account(3), "1000000upaw")?;
        refused_for(tx, is!(Invalid), |tx| oracle::register(tx, at(0), &account(3), u(1_000_000)));
        Ok(())
    })
}

#[test]
fn the_average_looks_back_and_snapshots_are_deleted() -> Outcome {
    let mut params = params();
    (params.oracle.snapshot_retention, params.oracle.per_block) = (60, 1);
    in_paw_with(&params, |tx| {
        let all = three(tx)?;
        let btc = token("BTC");
        let btc_price = |tx: &mut Tx<'_>, period: u64, price: u64| {
            let votes: Vec<_> =
                all.iter().map(|who| (who.clone(), vote(&[("BTC", price)]))).collect();
            ballot(tx, period, &votes)
        };
        // Tallies at heights 19, 39 and 59.
        btc_price(tx, 0, 1_000)?;
        btc_price(tx, 2, 2_000)?;
        btc_price(tx, 4, 4_000)?;
        assert_eq!(SNAPSHOTS.prefix_denom(btc.by_ref()).count(tx)?, 3);
        let average =
            |tx: &Tx<'_>, height, blocks| oracle::average_price(tx, at(height), &btc, blocks);
        assert_eq!(average(tx, 59, 40)?, u(1_500));
        assert_eq!(average(tx, 69, 50)?, u((1_000 * 20 + 2_000 * 20 + 4_000 * 10) / 50));
        assert_eq!(average(tx, 69, 30)?, u((2_000 * 20 + 4_000 * 10) / 30));
        // No time has passed since the only snapshot.
        assert_eq!(average(tx, 59, 0)?, u(4_000));
        refused_for(tx, is!(NoPrice), |tx| oracle::average_price(tx, at(200), &btc, 10));
        // Deletes one snapshot per block, and only snapshots that are old enough.
        for (height, deleted) in [(79, 0), (80, 1), (81, 0), (150, 1), (151, 1), (152, 0)] {
            assert_eq!(keeper::end_block(tx, at(height))?.snapshots, deleted, "{height}");
        }
        assert_eq!(oracle::get_price(tx, &btc)?.price, u(4_000));
        sound(tx);
        Ok(())
    })
}

#[test]
fn a_pause_stops_votes_and_tallies_and_only_governance_ends_it() -> Outcome {
    let mut params = params();
    params.oracle.admin = account(50);
    in_paw_with(&params, |tx| {
        let [ann, ..] = three(tx)?;
        let admin = account(50);
        refused(tx, |tx| oracle::emergency_pause(tx, at(1), &ann, "mine"));
        refused_for(tx, is!(Invalid), |tx| oracle::emergency_pause(tx, at(1), &admin, ""));
        oracle::emergency_pause(tx, at(1), &admin, "bad feed")?;
        let again = refused(tx, |tx| oracle::emergency_pause(tx, at(1), &governance(), "again"));
        assert!(matches!(again.kind(), ErrorKind::OraclePaused(reason) if reason == "bad feed"));
        refused_for(tx, is!(OraclePaused), |tx| oracle::prevote(tx, at(2), &ann, &ann, [0; 32]));
        for height in 2..100 {
            keeper::end_block(tx, at(height))?;
        }
        assert_eq!(MISSES.prefix_all().count(tx)?, 0);
        refused(tx, |tx| oracle::resume(tx, at(100), &admin));
        oracle::resume(tx, at(100), &governance())?;
        refused_for(tx, is!(NotPaused), |tx| oracle::resume(tx, at(100), &governance()));
        // Nobody could commit during the pause, so the first two periods have no misses.
        keeper::end_block(tx, at(109))?;
        keeper::end_block(tx, at(119))?;
        assert_eq!(MISSES.prefix_all().count(tx)?, 0);
        keeper::end_block(tx, Block { height: 129, ..at(129) })?;
        assert_eq!(MISSES.prefix_all().count(tx)?, 3);
        Ok(())
    })
}

/// A vote without a price counts for the other assets, and is a miss.
#[test]
fn an_empty_or_partial_vote_is_a_miss() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, eve] = three(tx)?;
        let complete = vote(&[("BTC", 7), ("BTCUSD", 7), ("ETH", 7)]);
        let votes = [
            (ann.clone(), vec![]),
            (bob.clone(), complete),
            (eve.clone(), vote(&[("BTC", 7), ("ETH", 7)])),
        ];
        ballot(tx, 2, &votes)?;
        let misses = [&ann, &bob, &eve].map(|who| MISSES.get(tx, who.by_ref()).ok().flatten());
        assert_eq!(misses, [Some(1), None, Some(1)]);
        assert_eq!(oracle::get_price(tx, &token("ETH"))?.price, u(7));
        sound(tx);
        Ok(())
    })
}

#[test]
fn a_new_asset_is_owed_after_it_could_be_committed_to() -> Outcome {
    in_paw(|tx| {
        let [ann, ..] = three(tx)?;
        let mut new = oracle::params(tx)?;
        new.assets = vec![token("BTC"), token("DOGE")];
        // The commitment to `BTC` in period 2 precedes the change.
        let prices = vote(&[("BTC", 7)]);
        let hash = oracle::vote_hash(&[3; 32], &prices, &ann);
        oracle::prevote(tx, at(20), &ann, &ann, hash)?;
        oracle::set_params(tx, at(25), &governance(), &new)?;
        oracle::reveal(tx, at(30), &ann, &ann, &[3; 32], prices.clone())?;
        keeper::end_block(tx, at(39))?;
        assert_eq!(MISSES.prefix_all().count(tx)?, 0);
        ballot(tx, 3, &[(ann.clone(), prices)])?;
        assert_eq!(MISSES.get(tx, ann.by_ref())?, Some(1));
        Ok(())
    })
}

/// Two misses before a pause and three after it are in two windows.
#[test]
fn misses_do_not_outlive_their_window_in_a_pause() -> Outcome {
    let mut params = params();
    (params.oracle.window, params.oracle.max_misses) = (5, 4);
    in_paw_with(&params, |tx| {
        let [ann, ..] = three(tx)?;
        let end = |tx: &mut Tx<'_>, period: u64| keeper::end_block(tx, at(period * 10 + 9));
        for period in 0..4 {
            end(tx, period)?;
        }
        assert_eq!(MISSES.get(tx, ann.by_ref())?, Some(2));
        oracle::emergency_pause(tx, at(40), &governance(), "stop")?;
        end(tx, 4)?;
        assert_eq!(MISSES.prefix_all().count(tx)?, 0);
        oracle::resume(tx, at(50), &governance())?;
        for period in 5..10 {
            end(tx, period)?;
        }
        // Periods 7 to 9 were owed again.
        assert_eq!(SLASHES.prefix_all().count(tx)?, 0);
        Ok(())
    })
}

#[test]
fn an_inactive_validator_with_misses_gets_its_stake_back() -> Outcome {
    let mut params = params();
    (params.oracle.window, params.oracle.max_misses) = (5, 5);
    in_paw_with(&params, |tx| {
        let [ann, ..] = three(tx)?;
        for period in 0..3 {
            keeper::end_block(tx, at(period * 10 + 9))?;
        }
        let mut new = oracle::params(tx)?;
        new.min_stake = u(2_000_000);
        oracle::set_params(tx, at(30), &governance(), &new)?;
        // The new minimum applies at once.
        assert!(!VALIDATORS.get(tx, ann.by_ref())?.ok_or("registered")?.active);
        sound(tx);
        let missed = refused(tx, |tx| oracle::unbond(tx, at(31), &ann, u(1_000_000)));
        assert!(matches!(missed.kind(), ErrorKind::Missed(1)));
        keeper::end_block(tx, at(49))?;
        oracle::unbond(tx, at(50), &ann, u(1_000_000))?;
        assert_eq!(has(tx, &ann, "upaw"), 1_000_000);
        sound(tx);
        Ok(())
    })
}

/// The stake at the tally counts: coins that left after the reveal have no weight.
#[test]
fn the_weight_of_a_vote_is_the_stake_at_the_tally() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, eve] = three(tx)?;
        let votes = [(ann, 100), (bob, 100), (eve, 200)];
        for (who, price) in &votes {
            let hash = oracle::vote_hash(&[3; 32], &vote(&[("BTC", *price)]), who);
            oracle::prevote(tx, at(0), who, who, hash)?;
        }
        for (who, price) in &votes {
            oracle::reveal(tx, at(10), who, who, &[3; 32], vote(&[("BTC", *price)]))?;
        }
        // At the reveal both prices have half of the stake, and the smaller one is the median.
        let [_, (bob, _), _] = &votes;
        oracle::unbond(tx, at(11), bob, u(1))?;
        keeper::end_block(tx, at(19))?;
        assert_eq!(oracle::get_price(tx, &token("BTC"))?.price, u(200));
        Ok(())
    })
}

/// A price is in the vote of its source even if the source has left.
#[test]
fn the_vote_of_a_price_stays_until_the_price_is_replaced() -> Outcome {
    in_paw(|tx| {
        let [ann, bob, eve] = three(tx)?;
        let all =
            |price| [&ann, &bob, &eve].map(|who| (who.clone(), vote(&[("BTC", price)]))).to_vec();
        ballot(tx, 0, &all(100))?;
        assert_eq!(oracle::get_price(tx, &token("BTC"))?.source, ann);
        for (who, stake) in [(&ann, 1_000_000), (&bob, 2_000_000)] {
            oracle::unbond(tx, at(20), who, u(stake))?;
        }
        assert!(AGGREGATE_VOTES.contains(tx, ann.by_ref())?);
        assert!(!AGGREGATE_VOTES.contains(tx, bob.by_ref())?);
        sound(tx);
        ballot(tx, 2, &[(eve, vote(&[("BTC", 110)]))])?;
        assert!(!AGGREGATE_VOTES.contains(tx, ann.by_ref())?);
        sound(tx);
        Ok(())
    })
}

#[test]
fn stakes_are_bounded_so_that_a_tally_cannot_overflow() -> Outcome {
    in_paw(|tx| {
        let (ann, bob, huge) = (account(1), account(2), keyscape::U256::new(u128::MAX));
        for who in [&ann, &bob] {
            fund(tx, who, &format!("{}upaw", huge + 1))?;
            let large = refused(tx, |tx| oracle::register(tx, at(0), who, huge + 1));
            assert!(matches!(large.kind(), ErrorKind::Overflow("stake")));
            oracle::register(tx, at(0), who, huge)?;
            let more = refused(tx, |tx| oracle::bond(tx, at(0), who, u(1)));
            assert!(matches!(more.kind(), ErrorKind::Overflow("stake")));
        }
        ballot(tx, 0, &[(ann, vote(&[("BTC", 100)])), (bob, vote(&[("BTC", 100)]))])?;
        assert_eq!(oracle::get_price(tx, &token("BTC"))?.price, u(100));
        sound(tx);
        Ok(())
    })
}
