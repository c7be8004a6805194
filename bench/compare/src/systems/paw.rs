//! Swaps, tallies and request cycles of PAW as its pools, snapshots and requests grow.

use super::{Growing, Point, SIZES};
use crate::fixture::{memory, ok};
use keyscape::{
    U256,
    store::{Db, Tx},
};
use keyscape_bank::{Coins, Keeper, Permission, keeper as bank};
use keyscape_paw::{
    Account, Block, Error, Params, Token,
    keeper::{self, compute, dex, oracle},
    layout::paw::{
        CIRCUIT_BREAKERS, ESCROWS, JOB_STATUS, LAYOUT, NEXT_POOL, NEXT_REQUEST, POOLS, Party,
        REQUESTS, SNAPSHOTS,
    },
    values::{
        CircuitBreaker, Escrow, EscrowState, JobStatus, Pool, PriceVote, Request, Snapshot, Status,
    },
};

/// The time at which states are filled.
const FILLED: Block = Block { height: 10_000_000, time: 1_700_000_000 };
/// The first id. All ids have the same number of digits, so the byte counts are comparable.
const FIRST: u64 = 10_000_000;

/// Measures all operations.
pub(super) fn measure() -> Vec<Point> {
    let mut points = Vec::new();
    let mut state = Growing::new("paw", "pools", chain());
    for size in SIZES {
        state.fill(size, add_pool);
        state.measure("swap", |tx| assert!(matches!(ok(swap(tx)), dex::Outcome::Done(_))));
    }
    points.append(&mut state.points);
    let mut state = Growing::new("paw", "snapshots", chain());
    for size in SIZES {
        state.fill(size, add_snapshot);
        state.measure("vote tally", |tx| {
            assert_eq!(ok(keeper::end_block(tx, after(19))).prices, 1);
        });
    }
    points.append(&mut state.points);
    let mut state = Growing::new("paw", "requests", chain());
    for size in SIZES {
        state.fill(size, add_request);
        state.measure("request cycle", |tx| ok(cycle(tx)));
    }
    points.append(&mut state.points);
    points
}

fn account(byte: u8) -> Account<'static> {
    ok(Account::new(vec![byte; 20]))
}

fn token(text: &str) -> Token<'static> {
    ok(Token::new(text.to_owned()))
}

fn u(amount: u64) -> U256 {
    U256::from(amount)
}

fn after(blocks: u64) -> Block {
    Block { height: FILLED.height + blocks, time: FILLED.time + blocks }
}

/// Creates a database with a pool, a provider, and ten validators with revealed votes.
fn chain() -> Db {
    let db = memory(&[&LAYOUT, &keyscape_bank::layout::bank::LAYOUT]);
    ok(db.write(|tx| {
        let mut params = Params::launch(&account(200), &token("upaw"), vec![token("BTC")]);
        params.dex.max_pools = 1_000_000_000;
        // No snapshot becomes old enough to be deleted.
        params.oracle.snapshot_retention = 10 * FILLED.height;
        keeper::initialize(tx, &params)?;
        bank::create_module_account(tx, "mint", &[Permission::Minter])?;
        for byte in 1..=12 {
            let funds: Coins = ok("1000000000000uatom,1000000000000upaw".parse());
            Keeper::default().mint(tx, "mint", &funds)?;
            let to = ok(keyscape_bank::Address::new(vec![byte; 20]));
            Keeper::default().send(tx, 0, &bank::module_address("mint")?, &to, &funds)?;
        }
        let (atom, paw, deposit) = (token("uatom"), token("upaw"), u(1_000_000_000));
        dex::create_pool(tx, FILLED, &account(1), (&atom, deposit), (&paw, deposit))?;
        compute::register(tx, FILLED, &account(2), u(2_000_000), u(1_000), "https://node")?;
        for byte in 3..=12 {
            let (who, stake) = (account(byte), u(1_000_000));
            oracle::register(tx, Block { height: 0, time: 0 }, &who, stake)?;
            let prices = vec![PriceVote { asset: token("BTC"), price: u(1_000 + u64::from(byte)) }];
            let hash = oracle::vote_hash(&[0; 32], &prices, &who);
            oracle::prevote(tx, FILLED, &who, &who, hash)?;
            oracle::reveal(tx, after(10), &who, &who, &[0; 32], prices)?;
        }
        NEXT_POOL.set(tx, FIRST)?;
        Ok::<(), Error>(NEXT_REQUEST.set(tx, FIRST)?)
    }));
    db
}

/// Adds the rows of a pool that no measured operation uses.
fn add_pool(tx: &mut Tx<'_>, place: u64) -> Result<(), Error> {
    let pool = Pool {
        token_a: token(&format!("token{place}")),
        token_b: token("uatom"),
        reserve_a: u(1_000),
        reserve_b: u(1_000),
        shares: u(1_000),
        growth_a: U256::ZERO,
        growth_b: U256::ZERO,
        cumulative: U256::ZERO,
        updated: FILLED.time,
    };
    let id = FIRST * 2 + place;
    let breaker = CircuitBreaker { reference: U256::ONE, since: 0, paused_until: 0 };
    CIRCUIT_BREAKERS.put(tx, id, &breaker)?;
    Ok(POOLS.put(tx, id, &pool)?)
}

fn add_snapshot(tx: &mut Tx<'_>, place: u64) -> Result<(), Error> {
    let row = Snapshot { price: u(1_000), time: FILLED.time, cumulative: U256::ZERO };
    Ok(SNAPSHOTS.put(tx, (token("BTC"), FILLED.height - 1 - place), &row)?)
}

/// Adds a pending request that no measured operation uses.
fn add_request(tx: &mut Tx<'_>, place: u64) -> Result<(), Error> {
    let id = FIRST * 2 + place;
    let party = |byte| ok(Party::new(vec![byte; 20]));
    let request = Request {
        requester: party(1),
        provider: party(2),
        units: 1,
        spec: [0; 32],
        nonce: 1,
        height: FILLED.height,
    };
    REQUESTS.put(tx, id, &request)?;
    JOB_STATUS.put(tx, id, &JobStatus { status: Status::Pending, height: FILLED.height })?;
    let (amount, state) = (u(10_000), EscrowState::Locked);
    let expires = FILLED.time + 1_000_000;
    Ok(ESCROWS.put(tx, id, &Escrow { amount, payment: U256::ZERO, state, expires })?)
}

fn swap(tx: &mut Tx<'_>) -> Result<dex::Outcome<U256>, Error> {
    let (trader, token_in) = (&account(1), &token("uatom"));
    let (amount_in, min_out) = (u(1_000_000), U256::ONE);
    dex::swap(tx, after(1), &dex::Swap { pool: 1, trader, token_in, amount_in, min_out })
}

/// Submits a request and processes it up to its payment.
fn cycle(tx: &mut Tx<'_>) -> Result<(), Error> {
    let (requester, provider, now) = (account(1), account(2), after(1));
    let new = compute::NewRequest {
        provider: None,
        units: 10,
        spec: [0; 32],
        max_payment: u(15_000),
        nonce: 1,
    };
    let id = compute::submit(tx, now, &requester, &new)?;
    compute::assign(tx, now, &provider, id)?;
    compute::start(tx, now, &provider, id, 1)?;
    compute::complete(tx, now, &provider, id, 1, [1; 32], [2; 32])?;
    compute::release_now(tx, now, &account(200), id)
}
