//! Interrupted operations write nothing, in this module or in the bank.

use crate::setup::{
    Outcome, account, at, begin, completed, fund, governance, paw, pool, processing, proof,
    provider, request, sound, swap, token, u, validator, vote,
};
use keyscape::store::{Db, Tx};
use keyscape_paw::{
    Block, Error,
    keeper::{
        self,
        compute::{self, ProviderUpdate},
        dex::{self, Amounts},
        ibc::{self, Packet, Part},
        oracle,
    },
    values::OracleParams,
};
use keyscape_testkit::interrupt;

/// Requests 1 to 5 are pending, assigned, processing, challenged and disputed; pool 1 has two
/// providers and fees.
fn filled() -> Result<Db, Error> {
    let db = paw();
    db.write(|tx| {
        let (ann, node) = (account(1), account(2));
        provider(tx, &node)?;
        pool(tx, &ann)?;
        fund(tx, &ann, "900000uusd")?;
        compute::submit(tx, at(1), &ann, &request(1))?;
        let assigned = compute::submit(tx, at(1), &ann, &request(2))?;
        compute::assign(tx, at(1), &node, assigned)?;
        processing(tx, at(1), &ann, &node, 3)?;
        completed(tx, at(1), &ann, &node, 4)?;
        let disputed = completed(tx, at(1), &ann, &node, 5)?;
        compute::dispute(tx, at(1), &ann, disputed)?;
        fund(tx, &node, "900000uatom")?;
        let most = Amounts { a: u(1_000), b: u(1_000) };
        dex::add_liquidity(tx, at(1), 1, &node, most, u(1))?;
        let _ = swap(tx, at(1), 1, &ann, 50_000)?;
        validator(tx, &account(3), 1_000_000)?;
        let hash = oracle::vote_hash(&[3; 32], &vote(&[("BTC", 5)]), &account(3));
        oracle::prevote(tx, at(1), &account(3), &account(3), hash)?;
        fund(tx, &account(4), "5000000upaw")?;
        fund(tx, &account(3), "5000000upaw")?;
        keeper::end_block(tx, at(1)).map(drop)
    })?;
    Ok(db)
}

type Run = fn(&mut Tx<'_>) -> Result<(), Error>;

const RUNS: [(&str, Run); 36] = [
    ("register", |tx| {
        compute::register(tx, at(2), &account(4), u(2_000_000), u(1), "https://node")
    }),
    ("update", |tx| {
        let offer = ProviderUpdate { price: u(2), endpoint: "x".into(), active: false };
        compute::update(tx, &account(2), &offer)
    }),
    ("deactivate", |tx| compute::deactivate(tx, &account(2))),
    ("add stake", |tx| compute::add_stake(tx, at(2), &account(2), u(5))),
    ("submit", |tx| compute::submit(tx, at(2), &account(1), &request(9)).map(drop)),
    ("batch", |tx| {
        compute::submit_batch(tx, at(2), &account(1), &[request(8), request(9)]).map(drop)
    }),
    ("assign", |tx| compute::assign(tx, at(2), &account(2), 1)),
    ("start", |tx| compute::start(tx, at(2), &account(2), 2, 99)),
    ("complete", |tx| compute::complete(tx, at(2), &account(2), 3, 3, [0; 32], proof(77))),
    ("fail", |tx| compute::fail(tx, at(2), &account(2), 3)),
    ("cancel", |tx| compute::cancel(tx, at(2), &account(1), 2)),
    ("dispute", |tx| compute::dispute(tx, at(2), &account(1), 4)),
    ("resolve", |tx| compute::resolve(tx, at(2), &governance(), 5, false)),
    ("release now", |tx| compute::release_now(tx, at(2), &governance(), 4)),
    ("release", |tx| compute::release(tx, at(2_000), 4)),
    ("create pool", |tx| {
        let (atom, usd) = (token("uatom"), token("uusd"));
        dex::create_pool(tx, at(2), &account(1), (&atom, u(5_000)), (&usd, u(5_000))).map(drop)
    }),
    ("add", |tx| {
        let most = Amounts { a: u(900), b: u(900) };
        dex::add_liquidity(tx, at(2), 1, &account(2), most, u(1)).map(drop)
    }),
    ("remove", |tx| {
        dex::remove_liquidity(tx, at(200), 1, &account(2), u(300), Amounts::default()).map(drop)
    }),
    ("claim", |tx| dex::claim_fees(tx, at(2), 1, &account(1)).map(drop)),
    ("swap", |tx| swap(tx, at(2), 1, &account(1), 10_000).map(drop)),
    ("trip", |tx| {
        let _ = swap(tx, at(2), 1, &account(1), 100_000)?;
        swap(tx, at(2), 1, &account(1), 100_000).map(drop)
    }),
    ("loan", |tx| {
        dex::flash_loan(tx, at(2), 1, &account(1), &token("uatom"), u(9_000), |_| Ok(())).map(drop)
    }),
    ("collect", |tx| {
        let atom = token("uatom");
        dex::collect_protocol_fees(tx, at(2), &governance(), &atom, &account(1)).map(drop)
    }),
    ("bond", |tx| oracle::bond(tx, at(2), &account(3), u(9))),
    ("unbond", |tx| oracle::unbond(tx, at(2), &account(3), u(1_000_000))),
    ("register a validator", |tx| oracle::register(tx, at(2), &account(4), u(1_000_000))),
    ("reveal", |tx| {
        let (who, prices) = (account(3), vote(&[("BTC", 5)]));
        oracle::reveal(tx, at(10), &who, &who, &[3; 32], prices)
    }),
    ("receive", |tx| {
        let packet =
            Packet { channel: "channel-0", sender: "a/b", nonce: 1, timestamp: at(2).time };
        ibc::receive(tx, at(2), Part::Dex, &packet)
    }),
    ("send", |tx| ibc::send(tx, Part::Dex, "channel-0", "a/b").map(drop)),
    ("prevote", |tx| oracle::prevote(tx, at(2), &account(3), &account(3), [4; 32])),
    ("set a feeder", |tx| oracle::set_feeder(tx, &account(3), &account(4))),
    ("pause the oracle", |tx| oracle::emergency_pause(tx, at(2), &governance(), "stop")),
    ("pause a pool", |tx| dex::pause_pool(tx, at(2), &governance(), 1, at(9).time)),
    ("resume a pool", |tx| dex::resume_pool(tx, at(2), &governance(), 1)),
    ("raise the minimum stake of validators", |tx| {
        let params = oracle::params(tx)?;
        let new = OracleParams { min_stake: u(2_000_000), ..params };
        oracle::set_params(tx, at(2), &governance(), &new)
    }),
    ("end a block", |tx| {
        keeper::end_block(tx, Block { height: 19, time: at(1).time + 90_000 }).map(drop)
    }),
];

#[test]
fn an_interrupted_operation_writes_nothing() -> Outcome {
    let db = filled()?;
    let earlier = || {
        let mut tx = begin(&db);
        ibc::send(&mut tx, Part::Oracle, "channel-7", "before")?;
        Ok::<_, Error>(tx)
    };
    for (name, run) in RUNS {
        // The two swaps of `trip` are two operations.
        if name != "trip" {
            assert!(interrupt(earlier, run, Error::is_refusal)? >= 2, "{name}");
        }
    }
    Ok(())
}

#[test]
fn a_done_operation_leaves_a_sound_state() -> Outcome {
    let db = filled()?;
    for (name, run) in RUNS {
        let mut tx = begin(&db);
        run(&mut tx).map_err(|error| format!("{name}: {error}"))?;
        sound(&tx);
    }
    Ok(())
}
