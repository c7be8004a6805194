//! Random choices of accounts, denominations and amounts.

use super::{KEEPER, MINT, POOL, time};
use crate::{
    Address, Coin, Coins, Denom, keeper,
    layout::{acc::NEXT_ACCOUNT_NUMBER, bank::BALANCES},
    vesting::{Period, Schedule},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_sim::{Fault, Random};
use sha2::{Digest, Sha256};

/// The random choices of a block.
pub(super) struct Draw {
    random: Random,
    seed: u64,
    height: u64,
}

impl Draw {
    pub(super) fn new(seed: u64, height: u64) -> Draw {
        Draw { random: Random::new(seed, height), seed, height }
    }

    /// Draws a number below `bound`; 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// Returns the time of the block.
    pub(super) fn now(&self) -> i64 {
        time(self.height)
    }

    /// Returns the number of addresses in the pool of recipients.
    pub(super) fn accounts(&self) -> u64 {
        (24 + self.height / 8).min(4_000)
    }

    fn bytes(&self, what: &str, index: u64) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        hash.update(index.to_be_bytes());
        hash.update(what);
        hash.finalize().into()
    }

    /// Returns an address of the pool: most have 20 bytes, some 32, a few 255.
    pub(super) fn address_at(&self, index: u64) -> Result<Address<'static>, Fault> {
        let length = match index % 32 {
            31 => 255,
            7 | 15 | 23 => 32,
            _ => 20,
        };
        let bytes = self.bytes("account", index);
        let address = bytes.iter().cycle().take(length).copied().collect::<Vec<u8>>();
        Ok(Address::new(address)?)
    }

    pub(super) fn address(&mut self) -> Result<Address<'static>, Fault> {
        let index = self.below(self.accounts());
        self.address_at(index)
    }

    /// Returns an unused address.
    pub(super) fn new_address(&mut self) -> Result<Address<'static>, Fault> {
        Ok(Address::new(self.random.bytes::<20>().to_vec())?)
    }

    /// Returns the number of denominations.
    pub(super) fn denoms(&self) -> u64 {
        (4 + self.height / 64).min(256)
    }

    pub(super) fn denom(&mut self) -> Result<Denom<'static>, Fault> {
        let index = self.below(self.denoms());
        self.denom_at(index)
    }

    /// Returns a denomination: short ones, long ones, and ones with every allowed character.
    pub(super) fn denom_at(&self, index: u64) -> Result<Denom<'static>, Fault> {
        let text = match index % 5 {
            0 => format!("u{index:02}"),
            1 => {
                let digest = self.bytes("denom", index);
                digest.iter().fold("ibc/".to_owned(), |text, byte| text + &format!("{byte:02X}"))
            }
            2 => {
                let suffix = format!("/sim-{index}");
                format!("factory/{}{suffix}", "a".repeat(128 - "factory/".len() - suffix.len()))
            }
            3 => format!("gamm.pool_{index}"),
            _ => format!("Sim:{index}"),
        };
        Ok(Denom::new(text)?)
    }

    /// Draws an amount to mint: mostly small, sometimes of some 200 bits.
    pub(super) fn new_amount(&mut self) -> U256 {
        let amount = U256::from(1 + self.below(1_000_000_000_000));
        if self.below(16) == 0 { amount << 160 } else { amount }
    }

    /// Draws an amount from 1 to `max`, which is not zero; sometimes all of it.
    pub(super) fn amount(&mut self, max: U256) -> U256 {
        if self.below(8) == 0 {
            return max;
        }
        U256::from_be_bytes(self.random.bytes()).checked_rem(max).unwrap_or(U256::ZERO) + 1
    }

    /// Draws an existing account that is not a module's.
    pub(super) fn account(&mut self, state: &impl Read) -> Result<Option<Address<'static>>, Fault> {
        let number = self.below(NEXT_ACCOUNT_NUMBER.peek(state)?);
        let Some(address) = keeper::account_at(state, number)? else { return Ok(None) };
        let modules = [keeper::module_address(MINT)?, keeper::module_address(POOL)?];
        Ok((!modules.contains(&address)).then_some(address))
    }

    /// Draws an existing account, and coins from its balances or spendable coins.
    pub(super) fn holder(
        &mut self,
        state: &impl Read,
        which: DrawnFrom,
    ) -> Result<Option<(Address<'static>, Coins)>, Fault> {
        for _ in 0..8 {
            let Some(address) = self.account(state)? else { continue };
            let coins = self.coins_of(state, &address, which)?;
            if !coins.is_empty() {
                return Ok(Some((address, coins)));
            }
        }
        Ok(None)
    }

    /// Draws coins from the balances or spendable coins of an account, of up to three
    /// denominations.
    pub(super) fn coins_of(
        &mut self,
        state: &impl Read,
        address: &Address<'_>,
        which: DrawnFrom,
    ) -> Result<Coins, Fault> {
        let from = self.denom()?;
        let page = BALANCES.prefix_owner(address).range(from..).page(state, 3)?;
        let mut rows = page.rows;
        if rows.is_empty() {
            rows = BALANCES.prefix_owner(address).page(state, 3)?.rows;
        }
        let mut coins = Coins::none();
        for (key, balance) in rows {
            if !is_own(&key.denom) {
                continue;
            }
            let locked = match which {
                DrawnFrom::All => U256::ZERO,
                DrawnFrom::Spendable => {
                    KEEPER.locked_coins(state, self.now(), address)?.amount_of(&key.denom)
                }
            };
            let max = balance.saturating_sub(locked);
            if max > U256::ZERO && (coins.is_empty() || self.below(3) == 0) {
                let amount = self.amount(max);
                coins.set(&key.denom, amount);
            }
        }
        Ok(coins)
    }

    /// Draws one coin of any denomination.
    pub(super) fn coin(&mut self) -> Result<Coin, Fault> {
        Ok(Coin { denom: self.denom()?, amount: self.new_amount() })
    }

    /// Draws a schedule of any kind, around the current time. It ends after 1970, and a periodic
    /// one starts after 1970 with coins in every period.
    pub(super) fn schedule(&mut self, coins: &Coins) -> Schedule {
        let start = self.now() - 50 + i64::try_from(self.below(100)).unwrap_or(0);
        let length = 1 + i64::try_from(self.below(1_000)).unwrap_or(0) - start.min(0);
        match self.below(4) {
            0 => Schedule::Continuous { start, end: start + length },
            1 => Schedule::Delayed { end: start + length },
            2 => {
                let mut early = Coins::none();
                for coin in coins {
                    let part = self.amount(coin.amount);
                    early.set(&coin.denom, part);
                }
                let late = coins.without(&early);
                let mut periods = vec![
                    Period { length, amount: early },
                    Period { length: 1 + length / 2, amount: late },
                ];
                periods.retain(|period| !period.amount.is_empty());
                Schedule::Periodic { start: start.max(1), periods }
            }
            _ => Schedule::Permanent,
        }
    }

    /// Whether more accounts at new addresses may be created: their number grows slowly.
    pub(super) fn room_for_accounts(&self, tx: &Tx<'_>) -> Result<bool, Fault> {
        Ok(NEXT_ACCOUNT_NUMBER.peek(tx)? < 100 + self.accounts() * 2)
    }
}

/// The source of drawn coins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawnFrom {
    /// All balances of an account.
    All,
    /// The spendable coins.
    Spendable,
}

/// Whether a denomination belongs to this simulation. Other systems keep theirs in the same bank.
pub(super) fn is_own(denom: &Denom<'_>) -> bool {
    let text = denom.as_str();
    let digits = text.strip_prefix('u').unwrap_or_default();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        || ["ibc/", "factory/", "gamm.pool_", "Sim:"].iter().any(|start| text.starts_with(start))
}
