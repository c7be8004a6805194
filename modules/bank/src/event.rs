//! The events of operations, with the names and attributes of the Cosmos SDK.

use crate::{Address, Coins, Prefix};
use std::fmt;

/// An event of an operation. The caller receives the events of a successful operation in their
/// order; the bank stores none of them.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Event, Keeper};
///
/// # let (db, now) = (bank(), 0);
/// # let (ann, bob) = (address(1), address(2));
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let (keeper, coins) = (Keeper::default(), "30uatom".parse::<Coins>()?);
/// let events = db.write(|tx| keeper.send(tx, now, &ann, &bob, &coins))?;
/// assert_eq!(events[2], Event::Transfer { from: Some(ann), to: bob, coins });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// `coin_spent`: coins left an account.
    CoinSpent {
        /// The account.
        spender: Address<'static>,
        /// The coins.
        coins: Coins,
    },
    /// `coin_received`: coins reached an account.
    CoinReceived {
        /// The account.
        receiver: Address<'static>,
        /// The coins.
        coins: Coins,
    },
    /// `transfer`: coins moved from one account to another. As in the SDK, the event of a
    /// multi-send has no attribute `sender`.
    Transfer {
        /// The sender; `None` for an output of a multi-send.
        from: Option<Address<'static>>,
        /// The recipient.
        to: Address<'static>,
        /// The coins.
        coins: Coins,
    },
    /// `coinbase`: a module minted coins.
    Coinbase {
        /// The address of the module.
        minter: Address<'static>,
        /// The coins.
        coins: Coins,
    },
    /// `burn`: a module burnt coins.
    Burn {
        /// The address of the module.
        burner: Address<'static>,
        /// The coins.
        coins: Coins,
    },
}

impl Event {
    pub(crate) fn spent(spender: &Address<'_>, coins: &Coins) -> Event {
        Event::CoinSpent { spender: spender.clone().into_owned(), coins: coins.clone() }
    }

    pub(crate) fn received(receiver: &Address<'_>, coins: &Coins) -> Event {
        Event::CoinReceived { receiver: receiver.clone().into_owned(), coins: coins.clone() }
    }

    pub(crate) fn transfer(from: Option<&Address<'_>>, to: &Address<'_>, coins: &Coins) -> Event {
        let from = from.map(|from| from.clone().into_owned());
        Event::Transfer { from, to: to.clone().into_owned(), coins: coins.clone() }
    }

    /// Returns the type of the event.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Event::CoinSpent { .. } => "coin_spent",
            Event::CoinReceived { .. } => "coin_received",
            Event::Transfer { .. } => "transfer",
            Event::Coinbase { .. } => "coinbase",
            Event::Burn { .. } => "burn",
        }
    }

    /// Returns the attributes of the event with their keys. Addresses have the prefix of the chain.
    #[must_use]
    pub fn attributes(&self, prefix: &Prefix) -> Vec<(&'static str, String)> {
        let of = |key, address: &Address<'_>| (key, prefix.show(address));
        let mut attributes = match self {
            Event::CoinSpent { spender, .. } => vec![of("spender", spender)],
            Event::CoinReceived { receiver, .. } => vec![of("receiver", receiver)],
            Event::Transfer { from: Some(from), to, .. } => {
                vec![of("recipient", to), of("sender", from)]
            }
            Event::Transfer { from: None, to, .. } => vec![of("recipient", to)],
            Event::Coinbase { minter, .. } => vec![of("minter", minter)],
            Event::Burn { burner, .. } => vec![of("burner", burner)],
        };
        attributes.push(("amount", self.coins().to_string()));
        attributes
    }

    /// Returns the coins of the event.
    #[must_use]
    pub fn coins(&self) -> &Coins {
        match self {
            Event::CoinSpent { coins, .. }
            | Event::CoinReceived { coins, .. }
            | Event::Transfer { coins, .. }
            | Event::Coinbase { coins, .. }
            | Event::Burn { coins, .. } => coins,
        }
    }
}

/// Prints addresses with the prefix of the layout.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.attributes(&Prefix::default())
            .iter()
            .try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}
