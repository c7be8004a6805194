//! The compute market.

use crate::setup::{
    Outcome, account, at, completed, fund, governance, has, in_paw, in_paw_with, market, params,
    processing, proof, provider, refused, refused_for, request, sound, u,
};
use keyscape::store::Tx;
use keyscape_paw::{
    Block, Error, ErrorKind,
    keeper::{
        self,
        compute::{self, NewRequest, ProviderUpdate},
    },
    layout::paw::{ESCROWS, JOBS_BY_STATUS, PROOFS, PROVIDER_NONCES, Proof, REQUESTS, RESULTS},
    values::{EscrowState, Status},
};
use keyscape_sim::is;

/// Returns a block `seconds` after block 0.
fn after(seconds: u64) -> Block {
    Block { height: seconds / 6, time: at(0).time + seconds }
}

fn state(tx: &Tx<'_>, id: u64) -> Result<(Status, EscrowState), Error> {
    Ok((compute::get_status(tx, id)?, compute::get_escrow(tx, id)?.state))
}

#[test]
fn a_job_is_paid_after_the_challenge_period() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let id = compute::submit(tx, at(1), &ann, &request(1))?;
        assert_eq!(state(tx, id)?, (Status::Pending, EscrowState::Locked));
        compute::assign(tx, at(2), &node, id)?;
        compute::start(tx, at(3), &node, id, 7)?;
        refused_for(tx, is!(NoResult), |tx| compute::get_result(tx, id));
        compute::complete(tx, at(4), &node, id, 7, [2; 32], proof(1))?;
        assert_eq!(compute::get_result(tx, id)?.output, [2; 32]);
        assert_eq!(state(tx, id)?, (Status::Completed, EscrowState::Challenged));
        assert_eq!((has(tx, &ann, "upaw"), has(tx, &node, "upaw")), (85_000, 3_000_000));
        let early = refused(tx, |tx| compute::release(tx, at(5), id));
        assert!(matches!(early.kind(), ErrorKind::Escrow { state: EscrowState::Challenged, .. }));
        let late = after(24 + 3_600);
        compute::release(tx, late, id)?;
        assert_eq!(state(tx, id)?, (Status::Completed, EscrowState::Released));
        // Ten units cost 10000. The rest of the 15000 is refunded.
        assert_eq!((has(tx, &ann, "upaw"), has(tx, &node, "upaw")), (90_000, 3_010_000));
        refused(tx, |tx| compute::release(tx, late, id));
        sound(tx);
        Ok(())
    })
}

/// Operations lead to every state of an escrow, and the ends of blocks settle the open ones.
#[test]
fn every_escrow_state_is_reached_and_left() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "1000000upaw")?;
        let pending = compute::submit(tx, at(1), &ann, &request(1))?;
        let started = processing(tx, at(1), &ann, &node, 2)?;
        let challenged = completed(tx, at(1), &ann, &node, 3)?;
        let disputed = completed(tx, at(1), &ann, &node, 4)?;
        compute::dispute(tx, at(2), &ann, disputed)?;
        let lost = completed(tx, at(1), &ann, &node, 5)?;
        compute::dispute(tx, at(2), &ann, lost)?;
        compute::resolve(tx, at(3), &governance(), lost, false)?;
        let won = completed(tx, at(1), &ann, &node, 6)?;
        compute::dispute(tx, at(2), &ann, won)?;
        compute::resolve(tx, at(3), &governance(), won, true)?;
        let released = completed(tx, at(1), &ann, &node, 7)?;
        compute::release_now(tx, at(2), &governance(), released)?;
        let failed = processing(tx, at(1), &ann, &node, 8)?;
        compute::fail(tx, at(2), &node, failed)?;
        let cancelled = compute::submit(tx, at(1), &ann, &request(9))?;
        compute::cancel(tx, at(2), &ann, cancelled)?;
        use EscrowState::{Challenged, Disputed, Locked, Refunded, Released};
        let expected = [
            (pending, Locked),
            (started, Locked),
            (challenged, Challenged),
            (disputed, Disputed),
            (lost, Refunded),
            (won, Released),
            (released, Released),
            (failed, Refunded),
            (cancelled, Refunded),
        ];
        for (id, expected) in expected {
            assert_eq!(state(tx, id)?.1, expected, "{id}");
        }
        sound(tx);
        // A lost dispute costs the provider a tenth of its stake.
        assert_eq!(compute::get_provider(tx, &node)?.stake, u(1_800_000));

        keeper::end_block(tx, after(6 + 3_600))?;
        assert_eq!(state(tx, challenged)?, (Status::Completed, Released));
        keeper::end_block(tx, after(6 + 24 * 3_600))?;
        assert_eq!(state(tx, pending)?, (Status::Expired, Refunded));
        assert_eq!(state(tx, started)?, (Status::Expired, Refunded));
        keeper::end_block(tx, after(12 + 7 * 24 * 3_600))?;
        assert_eq!(state(tx, disputed)?, (Status::Completed, Refunded));
        sound(tx);
        // After the retention, only the proofs remain.
        keeper::end_block(tx, after(40 * 24 * 3_600))?;
        assert_eq!([REQUESTS.prefix_all().count(tx)?, ESCROWS.prefix_all().count(tx)?], [0, 0]);
        assert_eq!((RESULTS.prefix_all().count(tx)?, PROOFS.prefix_all().count(tx)?), (0, 5));
        // Three payments of 10000. The rest was refunded.
        assert_eq!(has(tx, &ann, "upaw"), 970_000);
        assert_eq!(compute::get_provider(tx, &node)?.open_jobs, 0);
        sound(tx);
        Ok(())
    })
}

#[test]
fn the_end_of_a_block_settles_a_bounded_number() -> Outcome {
    let mut params = params();
    params.compute.per_block = 4;
    params.compute.max_batch = 50;
    in_paw_with(&params, |tx| {
        let [ann, _] = market(tx, "1000000upaw")?;
        let batch: Vec<NewRequest<'_>> = (1..=10).map(request).collect();
        assert_eq!(compute::submit_batch(tx, at(1), &ann, &batch)?.len(), 10);
        let late = after(25 * 3_600);
        for (settled, left) in [(4, 6), (4, 2), (2, 0), (0, 0)] {
            assert_eq!(keeper::end_block(tx, late)?.escrows, settled);
            let pending = JOBS_BY_STATUS.prefix_status(Status::Pending as u8).count(tx)?;
            assert_eq!(pending, left);
            sound(tx);
        }
        assert_eq!(has(tx, &ann, "upaw"), 1_000_000);
        Ok(())
    })
}

#[test]
fn a_batch_is_submitted_as_a_whole() -> Outcome {
    in_paw(|tx| {
        let [ann, _] = market(tx, "40000upaw")?;
        let batch: Vec<NewRequest<'_>> = (1..=3).map(request).collect();
        refused_for(tx, is!(Bank), |tx| compute::submit_batch(tx, at(1), &ann, &batch));
        let replay = [request(1), request(1)];
        let replay = refused(tx, |tx| compute::submit_batch(tx, at(1), &ann, &replay));
        assert!(matches!(replay.kind(), ErrorKind::Replay { nonce: 1, last: 1 }));
        refused_for(tx, is!(Invalid), |tx| compute::submit_batch(tx, at(1), &ann, &[]));
        assert_eq!(compute::submit_batch(tx, at(1), &ann, &batch[..2])?, [1, 2]);
        sound(tx);
        Ok(())
    })
}

#[test]
fn proofs_never_repeat() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let first = completed(tx, at(1), &ann, &node, 1)?;
        let second = processing(tx, at(1), &ann, &node, 2)?;
        let again = |tx: &mut Tx<'_>| {
            compute::complete(tx, at(2), &node, second, second, [5; 32], proof(first))
        };
        let used = refused(tx, again);
        assert!(matches!(used.kind(), ErrorKind::ProofUsed(of) if *of == first));
        // The result is deleted, and the proof is still used.
        compute::release_now(tx, at(2), &governance(), first)?;
        keeper::end_block(tx, after(12 + 30 * 24 * 3_600))?;
        assert!(RESULTS.get(tx, first)?.is_none());
        assert_eq!(PROOFS.get(tx, Proof::from(proof(first)))?, Some(first));
        Ok(())
    })
}

#[test]
fn nonces_of_providers_are_used_once_even_after_retention() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let first = compute::submit(tx, at(1), &ann, &request(1))?;
        compute::assign(tx, at(1), &node, first)?;
        compute::start(tx, at(1), &node, first, 50)?;
        let second = compute::submit(tx, at(2), &ann, &request(2))?;
        compute::assign(tx, at(2), &node, second)?;
        let replay = refused(tx, |tx| compute::start(tx, at(2), &node, second, 50));
        assert!(matches!(replay.kind(), ErrorKind::Replay { nonce: 50, .. }));
        let complete = |tx: &mut Tx<'_>, nonce| {
            compute::complete(tx, at(2), &node, first, nonce, [0; 32], proof(1))
        };
        refused_for(tx, is!(NotReserved), |tx| complete(tx, 51));
        complete(tx, 50)?;
        let much_later = Block { height: 17_282, ..at(3) };
        assert_eq!(keeper::end_block(tx, much_later)?.nonces, 1);
        assert_eq!(PROVIDER_NONCES.prefix_all().count(tx)?, 0);
        let replay = refused(tx, |tx| compute::start(tx, much_later, &node, second, 50));
        assert!(matches!(replay.kind(), ErrorKind::Replay { nonce: 50, last: 50 }));
        compute::start(tx, much_later, &node, second, 51)?;
        sound(tx);
        Ok(())
    })
}

#[test]
fn only_the_parties_act_and_only_in_their_status() -> Outcome {
    in_paw(|tx| {
        let (ann, node, eve) = (account(1), account(2), account(3));
        provider(tx, &node)?;
        fund(tx, &ann, "100000upaw")?;
        let id = compute::submit(tx, at(1), &ann, &request(1))?;
        for error in [
            refused(tx, |tx| compute::assign(tx, at(1), &eve, id)),
            refused(tx, |tx| compute::cancel(tx, at(1), &node, id)),
            refused(tx, |tx| compute::release_now(tx, at(1), &eve, id)),
            refused(tx, |tx| compute::resolve(tx, at(1), &ann, id, true)),
            refused(tx, |tx| compute::dispute(tx, at(1), &node, id)),
        ] {
            assert!(matches!(error.kind(), ErrorKind::Unauthorized(_)), "{error}");
        }
        for error in [
            refused(tx, |tx| compute::start(tx, at(1), &node, id, 1)),
            refused(tx, |tx| compute::fail(tx, at(1), &node, id)),
            refused(tx, |tx| compute::complete(tx, at(1), &node, id, 1, [0; 32], proof(1))),
        ] {
            assert!(matches!(error.kind(), ErrorKind::Status { status: Status::Pending, .. }));
        }
        // An expired request waits for its refund and can no longer be accepted.
        let late = after(25 * 3_600);
        refused(tx, |tx| compute::assign(tx, late, &node, id));
        compute::assign(tx, at(2), &node, id)?;
        compute::start(tx, at(2), &node, id, 1)?;
        let running = refused(tx, |tx| compute::cancel(tx, at(3), &ann, id));
        assert!(matches!(running.kind(), ErrorKind::Status { status: Status::Processing, .. }));
        refused(tx, |tx| compute::complete(tx, late, &node, id, 1, [0; 32], proof(1)));
        Ok(())
    })
}

#[test]
fn stakes_cover_open_jobs_and_reputation_ranks_providers() -> Outcome {
    in_paw(|tx| {
        let (ann, one, two) = (account(1), account(2), account(3));
        provider(tx, &one)?;
        provider(tx, &two)?;
        fund(tx, &ann, "1000000upaw")?;
        let id = completed(tx, at(1), &ann, &one, 1)?;
        compute::deactivate(tx, &one)?;
        let busy = refused(tx, |tx| compute::withdraw_stake(tx, at(2), &one, u(1)));
        assert!(matches!(busy.kind(), ErrorKind::Busy { open_jobs: 1 }));
        compute::release_now(tx, at(2), &governance(), id)?;
        compute::withdraw_stake(tx, at(2), &one, u(1_500_000))?;
        let back = ProviderUpdate { price: u(900), endpoint: "https://new".into(), active: true };
        refused_for(tx, is!(Stake), |tx| compute::update(tx, &one, &back));
        compute::add_stake(tx, at(2), &one, u(1_000_000))?;
        compute::update(tx, &one, &back)?;
        // The first has completed a job, so it is asked first.
        let id = compute::submit(tx, at(3), &ann, &request(2))?;
        assert_eq!(compute::get_request(tx, id)?.provider.as_bytes(), one.as_bytes());
        compute::assign(tx, at(3), &one, id)?;
        compute::fail(tx, at(3), &one, id)?;
        let id = compute::submit(tx, at(4), &ann, &request(3))?;
        assert_eq!(compute::get_request(tx, id)?.provider.as_bytes(), two.as_bytes());
        compute::deactivate(tx, &one)?;
        compute::deactivate(tx, &two)?;
        refused_for(tx, is!(NoActiveProvider), |tx| compute::submit(tx, at(5), &ann, &request(4)));
        let cheap = NewRequest { max_payment: u(9_999), ..request(4) };
        compute::update(tx, &one, &back)?;
        refused_for(tx, is!(Payment), |tx| compute::submit(tx, at(5), &ann, &cheap));
        sound(tx);
        Ok(())
    })
}

/// Otherwise a job could never be completed, and its provider would pay for that.
#[test]
fn a_reserved_nonce_is_kept_while_its_job_is_open() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let first = processing(tx, at(1), &ann, &node, 1)?;
        let second = processing(tx, at(1), &ann, &node, 2)?;
        compute::fail(tx, at(1), &node, second)?;
        let later = Block { height: 17_282, ..at(3) };
        // The nonce of the failed job is deleted. The retention of the open job's nonce restarts.
        assert_eq!(keeper::end_block(tx, later)?.nonces, 1);
        assert_eq!(keeper::end_block(tx, later)?.nonces, 0);
        compute::complete(tx, later, &node, first, first, [0; 32], proof(1))?;
        refused_for(tx, is!(Status), |tx| {
            compute::complete(tx, later, &node, first, first, [0; 32], proof(2))
        });
        let much_later = Block { height: 2 * 17_283, ..at(3) };
        assert_eq!(keeper::end_block(tx, much_later)?.nonces, 1);
        sound(tx);
        Ok(())
    })
}

#[test]
fn the_last_nonce_is_not_accepted() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let last = refused(tx, |tx| compute::submit(tx, at(1), &ann, &request(u64::MAX)));
        assert!(matches!(last.kind(), ErrorKind::Overflow("nonce")));
        let id = compute::submit(tx, at(1), &ann, &request(u64::MAX - 1))?;
        compute::assign(tx, at(1), &node, id)?;
        let last = refused(tx, |tx| compute::start(tx, at(1), &node, id, u64::MAX));
        assert!(matches!(last.kind(), ErrorKind::Overflow("nonce")));
        compute::start(tx, at(1), &node, id, u64::MAX - 1)?;
        sound(tx);
        Ok(())
    })
}

#[test]
fn offers_of_providers_are_checked() -> Outcome {
    in_paw(|tx| {
        let [_, node] = market(tx, "1upaw")?;
        let offer = |price, endpoint: &str| ProviderUpdate {
            price,
            endpoint: endpoint.to_owned(),
            active: false,
        };
        for bad in [offer(u(0), "x"), offer(u(1), ""), offer(u(1), &"x".repeat(257))] {
            refused_for(tx, is!(Invalid), |tx| compute::update(tx, &node, &bad));
        }
        let huge = offer(keyscape::U256::new(u128::MAX) + 1, "x");
        let error = refused(tx, |tx| compute::update(tx, &node, &huge));
        assert!(matches!(error.kind(), ErrorKind::Overflow("price")));
        Ok(())
    })
}
