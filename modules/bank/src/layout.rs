//! The keyspaces of the module, from the layout in `layouts/bank`.
//!
//! Keys are byte for byte those of x/bank and x/auth in Cosmos SDK v0.50. The keeper writes through
//! these keyspaces only; they are public for tools and tests. Balances from before v0.46 are coins,
//! which [`BALANCES`](bank::BALANCES) rejects: only the key shows whether the coin has the right
//! denomination. The [keeper](crate::keeper) reads them together with their key.

use crate::values::{Account, AuthParams, CoinMessage as Coin, Metadata, Params};

keyscape::layout!("../../layouts/bank/sound.keys");

impl acc::AccountNumbersFields for Account {
    fn number(&self) -> u64 {
        self.number()
    }
}
