//! Invariants, each as a function, and all of them together.
//!
//! Each reports its first breaches, and then how many more there are.

mod compute;
mod dex;
mod oracle;

pub use compute::{compute_coins, jobs};
pub use dex::{locks, pool_coins, pools, shares};
pub use oracle::{prices, validators};

use crate::{
    Error,
    layout::paw::{
        COMPUTE_PACKETS_BY_TIME, COMPUTE_SENT, DEX_PACKETS_BY_TIME, DEX_SENT, ESCROWS_BY_EXPIRY,
        JOBS_BY_STATUS, NEXT_POOL, NEXT_REQUEST, NONCES, ORACLE_PACKETS_BY_TIME, ORACLE_SENT,
        POOL_BY_TOKENS, PROVIDER_NONCES_BY_HEIGHT, PROVIDERS, PROVIDERS_BY_RANK,
        REQUESTS_BY_PROVIDER, REQUESTS_BY_REQUESTER, SNAPSHOTS_BY_HEIGHT,
    },
};
use keyscape::store::Read;
use std::{collections::BTreeMap, fmt};

/// The number of breaches of an invariant that are reported one by one.
pub const SHOWN: usize = 100;

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The invariant.
    pub invariant: &'static str,
    /// The breach.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.invariant, self.what)
    }
}

/// The breaches of one invariant.
struct Breaches {
    invariant: &'static str,
    first: Vec<Broken>,
    more: u64,
}

impl Breaches {
    fn of(invariant: &'static str) -> Breaches {
        Breaches { invariant, first: Vec::new(), more: 0 }
    }

    /// Reports a breach unless something holds.
    fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if holds {
            return;
        }
        if self.first.len() < SHOWN {
            self.first.push(Broken { invariant: self.invariant, what: what() });
        } else {
            self.more += 1;
        }
    }

    fn reported(mut self) -> Vec<Broken> {
        if self.more > 0 {
            let what = format!("{} more", self.more);
            self.first.push(Broken { invariant: self.invariant, what });
        }
        self.first
    }
}

/// Checks all invariants, those of the bank included.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`].
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = Vec::new();
    for (invariant, found) in [
        ("indexes", indexes(state)),
        ("compute coins", compute_coins(state)),
        ("jobs", jobs(state)),
        ("pools", pools(state)),
        ("pool coins", pool_coins(state)),
        ("shares", shares(state)),
        ("locks", locks(state)),
        ("validators", validators(state)),
        ("prices", prices(state)),
    ] {
        match found {
            Ok(found) => broken.extend(found),
            Err(error) if error.is_corrupt() => {
                broken.push(Broken { invariant, what: format!("not checked: {error}") });
            }
            Err(error) => return Err(error),
        }
    }
    let bank = keyscape_bank::invariants::check(state)?;
    broken.extend(bank.iter().map(|found| Broken { invariant: "bank", what: found.to_string() }));
    Ok(broken)
}

/// Every index has an entry for each row of its map and no other.
///
/// # Errors
/// Errors of the database.
pub fn indexes(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("indexes");
    macro_rules! check {
        ($($index:ident),* $(,)?) => {$({
            let report = $index.check(state)?;
            for fault in &report.first {
                breaches.unless(false, || format!("{}: {fault}", stringify!($index)));
            }
            breaches.more += report.faults.saturating_sub(report.first.len() as u64);
        })*};
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

/// The numbers that never go back: ids, nonces, floors and outgoing counters, by name.
///
/// # Errors
/// Errors of the database.
pub fn counters(state: &(impl Read + ?Sized)) -> Result<BTreeMap<String, u64>, Error> {
    let mut counters = BTreeMap::new();
    counters.insert("next request".to_owned(), NEXT_REQUEST.peek(state)?);
    counters.insert("next pool".to_owned(), NEXT_POOL.peek(state)?);
    for row in NONCES.scan_all(state)?.rows() {
        let (key, nonce) = row?;
        counters.insert(format!("nonce of {}", key.address), nonce);
    }
    for row in PROVIDERS.scan_all(state)?.rows() {
        let (key, provider) = row?;
        counters.insert(format!("floor of {}", key.provider), provider.nonce_floor);
    }
    macro_rules! sent {
        ($($map:ident),*) => {$(
            for row in $map.scan_all(state)?.rows() {
                let (key, nonce) = row?;
                let name = format!("{} {}/{}", stringify!($map), key.channel, key.sender);
                counters.insert(name, nonce);
            }
        )*};
    }
    sent!(COMPUTE_SENT, DEX_SENT, ORACLE_SENT);
    Ok(counters)
}

/// No counter is lower than in an earlier state, or missing.
#[must_use]
pub fn never_back(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> Vec<Broken> {
    let mut breaches = Breaches::of("counters");
    for (name, earlier) in before {
        let later = after.get(name);
        let rises = later.is_some_and(|later| later >= earlier);
        breaches.unless(rises, || format!("{name} went from {earlier} to {later:?}"));
    }
    breaches.reported()
}
