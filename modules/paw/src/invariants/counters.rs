//! Nonces of one state, and counters of two states.

use crate::{
    Error,
    keeper::{Block, ibc},
    layout::paw::{
        Account, COMPUTE_PACKETS, COMPUTE_SENT, DEX_PACKETS, DEX_SENT, JOBS_BY_STATUS, NEXT_POOL,
        NEXT_REQUEST, NONCES, ORACLE_PACKETS, ORACLE_SENT, PROVIDER_NONCES, PROVIDERS, REQUESTS,
    },
    number::{MAX_TIME, rising},
    values::{PacketState, Status},
};
use keyscape::store::Read;
use keyscape_sim::{Breaches, Broken};
use std::collections::{BTreeMap, BTreeSet};

/// Checks that every nonce is positive and has a successor. Nonces of providers belong to
/// registered providers, and every job in progress has reserved a nonce.
///
/// # Errors
/// Errors of the database.
pub fn nonces(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("nonces");
    for row in NONCES.scan_all(state)? {
        let (key, nonce) = row?;
        breaches.take(rising(nonce, 0), || format!("`{}`", key.address))?;
    }
    macro_rules! packets {
        ($($sent:ident, $received:ident;)*) => {$(
            for row in $sent.scan_all(state)? {
                let (key, nonce) = row?;
                let of = || format!("{} {}/{}", stringify!($sent), key.channel, key.sender);
                breaches.take(rising(nonce, 0), of)?;
            }
            for row in $received.scan_all(state)? {
                let (key, packet) = row?;
                let of = || format!("{} {}/{}", stringify!($received), key.channel, key.sender);
                breaches.take(rising(packet.nonce, 0), of)?;
                let in_time = packet.seen <= MAX_TIME;
                breaches.unless(in_time, || format!("{}: second {}", of(), packet.seen));
            }
        )*};
    }
    packets! {
        COMPUTE_SENT, COMPUTE_PACKETS;
        DEX_SENT, DEX_PACKETS;
        ORACLE_SENT, ORACLE_PACKETS;
    }
    for row in PROVIDERS.scan_all(state)? {
        let (key, provider) = row?;
        let has_next = provider.nonce_floor < u64::MAX;
        breaches.unless(has_next, || format!("no nonce of `{}` is left", key.provider));
    }
    reserved(state, &mut breaches)?;
    Ok(breaches.reported())
}

/// Checks the nonces of providers.
fn reserved(state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
    let mut processing = BTreeSet::new();
    for row in JOBS_BY_STATUS.scan_status(state, Status::Processing as u8)? {
        processing.insert(row?.0.request);
    }
    for row in PROVIDER_NONCES.scan_all(state)? {
        let (key, nonce) = row?;
        let of = || format!("nonce {} of `{}`", key.nonce, key.provider);
        let provider = Account::new(key.provider.as_bytes())?;
        let is_registered = PROVIDERS.contains(state, provider)?;
        breaches.unless(is_registered, || format!("{}, which is not registered", of()));
        breaches.take(rising(key.nonce, 0), of)?;
        let request = REQUESTS.get(state, nonce.request)?;
        if let Some(request) = request.filter(|_| !nonce.used && processing.remove(&nonce.request))
        {
            let is_own = request.provider == key.provider;
            breaches.unless(is_own, || format!("{} is for a job of another provider", of()));
        }
    }
    for request in processing {
        breaches.add(format_args!("request {request} has no reserved nonce"));
    }
    Ok(())
}

/// The numbers of a state that never decrease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Ids, nonces, floors and outgoing counters, by name. None is ever deleted.
    pub lasting: BTreeMap<String, u64>,
    /// Nonces of providers, by provider and nonce: whether they are used. A nonce is deleted when
    /// the floor of its provider covers it.
    pub reserved: BTreeMap<(String, u64), bool>,
    /// The last packet of each sender. Deleted after [`ibc::RETENTION`].
    pub packets: BTreeMap<String, PacketState>,
}

/// Returns the name of the floor of a provider.
fn floor(provider: &str) -> String {
    format!("floor of {provider}")
}

/// Returns the counters of a state.
///
/// # Errors
/// Errors of the database.
pub fn counters(state: &(impl Read + ?Sized)) -> Result<Counters, Error> {
    let mut counters = Counters::default();
    let lasting = &mut counters.lasting;
    lasting.insert("next request".to_owned(), NEXT_REQUEST.peek(state)?);
    lasting.insert("next pool".to_owned(), NEXT_POOL.peek(state)?);
    for row in NONCES.scan_all(state)? {
        let (key, nonce) = row?;
        lasting.insert(format!("nonce of {}", key.address), nonce);
    }
    for row in PROVIDERS.scan_all(state)? {
        let (key, provider) = row?;
        lasting.insert(floor(&key.provider.to_string()), provider.nonce_floor);
    }
    for row in PROVIDER_NONCES.scan_all(state)? {
        let (key, nonce) = row?;
        counters.reserved.insert((key.provider.to_string(), key.nonce), nonce.used);
    }
    macro_rules! packets {
        ($($field:ident: $($map:ident),*;)*) => {$($(
            for row in $map.scan_all(state)? {
                let (key, value) = row?;
                let name = format!("{} {}/{}", stringify!($map), key.channel, key.sender);
                counters.$field.insert(name, value);
            }
        )*)*};
    }
    packets! {
        lasting: COMPUTE_SENT, DEX_SENT, ORACLE_SENT;
        packets: COMPUTE_PACKETS, DEX_PACKETS, ORACLE_PACKETS;
    }
    Ok(counters)
}

/// Checks that no counter is missing or lower than in an earlier state. No used nonce of a provider
/// can be used again, and the last packet of a sender is deleted only after its retention. `block`
/// is the block of the later state.
#[must_use]
pub fn counters_never_fall(before: &Counters, after: &Counters, block: Block) -> Vec<Broken> {
    let mut breaches = Breaches::of("counters");
    for (name, earlier) in &before.lasting {
        let later = after.lasting.get(name);
        let rises = later.is_some_and(|later| later >= earlier);
        breaches.unless(rises, || format!("{name} went from {earlier} to {later:?}"));
    }
    for ((provider, nonce), used) in &before.reserved {
        let is_covered = || after.lasting.get(&floor(provider)).is_some_and(|floor| floor >= nonce);
        let later = after.reserved.get(&(provider.clone(), *nonce));
        let is_kept = later.map_or_else(is_covered, |later| later >= used);
        breaches.unless(is_kept, || format!("nonce {nonce} of {provider} can be used again"));
    }
    for (name, earlier) in &before.packets {
        let later = after.packets.get(name);
        // A pruned sender may start again.
        let is_over = earlier.seen.saturating_add(ibc::RETENTION) < block.time;
        let rises = later.is_some_and(|later| later.nonce >= earlier.nonce);
        breaches.unless(rises || is_over, || format!("{name} went from {earlier:?} to {later:?}"));
    }
    breaches.reported()
}
