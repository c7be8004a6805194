//! The values of rows. Each is a protobuf message in canonical form; a value in any other form is
//! corrupt.

mod message;

pub use message::BadMessage;

use crate::layout::paw::{self, Account, Party, Token};
use keyscape::U256;
use message::{choices, messages};

choices! {
    /// The status of a job.
    Status {
        /// Submitted, but not accepted by the provider.
        Pending = 1 "pending",
        /// Accepted by the provider.
        Assigned = 2 "assigned",
        /// Being computed.
        Processing = 3 "processing",
        /// Has a result.
        Completed = 4 "completed",
        /// The provider gave up.
        Failed = 5 "failed",
        /// The requester withdrew it.
        Cancelled = 6 "cancelled",
        /// Not completed in time.
        Expired = 7 "expired",
    }
    /// The state of an escrow.
    EscrowState {
        /// Holds the coins of a job that is not complete.
        Locked = 1 "locked",
        /// The job is complete, and its requester can dispute the result.
        Challenged = 2 "challenged",
        /// Paid to the provider.
        Released = 3 "released",
        /// Returned to the requester.
        Refunded = 4 "refunded",
        /// The requester disputes the result, and governance decides.
        Disputed = 5 "disputed",
    }
    /// The operation that holds the lock of a pool.
    PoolOperation {
        /// Adding liquidity.
        Add = 1 "add",
        /// Removing liquidity.
        Remove = 2 "remove",
        /// A swap.
        Swap = 3 "swap",
        /// A claim of fees.
        Claim = 4 "claim",
        /// A flash loan.
        Loan = 5 "loan",
    }
}

messages! {
    /// The parameters of the compute market.
    ComputeParams {
        /// The account that resolves disputes and changes parameters.
        1 governance: Account<'static>,
        /// The denomination of stakes and payments.
        2 denom: Token<'static>,
        /// The smallest stake of an active provider.
        3 min_stake: U256,
        /// The smallest payment of a request.
        4 min_payment: U256,
        /// Seconds until an incomplete request is refunded.
        5 escrow_timeout: u64,
        /// Seconds in which a requester can dispute a result.
        6 challenge_period: u64,
        /// Seconds until an unresolved dispute is refunded.
        7 dispute_timeout: u64,
        /// Seconds for which a settled request is retained.
        8 retention: u64,
        /// Blocks for which the nonces of providers are retained.
        9 nonce_retention: u64,
        /// The largest number of requests in a batch.
        10 max_batch: u64,
        /// The largest number of rows of each kind that the end of a block settles or deletes.
        11 per_block: u64,
        /// The part of the stake that a lost dispute costs, in hundredths of a percent.
        12 slash_bp: u64,
    }
    /// A registered provider.
    Provider {
        /// The stake, which is in the account of the module.
        1 stake: U256,
        /// The price of a unit of work.
        2 price: U256,
        /// From 0 to 100.
        3 reputation: u64,
        /// Whether the provider accepts jobs.
        4 active: bool,
        /// Accepted jobs whose escrow is not settled.
        5 open_jobs: u64,
        /// Nonces up to this one are used, even if their rows are deleted.
        6 nonce_floor: u64,
        /// The address of the service.
        7 endpoint: String,
    }
    /// A request for a job.
    Request {
        /// The account that pays.
        1 requester: Party<'static>,
        /// The provider that is asked.
        2 provider: Party<'static>,
        /// The units of work.
        3 units: u64,
        /// The hash of the program and its input.
        4 spec: [u8; 32],
        /// The nonce of the requester.
        5 nonce: u64,
        /// The height of submission.
        6 height: u64,
    }
    /// The payment of a request.
    Escrow {
        /// The coins that the requester has paid in.
        1 amount: U256,
        /// The part that belongs to the provider on release.
        2 payment: U256,
        /// The state.
        3 state: EscrowState,
        /// The second in which the state ends.
        4 expires: u64,
    }
    /// The status of a job.
    JobStatus {
        /// The status.
        1 status: Status,
        /// The height of its last change.
        2 height: u64,
    }
    /// The result of a job.
    JobResult {
        /// The hash of the output.
        1 output: [u8; 32],
        /// The hash of the proof.
        2 proof: [u8; 32],
        /// The height of completion.
        3 height: u64,
    }
    /// A nonce of a provider.
    ProviderNonce {
        /// The request that reserved it.
        1 request: u64,
        /// Whether the request was completed with it.
        2 used: bool,
        /// The height at which retention starts: the height of the reservation, or the last height
        /// at which pruning kept the nonce because its job was open.
        3 height: u64,
    }
    /// The last packet of a sender on a channel.
    PacketState {
        /// Its nonce.
        1 nonce: u64,
        /// The second in which it was received.
        2 seen: u64,
    }
    /// The parameters of the exchange.
    DexParams {
        /// The account that pauses pools, collects protocol fees and changes parameters.
        1 governance: Account<'static>,
        /// The fee of a swap for the providers, in hundredths of a percent of the amount in.
        2 lp_fee_bp: u64,
        /// The fee of a swap for the protocol, in hundredths of a percent of the amount in.
        3 protocol_fee_bp: u64,
        /// The smallest reserve of each token of a pool.
        4 min_reserve: U256,
        /// The largest ratio of the two deposits of a new pool.
        5 max_ratio: u64,
        /// The largest swap, in hundredths of a percent of the reserve.
        6 max_swap_bp: u64,
        /// The largest number of pools.
        7 max_pools: u64,
        /// Blocks that must pass after the last action of a provider before it removes liquidity.
        8 liquidity_delay: u64,
        /// The largest change of the price within a window, in hundredths of a percent.
        9 breaker_bp: u64,
        /// The blocks of a window.
        10 breaker_window: u64,
        /// The seconds of a pause.
        11 pause_seconds: u64,
    }
    /// A pool of two tokens.
    Pool {
        /// The token that sorts first.
        1 token_a: Token<'static>,
        /// The other token. Prices are amounts of this token.
        2 token_b: Token<'static>,
        /// The reserve of the first token.
        3 reserve_a: U256,
        /// The reserve of the second token.
        4 reserve_b: U256,
        /// The sum of all shares.
        5 shares: U256,
        /// Fees of the first token for each share since the creation, times 2^64.
        6 growth_a: U256,
        /// Fees of the second token for each share since the creation, times 2^64.
        7 growth_b: U256,
        /// The sum of price times seconds since the creation.
        8 cumulative: U256,
        /// The second of the last change of `cumulative`.
        9 updated: u64,
    }
    /// The deposits of a provider in a pool.
    Position {
        /// The deposit of the first token. A removal lowers it in proportion to the shares.
        1 deposit_a: U256,
        /// The deposit of the second token. A removal lowers it in proportion to the shares.
        2 deposit_b: U256,
        /// The growth of the pool up to which fees of the first token are paid.
        3 paid_a: U256,
        /// The growth of the pool up to which fees of the second token are paid.
        4 paid_b: U256,
    }
    /// The circuit breaker of a pool.
    CircuitBreaker {
        /// The price at the beginning of the window.
        1 reference: U256,
        /// The height at the beginning of the window.
        2 since: u64,
        /// The second in which the pause ends; 0 without a pause.
        3 paused_until: u64,
    }
    /// The lock of a pool.
    PoolLock {
        /// The operation that holds it.
        1 operation: PoolOperation,
        /// The height of the block.
        2 height: u64,
    }
    /// The parameters of the oracle.
    OracleParams {
        /// The account that resumes the oracle and changes parameters.
        1 governance: Account<'static>,
        /// The account that can pause the oracle besides governance.
        2 admin: Account<'static>,
        /// The denomination of stakes.
        3 denom: Token<'static>,
        /// The assets that have prices.
        4 assets: Vec<Token<'static>>,
        /// The blocks of a voting period.
        5 vote_period: u64,
        /// The voting periods of a window, after which misses are judged.
        6 window: u64,
        /// The number of misses in a window at which a validator is slashed, at most `window`.
        7 max_misses: u64,
        /// The smallest stake of an active validator.
        8 min_stake: U256,
        /// The largest number of validators.
        9 max_validators: u64,
        /// The part of the stake that must have voted for a price, in hundredths of a percent.
        10 threshold_bp: u64,
        /// Votes farther from the median than this many median deviations are outliers.
        11 outlier_mads: u64,
        /// Votes nearer to the median than this are never outliers, in hundredths of a percent.
        12 outlier_floor_bp: u64,
        /// The part of the stake that is slashed, in hundredths of a percent.
        13 slash_bp: u64,
        /// The upper bound of `slash_bp`. Nothing raises a penalty above it.
        14 slash_cap_bp: u64,
        /// Blocks for which snapshots are retained.
        15 snapshot_retention: u64,
        /// The largest number of snapshots that the end of a block deletes.
        16 per_block: u64,
        /// The voting period in which `assets` last changed.
        17 assets_since: u64,
    }
    /// The price of an asset, in units of 10^-18.
    Price {
        /// The price.
        1 price: U256,
        /// The voting period.
        2 period: u64,
        /// The second of the tally.
        3 time: u64,
        /// The validator whose vote is the price.
        4 source: Account<'static>,
    }
    /// A registered validator.
    Validator {
        /// Whether the stake is large enough to vote.
        1 active: bool,
        /// The voting period in which the validator became active.
        2 since: u64,
    }
    /// The price of one asset in a vote.
    PriceVote {
        /// The asset.
        1 asset: Token<'static>,
        /// The price, in units of 10^-18.
        2 price: U256,
    }
    /// A commitment to a vote.
    Prevote {
        /// The hash of the salt, the prices and the validator.
        1 hash: [u8; 32],
        /// The voting period of the commitment.
        2 period: u64,
    }
    /// A revealed vote.
    Vote {
        /// The voting period of the reveal.
        1 period: u64,
        /// The prices, sorted by asset.
        2 prices: Vec<PriceVote>,
    }
    /// The last tallied vote of a validator, and counts of the window.
    AggregateVote {
        /// The voting period of the vote.
        1 period: u64,
        /// The prices of the vote.
        2 prices: Vec<PriceVote>,
        /// Tallies of the window in which the validator voted.
        3 voted: u64,
        /// Tallies of the window in which a price of the validator was an outlier.
        4 outliers: u64,
    }
    /// The penalties of a validator.
    Slash {
        /// The number of penalties.
        1 count: u64,
        /// The sum of all penalties.
        2 total: U256,
        /// The last penalty.
        3 last: U256,
        /// The stake before the last penalty.
        4 stake: U256,
        /// The height of the last penalty.
        5 height: u64,
    }
    /// The sum of price times seconds of an asset.
    Average {
        /// The sum up to `time`.
        1 cumulative: U256,
        /// The price since `time`.
        2 price: U256,
        /// The second of the last price.
        3 time: u64,
    }
    /// The price of an asset at a height.
    Snapshot {
        /// The price.
        1 price: U256,
        /// The second.
        2 time: u64,
        /// The sum of price times seconds of the asset up to `time`.
        3 cumulative: U256,
    }
    /// The emergency pause of the oracle.
    EmergencyPause {
        /// Whether the oracle is paused.
        1 paused: bool,
        /// The account that paused or resumed it.
        2 by: Account<'static>,
        /// The reason of the pause.
        3 reason: String,
        /// The voting period of the last change.
        4 period: u64,
    }
}

impl Provider {
    /// The rank of inactive providers, after all active ones.
    pub(crate) const INACTIVE: u16 = 1_000;
    /// The best reputation.
    pub const BEST: u64 = 100;

    fn rank(&self) -> u16 {
        let below_best = Provider::BEST.saturating_sub(self.reputation);
        if self.active { u16::try_from(below_best).unwrap_or(0) } else { Provider::INACTIVE }
    }
}

/// Implements the traits of indexes: for each index, the row and the functions of its fields.
macro_rules! index_fields {
    ($($index:ident of $row:ident { $($field:ident: $type:ty = |$value:ident| $extracted:expr,)* })*) => {$(
        impl paw::$index for $row {
            $(fn $field(&self) -> keyscape::Extracted<$type> {
                let $value = self;
                Ok($extracted)
            })*
        }
    )*};
}

index_fields! {
    ProvidersByRankFields of Provider { rank: u16 = |provider| provider.rank(), }
    RequestsByRequesterFields of Request { requester: Party<'_> = |row| row.requester.by_ref(), }
    RequestsByProviderFields of Request { provider: Party<'_> = |row| row.provider.by_ref(), }
    EscrowsByExpiryFields of Escrow { expires: u64 = |escrow| escrow.expires, }
    JobsByStatusFields of JobStatus { status: u8 = |job| job.status as u8, }
    ProviderNoncesByHeightFields of ProviderNonce { height: u64 = |nonce| nonce.height, }
    PoolByTokensFields of Pool {
        token_a: Token<'_> = |pool| pool.token_a.by_ref(),
        token_b: Token<'_> = |pool| pool.token_b.by_ref(),
    }
    ComputePacketsByTimeFields of PacketState { seen: u64 = |packet| packet.seen, }
    DexPacketsByTimeFields of PacketState { seen: u64 = |packet| packet.seen, }
    OraclePacketsByTimeFields of PacketState { seen: u64 = |packet| packet.seen, }
}
