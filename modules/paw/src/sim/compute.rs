//! Operations of the compute market.

use super::{Done, Fault, check, draw::Draw, is, is_poor, never, refused, run};
use crate::{
    Error, ErrorKind,
    keeper::{
        account_of, balance,
        compute::{self, NewRequest, ProviderUpdate},
    },
    layout::paw::{
        Account, ESCROWS, JOBS_BY_STATUS, NEXT_REQUEST, NONCES, PROOFS, PROVIDERS, Proof,
    },
    values::{EscrowState, Status},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    match draw.below(20) {
        0..3 => provider(tx, draw),
        3..8 => submit(tx, draw),
        8..16 => job(tx, draw),
        16..19 => settle(tx, draw),
        _ => invalid(tx, draw),
    }
}

fn provider(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, account) = (draw.block, draw.account()?);
    let price = U256::from(1_000 + draw.below(5_000));
    let Some(row) = PROVIDERS.get(tx, &account)? else {
        let stake = U256::from(1_000_000 + draw.below(1_000_000));
        return run(tx, "register", never, |tx| {
            compute::register(tx, block, &account, stake, price, "https://node")
        });
    };
    let amount = draw.amount(U256::from(300_000_u64));
    match draw.below(8) {
        0 => run(tx, "deactivate", never, |tx| compute::deactivate(tx, &account)),
        1 => run(tx, "add stake", never, |tx| compute::add_stake(tx, block, &account, amount)),
        2 => {
            let may = is!(Busy | Stake);
            run(tx, "withdraw", may, |tx| compute::withdraw_stake(tx, block, &account, amount))
        }
        3 => refused(tx, "register twice", is!(AlreadyRegistered), |tx| {
            compute::register(tx, block, &account, U256::new(1_000_000), price, "https://node")
        }),
        _ => {
            let offer = ProviderUpdate { price, endpoint: "https://other".into(), active: true };
            let done = run(tx, "update", is!(Stake), |tx| compute::update(tx, &account, &offer))?;
            let after = compute::get_provider(tx, &account)?;
            let same = (done == Some(true)) == (after.price == price) || row.price == price;
            check("update", same, || format!("{after:?}"))?;
            Ok(done)
        }
    }
}

fn submit(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, requester) = (draw.block, draw.account()?);
    let last = NONCES.get(tx, &requester)?.unwrap_or(0);
    let mut new = |nonce| {
        let units = 1 + draw.below(20);
        let max_payment = U256::from(10_000 + units * (2_000 + draw.below(5_000)));
        Ok::<_, Fault>(NewRequest {
            provider: if draw.chance(3) { Some(draw.account()?) } else { None },
            units,
            spec: draw.hash(),
            max_payment,
            nonce,
        })
    };
    let batch = [new(last + 1)?, new(last + 2)?];
    let may =
        |kind: &ErrorKind| is!(NoProvider | NoActiveProvider | Payment)(kind) || is_poor(kind);
    let expected = NEXT_REQUEST.peek(tx)?;
    let [first, _] = &batch;
    match draw.below(6) {
        0 => {
            let done =
                run(tx, "batch", may, |tx| compute::submit_batch(tx, block, &requester, &batch))?;
            let next = NEXT_REQUEST.peek(tx)?;
            let made = if done == Some(true) { 2 } else { 0 };
            check("batch", next == expected + made, || format!("{next} follows {expected}"))?;
            Ok(done)
        }
        1 => {
            let again = NewRequest { nonce: last, ..first.clone() };
            refused(tx, "used nonce", is!(Replay), |tx| {
                compute::submit(tx, block, &requester, &again)
            })
        }
        _ => run(tx, "submit", may, |tx| compute::submit(tx, block, &requester, first).map(drop)),
    }
}

/// Returns a job with a status, and its provider and requester.
fn job_in(
    state: &(impl Read + ?Sized),
    draw: &mut Draw,
    status: Status,
) -> Result<Option<(u64, Account<'static>, Account<'static>)>, Fault> {
    let from = draw.below(NEXT_REQUEST.peek(state)?);
    let jobs = || JOBS_BY_STATUS.prefix_status(status as u8);
    let job = match jobs().range(from..).first(state)? {
        Some(job) => Some(job),
        None => jobs().first(state)?,
    };
    let Some((key, ())) = job else { return Ok(None) };
    let request = compute::get_request(state, key.request)?;
    let provider = Account::new(request.provider.as_bytes().to_vec())?;
    let requester = Account::new(request.requester.as_bytes().to_vec())?;
    Ok(Some((key.request, provider, requester)))
}

fn job(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let statuses = [Status::Pending, Status::Assigned, Status::Processing];
    let status = draw.pick(&statuses).unwrap_or(Status::Pending);
    let block = draw.block;
    let Some((id, provider, requester)) = job_in(tx, draw, status)? else { return Ok(None) };
    // Expired jobs wait for the end of a block.
    let may = is!(Escrow | NoActiveProvider | Payment);
    match (status, draw.below(8)) {
        (Status::Pending | Status::Assigned, 0) => {
            run(tx, "cancel", never, |tx| compute::cancel(tx, block, &requester, id))
        }
        (Status::Assigned | Status::Processing, 1) => {
            run(tx, "fail", never, |tx| compute::fail(tx, block, &provider, id))
        }
        (Status::Pending, _) => {
            run(tx, "assign", may, |tx| compute::assign(tx, block, &provider, id))
        }
        (Status::Assigned, _) => {
            // The nonce of a later job can have raised the floor above this id.
            let may = is!(Escrow | Replay);
            run(tx, "start", may, |tx| compute::start(tx, block, &provider, id, id))
        }
        _ => {
            let (output, proof) = (draw.hash(), draw.hash());
            let done = run(tx, "complete", may, |tx| {
                compute::complete(tx, block, &provider, id, id, output, proof)
            })?;
            if done == Some(true) {
                let result = compute::get_result(tx, id)?;
                check("complete", result.proof == proof, || format!("{result:?}"))?;
                let of = PROOFS.get(tx, Proof::from(proof))?;
                check("complete", of == Some(id), || format!("the proof is of {of:?}"))?;
            }
            Ok(done)
        }
    }
}

/// Disputes, resolves and releases. One party receives the whole escrow.
fn settle(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, governance) = (draw.block, draw.governance()?);
    let Some((id, provider, requester)) = job_in(tx, draw, Status::Completed)? else {
        return Ok(None);
    };
    let before = compute::get_escrow(tx, id)?;
    let denom = compute::params(tx)?.denom;
    let held = |tx: &Tx<'_>| -> Result<[U256; 3], Error> {
        let of = |account: &Account<'_>| balance(tx, account, &denom);
        Ok([of(&provider)?, of(&requester)?, of(&account_of("compute")?)?])
    };
    let coins = held(tx)?;
    let may = is!(Escrow);
    let done = match (before.state, draw.below(4)) {
        (EscrowState::Challenged, 0) => {
            return run(tx, "dispute", may, |tx| compute::dispute(tx, block, &requester, id));
        }
        (EscrowState::Challenged, 1) => {
            run(tx, "release now", never, |tx| compute::release_now(tx, block, &governance, id))?
        }
        (EscrowState::Disputed, wins) => {
            run(tx, "resolve", never, |tx| compute::resolve(tx, block, &governance, id, wins < 2))?
        }
        (EscrowState::Challenged, _) => {
            run(tx, "release", may, |tx| compute::release(tx, block, id))?
        }
        _ => refused(tx, "release twice", may, |tx| compute::release(tx, block, id))?,
    };
    let after = compute::get_escrow(tx, id)?;
    let paid = if done == Some(true) { after.payment } else { U256::ZERO };
    let rest = if done == Some(true) { before.amount - paid } else { U256::ZERO };
    let [to_provider, to_requester, _] = held(tx)?;
    // One account can be both.
    let expected = if provider == requester { paid + rest } else { paid };
    check("settle", to_provider == coins[0] + expected, || format!("{id} pays the provider"))?;
    let expected = if provider == requester { paid + rest } else { rest };
    check("settle", to_requester == coins[1] + expected, || format!("{id} pays the requester"))?;
    Ok(done)
}

fn invalid(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let (block, governance) = (draw.block, draw.governance()?);
    let unknown = NEXT_REQUEST.peek(tx)?;
    let used = PROOFS.prefix_all().first(tx)?.map(|(key, _)| key.proof);
    match draw.below(4) {
        0 => refused(tx, "unknown request", is!(NoRequest), |tx| {
            compute::assign(tx, block, &governance, unknown)
        }),
        1 => {
            let params = compute::params(tx)?;
            let account = draw.account()?;
            refused(tx, "parameters", is!(Unauthorized), |tx| {
                compute::set_params(tx, &account, &params)
            })
        }
        2 => {
            let params = compute::params(tx)?;
            run(tx, "parameters", never, |tx| compute::set_params(tx, &governance, &params))
        }
        _ => {
            let job = job_in(tx, draw, Status::Processing)?;
            let (Some((id, provider, _)), Some(proof)) = (job, used) else { return Ok(None) };
            let proof = *proof.as_bytes();
            let reason = is!(ProofUsed | Escrow);
            let status = compute::get_status(tx, id)?;
            check("proof", status == Status::Processing, || status.to_string())?;
            let done = refused(tx, "used proof", reason, |tx| {
                compute::complete(tx, block, &provider, id, id, [0; 32], proof)
            })?;
            check("proof", ESCROWS.contains(tx, id)?, || "the escrow is gone".to_owned())?;
            Ok(done)
        }
    }
}
