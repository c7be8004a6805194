//! The invariants of the module, one function each, and [`check`] for all of them.
//!
//! Each invariant reports its first breaches and the number of further ones. [`check`] covers the
//! invariants of one state. [`counters_never_fall`] and [`product_never_falls`] compare a state
//! with a later one.

mod compute;
mod counters;
mod dex;
mod oracle;

pub use compute::{compute_coins, jobs, providers};
pub use counters::{Counters, counters, counters_never_fall, nonces};
pub use dex::{locks, pool_coins, pools, product_never_falls, shares};
pub use oracle::{prices, validators, votes};

use crate::{
    Error,
    keeper::{ACCOUNTS, get_params},
    layout::paw::{
        COMPUTE_PACKETS_BY_TIME, DEX_PACKETS_BY_TIME, ESCROWS_BY_EXPIRY, JOBS_BY_STATUS,
        ORACLE_PACKETS_BY_TIME, POOL_BY_TOKENS, PROVIDER_NONCES_BY_HEIGHT, PROVIDERS_BY_RANK,
        REQUESTS_BY_PROVIDER, REQUESTS_BY_REQUESTER, SNAPSHOTS_BY_HEIGHT,
    },
};
use keyscape::store::Read;
use keyscape_bank::{Permission, keeper as bank};
pub use keyscape_sim::Broken;
use keyscape_sim::{Breaches, joined};

/// Checks all invariants of one state, including those of the bank.
///
/// # Errors
/// Errors of the database. A corrupt row, or a row with an impossible number, is a [`Broken`].
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let reports = [
        ("setup", setup(state)),
        ("indexes", indexes(state)),
        ("compute coins", compute_coins(state)),
        ("providers", providers(state)),
        ("jobs", jobs(state)),
        ("nonces", nonces(state)),
        ("pools", pools(state)),
        ("pool coins", pool_coins(state)),
        ("shares", shares(state)),
        ("locks", locks(state)),
        ("validators", validators(state)),
        ("votes", votes(state)),
        ("prices", prices(state)),
    ];
    let mut broken = joined(reports)?;
    let bank = keyscape_bank::invariants::check(state)?;
    broken.extend(bank.iter().map(|breach| Broken { invariant: "bank", what: breach.to_string() }));
    Ok(broken)
}

/// Checks that the parameters are set and in range, and that each part has a bank account that can
/// burn coins.
///
/// # Errors
/// Errors of the database.
pub fn setup(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("setup");
    breaches.take(get_params(state), || "parameters".to_owned())?;
    for module in ACCOUNTS {
        let account = bank::get_module_account(state, module).map_err(Error::from);
        if let Some(account) = breaches.take(account, || "accounts".to_owned())? {
            let burner = Permission::Burner.as_str();
            let can_burn = account.permissions.iter().any(|permission| permission == burner);
            breaches.unless(can_burn, || format!("the account of `{module}` cannot burn coins"));
        }
    }
    Ok(breaches.reported())
}

/// Checks that every index has an entry for each row of its map and no other.
///
/// # Errors
/// Errors of the database.
pub fn indexes(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("indexes");
    macro_rules! check {
        ($($index:ident),* $(,)?) => {
            $(breaches.add_index(stringify!($index), &$index.check(state)?);)*
        };
    }
    check!(
        REQUESTS_BY_REQUESTER,
        REQUESTS_BY_PROVIDER,
        ESCROWS_BY_EXPIRY,
        JOBS_BY_STATUS,
        PROVIDER_NONCES_BY_HEIGHT,
        PROVIDERS_BY_RANK,
        COMPUTE_PACKETS_BY_TIME,
        POOL_BY_TOKENS,
        DEX_PACKETS_BY_TIME,
        SNAPSHOTS_BY_HEIGHT,
        ORACLE_PACKETS_BY_TIME,
    );
    Ok(breaches.reported())
}
