//! Locked coins around the relevant seconds, delegated and slashed.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coin, coins, denom, fund, insufficient, refused,
    sound,
};
use keyscape::{U256, store::Tx};
use keyscape_bank::{
    Address, Coin, Coins, Error, ErrorKind, VestingAccount, keeper,
    vesting::{Period, Schedule, Vesting},
};

const START: i64 = 1_000_000;
const DAY: i64 = 86_400;
const END: i64 = START + DAY;

fn locked(schedule: &Schedule, now: i64) -> String {
    let vesting = Vesting::new(coins("1000fee,100stake"), schedule.clone()).expect("a schedule");
    let locked = vesting.locked(now);
    assert_eq!(vesting.vested(now).plus(&locked), Ok(coins("1000fee,100stake")));
    locked.to_string()
}

fn in_account(tx: &Tx<'_>, address: &Address<'_>) -> VestingAccount {
    let account = keeper::get_account(tx, address).expect("it can be read").expect("an account");
    account.vesting_account().expect("it can be decoded").expect("a vesting account")
}

/// Creates a delegator with vesting coins and free coins.
fn vesting_account(
    tx: &mut Tx<'_>,
    schedule: Schedule,
    free: &str,
) -> Result<Address<'static>, Error> {
    let (ann, bob) = (address(1), address(2));
    fund(tx, &bob, "100stake")?;
    KEEPER.create_vesting_account(tx, 0, &bob, &ann, &coins("100stake"), schedule)?;
    if !free.is_empty() {
        fund(tx, &ann, free)?;
    }
    Ok(ann)
}

#[test]
fn continuous_vesting_begins_after_its_start_and_ends_at_its_end() {
    let schedule = Schedule::Continuous { start: START, end: END };
    assert_eq!(locked(&schedule, START - 1), "1000fee,100stake");
    assert_eq!(locked(&schedule, START), "1000fee,100stake");
    // A second is 1/86400: 0.0116 of 1000, 0.00116 of 100, both rounded.
    assert_eq!(locked(&schedule, START + 1), "1000fee,100stake");
    assert_eq!(locked(&schedule, START + 44), "999fee,100stake");
    assert_eq!(locked(&schedule, START + DAY / 2), "500fee,50stake");
    assert_eq!(locked(&schedule, END - 44), "1fee");
    assert_eq!(locked(&schedule, END - 1), "");
    assert_eq!(locked(&schedule, END), "");
    assert_eq!(locked(&schedule, END + 1), "");
}

#[test]
fn delayed_vesting_is_all_or_nothing() {
    let schedule = Schedule::Delayed { end: END };
    assert_eq!(locked(&schedule, END - 1), "1000fee,100stake");
    assert_eq!(locked(&schedule, END), "");
    assert_eq!(locked(&schedule, END + 1), "");
}

#[test]
fn permanently_locked_coins_never_vest() {
    for now in [i64::MIN, -1, 0, 1, i64::MAX] {
        assert_eq!(locked(&Schedule::Permanent, now), "1000fee,100stake");
    }
}

#[test]
fn a_period_vests_when_it_is_over() {
    let period = |length, text| Period { length, amount: coins(text) };
    let periods = vec![
        period(DAY / 2, "500fee,50stake"),
        period(DAY / 4, "250fee,25stake"),
        period(DAY / 4, "250fee,25stake"),
    ];
    let schedule = Schedule::Periodic { start: START, periods };
    assert_eq!(locked(&schedule, START), "1000fee,100stake");
    assert_eq!(locked(&schedule, START + DAY / 2 - 1), "1000fee,100stake");
    assert_eq!(locked(&schedule, START + DAY / 2), "500fee,50stake");
    assert_eq!(locked(&schedule, START + DAY / 2 + 1), "500fee,50stake");
    assert_eq!(locked(&schedule, END - 1), "250fee,25stake");
    assert_eq!(locked(&schedule, END), "");
}

#[test]
fn halves_are_rounded_to_the_even_neighbour() -> Outcome {
    let schedule = Schedule::Continuous { start: START, end: START + 2 };
    for (amount, vested) in [(1_u32, 0_u32), (2, 1), (3, 2), (5, 2), (7, 4)] {
        let one = Coins::try_from(Coin::new("foo", amount)?)?;
        let found = Vesting::new(one, schedule.clone())?.vested_of(&denom("foo"), START + 1);
        assert_eq!(found, U256::from(vested), "{amount}");
    }
    Ok(())
}

/// The share of time has 18 decimals, which the rounding of a large amount shows.
#[test]
fn large_amounts_vest_by_a_share_of_18_decimals() -> Outcome {
    let third = Schedule::Continuous { start: 0, end: 3 };
    let big = |amount| Coins::try_from(Coin { denom: denom("foo"), amount });
    let vested = |amount, now| -> Result<U256, keyscape_sim::Fault> {
        Ok(Vesting::new(big(amount)?, third.clone())?.vested_of(&denom("foo"), now))
    };
    // 1/3 is 0.333333333333333333, 2/3 is rounded up to 0.666666666666666667.
    let whole = U256::from(10_u32).pow(30);
    assert_eq!(vested(whole, 1)?, U256::from_str_radix("333333333333333333000000000000", 10)?);
    assert_eq!(vested(whole, 2)?, U256::from_str_radix("666666666666666667000000000000", 10)?);
    // A product of 316 bits: floor and rest by long multiplication.
    let share = U256::from(333_333_333_333_333_333_u64);
    let unit = U256::from(1_000_000_000_000_000_000_u64);
    let (units, rest) = (U256::MAX / unit, U256::MAX % unit);
    let expected = units * share + rest * share / unit;
    let found = vested(U256::MAX, 1)?;
    assert!(found == expected || found == expected + 1, "{found}");
    assert_eq!(vested(U256::MAX, 3)?, U256::MAX);
    // The longest possible time: half of it, for an odd amount, rounded to even.
    let ever = Schedule::Continuous { start: i64::MIN, end: i64::MAX };
    let found = Vesting::new(big(U256::MAX)?, ever)?.vested_of(&denom("foo"), 0);
    assert_eq!(found, U256::ONE << 255);
    Ok(())
}

/// The time once grew with the square of the denominations; this many took some seconds then.
#[test]
fn many_denominations_vest_together() -> Outcome {
    let many = (0..80_000).map(|place| Coin::new(&format!("coin{place:06}"), 4_u32));
    let many = Coins::new(many.collect::<Result<_, _>>()?)?;
    let vesting = Vesting::new(many, Schedule::Continuous { start: 0, end: 100 })?;
    assert!(vesting.vested(0).is_empty() && vesting.locked(100).is_empty());
    Ok(())
}

#[test]
fn many_denominations_are_delegated_together() -> Outcome {
    let many = (0..1_000).map(|place| Coin::new(&format!("coin{place:06}"), 4_u32));
    let many = Coins::new(many.collect::<Result<_, _>>()?)?;
    let mut vesting = Vesting::new(many.clone(), Schedule::Continuous { start: 0, end: 100 })?;
    vesting.track_delegation(50, &many, |_| 4_u32.into())?;
    assert_eq!(vesting.delegated_free(), vesting.delegated_vesting());
    assert_eq!(vesting.delegated_free().plus(vesting.delegated_vesting()), Ok(many.clone()));
    vesting.track_undelegation(&many);
    assert!(vesting.delegated_free().is_empty() && vesting.delegated_vesting().is_empty());
    Ok(())
}

#[test]
fn an_invalid_schedule_is_refused() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    fund(&mut tx, &bob, "100stake")?;
    let period = |length, text| Period { length, amount: coins(text) };
    let cases = [
        (Schedule::Continuous { start: 5, end: 5 }, "not after its start"),
        (Schedule::Periodic { start: 5, periods: vec![] }, "not after its start"),
        (
            Schedule::Periodic { start: 5, periods: vec![period(-1, "100stake"), period(9, "")] },
            "lasts -1",
        ),
        (Schedule::Periodic { start: 5, periods: vec![period(1, "99stake")] }, "hold `99stake`"),
        (
            Schedule::Periodic {
                start: 5,
                periods: vec![period(0, "50stake"), period(9, "50stake")],
            },
            "period 0 lasts 0 seconds",
        ),
        (
            Schedule::Periodic { start: 5, periods: vec![period(1, "100stake"), period(9, "")] },
            "nothing vests in period 1",
        ),
        (Schedule::Periodic { start: 0, periods: vec![period(1, "100stake")] }, "starts at 0"),
        (Schedule::Periodic { start: i64::MAX, periods: vec![period(1, "100stake")] }, "not after"),
        (
            Schedule::Periodic {
                start: 5,
                periods: vec![period(i64::MAX, "50stake"), period(1, "50stake")],
            },
            "the periods end at",
        ),
    ];
    for (schedule, text) in cases {
        let error = refused(&mut tx, |tx| {
            KEEPER.create_vesting_account(tx, 0, &bob, &ann, &coins("100stake"), schedule)
        });
        assert!(matches!(error.kind(), ErrorKind::Vesting(_)), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let error = Vesting::new(Coins::none(), Schedule::Permanent).expect_err("no coins");
    assert_eq!(error.to_string(), "nothing vests: name the coins that do");
    let error = refused(&mut tx, |tx| {
        let schedule = Schedule::Permanent;
        KEEPER.create_vesting_account(tx, 0, &bob, &bob, &coins("1stake"), schedule)
    });
    assert!(matches!(error.kind(), ErrorKind::AccountExists { .. }), "{error}");
    Ok(())
}

#[test]
fn locked_coins_cannot_be_sent_and_can_be_delegated() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let schedule = Schedule::Continuous { start: START, end: END };
    let ann = vesting_account(&mut tx, schedule, "10stake")?;
    let (bob, noon) = (address(2), START + DAY / 2);
    assert_eq!(KEEPER.locked_coins(&tx, noon, &ann)?.to_string(), "50stake");
    assert_eq!(KEEPER.spendable_coins(&tx, noon, &ann)?.to_string(), "60stake");
    let error = refused(&mut tx, |tx| KEEPER.send(tx, noon, &ann, &bob, &coins("61stake")));
    assert_eq!(insufficient(&error), Some(("110".into(), "50".into(), "60".into())));

    KEEPER.delegate(&mut tx, noon, &ann, "pool", &coins("110stake"))?;
    let vesting = in_account(&tx, &ann).vesting;
    assert_eq!(vesting.delegated_vesting().to_string(), "50stake");
    assert_eq!(vesting.delegated_free().to_string(), "60stake");
    assert_eq!(KEEPER.locked_coins(&tx, noon, &ann)?.to_string(), "");
    // Free coins return first.
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("60stake"))?;
    assert_eq!(KEEPER.spendable_coins(&tx, noon, &ann)?.to_string(), "60stake");
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("50stake"))?;
    assert_eq!(KEEPER.spendable_coins(&tx, noon, &ann)?.to_string(), "60stake");
    assert_eq!(KEEPER.locked_coins(&tx, noon, &ann)?.to_string(), "50stake");
    let vesting = in_account(&tx, &ann).vesting;
    assert!(vesting.delegated_vesting().is_empty() && vesting.delegated_free().is_empty());
    sound(&tx);
    Ok(())
}

#[test]
fn after_a_slashing_the_locked_amount_can_exceed_the_balance() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = vesting_account(&mut tx, Schedule::Delayed { end: END }, "7foo")?;
    KEEPER.delegate(&mut tx, START, &ann, "pool", &coins("100stake"))?;
    KEEPER.burn(&mut tx, "pool", &coins("40stake"))?;
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("60stake"))?;
    // 40 of the 100 delegated coins never return: they stay recorded as delegated.
    assert_eq!(in_account(&tx, &ann).vesting.delegated_vesting().to_string(), "40stake");
    assert_eq!(KEEPER.locked_coins(&tx, START, &ann)?.to_string(), "60stake");
    // The rest of the record is cleared with other coins; then more is locked than the balance.
    fund(&mut tx, &address(2), "40stake")?;
    KEEPER.delegate(&mut tx, START, &address(2), "pool", &coins("40stake"))?;
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("40stake"))?;
    keeper::set_balance(&mut tx, &ann, &coin("30stake"))?;
    assert_eq!(KEEPER.locked_coins(&tx, START, &ann)?.to_string(), "100stake");
    assert_eq!(KEEPER.spendable_coins(&tx, START, &ann)?.to_string(), "7foo");
    assert_eq!(KEEPER.spendable_coin(&tx, START, &ann, &denom("stake"))?, U256::ZERO);
    let error = refused(&mut tx, |tx| KEEPER.send(tx, START, &ann, &address(2), &coins("1stake")));
    assert_eq!(insufficient(&error), Some(("30".into(), "100".into(), "0".into())));
    KEEPER.send(&mut tx, START, &ann, &address(2), &coins("7foo"))?;
    Ok(())
}

#[test]
fn undelegating_more_than_was_delegated_leaves_no_delegation() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = vesting_account(&mut tx, Schedule::Delayed { end: END }, "20stake")?;
    fund(&mut tx, &address(3), "50stake")?;
    KEEPER.delegate(&mut tx, START, &address(3), "pool", &coins("50stake"))?;
    KEEPER.delegate(&mut tx, START, &ann, "pool", &coins("110stake"))?;
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("150stake"))?;
    let vesting = in_account(&tx, &ann).vesting;
    assert!(vesting.delegated_vesting().is_empty() && vesting.delegated_free().is_empty());
    assert_eq!(all(&tx, &ann), "160stake");
    assert_eq!(KEEPER.spendable_coins(&tx, START, &ann)?.to_string(), "60stake");
    let error = refused(&mut tx, |tx| KEEPER.undelegate(tx, "pool", &ann, &coins("11stake")));
    assert_eq!(insufficient(&error), Some(("10".into(), "0".into(), "10".into())));
    sound(&tx);
    Ok(())
}

#[test]
fn delegating_is_checked_from_both_sides() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = vesting_account(&mut tx, Schedule::Permanent, "")?;
    let error = refused(&mut tx, |tx| KEEPER.delegate(tx, START, &ann, "pool", &coins("101stake")));
    assert!(insufficient(&error).is_some(), "{error}");
    let error = refused(&mut tx, |tx| KEEPER.delegate(tx, START, &ann, "fees", &coins("1stake")));
    assert!(matches!(error.kind(), ErrorKind::NotPermitted { .. }), "{error}");
    let none = Coins::none();
    let before = tx.changes().clone();
    KEEPER.delegate(&mut tx, START, &ann, "pool", &none)?;
    assert!(tx.changes().iter().eq(before.iter()));
    // Coins without an account, as a genesis may have them.
    keeper::set_balance(&mut tx, &address(9), &coin("5stake"))?;
    let error =
        refused(&mut tx, |tx| KEEPER.delegate(tx, START, &address(9), "pool", &coins("5stake")));
    assert!(matches!(error.kind(), ErrorKind::NoAccount { .. }), "{error}");
    KEEPER.delegate(&mut tx, START, &ann, "pool", &coins("5stake"))?;
    let error = refused(&mut tx, |tx| KEEPER.undelegate(tx, "pool", &address(9), &coins("5stake")));
    assert!(matches!(error.kind(), ErrorKind::NoAccount { .. }), "{error}");
    Ok(())
}
