//! Invariants of the compute market.

use crate::{
    Error,
    keeper::{account_of, balance, compute},
    layout::paw::{
        Account, ESCROWS, JOB_STATUS, NEXT_REQUEST, NONCES, PROOFS, PROVIDERS, Proof, REQUESTS,
        RESULTS,
    },
    number::{MAX_SECONDS, MAX_TIME, bounded},
    values::{Escrow, EscrowState, Status},
};
use keyscape::{U256, store::Read};
use keyscape_sim::{Breaches, Broken};
use std::collections::BTreeMap;

fn is_open(escrow: &Escrow) -> bool {
    !matches!(escrow.state, EscrowState::Released | EscrowState::Refunded)
}

/// Checks that the account of the module contains exactly all stakes and unsettled escrows of their
/// denomination.
///
/// # Errors
/// Errors of the database.
pub fn compute_coins(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("compute coins");
    let mut sum = U256::ZERO;
    for row in PROVIDERS.scan_all(state)? {
        sum = sum.saturating_add(row?.1.stake);
    }
    for row in ESCROWS.scan_all(state)? {
        let (_, escrow) = row?;
        if is_open(&escrow) {
            sum = sum.saturating_add(escrow.amount);
        }
    }
    let held = balance(state, &account_of("compute")?, &compute::params(state)?.denom)?;
    breaches
        .unless(held == sum, || format!("the account of `compute` holds {held}, expected {sum}"));
    Ok(breaches.reported())
}

/// Checks that providers have a price, an endpoint, a reputation of at most 100 and, if they are
/// active, the minimum stake.
///
/// # Errors
/// Errors of the database.
pub fn providers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("providers");
    let params = compute::params(state)?;
    for row in PROVIDERS.scan_all(state)? {
        let (key, provider) = row?;
        let checked = compute::check_provider(&params, &provider);
        breaches.take(checked, || format!("`{}`", key.provider))?;
    }
    Ok(breaches.reported())
}

/// Whether a job can have a status while its escrow is in a state.
fn agree(status: Status, state: EscrowState) -> bool {
    use {EscrowState as E, Status as S};
    match state {
        E::Locked => matches!(status, S::Pending | S::Assigned | S::Processing),
        E::Challenged | E::Disputed | E::Released => status == S::Completed,
        E::Refunded => !matches!(status, S::Pending | S::Assigned | S::Processing),
    }
}

/// Checks that a request, its status and its escrow exist together and agree. Exactly the completed
/// jobs have a result with a proof. Ids are below their counter, and nonces are not above the last
/// one of their requester. Every provider states the number of its open jobs.
///
/// # Errors
/// Errors of the database.
pub fn jobs(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("jobs");
    let next = NEXT_REQUEST.peek(state)?;
    let mut open: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let (mut count, mut completed) = (0, 0);
    for row in REQUESTS.scan_all(state)? {
        let (key, request) = row?;
        let id = key.request;
        count += 1;
        breaches.unless(id < next, || format!("request {id} is not below {next}"));
        breaches.unless(request.units > 0, || format!("request {id} has no unit of work"));
        let requester = Account::new(request.requester.as_bytes())?;
        let last = NONCES.get(state, requester)?.unwrap_or(0);
        let in_order = request.nonce <= last;
        breaches.unless(in_order, || format!("request {id} has a nonce above {last}"));
        let (status, escrow) = (JOB_STATUS.get(state, id)?, ESCROWS.get(state, id)?);
        let (Some(status), Some(escrow)) = (status, escrow) else {
            breaches.add(format_args!("request {id} has no status or no escrow"));
            continue;
        };
        let (status, is_accepted) = (status.status, escrow.payment > U256::ZERO);
        breaches.unless(agree(status, escrow.state), || {
            format!("request {id} is {status} and its escrow {}", escrow.state)
        });
        breaches.unless(escrow.payment <= escrow.amount, || {
            format!("request {id} pays {} out of {}", escrow.payment, escrow.amount)
        });
        breaches.take(bounded("payment", escrow.amount), || format!("request {id}"))?;
        let in_time = escrow.expires <= MAX_TIME.saturating_add(MAX_SECONDS);
        breaches.unless(in_time, || format!("request {id} expires in second {}", escrow.expires));
        if is_open(&escrow) {
            breaches.unless((status != Status::Pending) == is_accepted, || {
                format!("request {id} is {status} with a payment of {}", escrow.payment)
            });
            *open.entry(request.provider.as_bytes().to_vec()).or_default() +=
                u64::from(is_accepted);
        }
        let result = RESULTS.get(state, id)?;
        breaches.unless(result.is_some() == (status == Status::Completed), || {
            let count = if result.is_some() { "a" } else { "no" };
            format!("request {id} is {status} and has {count} result")
        });
        if let Some(result) = result {
            completed += 1;
            let proven = PROOFS.get(state, Proof::from(result.proof))?;
            breaches.unless(proven == Some(id), || format!("the proof of request {id} is unknown"));
        }
    }
    for (name, rows, count) in [
        ("statuses", JOB_STATUS.prefix_all().count(state)?, count),
        ("escrows", ESCROWS.prefix_all().count(state)?, count),
        ("results", RESULTS.prefix_all().count(state)?, completed),
    ] {
        breaches.unless(rows == count, || format!("{rows} {name}, expected {count}"));
    }
    for row in PROOFS.scan_all(state)? {
        let (key, id) = row?;
        // The proof of a deleted request stays.
        let result = RESULTS.get(state, id)?;
        let is_own = match result {
            Some(result) => result.proof == *key.proof.as_bytes(),
            None => id < next && !REQUESTS.contains(state, id)?,
        };
        breaches.unless(is_own, || format!("a proof is of request {id}, which has not used it"));
    }
    for row in PROVIDERS.scan_all(state)? {
        let (key, provider) = row?;
        let (jobs, stated) = (open.remove(key.provider.as_bytes()), provider.open_jobs);
        let jobs = jobs.unwrap_or(0);
        breaches.unless(jobs == stated, || {
            format!("`{}` has {jobs} open jobs, not {stated}", key.provider)
        });
    }
    let is_registered = open.values().all(|jobs| *jobs == 0);
    breaches.unless(is_registered, || "the provider of an open job is not registered".to_owned());
    Ok(breaches.reported())
}
