//! A chain to test with.

use keyscape::{
    U256,
    store::{Db, Mode, Tx},
};
use keyscape_bank::{Coins, Keeper, Permission, keeper as bank};
use keyscape_paw::{
    Account, Block, Error, ErrorKind, Params, Token,
    keeper::{
        self,
        compute::{self, NewRequest},
        dex, oracle,
    },
    values::PriceVote,
};

pub(crate) type Outcome = Result<(), keyscape_sim::Fault>;

/// The time of block 0.
pub(crate) const START: u64 = 1_700_000_000;

/// Returns the block at a height. A block takes six seconds.
pub(crate) fn at(height: u64) -> Block {
    Block { height, time: START + height * 6 }
}

pub(crate) fn account(byte: u8) -> Account<'static> {
    Account::new(vec![byte; 20]).expect("20 bytes are an address")
}

pub(crate) fn governance() -> Account<'static> {
    account(200)
}

pub(crate) fn token(text: &str) -> Token<'static> {
    Token::new(text.to_owned()).expect("a token")
}

pub(crate) fn u(amount: u64) -> U256 {
    U256::from(amount)
}

pub(crate) fn params() -> Params {
    let assets = vec![token("BTC"), token("BTCUSD"), token("ETH")];
    Params::launch(&governance(), &token("upaw"), assets)
}

/// Creates a database in memory with parameters.
pub(crate) fn paw_with(params: &Params) -> Db {
    let layouts = [&keyscape_paw::layout::paw::LAYOUT, &keyscape_bank::layout::bank::LAYOUT];
    let db = keyscape::memory_with(&layouts).expect("names of stores");
    db.write(|tx| {
        bank::create_module_account(tx, "mint", &[Permission::Minter])?;
        keeper::initialize(tx, params)
    })
    .expect("an empty database");
    db
}

pub(crate) fn paw() -> Db {
    paw_with(&params())
}

pub(crate) fn begin(db: &Db) -> Tx<'_> {
    db.begin(Mode::Write).expect("nobody else writes")
}

/// Runs a test in a transaction on a new database with parameters.
pub(crate) fn in_paw_with(params: &Params, test: impl FnOnce(&mut Tx<'_>) -> Outcome) -> Outcome {
    let db = paw_with(params);
    test(&mut begin(&db))
}

/// Runs a test in a transaction on a new database.
pub(crate) fn in_paw(test: impl FnOnce(&mut Tx<'_>) -> Outcome) -> Outcome {
    in_paw_with(&params(), test)
}

/// Mints coins such as `5upaw` for an account.
pub(crate) fn fund(tx: &mut Tx<'_>, to: &Account<'_>, coins: &str) -> Result<(), Error> {
    let coins: Coins = coins.parse().map_err(keyscape_bank::Error::from)?;
    Keeper::default().mint(tx, "mint", &coins)?;
    let to = keyscape_bank::Address::new(to.as_bytes().to_vec()).expect("an address");
    Keeper::default().send(tx, 0, &bank::module_address("mint")?, &to, &coins)?;
    Ok(())
}

/// Returns the balance of an account.
pub(crate) fn has(tx: &Tx<'_>, who: &Account<'_>, token: &str) -> u64 {
    let who = keyscape_bank::Address::new(who.as_bytes().to_vec()).expect("an address");
    let denom = keyscape_bank::Denom::new(token.to_owned()).expect("a denomination");
    let balance = bank::get_balance(tx, &who, &denom).expect("the bank can be read");
    u64::try_from(balance).expect("a small balance")
}

/// Runs an operation that must fail and write nothing.
#[track_caller]
pub(crate) fn refused<'db, T: std::fmt::Debug>(
    tx: &mut Tx<'db>,
    run: impl FnOnce(&mut Tx<'db>) -> Result<T, Error>,
) -> Error {
    let before = tx.changes().clone();
    let error = run(tx).expect_err("the operation must be rejected");
    assert!(tx.changes().iter().eq(before.iter()), "a rejected operation has written rows");
    assert!(error.is_refusal(), "{error}");
    error
}

/// Runs an operation that must fail for this reason and write nothing.
#[track_caller]
pub(crate) fn refused_for<'db, T: std::fmt::Debug>(
    tx: &mut Tx<'db>,
    reason: impl FnOnce(&ErrorKind) -> bool,
    run: impl FnOnce(&mut Tx<'db>) -> Result<T, Error>,
) {
    let error = refused(tx, run);
    assert!(reason(error.kind()), "{error}");
}

/// Asserts that all invariants hold.
#[track_caller]
pub(crate) fn sound(tx: &Tx<'_>) {
    assert_eq!(keyscape_paw::invariants::check(tx).expect("the state can be read"), []);
}

/// Registers a provider with a price of 1000.
pub(crate) fn provider(tx: &mut Tx<'_>, who: &Account<'_>) -> Result<(), Error> {
    fund(tx, who, "5000000upaw")?;
    compute::register(tx, at(0), who, u(2_000_000), u(1_000), "https://node")
}

/// Returns an account with coins, and a registered provider.
pub(crate) fn market(tx: &mut Tx<'_>, coins: &str) -> Result<[Account<'static>; 2], Error> {
    let both = [account(1), account(2)];
    fund(tx, &both[0], coins)?;
    provider(tx, &both[1])?;
    Ok(both)
}

pub(crate) fn request(nonce: u64) -> NewRequest<'static> {
    NewRequest { provider: None, units: 10, spec: [1; 32], max_payment: u(15_000), nonce }
}

/// Returns the proof of a number.
pub(crate) fn proof(number: u64) -> [u8; 32] {
    let mut bytes = [9; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// Submits a request of a funded account, and processes it up to `processing`.
pub(crate) fn processing(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    provider: &Account<'_>,
    nonce: u64,
) -> Result<u64, Error> {
    let id = compute::submit(tx, block, by, &request(nonce))?;
    compute::assign(tx, block, provider, id)?;
    compute::start(tx, block, provider, id, id)?;
    Ok(id)
}

/// Submits a request, and processes it up to `completed`.
pub(crate) fn completed(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    provider: &Account<'_>,
    nonce: u64,
) -> Result<u64, Error> {
    let id = processing(tx, block, by, provider, nonce)?;
    compute::complete(tx, block, provider, id, id, [2; 32], proof(id))?;
    Ok(id)
}

/// Creates the pool of `uatom` and `upaw` with a million of each.
pub(crate) fn pool(tx: &mut Tx<'_>, who: &Account<'_>) -> Result<u64, Error> {
    fund(tx, who, "2000000uatom,9000000upaw")?;
    let (atom, paw, million) = (token("uatom"), token("upaw"), u(1_000_000));
    Ok(dex::create_pool(tx, at(0), who, (&paw, million), (&atom, million))?.0)
}

/// Swaps `uatom` for `upaw`.
pub(crate) fn swap(
    tx: &mut Tx<'_>,
    block: Block,
    pool: u64,
    trader: &Account<'_>,
    amount: u64,
) -> Result<dex::Outcome<U256>, Error> {
    let (token_in, amount_in, min_out) = (&token("uatom"), u(amount), U256::ZERO);
    dex::swap(tx, block, &dex::Swap { pool, trader, token_in, amount_in, min_out })
}

pub(crate) fn validator(tx: &mut Tx<'_>, who: &Account<'_>, stake: u64) -> Result<(), Error> {
    fund(tx, who, &format!("{stake}upaw"))?;
    oracle::register(tx, at(0), who, u(stake))
}

pub(crate) fn vote(prices: &[(&str, u64)]) -> Vec<PriceVote> {
    prices
        .iter()
        .map(|(asset, price)| PriceVote { asset: token(asset), price: u(*price) })
        .collect()
}

/// Commits each validator to prices in one period, and reveals and tallies in the next one. Periods
/// have ten blocks.
pub(crate) fn ballot(
    tx: &mut Tx<'_>,
    period: u64,
    votes: &[(Account<'static>, Vec<PriceVote>)],
) -> Result<(), Error> {
    for (who, prices) in votes {
        let hash = oracle::vote_hash(&[3; 32], prices, who);
        oracle::prevote(tx, at(period * 10), who, who, hash)?;
    }
    let reveal = at(period * 10 + 10);
    for (who, prices) in votes {
        oracle::reveal(tx, reveal, who, who, &[3; 32], prices.clone())?;
    }
    keeper::end_block(tx, at(period * 10 + 19))?;
    Ok(())
}
