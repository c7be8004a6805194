//! The operations of the module.
//!
//! Every operation is atomic: if it fails, it has written nothing in this module or in the bank,
//! and the transaction can continue. The caller passes the height and the time as a [`Block`]. The
//! number of rows that an operation reads and writes does not depend on the number of requests,
//! pools, providers or snapshots. Some operations of the oracle read the rows of all validators or
//! all prices: [`oracle::register`], [`oracle::unbond`] of a whole stake and
//! [`oracle::set_params`]. Parameters bound the number of validators and of assets; prices of
//! former assets stay.
//!
//! [`end_block`] does the work that no message triggers: expiry, tallies and retention. It settles
//! or deletes a bounded number of rows, and leaves the rest to the next block. A tally reads the
//! rows of all validators.

mod coins;
pub mod compute;
pub mod dex;
pub mod ibc;
pub mod oracle;

use crate::{
    Error, ErrorKind,
    layout::paw::{
        Account, COMPUTE_PARAMS, DEX_PARAMS, NEXT_POOL, NEXT_REQUEST, ORACLE_PARAMS, Token,
    },
    values::{ComputeParams, DexParams, OracleParams},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_bank::{Permission, keeper as bank};

pub(crate) use coins::{account_of, balance, pool_account};

/// The height and the time of the block that is being executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The height. Heights must be consecutive, because the last block of a voting period tallies.
    pub height: u64,
    /// Seconds since 1970, at most [`MAX_TIME`](crate::number::MAX_TIME).
    pub time: u64,
}

impl Block {
    /// Returns the time some seconds after the block.
    fn after(self, seconds: u64) -> Result<u64, Error> {
        Ok(self.time.checked_add(seconds).ok_or(ErrorKind::Overflow("expiry"))?)
    }
}

/// The parameters of all three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The parameters of the compute market.
    pub compute: ComputeParams,
    /// The parameters of the exchange.
    pub dex: DexParams,
    /// The parameters of the oracle.
    pub oracle: OracleParams,
}

/// The bank accounts of the three parts. Each pool has its own account.
///
/// The balances of `compute` and `oracle` must equal the stakes and escrows of the state, so the
/// [rules](keyscape_bank::Rules) of messages must block transfers to both.
pub const ACCOUNTS: [&str; 3] = ["compute", "dex", "oracle"];

/// Returns the parameters of all parts, checked.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid) before [`initialize`], [`Parameter`](ErrorKind::Parameter).
pub fn get_params(state: &(impl Read + ?Sized)) -> Result<Params, Error> {
    let params = Params {
        compute: compute::params(state)?,
        dex: dex::params(state)?,
        oracle: oracle::params(state)?,
    };
    params.check()?;
    Ok(params)
}

impl Params {
    /// Returns the parameters of a new chain, with one account for governance and the emergency
    /// pause. The fees and limits of pools, the circuit breaker, the challenge period, the
    /// retention of nonces, the vote threshold and the penalties of validators are those of the
    /// origin. `assets` must be sorted.
    #[must_use]
    pub fn launch(
        governance: &Account<'static>,
        denom: &Token<'static>,
        assets: Vec<Token<'static>>,
    ) -> Params {
        let (governance, denom) = (governance.clone(), denom.clone());
        let compute = ComputeParams {
            governance: governance.clone(),
            denom: denom.clone(),
            min_stake: U256::new(1_000_000),
            min_payment: U256::new(10_000),
            escrow_timeout: 24 * 3_600,
            challenge_period: 3_600,
            dispute_timeout: 7 * 24 * 3_600,
            retention: 30 * 24 * 3_600,
            nonce_retention: 17_280,
            max_batch: 20,
            per_block: 100,
            slash_bp: 1_000,
        };
        let dex = DexParams {
            governance: governance.clone(),
            lp_fee_bp: 25,
            protocol_fee_bp: 5,
            min_reserve: U256::new(1_000),
            max_ratio: 1_000_000,
            max_swap_bp: 1_000,
            max_pools: 1_000,
            liquidity_delay: 100,
            breaker_bp: 2_500,
            breaker_window: 10,
            pause_seconds: 3_600,
        };
        let oracle = OracleParams {
            governance: governance.clone(),
            admin: governance,
            denom,
            assets,
            vote_period: 10,
            window: 100,
            max_misses: 50,
            min_stake: U256::new(1_000_000),
            max_validators: 100,
            threshold_bp: 6_700,
            outlier_mads: 3,
            outlier_floor_bp: 100,
            slash_bp: 500,
            slash_cap_bp: 10,
            snapshot_retention: 17_280,
            per_block: 100,
            assets_since: 0,
        };
        Params { compute, dex, oracle }
    }

    fn check(&self) -> Result<(), Error> {
        compute::check_params(&self.compute)?;
        dex::check_params(&self.dex)?;
        oracle::check_params(&self.oracle)
    }
}

/// Writes the state before the first block: parameters, module accounts, and ids that start at 1.
///
/// # Errors
/// [`Invalid`](ErrorKind::Invalid), [`Parameter`](ErrorKind::Parameter), or errors of the bank if
/// an account exists.
pub fn initialize(tx: &mut Tx<'_>, params: &Params) -> Result<(), Error> {
    params.check()?;
    tx.attempt(|tx| {
        for module in ACCOUNTS {
            bank::create_module_account(tx, module, &[Permission::Burner])?;
        }
        NEXT_REQUEST.set(tx, 1)?;
        NEXT_POOL.set(tx, 1)?;
        COMPUTE_PARAMS.put(tx, &params.compute)?;
        DEX_PARAMS.put(tx, &params.dex)?;
        Ok(ORACLE_PARAMS.put(tx, &params.oracle)?)
    })
}

/// The work at the end of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Escrows that expired and were settled, and settled requests that were deleted.
    pub escrows: u64,
    /// Nonces of providers that were deleted.
    pub nonces: u64,
    /// Packets that were deleted.
    pub packets: u64,
    /// Snapshots that were deleted.
    pub snapshots: u64,
    /// Prices that were written.
    pub prices: u64,
}

/// Ends a block.
///
/// # Errors
/// Errors of the database, or of the bank.
pub fn end_block(tx: &mut Tx<'_>, block: Block) -> Result<Ended, Error> {
    tx.attempt(|tx| {
        let (escrows, nonces) = compute::end_block(tx, block)?;
        dex::end_block(tx)?;
        let (prices, snapshots) = oracle::end_block(tx, block)?;
        let packets = ibc::prune(tx, block)?;
        Ok(Ended { escrows, nonces, packets, snapshots, prices })
    })
}

/// Returns an error unless `by` is `allowed`.
fn only(by: &Account<'_>, allowed: &Account<'_>) -> Result<(), Error> {
    if by.as_bytes() == allowed.as_bytes() {
        return Ok(());
    }
    Err(ErrorKind::Unauthorized(by.clone().into_owned()).into())
}

/// Returns an error unless the condition holds.
pub(crate) fn require(holds: bool, error: impl FnOnce() -> ErrorKind) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(error().into()) }
}

/// Returns parameters, which must be set.
fn initialized<T>(params: Option<T>) -> Result<T, Error> {
    params.ok_or_else(|| ErrorKind::Invalid("the module is not initialized").into())
}
