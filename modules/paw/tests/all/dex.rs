//! The exchange.

use crate::setup::{
    Outcome, account, at, fund, governance, has, in_paw, pool, refused, refused_for, sound, swap,
    token, u,
};
use keyscape::U256;
use keyscape_paw::{
    Block, ErrorKind,
    keeper::{
        self,
        dex::{self, Amounts, Swap},
    },
    layout::paw::{LOCKS, POOL_FEES},
    values::PoolOperation,
};
use keyscape_sim::is;

const NO_LIMIT: Amounts = Amounts { a: U256::ZERO, b: U256::ZERO };

fn both(a: u64, b: u64) -> Amounts {
    Amounts { a: u(a), b: u(b) }
}

#[test]
fn a_pair_has_one_pool_in_either_order() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        let (atom, paw, million) = (token("uatom"), token("upaw"), u(1_000_000));
        assert_eq!(dex::find_pool(tx, &atom, &paw)?, Some(id));
        assert_eq!(dex::find_pool(tx, &paw, &atom)?, Some(id));
        let row = dex::get_pool(tx, id)?;
        assert_eq!((row.token_a, row.shares), (atom.clone(), million));
        for (one, other) in [(&atom, &paw), (&paw, &atom)] {
            let again = refused(tx, |tx| {
                dex::create_pool(tx, at(1), &ann, (one, million), (other, million))
            });
            assert!(matches!(again.kind(), ErrorKind::PoolExists(of) if *of == id));
        }
        refused_for(tx, is!(Invalid), |tx| {
            dex::create_pool(tx, at(1), &ann, (&atom, million), (&atom, million))
        });
        let usd = token("uusd");
        refused_for(tx, is!(Reserve), |tx| {
            dex::create_pool(tx, at(1), &ann, (&atom, u(999)), (&usd, million))
        });
        refused_for(tx, is!(Bank), |tx| {
            dex::create_pool(tx, at(1), &ann, (&atom, u(1_000)), (&usd, u(1_000)))
        });
        let uneven = u(1_000 * 1_000_001);
        refused_for(tx, is!(Invalid), |tx| {
            dex::create_pool(tx, at(1), &ann, (&atom, uneven), (&usd, u(1_000)))
        });
        sound(tx);
        Ok(())
    })
}

#[test]
fn fees_are_backed_and_belong_to_the_providers_by_their_shares() -> Outcome {
    in_paw(|tx| {
        let (ann, bob, eve) = (account(1), account(2), account(3));
        let id = pool(tx, &ann)?;
        fund(tx, &bob, "1000000uatom,1000000upaw")?;
        let (shares, used) = dex::add_liquidity(tx, at(1), id, &bob, both(500_000, 900_000), u(1))?;
        assert_eq!((shares, used), (u(500_000), both(500_000, 500_000)));
        fund(tx, &eve, "100000uatom")?;
        assert_eq!(swap(tx, at(2), id, &eve, 100_000)?, dex::Outcome::Done(u(93_486)));
        // 0.25 % and 0.05 % of the amount in.
        assert_eq!(POOL_FEES.get(tx, (id, token("uatom")))?, Some(u(250)));
        assert_eq!(has(tx, &eve, "upaw"), 93_486);
        let half = dex::claimable_fees(tx, id, &bob)?;
        assert_eq!(half, both(83, 0));
        assert_eq!(dex::claim_fees(tx, at(3), id, &bob)?, half);
        assert_eq!(dex::claim_fees(tx, at(3), id, &bob)?, NO_LIMIT);
        assert_eq!(has(tx, &bob, "uatom"), 500_083);
        // Removing pays the fees too; a third stays because of rounding.
        dex::remove_liquidity(tx, at(120), id, &ann, u(999_000), NO_LIMIT)?;
        assert_eq!(POOL_FEES.get(tx, (id, token("uatom")))?, Some(u(1)));
        let paid = dex::collect_protocol_fees(tx, at(3), &governance(), &token("uatom"), &eve)?;
        assert_eq!((paid, has(tx, &eve, "uatom")), (u(50), 50));
        refused_for(tx, is!(Shares), |tx| dex::claim_fees(tx, at(3), id, &eve));
        sound(tx);
        Ok(())
    })
}

#[test]
fn liquidity_is_removed_after_a_delay_and_down_to_a_minimum() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        let soon = refused(tx, |tx| dex::remove_liquidity(tx, at(99), id, &ann, u(1), NO_LIMIT));
        assert!(matches!(soon.kind(), ErrorKind::TooSoon(100)));
        let all =
            refused(tx, |tx| dex::remove_liquidity(tx, at(100), id, &ann, u(1_000_000), NO_LIMIT));
        let rule = "a reserve of 0 is below the 1000 of each token that a pool always keeps";
        assert_eq!(all.to_string(), rule);
        refused_for(tx, is!(Shares), |tx| {
            dex::remove_liquidity(tx, at(100), id, &ann, u(1_000_001), NO_LIMIT)
        });
        refused_for(tx, is!(Invalid), |tx| {
            dex::remove_liquidity(tx, at(100), id, &ann, u(0), NO_LIMIT)
        });
        let less = both(600_000, 0);
        refused_for(tx, is!(Slippage), |tx| {
            dex::remove_liquidity(tx, at(100), id, &ann, u(500_000), less)
        });
        let out = dex::remove_liquidity(tx, at(100), id, &ann, u(500_000), both(500_000, 500_000))?;
        assert_eq!(out, both(500_000, 500_000));
        // Each removal is an action too.
        refused(tx, |tx| dex::remove_liquidity(tx, at(199), id, &ann, u(1), NO_LIMIT));
        dex::remove_liquidity(tx, at(200), id, &ann, u(499_000), NO_LIMIT)?;
        assert_eq!(dex::get_pool(tx, id)?.reserve_a, u(1_000));
        sound(tx);
        Ok(())
    })
}

#[test]
fn swaps_are_bounded() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        refused_for(tx, is!(Invalid), |tx| swap(tx, at(1), id, &ann, 100_001));
        refused_for(tx, is!(Invalid), |tx| swap(tx, at(1), id, &ann, 1));
        let order = Swap {
            pool: id,
            trader: &ann,
            token_in: &token("uatom"),
            amount_in: u(1_000),
            min_out: u(997),
        };
        refused_for(tx, is!(Slippage), |tx| dex::swap(tx, at(1), &order));
        refused_for(tx, is!(NotInPool), |tx| {
            dex::swap(tx, at(1), &Swap { token_in: &token("uusd"), ..order })
        });
        let unknown = refused(tx, |tx| dex::swap(tx, at(1), &Swap { pool: 9, ..order }));
        assert!(matches!(unknown.kind(), ErrorKind::NoPool(9)));
        Ok(())
    })
}

#[test]
fn a_loan_pays_a_fee_and_excludes_every_other_operation() -> Outcome {
    in_paw(|tx| {
        let (ann, eve) = (account(1), account(2));
        let id = pool(tx, &ann)?;
        fund(tx, &eve, "2500uatom,10000upaw")?;
        let atom = token("uatom");
        let fee = dex::flash_loan(tx, at(1), id, &eve, &atom, u(1_000_000), |tx| {
            assert_eq!(has(tx, &eve, "uatom"), 1_002_500);
            let most = both(1_000, 1_000);
            for error in [
                refused(tx, |tx| swap(tx, at(1), id, &eve, 1_000)),
                refused(tx, |tx| dex::add_liquidity(tx, at(1), id, &eve, most, u(1))),
                refused(tx, |tx| dex::remove_liquidity(tx, at(1), id, &ann, u(1), NO_LIMIT)),
                refused(tx, |tx| dex::claim_fees(tx, at(1), id, &ann)),
                refused(tx, |tx| dex::flash_loan(tx, at(1), id, &eve, &atom, u(1), |_| Ok(()))),
            ] {
                let locked = ErrorKind::PoolLocked { pool: id, operation: PoolOperation::Loan };
                assert_eq!(error.to_string(), locked.to_string());
            }
            Ok(())
        })?;
        assert_eq!((fee, has(tx, &eve, "uatom")), (u(2_500), 0));
        // A failed repayment undoes the loan and releases the lock.
        refused_for(tx, is!(Bank), |tx| {
            dex::flash_loan(tx, at(1), id, &eve, &atom, u(100), |_| Ok(()))
        });
        assert_eq!(LOCKS.prefix_all().count(tx)?, 0);
        sound(tx);
        Ok(())
    })
}

#[test]
fn governance_pauses_and_resumes() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        refused(tx, |tx| dex::pause_pool(tx, at(1), &ann, id, u64::MAX));
        for until in [0, at(1).time] {
            refused_for(tx, is!(Invalid), |tx| {
                dex::pause_pool(tx, at(1), &governance(), id, until)
            });
        }
        dex::pause_pool(tx, at(1), &governance(), id, u64::MAX)?;
        let paused = refused(tx, |tx| swap(tx, at(1), id, &ann, 1_000));
        assert!(matches!(paused.kind(), ErrorKind::PoolPaused { until: u64::MAX, .. }));
        refused(tx, |tx| dex::add_liquidity(tx, at(1), id, &ann, both(10, 10), u(1)));
        dex::claim_fees(tx, at(1), id, &ann)?;
        dex::resume_pool(tx, at(2), &governance(), id)?;
        assert_eq!(swap(tx, at(2), id, &ann, 1_000)?, dex::Outcome::Done(u(996)));
        Ok(())
    })
}

#[test]
fn the_average_weighs_prices_by_their_seconds() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        let time = |seconds: u64| Block { height: 1, time: at(0).time + seconds };
        let start = dex::observe(tx, time(0), id)?;
        let first = dex::spot_price(tx, id)?;
        let _ = swap(tx, time(30), id, &ann, 100_000)?;
        let second = dex::spot_price(tx, id)?;
        assert!(second < first);
        let end = dex::observe(tx, time(40), id)?;
        let average = dex::average_price(&start, &end).ok_or("time has passed")?;
        assert_eq!(average, (first * u(30) + second * u(10)) / u(40));
        assert_eq!(dex::average_price(&end, &end), None);
        keeper::end_block(tx, time(41))?;
        sound(tx);
        Ok(())
    })
}

/// A swap that its trader cannot pay must not pause a pool.
#[test]
fn a_swap_that_cannot_be_paid_pauses_nothing() -> Outcome {
    in_paw(|tx| {
        let (ann, eve) = (account(1), account(2));
        let id = pool(tx, &ann)?;
        assert!(matches!(swap(tx, at(1), id, &ann, 100_000)?, dex::Outcome::Done(_)));
        fund(tx, &eve, "99999uatom")?;
        refused_for(tx, is!(Bank), |tx| swap(tx, at(1), id, &eve, 100_000));
        fund(tx, &eve, "1uatom")?;
        let before = tx.changes().iter().count();
        assert!(matches!(swap(tx, at(1), id, &eve, 100_000)?, dex::Outcome::Paused { .. }));
        // Only the pause is written. The payment was tried and undone.
        assert_eq!((has(tx, &eve, "uatom"), tx.changes().iter().count()), (100_000, before));
        sound(tx);
        Ok(())
    })
}
