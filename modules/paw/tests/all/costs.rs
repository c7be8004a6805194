//! The cost of an operation does not depend on the size of the database.

use crate::setup::{
    Outcome, account, at, ballot, begin, fund, params, paw_with, pool, processing, proof, provider,
    request, swap, token, u, validator, vote,
};
use keyscape::store::{Count, Db, Tx};
use keyscape_paw::{
    Error,
    keeper::{
        self, compute,
        dex::{self, Amounts},
        ibc::{self, Packet, Part},
        oracle,
    },
    layout::paw::{AVERAGES, SNAPSHOTS},
    values::{Average, Snapshot},
};

fn cost(db: &Db, run: impl FnOnce(&mut Tx<'_>) -> Result<(), Error>) -> [u64; 4] {
    let (Count { gets, puts, deletes, seeks, .. }, done) =
        keyscape_testkit::count(db, run).expect("nobody else writes");
    done.expect("it is possible");
    [gets, puts, deletes, seeks]
}

/// Creates a chain with this many pools, requests, senders and snapshots.
fn filled(size: u64) -> Result<Db, Error> {
    let mut params = params();
    params.dex.max_pools = size + 1;
    params.compute.max_batch = size;
    let db = paw_with(&params);
    let mut tx = begin(&db);
    let (ann, node, far) = (account(1), account(2), account(3));
    pool(&mut tx, &ann)?;
    for index in 1..size {
        let other = token(&format!("token{index}"));
        fund(&mut tx, &ann, &format!("1000{other},1000uatom"))?;
        let (one, deposit) = (token("uatom"), u(1_000));
        dex::create_pool(&mut tx, at(0), &ann, (&one, deposit), (&other, deposit))?;
    }
    provider(&mut tx, &node)?;
    fund(&mut tx, &ann, &format!("{}upaw", size * 20_000))?;
    let batch: Vec<_> = (1..=size).map(request).collect();
    compute::submit_batch(&mut tx, at(0), &ann, &batch)?;
    validator(&mut tx, &far, 1_000_000)?;
    for index in 0..size {
        let sender = format!("sender{index}");
        let packet =
            Packet { channel: "channel-0", sender: &sender, nonce: 1, timestamp: at(0).time };
        ibc::receive(&mut tx, at(0), Part::Oracle, &packet)?;
        let row = Snapshot { price: u(100), time: at(0).time, cumulative: u(0) };
        SNAPSHOTS.put(&mut tx, (token("BTC"), 10_000 + index), &row)?;
    }
    let average = Average { cumulative: u(0), price: u(100), time: at(0).time };
    AVERAGES.put(&mut tx, token("BTC"), &average)?;
    tx.commit()?;
    Ok(db)
}

fn costs(db: &Db) -> Result<Vec<(&'static str, [u64; 4])>, Error> {
    let (ann, node, far) = (account(1), account(2), account(3));
    let later = at(20_000);
    db.write(|tx| {
        fund(tx, &ann, "1000000uatom,1000000upaw")?;
        let hash = oracle::vote_hash(&[3; 32], &vote(&[("BTC", 90)]), &far);
        oracle::prevote(tx, at(20_000), &far, &far, hash)?;
        oracle::reveal(tx, at(20_010), &far, &far, &[3; 32], vote(&[("BTC", 90)]))
    })?;
    Ok(vec![
        ("swap", cost(db, |tx| swap(tx, later, 1, &ann, 1_000).map(drop))),
        (
            "add and remove",
            cost(db, |tx| {
                let most = Amounts { a: u(1_000), b: u(1_000) };
                let (shares, _) = dex::add_liquidity(tx, later, 1, &ann, most, u(1))?;
                dex::remove_liquidity(tx, at(20_100), 1, &ann, shares, Amounts::default()).map(drop)
            }),
        ),
        ("find", cost(db, |tx| dex::find_pool(tx, &token("upaw"), &token("uatom")).map(drop))),
        (
            "request cycle",
            cost(db, |tx| {
                let id = processing(tx, later, &ann, &node, 1_000_000)?;
                compute::complete(tx, later, &node, id, id, [0; 32], proof(id))?;
                compute::release_now(tx, later, &crate::setup::governance(), id)
            }),
        ),
        (
            "tally",
            cost(db, |tx| {
                keeper::end_block(tx, keyscape_paw::Block { height: 20_019, time: at(1).time })
                    .map(drop)
            }),
        ),
        (
            "average",
            cost(db, |tx| oracle::average_price(tx, later, &token("BTC"), 10_000).map(drop)),
        ),
        (
            "packet",
            cost(db, |tx| {
                let packet =
                    Packet { channel: "channel-0", sender: "new", nonce: 1, timestamp: later.time };
                ibc::receive(tx, later, Part::Oracle, &packet)
            }),
        ),
    ])
}

#[test]
fn operations_cost_the_same_among_few_and_among_many() -> Outcome {
    let few = costs(&filled(10)?)?;
    let (name, swap) = few[0];
    // Parameters, lock, pool, breaker, fees, and five rows of the bank for each of three sends.
    assert!(name == "swap" && swap[0] < 40 && swap[1] < 20, "{swap:?}");
    for size in [100, 1_000] {
        assert_eq!(costs(&filled(size)?)?, few, "{size}");
    }
    Ok(())
}

/// A tally reads the rows of its validators, however many blocks and snapshots came before.
#[test]
fn a_tally_costs_the_same_after_many_tallies() -> Outcome {
    let db = paw_with(&params());
    let ann = account(1);
    db.write(|tx| validator(tx, &ann, 1_000_000))?;
    let tally = |period: u64| {
        let votes = [(ann.clone(), vote(&[("BTC", 100 + period)]))];
        let count = cost(&db, |tx| ballot(tx, period, &votes));
        db.write(|tx| ballot(tx, period, &votes)).map(|()| count)
    };
    tally(0)?;
    let few = tally(2)?;
    for period in 2..40 {
        assert_eq!(tally(period * 2)?, few, "{period}");
    }
    Ok(())
}
