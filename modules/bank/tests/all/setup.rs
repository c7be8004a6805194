// A bank for tests. Documentation examples include this file, and an included file cannot begin
// with a module comment.

use keyscape::store::{Db, Layout, Memory, Mode, Tx};
use keyscape_bank::{
    Address, Coin, Coins, Denom, Error, ErrorKind, Keeper, Metadata, Permission, keeper,
    layout::bank::LAYOUT, values::DenomUnit,
};
use std::sync::LazyLock;

pub(crate) type Outcome = Result<(), keyscape_sim::Fault>;

/// A keeper without rules.
pub(crate) static KEEPER: LazyLock<Keeper> = LazyLock::new(Keeper::default);

/// Creates an empty in-memory database.
pub(crate) fn empty() -> Db {
    let spaces = Layout::spaces_of(&[&LAYOUT]).expect("the layout has names");
    Db::new(Memory::new(spaces))
}

/// Creates a database with the modules `mint`, `pool` (which receives delegations and burns) and
/// `fees`.
pub(crate) fn bank() -> Db {
    let db = empty();
    db.write(|tx| {
        keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
        keeper::create_module_account(tx, "pool", &[Permission::Burner, Permission::Staking])?;
        keeper::create_module_account(tx, "fees", &[])?;
        Ok::<(), Error>(())
    })
    .expect("modules can be made");
    db
}

/// Begins an exclusive transaction.
pub(crate) fn begin(db: &Db) -> Tx<'_> {
    db.begin(Mode::Write).expect("nobody else writes")
}

/// Returns the address of 20 equal bytes.
pub(crate) fn address(byte: u8) -> Address<'static> {
    Address::new(vec![byte; 20]).expect("20 bytes are an address")
}

pub(crate) fn denom(text: &str) -> Denom<'static> {
    Denom::new(text.to_owned()).expect("a denomination")
}

pub(crate) fn coins(text: &str) -> Coins {
    text.parse().expect("coins")
}

pub(crate) fn coin(text: &str) -> Coin {
    text.parse().expect("a coin")
}

/// Returns valid metadata of a denomination with one unit.
pub(crate) fn metadata(denom: &str) -> Metadata {
    Metadata {
        denom_units: vec![DenomUnit { denom: denom.into(), ..DenomUnit::default() }],
        base: denom.into(),
        display: denom.into(),
        name: denom.into(),
        symbol: denom.into(),
        ..Metadata::default()
    }
}

/// Mints coins for an account.
pub(crate) fn fund(tx: &mut Tx<'_>, to: &Address<'_>, text: &str) -> Result<(), Error> {
    KEEPER.mint(tx, "mint", &coins(text))?;
    KEEPER.send(tx, 0, &keeper::module_address("mint")?, to, &coins(text)).map(drop)
}

pub(crate) fn balance(tx: &Tx<'_>, owner: &Address<'_>, text: &str) -> String {
    keeper::get_balance(tx, owner, &denom(text)).expect("a balance can be read").to_string()
}

pub(crate) fn all(tx: &Tx<'_>, owner: &Address<'_>) -> String {
    keeper::get_all_balances(tx, owner).expect("balances can be read").to_string()
}

/// Runs an operation that must fail without a trace.
#[track_caller]
pub(crate) fn refused<'db, T: std::fmt::Debug>(
    tx: &mut Tx<'db>,
    run: impl FnOnce(&mut Tx<'db>) -> Result<T, Error>,
) -> Error {
    let before = tx.changes().clone();
    let error = run(tx).expect_err("it should be refused");
    assert!(tx.changes().iter().eq(before.iter()), "something of it is written");
    error
}

/// Checks that all invariants hold.
#[track_caller]
pub(crate) fn sound(tx: &Tx<'_>) {
    let broken = keyscape_bank::invariants::check(tx).expect("the state can be read");
    assert_eq!(broken, []);
}

/// Returns the amounts of an `Insufficient` error.
pub(crate) fn insufficient(error: &Error) -> Option<(String, String, String)> {
    match error.kind() {
        ErrorKind::Insufficient { balance, locked, spendable, .. } => {
            Some((balance.to_string(), locked.to_string(), spendable.to_string()))
        }
        _ => None,
    }
}
