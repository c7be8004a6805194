//! The keyspaces of the module, from the layout in `layouts/bank`.
//!
//! Keys are byte for byte those of x/bank and x/auth in Cosmos SDK v0.50. The
//! [keeper](crate::keeper) writes through these keyspaces only; they are public for tools and
//! tests. Balances from before v0.46 are coins. [`BALANCES`](bank::BALANCES) reads a coin as an
//! amount if its denomination is that of the key.

use crate::values::{Account, AuthParams, CoinMessage as Coin, Metadata, Params};

keyscape::layout!("../../layouts/bank/sound.keys");

impl acc::AccountNumbersFields for Account {
    fn number(&self) -> keyscape::Extracted<u64> {
        Ok(self.number())
    }
}
