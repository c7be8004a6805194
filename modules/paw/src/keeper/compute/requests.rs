//! Requests, their status and their results.

use super::{MODULE, account, escrow, params, party, providers};
use crate::{
    Error, ErrorKind,
    keeper::{Block, account_of, coins, only, require},
    layout::paw::{
        Account, ESCROWS, JOB_STATUS, NEXT_REQUEST, NONCES, PROOFS, Proof, REQUESTS, RESULTS,
    },
    number::{bounded, rising},
    values::{ComputeParams, Escrow, EscrowState, JobResult, JobStatus, Provider, Request, Status},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// A request to submit.
#[derive(Clone, Debug)]
pub struct NewRequest<'a> {
    /// The provider, or `None` for the active provider with the best reputation.
    pub provider: Option<Account<'a>>,
    /// The units of work.
    pub units: u64,
    /// The hash of the program and its input.
    pub spec: [u8; 32],
    /// The largest payment, which is escrowed.
    pub max_payment: U256,
    /// The nonce, above the last nonce of the requester.
    pub nonce: u64,
}

/// Returns a request.
///
/// # Errors
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn get_request(state: &(impl Read + ?Sized), request: u64) -> Result<Request, Error> {
    REQUESTS.get(state, request)?.ok_or_else(|| ErrorKind::NoRequest(request).into())
}

/// Returns the status of a job.
///
/// # Errors
/// [`NoRequest`](ErrorKind::NoRequest).
pub fn get_status(state: &(impl Read + ?Sized), request: u64) -> Result<Status, Error> {
    let job = JOB_STATUS.get(state, request)?;
    Ok(job.ok_or(ErrorKind::NoRequest(request))?.status)
}

/// Returns the result of a completed job.
///
/// # Errors
/// [`NoResult`](ErrorKind::NoResult).
pub fn get_result(state: &(impl Read + ?Sized), request: u64) -> Result<JobResult, Error> {
    RESULTS.get(state, request)?.ok_or_else(|| ErrorKind::NoResult(request).into())
}

fn set_status(tx: &mut Tx<'_>, block: Block, request: u64, status: Status) -> Result<(), Error> {
    Ok(JOB_STATUS.put(tx, request, &JobStatus { status, height: block.height })?)
}

/// Submits a request and escrows its payment. Returns the id.
///
/// # Errors
/// [`Replay`](ErrorKind::Replay), [`Payment`](ErrorKind::Payment),
/// [`NoProvider`](ErrorKind::NoProvider), [`NoActiveProvider`](ErrorKind::NoActiveProvider),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn submit(
    tx: &mut Tx<'_>,
    block: Block,
    requester: &Account<'_>,
    new: &NewRequest<'_>,
) -> Result<u64, Error> {
    let params = params(tx)?;
    tx.attempt(|tx| submit_one(tx, block, &params, requester, new))
}

/// Submits several requests atomically. Returns their ids.
///
/// # Errors
/// As [`submit`]; [`Invalid`](ErrorKind::Invalid) if the batch is empty or too large.
pub fn submit_batch(
    tx: &mut Tx<'_>,
    block: Block,
    requester: &Account<'_>,
    batch: &[NewRequest<'_>],
) -> Result<Vec<u64>, Error> {
    let params = params(tx)?;
    let fits = (1..=params.max_batch).contains(&(batch.len() as u64));
    require(fits, || ErrorKind::Invalid("the batch is empty or too large"))?;
    tx.attempt(|tx| {
        batch.iter().map(|new| submit_one(tx, block, &params, requester, new)).collect()
    })
}

fn submit_one(
    tx: &mut Tx<'_>,
    block: Block,
    params: &ComputeParams,
    requester: &Account<'_>,
    new: &NewRequest<'_>,
) -> Result<u64, Error> {
    let last = NONCES.get(tx, requester)?.unwrap_or(0);
    rising(new.nonce, last)?;
    let provider = match &new.provider {
        Some(provider) => provider.clone().into_owned(),
        None => providers::best(tx)?,
    };
    let offer = providers::get_provider(tx, &provider)?;
    require(offer.active, || ErrorKind::NoActiveProvider)?;
    let needed = cost(&offer, new.units)?.max(params.min_payment);
    let offered = new.max_payment;
    require(offered >= needed, || ErrorKind::Payment { offered, needed })?;
    bounded("payment", offered)?;
    coins::send(tx, block, requester, &account_of(MODULE)?, &params.denom, offered)?;
    let id = NEXT_REQUEST.next(tx)?;
    NONCES.put(tx, requester, new.nonce)?;
    let request = Request {
        requester: party(requester)?,
        provider: party(&provider)?,
        units: new.units,
        spec: new.spec,
        nonce: new.nonce,
        height: block.height,
    };
    REQUESTS.put(tx, id, &request)?;
    set_status(tx, block, id, Status::Pending)?;
    let (state, expires) = (EscrowState::Locked, block.after(params.escrow_timeout)?);
    ESCROWS.put(tx, id, &Escrow { amount: offered, payment: U256::ZERO, state, expires })?;
    Ok(id)
}

fn cost(offer: &Provider, units: u64) -> Result<U256, Error> {
    require(units > 0, || ErrorKind::Invalid("a request needs at least one unit of work"))?;
    let cost = offer.price.checked_mul(U256::from(units));
    Ok(cost.ok_or(ErrorKind::Overflow("price"))?)
}

/// Accepts a pending request, by its provider, at the current price of the provider.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Status`](ErrorKind::Status),
/// [`Escrow`](ErrorKind::Escrow) if it has expired, [`Payment`](ErrorKind::Payment),
/// [`NoActiveProvider`](ErrorKind::NoActiveProvider).
pub fn assign(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    request: u64,
) -> Result<(), Error> {
    check_job(tx, provider, request, &[Status::Pending])?;
    let held = escrow::unexpired(tx, block, request, EscrowState::Locked)?;
    tx.attempt(|tx| {
        let row = get_request(tx, request)?;
        let mut payment = U256::ZERO;
        providers::try_change(tx, provider, |offer| {
            require(offer.active, || ErrorKind::NoActiveProvider)?;
            payment = cost(offer, row.units)?;
            offer.open_jobs = offer.open_jobs.saturating_add(1);
            Ok(())
        })?;
        let offered = held.amount;
        require(payment <= offered, || ErrorKind::Payment { offered, needed: payment })?;
        ESCROWS.put(tx, request, &Escrow { payment, ..held })?;
        set_status(tx, block, request, Status::Assigned)
    })
}

/// Starts an assigned job, by its provider, and reserves a nonce for its completion.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Status`](ErrorKind::Status),
/// [`Replay`](ErrorKind::Replay), [`Escrow`](ErrorKind::Escrow).
pub fn start(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    request: u64,
    nonce: u64,
) -> Result<(), Error> {
    check_job(tx, provider, request, &[Status::Assigned])?;
    escrow::unexpired(tx, block, request, EscrowState::Locked)?;
    tx.attempt(|tx| {
        providers::reserve_nonce(tx, block, provider, nonce, request)?;
        set_status(tx, block, request, Status::Processing)
    })
}

/// Completes a job with its result. The escrow becomes `challenged`.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Status`](ErrorKind::Status),
/// [`NotReserved`](ErrorKind::NotReserved), [`ProofUsed`](ErrorKind::ProofUsed),
/// [`Escrow`](ErrorKind::Escrow).
pub fn complete(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    request: u64,
    nonce: u64,
    output: [u8; 32],
    proof: [u8; 32],
) -> Result<(), Error> {
    check_job(tx, provider, request, &[Status::Processing])?;
    let held = escrow::unexpired(tx, block, request, EscrowState::Locked)?;
    let params = params(tx)?;
    tx.attempt(|tx| {
        providers::use_nonce(tx, provider, nonce, request)?;
        let key = Proof::from(proof);
        if let Some(other) = PROOFS.get(tx, key)? {
            return Err(ErrorKind::ProofUsed(other).into());
        }
        PROOFS.put(tx, key, request)?;
        RESULTS.put(tx, request, &JobResult { output, proof, height: block.height })?;
        let (state, expires) = (EscrowState::Challenged, block.after(params.challenge_period)?);
        ESCROWS.put(tx, request, &Escrow { state, expires, ..held })?;
        finish(tx, block, request, Status::Completed, 1)
    })
}

/// Gives up a job, by its provider. The requester is refunded.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Status`](ErrorKind::Status).
pub fn fail(
    tx: &mut Tx<'_>,
    block: Block,
    provider: &Account<'_>,
    request: u64,
) -> Result<(), Error> {
    check_job(tx, provider, request, &[Status::Assigned, Status::Processing])?;
    tx.attempt(|tx| {
        finish(tx, block, request, Status::Failed, -5)?;
        escrow::settle(tx, block, request, EscrowState::Refunded)
    })
}

/// Withdraws a request that is not being processed, by its requester. The requester is refunded.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), [`Status`](ErrorKind::Status).
pub fn cancel(
    tx: &mut Tx<'_>,
    block: Block,
    requester: &Account<'_>,
    request: u64,
) -> Result<(), Error> {
    let row = get_request(tx, request)?;
    only(requester, &account(&row.requester)?)?;
    check_status(tx, request, &[Status::Pending, Status::Assigned])?;
    tx.attempt(|tx| {
        finish(tx, block, request, Status::Cancelled, 0)?;
        escrow::settle(tx, block, request, EscrowState::Refunded)
    })
}

/// Ends the work on a job: sets its status, and rates its provider if the job was accepted.
pub(super) fn finish(
    tx: &mut Tx<'_>,
    block: Block,
    request: u64,
    status: Status,
    reputation: i64,
) -> Result<(), Error> {
    let row = get_request(tx, request)?;
    if matches!(get_status(tx, request)?, Status::Assigned | Status::Processing) {
        providers::change(tx, &account(&row.provider)?, |provider| rate(provider, reputation))?;
    }
    set_status(tx, block, request, status)
}

/// Adds to the reputation of a provider, within its bounds.
pub(super) fn rate(provider: &mut Provider, by: i64) {
    provider.reputation = provider.reputation.saturating_add_signed(by).min(Provider::BEST);
}

/// Checks that a job belongs to a provider and has one of the allowed statuses.
fn check_job(
    state: &(impl Read + ?Sized),
    provider: &Account<'_>,
    request: u64,
    allowed: &[Status],
) -> Result<(), Error> {
    only(provider, &account(&get_request(state, request)?.provider)?)?;
    check_status(state, request, allowed)
}

fn check_status(
    state: &(impl Read + ?Sized),
    request: u64,
    allowed: &[Status],
) -> Result<(), Error> {
    let status = get_status(state, request)?;
    require(allowed.contains(&status), || ErrorKind::Status { request, status })
}

/// Deletes a settled request. Its proof stays.
pub(super) fn delete(tx: &mut Tx<'_>, request: u64) -> Result<(), Error> {
    REQUESTS.delete(tx, request)?;
    JOB_STATUS.delete(tx, request)?;
    Ok(RESULTS.delete(tx, request)?)
}
