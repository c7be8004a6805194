//! Escrows. Every state ends at its expiry at the latest.

use super::{MODULE, account, params, providers, requests};
use crate::{
    Error, ErrorKind,
    keeper::{Block, account_of, coins, only, require},
    layout::paw::{Account, ESCROWS, ESCROWS_BY_EXPIRY},
    number,
    values::{ComputeParams, Escrow, EscrowState, Status},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Returns the escrow of a request.
///
/// # Errors
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn get_escrow(state: &(impl Read + ?Sized), request: u64) -> Result<Escrow, Error> {
    ESCROWS.get(state, request)?.ok_or_else(|| ErrorKind::NoRequest(request).into())
}

/// Returns an escrow that is in a state and satisfies a condition on its expiry.
fn in_state(
    state: &(impl Read + ?Sized),
    request: u64,
    expected: EscrowState,
    condition: impl FnOnce(u64) -> bool,
) -> Result<Escrow, Error> {
    let escrow = get_escrow(state, request)?;
    let Escrow { state, expires, .. } = escrow;
    let is_expected = state == expected && condition(expires);
    require(is_expected, || ErrorKind::Escrow { request, state, expires })?;
    Ok(escrow)
}

/// Returns an escrow that is in a state and has not expired.
pub(super) fn unexpired(
    state: &(impl Read + ?Sized),
    block: Block,
    request: u64,
    expected: EscrowState,
) -> Result<Escrow, Error> {
    in_state(state, request, expected, |expires| block.time < expires)
}

/// Pays the provider after the challenge period, by any account.
///
/// # Errors
/// [`Escrow`](ErrorKind::Escrow), [`NoRequest`](ErrorKind::NoRequest).
pub fn release(tx: &mut Tx<'_>, block: Block, request: u64) -> Result<(), Error> {
    in_state(tx, request, EscrowState::Challenged, |expires| expires <= block.time)?;
    tx.attempt(|tx| settle(tx, block, request, EscrowState::Released))
}

/// Pays the provider without waiting for the end of the challenge period, by governance.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Escrow`](ErrorKind::Escrow),
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn release_now(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    request: u64,
) -> Result<(), Error> {
    only(by, &params(tx)?.governance)?;
    in_state(tx, request, EscrowState::Challenged, |_| true)?;
    tx.attempt(|tx| settle(tx, block, request, EscrowState::Released))
}

/// Disputes a result within the challenge period, by the requester.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Escrow`](ErrorKind::Escrow),
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn dispute(
    tx: &mut Tx<'_>,
    block: Block,
    requester: &Account<'_>,
    request: u64,
) -> Result<(), Error> {
    only(requester, &account(&requests::get_request(tx, request)?.requester)?)?;
    let escrow = unexpired(tx, block, request, EscrowState::Challenged)?;
    let expires = block.after(params(tx)?.dispute_timeout)?;
    Ok(ESCROWS.put(tx, request, &Escrow { state: EscrowState::Disputed, expires, ..escrow })?)
}

/// Decides a dispute, by governance. A provider that loses is slashed and loses reputation.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Escrow`](ErrorKind::Escrow),
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn resolve(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    request: u64,
    for_provider: bool,
) -> Result<(), Error> {
    let params = params(tx)?;
    only(by, &params.governance)?;
    in_state(tx, request, EscrowState::Disputed, |_| true)?;
    tx.attempt(|tx| {
        if for_provider {
            return settle(tx, block, request, EscrowState::Released);
        }
        let provider = account(&requests::get_request(tx, request)?.provider)?;
        providers::slash(tx, &params, &provider)?;
        providers::change(tx, &provider, |row| requests::rate(row, -20))?;
        settle(tx, block, request, EscrowState::Refunded)
    })
}

/// Pays out an escrow: on release the agreed payment to the provider, the rest to the requester.
/// `state` is `Released` or `Refunded`.
pub(super) fn settle(
    tx: &mut Tx<'_>,
    block: Block,
    request: u64,
    state: EscrowState,
) -> Result<(), Error> {
    let (params, escrow) = (params(tx)?, get_escrow(tx, request)?);
    let row = requests::get_request(tx, request)?;
    let paid = if state == EscrowState::Released { escrow.payment } else { U256::ZERO };
    let (from, denom) = (account_of(MODULE)?, &params.denom);
    coins::send(tx, block, &from, &account(&row.provider)?, denom, paid)?;
    let rest = number::sub(escrow.amount, paid)?;
    coins::send(tx, block, &from, &account(&row.requester)?, denom, rest)?;
    if escrow.payment > U256::ZERO {
        // The job was accepted, and its settlement ends it.
        providers::change(tx, &account(&row.provider)?, |provider| {
            provider.open_jobs = provider.open_jobs.saturating_sub(1);
        })?;
    }
    let expires = block.time.saturating_add(params.retention);
    Ok(ESCROWS.put(tx, request, &Escrow { payment: paid, state, expires, ..escrow })?)
}

/// Ends the states that have expired: a bounded number, the oldest first.
pub(super) fn expire(tx: &mut Tx<'_>, block: Block, params: &ComputeParams) -> Result<u64, Error> {
    let due = ESCROWS_BY_EXPIRY.prefix_all().range(..=block.time).limit(params.per_block);
    due.walk(tx, |tx, row| {
        let request = row.key.request;
        match get_escrow(tx, request)?.state {
            EscrowState::Locked => {
                requests::finish(tx, block, request, Status::Expired, -5)?;
                settle(tx, block, request, EscrowState::Refunded)
            }
            EscrowState::Challenged => settle(tx, block, request, EscrowState::Released),
            EscrowState::Disputed => settle(tx, block, request, EscrowState::Refunded),
            EscrowState::Released | EscrowState::Refunded => {
                requests::delete(tx, request)?;
                Ok(ESCROWS.delete(tx, request)?)
            }
        }
    })
}
