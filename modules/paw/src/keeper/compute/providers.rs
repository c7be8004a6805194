//! Providers, their stakes, and the nonces that they use.

use super::{MODULE, account, params, party};
use crate::{
    Error, ErrorKind,
    keeper::{Block, account_of, coins, require},
    layout::paw::{
        Account, JOB_STATUS, PROVIDER_NONCES, PROVIDER_NONCES_BY_HEIGHT, PROVIDERS,
        PROVIDERS_BY_RANK,
    },
    number::{self, bounded, rising},
    values::{ComputeParams, Provider, ProviderNonce, Status},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The reputation of a new provider.
const FIRST_REPUTATION: u64 = 50;
/// The longest endpoint, in bytes.
const LONGEST_ENDPOINT: usize = 256;

/// The offer of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUpdate {
    /// The price of a unit of work.
    pub price: U256,
    /// The address of the service.
    pub endpoint: String,
    /// Whether the provider accepts jobs.
    pub active: bool,
}

/// Returns a provider.
///
/// # Errors
/// [`NoProvider`](ErrorKind::NoProvider).
pub fn get_provider(
    state: &(impl Read + ?Sized),
    provider: &Account<'_>,
) -> Result<Provider, Error> {
    let row = PROVIDERS.get(state, provider)?;
    Ok(row.ok_or_else(|| ErrorKind::NoProvider(provider.clone().into_owned()))?)
}

/// Changes the row of a provider.
pub(super) fn change(
    tx: &mut Tx<'_>,
    provider: &Account<'_>,
    change: impl FnOnce(&mut Provider),
) -> Result<(), Error> {
    try_change(tx, provider, |row| {
        change(row);
        Ok(())
    })
}

/// Changes the row of a provider, unless `change` rejects it.
pub(super) fn try_change(
    tx: &mut Tx<'_>,
    provider: &Account<'_>,
    change: impl FnOnce(&mut Provider) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut row = get_provider(tx, provider)?;
    change(&mut row)?;
    Ok(PROVIDERS.put(tx, provider, &row)?)
}

/// Registers a provider with a stake.
///
/// # Errors
/// [`AlreadyRegistered`](ErrorKind::AlreadyRegistered), [`Stake`](ErrorKind::Stake),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn register(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    stake: U256,
    price: U256,
    endpoint: &str,
) -> Result<(), Error> {
    let params = params(tx)?;
    let exists = PROVIDERS.contains(tx, provider)?;
    require(!exists, || ErrorKind::AlreadyRegistered(provider.clone().into_owned()))?;
    let row = Provider {
        stake,
        price,
        reputation: FIRST_REPUTATION,
        active: true,
        open_jobs: 0,
        nonce_floor: 0,
        endpoint: endpoint.to_owned(),
    };
    check_provider(&params, &row)?;
    tx.attempt(|tx| {
        coins::send(tx, block, provider, &account_of(MODULE)?, &params.denom, stake)?;
        Ok(PROVIDERS.put(tx, provider, &row)?)
    })
}

/// Checks the conditions on the row of a provider. Prices are positive, because a payment of 0
/// marks a job that was never accepted.
pub(crate) fn check_provider(params: &ComputeParams, row: &Provider) -> Result<(), Error> {
    require(row.price > U256::ZERO, || ErrorKind::Invalid("the price is zero"))?;
    bounded("price", row.price)?;
    let fits = (1..=LONGEST_ENDPOINT).contains(&row.endpoint.len());
    require(fits, || ErrorKind::Invalid("the endpoint is empty or longer than 256 bytes"))?;
    let is_rated = row.reputation <= Provider::BEST;
    require(is_rated, || ErrorKind::Invalid("the reputation is above 100"))?;
    bounded("stake", row.stake)?;
    let (stake, needed) = (row.stake, params.min_stake);
    require(!row.active || stake >= needed, || ErrorKind::Stake { stake, needed })
}

/// Changes the offer of a provider. Only a provider with the minimum stake can be active.
///
/// # Errors
/// [`NoProvider`](ErrorKind::NoProvider), [`Stake`](ErrorKind::Stake),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow).
pub fn update(
    tx: &mut Tx<'_>,
    provider: &Account<'_>,
    offer: &ProviderUpdate,
) -> Result<(), Error> {
    let params = params(tx)?;
    try_change(tx, provider, |row| {
        row.price = offer.price;
        row.endpoint.clone_from(&offer.endpoint);
        row.active = offer.active;
        check_provider(&params, row)
    })
}

/// Stops a provider from receiving jobs. Jobs that it has accepted continue.
///
/// # Errors
/// [`NoProvider`](ErrorKind::NoProvider).
pub fn deactivate(tx: &mut Tx<'_>, provider: &Account<'_>) -> Result<(), Error> {
    change(tx, provider, |row| row.active = false)
}

/// Adds to the stake of a provider.
///
/// # Errors
/// [`NoProvider`](ErrorKind::NoProvider), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn add_stake(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    amount: U256,
) -> Result<(), Error> {
    let denom = params(tx)?.denom;
    tx.attempt(|tx| {
        try_change(tx, provider, |row| {
            row.stake = number::add(row.stake, amount)?;
            bounded("stake", row.stake)
        })?;
        coins::send(tx, block, provider, &account_of(MODULE)?, &denom, amount)
    })
}

/// Pays back a part of the stake of a provider that is inactive and has no open jobs. A job is open
/// until its escrow is settled, so the stake covers every result that can be disputed.
///
/// # Errors
/// [`NoProvider`](ErrorKind::NoProvider), [`Busy`](ErrorKind::Busy), [`Stake`](ErrorKind::Stake).
pub fn withdraw_stake(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    amount: U256,
) -> Result<(), Error> {
    let denom = params(tx)?.denom;
    tx.attempt(|tx| {
        try_change(tx, provider, |row| {
            let (stake, open_jobs) = (row.stake, row.open_jobs);
            require(!row.active && open_jobs == 0, || ErrorKind::Busy { open_jobs })?;
            let left = stake.checked_sub(amount);
            row.stake = left.ok_or(ErrorKind::Stake { stake, needed: amount })?;
            Ok(())
        })?;
        coins::send(tx, block, &account_of(MODULE)?, provider, &denom, amount)
    })
}

/// Returns the active provider with the best reputation.
pub(super) fn best(state: &(impl Read + ?Sized)) -> Result<Account<'static>, Error> {
    let active = ..Provider::INACTIVE;
    let first = PROVIDERS_BY_RANK.prefix_all().range(active).first(state)?;
    Ok(first.ok_or(ErrorKind::NoActiveProvider)?.0.provider)
}

/// Burns a part of the stake of a provider, up to all of it. Below the minimum the provider becomes
/// inactive.
pub(super) fn slash(
    tx: &mut Tx<'_>,
    params: &ComputeParams,
    provider: &Account<'_>,
) -> Result<(), Error> {
    let mut penalty = U256::ZERO;
    try_change(tx, provider, |row| {
        penalty = number::part(row.stake, params.slash_bp)?;
        row.stake = number::sub(row.stake, penalty)?;
        row.active = row.active && row.stake >= params.min_stake;
        Ok(())
    })?;
    coins::burn(tx, MODULE, &params.denom, penalty)
}

/// Reserves a nonce of a provider for a request.
pub(super) fn reserve_nonce(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    nonce: u64,
    request: u64,
) -> Result<(), Error> {
    let last = get_provider(tx, provider)?.nonce_floor;
    rising(nonce, last)?;
    let is_reserved = PROVIDER_NONCES.contains(tx, (party(provider)?, nonce))?;
    require(!is_reserved, || ErrorKind::Replay { nonce, last })?;
    let row = ProviderNonce { request, used: false, height: block.height };
    Ok(PROVIDER_NONCES.put(tx, (party(provider)?, nonce), &row)?)
}

/// Marks the nonce that a request has reserved as used.
pub(super) fn use_nonce(
    tx: &mut Tx<'_>,
    provider: &Account<'_>,
    nonce: u64,
    request: u64,
) -> Result<(), Error> {
    let row = PROVIDER_NONCES.get(tx, (party(provider)?, nonce))?;
    let row = row.filter(|row| row.request == request && !row.used);
    let row = row.ok_or(ErrorKind::NotReserved { request, nonce })?;
    Ok(PROVIDER_NONCES.put(tx, (party(provider)?, nonce), &ProviderNonce { used: true, ..row })?)
}

/// Deletes nonces whose retention has ended. The floor of their provider still marks them as used.
/// Keeps a nonce that an open job has reserved, and restarts its retention.
///
/// Returns the number of deleted nonces.
pub(super) fn prune_nonces(
    tx: &mut Tx<'_>,
    block: Block,
    params: &ComputeParams,
) -> Result<u64, Error> {
    let before = block.height.saturating_sub(params.nonce_retention);
    let old = PROVIDER_NONCES_BY_HEIGHT.prefix_all().range(..before).limit(params.per_block);
    let mut deleted = 0;
    old.walk(tx, |tx, row| {
        let key = row.owner()?;
        let (owner, nonce) = (account(&key.provider)?, key.nonce);
        let row = PROVIDER_NONCES.get(tx, (&key.provider, nonce))?;
        if let Some(row) = row.filter(|row| !row.used) {
            let job = JOB_STATUS.get(tx, row.request)?;
            if job.is_some_and(|job| job.status == Status::Processing) {
                let row = ProviderNonce { height: block.height, ..row };
                return Ok(PROVIDER_NONCES.put(tx, key, &row)?);
            }
        }
        change(tx, &owner, |provider| provider.nonce_floor = provider.nonce_floor.max(nonce))?;
        deleted += 1;
        Ok::<(), Error>(PROVIDER_NONCES.delete(tx, key)?)
    })?;
    Ok(deleted)
}
