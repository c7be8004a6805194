//! Counters and nonces of two states.

use super::{Breaches, Broken};
use crate::{
    Error,
    keeper::{Block, ibc},
    layout::paw::{
        COMPUTE_PACKETS, COMPUTE_SENT, DEX_PACKETS, DEX_SENT, NEXT_POOL, NEXT_REQUEST, NONCES,
        ORACLE_PACKETS, ORACLE_SENT, PROVIDER_NONCES, PROVIDERS,
    },
    values::PacketState,
};
use keyscape::store::Read;
use std::collections::BTreeMap;

/// The numbers of a state that never go back.
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
pub fn never_back(before: &Counters, after: &Counters, block: Block) -> Vec<Broken> {
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
