//! The costs of operations, which do not depend on the number of denominations of an account.
//! Vesting coins are in one row, so only its bytes grow.

use crate::setup::{KEEPER, address, bank, coins, denom, fund};
use keyscape::store::{Count, Db, Tx};
use keyscape_bank::{
    Address, Coin, Coins, Error, Keeper, Output, keeper, layout::bank::BALANCES, messages,
    vesting::Schedule,
};

/// The total number of balances.
const ROWS: u32 = 10_000;

/// Creates a bank in which one account has this many denominations, and others have the rest of the
/// rows. All names have one length.
fn holding(denoms: u32) -> Db {
    let db = bank();
    db.write(|tx| {
        for place in 0..ROWS {
            let owner = if place < denoms {
                address(1)
            } else {
                Address::new(format!("somebody else {place:06}").into_bytes())
                    .map_err(keyscape::Error::from)?
            };
            let coin = Coin::new(&format!("coin{place:06}"), 1_000_u32)?;
            BALANCES.put(tx, (&owner, &coin.denom), coin.amount)?;
        }
        fund(tx, &address(1), "1000coin000000")?;
        fund(tx, &address(2), "1000coin000000")?;
        Ok::<(), Error>(())
    })
    .expect("it can be filled");
    let rows = BALANCES.prefix_all().count(&db.read().expect("a state")).expect("rows");
    assert_eq!(rows, u64::from(ROWS) + 1);
    db
}

/// Returns the cost of one operation.
fn cost<T>(db: &Db, run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>) -> Count {
    let (count, done) = keyscape_testkit::count(db, run).expect("nobody else writes");
    done.expect("it is possible");
    count
}

/// Returns gets, puts and deletes, after checking that there were no scans.
fn by_key(count: Count) -> (u64, u64, u64) {
    assert_eq!((count.seeks, count.rows), (0, 0), "no scan");
    (count.gets, count.puts, count.deletes)
}

fn costs(db: &Db) -> Vec<(&'static str, Count)> {
    let (ann, bob, one) = (address(1), address(2), coins("1coin000000"));
    let outputs = [2, 3].map(|byte| Output { to: address(byte), coins: one.clone() });
    let two = coins("2coin000000");
    let keeper = Keeper::default();
    vec![
        ("balance", cost(db, |tx| keeper::get_balance(tx, &ann, &denom("coin000000")))),
        ("spendable coin", cost(db, |tx| KEEPER.spendable_coin(tx, 0, &ann, &denom("coin000000")))),
        ("send", cost(db, |tx| KEEPER.send(tx, 0, &ann, &bob, &one))),
        ("send to a new account", cost(db, |tx| KEEPER.send(tx, 0, &ann, &address(3), &one))),
        (
            "send of all coins",
            cost(db, |tx| KEEPER.send(tx, 0, &bob, &ann, &coins("1000coin000000"))),
        ),
        ("multi-send", cost(db, |tx| KEEPER.multi_send(tx, 0, &ann, &two, &outputs))),
        ("delegation", cost(db, |tx| KEEPER.delegate(tx, 0, &ann, "pool", &one))),
        ("mint", cost(db, |tx| KEEPER.mint(tx, "mint", &one))),
        ("message", cost(db, |tx| messages::send(tx, &keeper, 0, &ann, &bob, &one))),
        (
            "vesting account",
            cost(db, |tx| {
                KEEPER.create_vesting_account(tx, 0, &ann, &address(4), &one, Schedule::Permanent)
            }),
        ),
        (
            "set balance",
            cost(db, |tx| keeper::set_balance(tx, &ann, &Coin::new("coin000000", 5_u32)?)),
        ),
    ]
}

#[test]
fn operations_cost_the_same_with_1_and_with_10_000_denominations() {
    let few = costs(&holding(1));
    for denoms in [100, ROWS] {
        // The bytes are equal too, because all names and amounts have the same length.
        assert_eq!(costs(&holding(denoms)), few, "{denoms} denominations");
    }
    let found: Vec<_> = few.into_iter().map(|(name, count)| (name, by_key(count))).collect();
    assert_eq!(
        found,
        [
            ("balance", (1, 0, 0)),
            // The account and the balance.
            ("spendable coin", (2, 0, 0)),
            // Both accounts and both balances.
            ("send", (4, 2, 0)),
            // Looks up the prefix of the first account, and whether the number and the address are
            // free. Writes an account, its number, the next number and a holder.
            ("send to a new account", (9, 6, 0)),
            // Deletes the balance of the sender and its holder.
            ("send of all coins", (4, 1, 2)),
            ("multi-send", (11, 7, 0)),
            // The pool becomes a holder.
            ("delegation", (4, 3, 0)),
            // The module becomes a holder.
            ("mint", (3, 3, 0)),
            // A send, the send setting of the denomination, and the parameters.
            ("message", (6, 2, 0)),
            ("vesting account", (10, 6, 0)),
            // Writes the holder too, because it does not read the old balance.
            ("set balance", (0, 2, 0)),
        ]
    );
}

/// Returns the costs of a send, a query of spendable coins and a delegation, for an account with
/// this many vesting denominations.
fn costs_of_vesting(denoms: u64) -> [Count; 3] {
    let db = bank();
    let (ann, bob, one) = (address(1), address(2), coins("1coin000000"));
    db.write(|tx| {
        let many = (0..denoms).map(|place| Coin::new(&format!("coin{place:06}"), 4_u32));
        let many = Coins::new(many.collect::<Result<_, _>>()?)?;
        KEEPER.mint(tx, "mint", &many)?;
        let (mint, schedule) = (keeper::module_address("mint")?, Schedule::Delayed { end: 100 });
        KEEPER.create_vesting_account(tx, 0, &mint, &ann, &many, schedule)?;
        fund(tx, &ann, "4coin000000")?;
        fund(tx, &bob, "4coin000000")
    })
    .expect("it can be filled");
    [
        cost(&db, |tx| KEEPER.send(tx, 0, &ann, &bob, &one)),
        cost(&db, |tx| KEEPER.spendable_coin(tx, 0, &ann, &denom("coin000000")).map(drop)),
        cost(&db, |tx| KEEPER.delegate(tx, 0, &ann, "pool", &one)),
    ]
}

#[test]
fn each_denomination_that_vests_costs_bytes_and_no_rows() {
    // Two tags and lengths, a name of ten characters and a digit, and an outer tag and length.
    const COIN: u64 = 2 + 10 + 2 + 1 + 2;
    let few = costs_of_vesting(1);
    assert_eq!(few.map(by_key), [(4, 2, 0), (2, 0, 0), (6, 4, 0)]);
    for denoms in [100, 1_000] {
        let many = costs_of_vesting(denoms);
        assert_eq!(many.map(by_key), few.map(by_key), "{denoms} denominations");
        // The outer lengths add a few bytes. A delegation reads the account once for its vesting
        // coins, and once because its number is indexed.
        let grown = |few: u64, many: u64| (many - few) / COIN / (denoms - 1);
        let read = [0, 1, 2].map(|place| grown(few[place].bytes_read, many[place].bytes_read));
        let written =
            [0, 1, 2].map(|place| grown(few[place].bytes_written, many[place].bytes_written));
        assert_eq!((read, written), ([1, 1, 2], [0, 0, 1]), "{denoms} denominations");
    }
}
