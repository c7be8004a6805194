//! Random choices and their ranges.

use crate::{
    keeper::{Block, Params},
    layout::paw::{Account, Token},
};
use keyscape::U256;
use keyscape_sim::{Fault, Random};

/// The number of accounts.
pub(super) const ACCOUNTS: u64 = 10;
/// The initial balance of each account in every token.
pub(super) const FUNDS: &str = "1000000000000000";
/// The tokens. Joined without a separator, `uab` and `ucd` would be `uabu` and `cd`.
pub(super) const TOKENS: [&str; 5] = ["uab", "uabu", "ucd/uab", "upaw", "uusd"];
/// The assets of the oracle. One is a prefix of another.
pub(super) const ASSETS: [&str; 3] = ["BTC", "BTCUSD", "ETH"];

/// The time of the first block.
const START: u64 = 1_700_000_000;

/// The random choices of a block.
pub(super) struct Draw {
    random: Random,
    seed: u64,
    pub(super) block: Block,
}

impl Draw {
    pub(super) fn new(seed: u64, height: u64) -> Draw {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_be_bytes());
        key[8..16].copy_from_slice(&height.to_be_bytes());
        key[16..19].copy_from_slice(b"paw");
        let time = START.saturating_add(height.saturating_mul(6));
        Draw { random: Random::from_key(key), seed, block: Block { height, time } }
    }

    /// Returns a number below `bound`, or 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    pub(super) fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    pub(super) fn hash(&mut self) -> [u8; 32] {
        self.random.bytes()
    }

    pub(super) fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        self.random.pick(list)
    }

    /// Returns an account. Addresses have several lengths, and some are prefixes of others.
    pub(super) fn account_at(&self, index: u64) -> Result<Account<'static>, Fault> {
        let length = [20, 20, 20, 20, 21, 32, 20, 20, 255, 20];
        let length = usize::try_from(index).ok().and_then(|index| length.get(index)).copied();
        let byte = 0xA0 + u8::try_from(index / 2).unwrap_or(0);
        let mut bytes = vec![byte; length.unwrap_or(20)];
        if let Some(last) = bytes.get_mut(19) {
            *last = u8::try_from(index % 2).unwrap_or(0);
        }
        Ok(Account::new(bytes)?)
    }

    pub(super) fn account(&mut self) -> Result<Account<'static>, Fault> {
        let index = self.below(ACCOUNTS);
        self.account_at(index)
    }

    /// Returns the account of governance, which differs from all others.
    pub(super) fn governance(&self) -> Result<Account<'static>, Fault> {
        Ok(Account::new(b"governance".to_vec())?)
    }

    pub(super) fn token(&mut self) -> Result<Token<'static>, Fault> {
        let token = self.pick(&TOKENS).unwrap_or("upaw");
        Ok(Token::new(token)?)
    }

    /// Returns an amount between 1 and `most`.
    pub(super) fn amount(&mut self, most: U256) -> U256 {
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        U256::from(1 + self.below(most))
    }

    /// Returns parameters with which every state is reached within some dozens of blocks.
    pub(super) fn params(&self) -> Result<Params, Fault> {
        let assets = ASSETS.iter().map(|asset| Ok(Token::new(*asset)?));
        let assets = assets.collect::<Result<Vec<_>, Fault>>()?;
        let mut params = Params::launch(&self.governance()?, &Token::new("upaw")?, assets);
        let compute = &mut params.compute;
        (compute.escrow_timeout, compute.challenge_period) = (90, 42);
        (compute.dispute_timeout, compute.retention) = (60, 240);
        (compute.nonce_retention, compute.per_block, compute.max_batch) = (30, 6, 3);
        let dex = &mut params.dex;
        (dex.liquidity_delay, dex.breaker_window, dex.pause_seconds) = (5, 8, 30);
        let oracle = &mut params.oracle;
        (oracle.vote_period, oracle.window, oracle.max_misses) = (4, 5, 2);
        (oracle.max_validators, oracle.snapshot_retention) = (6, 60);
        Ok(params)
    }

    /// Returns the price of a validator for an asset in a voting period. It depends only on the
    /// arguments, so the reveal can repeat the committed price.
    pub(super) fn price_of(&self, validator: &Account<'_>, asset: u64, period: u64) -> U256 {
        let id = validator
            .as_bytes()
            .iter()
            .fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
        let mut key = [0; 32];
        for (index, number) in [self.seed, id, asset, period].into_iter().enumerate() {
            key[index * 8..index * 8 + 8].copy_from_slice(&number.to_be_bytes());
        }
        let mut random = Random::from_key(key);
        let (noise, kind) = (random.below(1_000), random.below(12));
        let base = 1_000_000 * (asset + 1) + period * 10;
        // One in twelve is far off.
        U256::from(if kind == 0 { base * 3 } else { base + noise })
    }
}
