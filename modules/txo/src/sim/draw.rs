//! Random choices.

use crate::layout::txo::{
    Address, LogName, Name, Outpoint, ProgressPeerHost, Subscription, TokenId, Txid, TxidText,
};
use keyscape::DomainError;
use keyscape_sim::Random;

/// The random choices of a block.
pub(super) struct Draw {
    random: Random,
    seed: u64,
    height: u64,
}

/// Returns random numbers that depend on a seed, a number and a purpose.
fn random(seed: u64, number: u64, purpose: u8) -> Random {
    let mut bytes = [purpose; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    Random::from_key(bytes)
}

/// Symbols with ordinary and special characters.
const SYMBOLS: [&str; 6] = ["PEPE", "FOO", "FOO:spnd", "tx\0", "50%", "100%3A"];

impl Draw {
    pub(super) fn new(seed: u64, height: u64) -> Draw {
        Draw { random: random(seed, height, 1), seed, height }
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Draws a transaction, preferring new ones. Their number grows with every block.
    pub(super) fn txid(&mut self) -> Txid {
        let all = 48 + self.height / 2;
        let from = if self.chance(75) { all - 48 } else { 0 };
        let number = self.between(from, all - 1);
        self.numbered(number)
    }

    /// Draws a transaction that is never saved.
    pub(super) fn unknown(&mut self) -> Txid {
        let number = u64::MAX - self.below(1_000);
        self.numbered(number)
    }

    fn numbered(&self, number: u64) -> Txid {
        Txid(random(self.seed, number, 2).bytes())
    }

    /// Draws an index in a block. There are so many that no two transactions get one position.
    pub(super) fn index(&mut self) -> u64 {
        self.below(1 << 40)
    }

    pub(super) fn outpoint(&mut self) -> Outpoint {
        let txid = self.txid();
        Outpoint { txid, vout: self.vout() }
    }

    pub(super) fn vout(&mut self) -> u32 {
        u32::try_from(self.below(3)).unwrap_or_default()
    }

    pub(super) fn address(&mut self) -> Result<Address<'static>, DomainError> {
        let number = self.below(8 + self.height / 64);
        let mut bytes = vec![0; 21];
        bytes[1..].copy_from_slice(&random(self.seed, number, 3).bytes::<20>());
        Address::new(bytes)
    }

    pub(super) fn token(&self, number: u64) -> TokenId {
        TokenId { txid: TxidText(self.numbered(number).0), vout: 0 }
    }

    pub(super) fn any_token(&mut self) -> TokenId {
        let number = self.below(6);
        self.token(number)
    }

    pub(super) fn topic(&mut self) -> Result<Name<'static>, DomainError> {
        Name::new(format!("tm_{}", self.below(4)))
    }

    pub(super) fn log(&mut self) -> Result<LogName<'static>, DomainError> {
        LogName::new(if self.chance(50) { "tx:pending" } else { "tx:immutable" })
    }

    pub(super) fn subscription(&mut self) -> Result<Subscription<'static>, DomainError> {
        Subscription::new(if self.chance(70) { "bsv21" } else { "ordinals" })
    }

    pub(super) fn host(&mut self) -> Result<ProgressPeerHost<'static>, DomainError> {
        ProgressPeerHost::new(format!("https://{}.example:8080", self.below(4)))
    }

    /// Draws a symbol, and returns whether keys can contain it.
    pub(super) fn symbol(&mut self) -> (String, bool) {
        match self.below(8) {
            0 => (String::new(), false),
            1 => ("long ".repeat(60), false),
            _ => {
                let at = usize::try_from(self.below(SYMBOLS.len() as u64)).unwrap_or_default();
                (SYMBOLS[at].to_owned(), true)
            }
        }
    }
}
