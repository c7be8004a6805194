//! The ranges of parameters.

use crate::setup::{Outcome, at, governance, in_paw, params, refused, refused_for, token, u};
use keyscape::{U256, store::Tx};
use keyscape_paw::{
    Error, ErrorKind, Params,
    keeper::{compute, dex, oracle},
};
use keyscape_sim::is;

fn set(tx: &mut Tx<'_>, new: &Params) -> Result<(), Error> {
    tx.attempt(|tx| {
        compute::set_params(tx, &governance(), &new.compute)?;
        dex::set_params(tx, &governance(), &new.dex)?;
        oracle::set_params(tx, at(1), &governance(), &new.oracle)
    })
}

const HUGE: U256 = U256::new(u128::MAX);

type Change = fn(&mut Params);

/// One change for each parameter that has an upper bound.
const CHANGES: [(&str, Change); 33] = [
    ("escrow_timeout", |new| new.compute.escrow_timeout = u64::MAX),
    ("challenge_period", |new| new.compute.challenge_period = u64::MAX),
    ("dispute_timeout", |new| new.compute.dispute_timeout = u64::MAX),
    ("dispute_timeout", |new| new.compute.dispute_timeout = 0),
    ("retention", |new| new.compute.retention = u64::MAX),
    ("nonce_retention", |new| new.compute.nonce_retention = u64::MAX),
    ("max_batch", |new| new.compute.max_batch = u64::MAX),
    ("per_block", |new| new.compute.per_block = u64::MAX),
    ("slash_bp", |new| new.compute.slash_bp = 10_001),
    ("min_stake", |new| new.compute.min_stake = HUGE + 1),
    ("min_payment", |new| new.compute.min_payment = HUGE + 1),
    ("lp_fee_bp", |new| new.dex.lp_fee_bp = 1_001),
    ("protocol_fee_bp", |new| new.dex.protocol_fee_bp = 1_001),
    ("min_reserve", |new| new.dex.min_reserve = HUGE),
    ("max_ratio", |new| new.dex.max_ratio = u64::MAX),
    ("max_swap_bp", |new| new.dex.max_swap_bp = 10_001),
    ("max_pools", |new| new.dex.max_pools = u64::MAX),
    ("liquidity_delay", |new| new.dex.liquidity_delay = u64::MAX),
    ("breaker_bp", |new| new.dex.breaker_bp = 10_001),
    ("breaker_window", |new| new.dex.breaker_window = u64::MAX),
    ("pause_seconds", |new| new.dex.pause_seconds = u64::MAX),
    ("assets", |new| {
        let names = (0..101).map(|number| format!("T{number:03}"));
        new.oracle.assets = names.map(|name| token(&name)).collect();
    }),
    ("vote_period", |new| new.oracle.vote_period = u64::MAX),
    ("window", |new| new.oracle.window = u64::MAX),
    ("max_misses", |new| new.oracle.max_misses = new.oracle.window + 1),
    ("min_stake", |new| new.oracle.min_stake = HUGE + 1),
    ("max_validators", |new| new.oracle.max_validators = u64::MAX),
    ("threshold_bp", |new| new.oracle.threshold_bp = 10_001),
    ("outlier_mads", |new| new.oracle.outlier_mads = u64::MAX),
    ("outlier_floor_bp", |new| new.oracle.outlier_floor_bp = 10_001),
    ("slash_cap_bp", |new| new.oracle.slash_cap_bp = 10_001),
    ("snapshot_retention", |new| new.oracle.snapshot_retention = u64::MAX),
    ("per_block", |new| new.oracle.per_block = u64::MAX),
];

#[test]
fn parameters_are_bounded_above() -> Outcome {
    in_paw(|tx| {
        for (expected, change) in CHANGES {
            let mut new = params();
            change(&mut new);
            let error = refused(tx, |tx| set(tx, &new));
            let is_named =
                matches!(error.kind(), ErrorKind::Parameter { name, .. } if *name == expected);
            assert!(is_named, "{expected}: {error}");
        }
        set(tx, &params())?;
        Ok(())
    })
}

#[test]
fn an_error_names_the_parameter_and_its_range() -> Outcome {
    in_paw(|tx| {
        let mut new = params();
        new.dex.breaker_bp = 0;
        let error = refused(tx, |tx| set(tx, &new));
        assert_eq!(error.to_string(), "`breaker_bp` is 0, expected 1 to 10000");
        Ok(())
    })
}

/// Active providers have staked the old minimum.
#[test]
fn the_minimum_stake_of_providers_cannot_rise() -> Outcome {
    in_paw(|tx| {
        let mut new = params();
        new.compute.min_stake += 1;
        refused_for(tx, is!(Invalid), |tx| set(tx, &new));
        new.compute.min_stake = u(5);
        set(tx, &new)?;
        Ok(())
    })
}
