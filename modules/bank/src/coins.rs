//! Coins: amounts of denominations.

use crate::Denom;
use keyscape::{DomainError, U256};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// An amount of one denomination.
///
/// ```
/// use keyscape_bank::Coin;
///
/// let coin: Coin = "5uatom".parse()?;
/// assert_eq!(coin.denom.as_str(), "uatom");
/// assert_eq!(coin.to_string(), "5uatom");
/// # Ok::<(), keyscape_bank::CoinsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coin {
    /// The denomination.
    pub denom: Denom<'static>,
    /// The amount.
    pub amount: U256,
}

/// Amounts of several denominations: sorted, each denomination once, no amount zero.
///
/// ```
/// use keyscape_bank::{Coins, CoinsError};
///
/// let coins: Coins = "7stake,5uatom".parse()?;
/// assert_eq!(coins.to_string(), "7stake,5uatom");
/// assert!(matches!("5uatom,7stake".parse::<Coins>(), Err(CoinsError::Unsorted { .. })));
/// assert!(matches!("0stake".parse::<Coins>(), Err(CoinsError::Zero { .. })));
/// # Ok::<(), CoinsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coins(Vec<Coin>);

/// An invalid coin or list of coins.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoinsError {
    /// An invalid denomination.
    #[error(transparent)]
    Denom(DomainError),
    /// An invalid amount: not a number of at most 256 bits, or with a sign or leading zeros.
    #[error(
        "`{0}` is not an amount: expected decimal digits, without leading zeros, at most 2^256 - 1"
    )]
    Amount(String),
    /// An amount of zero.
    #[error("the amount of `{0}` is zero; leave it out")]
    Zero(Denom<'static>),
    /// Denominations that are not in order, or a duplicate.
    #[error(
        "`{denom}` follows `{before}`: sort coins by denomination, and list each denomination once"
    )]
    Unsorted {
        /// The previous denomination.
        before: Denom<'static>,
        /// The denomination.
        denom: Denom<'static>,
    },
    /// A sum of more than 256 bits.
    #[error("the amounts of `{0}` add up to more than 2^256 - 1")]
    Overflow(Denom<'static>),
}

/// Parses an amount: decimal digits without leading zeros.
pub(crate) fn amount(text: &str) -> Result<U256, CoinsError> {
    use keyscape::{ValueForm, forms::Dec};
    <Dec>::decode(text.as_bytes()).map_err(|_| CoinsError::Amount(text.to_owned()))
}

impl Coin {
    /// Creates a coin.
    ///
    /// # Errors
    /// [`CoinsError::Denom`] if the denomination is invalid.
    pub fn new(denom: &str, amount: impl Into<U256>) -> Result<Coin, CoinsError> {
        let denom = Denom::new(denom.to_owned()).map_err(CoinsError::Denom)?;
        Ok(Coin { denom, amount: amount.into() })
    }
}

impl Coins {
    /// Creates coins from a list that is sorted by denomination, each once, none zero.
    ///
    /// # Errors
    /// [`CoinsError`] for the first coin that violates this.
    pub fn new(coins: Vec<Coin>) -> Result<Coins, CoinsError> {
        for pair in coins.windows(2) {
            let [before, coin] = pair else { continue };
            if before.denom >= coin.denom {
                let (before, denom) = (before.denom.clone(), coin.denom.clone());
                return Err(CoinsError::Unsorted { before, denom });
            }
        }
        match coins.iter().find(|coin| coin.amount == U256::ZERO) {
            Some(coin) => Err(CoinsError::Zero(coin.denom.clone())),
            None => Ok(Coins(coins)),
        }
    }

    /// Returns an empty list.
    #[must_use]
    pub const fn none() -> Coins {
        Coins(Vec::new())
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of denominations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the coins in order of denomination.
    pub fn iter(&self) -> std::slice::Iter<'_, Coin> {
        self.0.iter()
    }

    /// Returns the amount of a denomination; zero if the list does not contain it.
    #[must_use]
    pub fn amount_of(&self, denom: &Denom<'_>) -> U256 {
        self.find(denom).map_or(U256::ZERO, |index| self.0[index].amount)
    }

    /// Returns the index of a denomination, or the index at which to insert it.
    fn find(&self, denom: &Denom<'_>) -> Result<usize, usize> {
        self.0.binary_search_by(|coin| coin.denom.as_str().cmp(denom.as_str()))
    }

    /// Returns the sum of both lists.
    ///
    /// # Errors
    /// [`CoinsError::Overflow`].
    pub fn plus(&self, other: &Coins) -> Result<Coins, CoinsError> {
        Coins::sum(self.iter().chain(other))
    }

    /// Adds up coins in any order.
    pub(crate) fn sum<'c>(coins: impl IntoIterator<Item = &'c Coin>) -> Result<Coins, CoinsError> {
        let mut sums: BTreeMap<&Denom<'static>, U256> = BTreeMap::new();
        for Coin { denom, amount } in coins {
            let sum = sums.entry(denom).or_insert(U256::ZERO);
            let more = sum.checked_add(*amount);
            *sum = more.ok_or_else(|| CoinsError::Overflow(denom.clone()))?;
        }
        let coins = sums.into_iter();
        Ok(Coins(coins.map(|(denom, amount)| Coin { denom: denom.clone(), amount }).collect()))
    }

    /// Subtracts the other coins, with a minimum of zero for each denomination.
    #[must_use]
    pub fn without(&self, other: &Coins) -> Coins {
        self.map_amounts(|coin| coin.amount.saturating_sub(other.amount_of(&coin.denom)))
    }

    /// Maps the amounts, and removes those that become zero.
    pub(crate) fn map_amounts(&self, amount: impl Fn(&Coin) -> U256) -> Coins {
        let coins = self.iter().filter_map(|coin| {
            let amount = amount(coin);
            (amount != U256::ZERO).then(|| Coin { denom: coin.denom.clone(), amount })
        });
        Coins(coins.collect())
    }

    /// Whether these coins contain at least as much of every denomination as the others.
    #[must_use]
    pub fn covers(&self, other: &Coins) -> bool {
        other.iter().all(|coin| self.amount_of(&coin.denom) >= coin.amount)
    }

    /// Sets the amount of a denomination; zero removes it.
    pub(crate) fn set(&mut self, denom: &Denom<'_>, amount: U256) {
        match self.find(denom) {
            Ok(index) if amount == U256::ZERO => drop(self.0.remove(index)),
            Ok(index) => self.0[index].amount = amount,
            Err(_) if amount == U256::ZERO => {}
            Err(index) => {
                self.0.insert(index, Coin { denom: denom.clone().into_owned(), amount });
            }
        }
    }
}

impl TryFrom<Coin> for Coins {
    type Error = CoinsError;

    fn try_from(coin: Coin) -> Result<Coins, CoinsError> {
        Coins::new(vec![coin])
    }
}

impl<'a> IntoIterator for &'a Coins {
    type Item = &'a Coin;
    type IntoIter = std::slice::Iter<'a, Coin>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Coin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.amount, self.denom)
    }
}

impl fmt::Display for Coins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, coin) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{coin}")?;
        }
        Ok(())
    }
}

impl FromStr for Coin {
    type Err = CoinsError;

    fn from_str(text: &str) -> Result<Coin, CoinsError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, denom) = text.split_at(digits);
        let coin = Coin::new(denom, U256::ZERO)?;
        Ok(Coin { amount: amount(digits)?, ..coin })
    }
}

impl FromStr for Coins {
    type Err = CoinsError;

    /// Parses coins separated by commas; the empty text is an empty list.
    fn from_str(text: &str) -> Result<Coins, CoinsError> {
        if text.is_empty() {
            return Ok(Coins::none());
        }
        Coins::new(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
    }
}
