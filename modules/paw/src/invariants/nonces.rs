//! The nonces of one state.

use super::{Breaches, Broken};
use crate::{
    Error,
    keeper::bounds::{MAX_TIME, rising},
    layout::paw::{
        Account, COMPUTE_PACKETS, COMPUTE_SENT, DEX_PACKETS, DEX_SENT, JOBS_BY_STATUS, NONCES,
        ORACLE_PACKETS, ORACLE_SENT, PROVIDER_NONCES, PROVIDERS, REQUESTS,
    },
    values::Status,
};
use keyscape::store::Read;
use std::collections::BTreeSet;

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
        breaches.unless(false, || format!("request {request} has no reserved nonce"));
    }
    Ok(())
}
