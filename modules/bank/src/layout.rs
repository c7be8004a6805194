//! The keyspaces of the module, from the layout in `layouts/bank`.
//!
//! Keys are byte for byte those of x/bank and x/auth in Cosmos SDK v0.50. The keeper writes through
//! these and nothing else; they are public for tools and tests. Balances from before v0.46 are coins, which
//! [`BALANCES`](bank::BALANCES) refuses to take for amounts: only beside its key can a coin be seen to be of
//! the right denomination, and so the [keeper](crate::keeper) reads it.

use crate::values::{Account, AuthParams, CoinMessage as Coin, Metadata, Params};

keyscape::layout!("../../layouts/bank/sound.keys");

impl acc::AccountNumbersFields for Account {
    fn number(&self) -> u64 {
        self.number()
    }
}
