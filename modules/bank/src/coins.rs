//! Coins: amounts of denominations.

use crate::Denom;
use keyscape::{DomainError, U256};
use std::{cmp::Ordering, fmt, str::FromStr};

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
        "`{text}` is not an amount: expected decimal digits, without leading zeros, at most 2^256 - 1"
    )]
    Amount {
        /// The given text.
        text: String,
    },
    /// An amount of zero.
    #[error("the amount of `{denom}` is zero; leave it out")]
    Zero {
        /// The denomination.
        denom: Denom<'static>,
    },
    /// Denominations that are not in order, or a duplicate.
    #[error(
        "`{denom}` comes after `{before}` in the list, but not in order: sort coins by denomination, each once"
    )]
    Unsorted {
        /// The previous denomination.
        before: Denom<'static>,
        /// The denomination.
        denom: Denom<'static>,
    },
    /// A sum of more than 256 bits.
    #[error("the amounts of `{denom}` add up to more than 2^256 - 1")]
    Overflow {
        /// The denomination.
        denom: Denom<'static>,
    },
}

/// Parses an amount: decimal digits without leading zeros.
pub(crate) fn amount(text: &str) -> Result<U256, CoinsError> {
    use keyscape::{ValueForm, forms::Dec};
    <Dec>::decode(text.as_bytes()).map_err(|_| CoinsError::Amount { text: text.to_owned() })
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
            Some(coin) => Err(CoinsError::Zero { denom: coin.denom.clone() }),
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
        match self.0.binary_search_by(|coin| coin.denom.as_str().cmp(denom.as_str())) {
            Ok(place) => self.0[place].amount,
            Err(_) => U256::ZERO,
        }
    }

    /// Returns the sum of both lists.
    ///
    /// # Errors
    /// [`CoinsError::Overflow`].
    pub fn plus(&self, other: &Coins) -> Result<Coins, CoinsError> {
        let mut sum = Vec::with_capacity(self.len().max(other.len()));
        merge(self, other, |denom, left, right| {
            let amount = left
                .checked_add(right)
                .ok_or_else(|| CoinsError::Overflow { denom: denom.clone() })?;
            sum.push(Coin { denom: denom.clone(), amount });
            Ok(())
        })?;
        Ok(Coins(sum))
    }

    /// Subtracts the other coins, with a minimum of zero for each denomination.
    #[must_use]
    pub fn without(&self, other: &Coins) -> Coins {
        self.each(|coin| coin.amount.saturating_sub(other.amount_of(&coin.denom)))
    }

    /// Maps the amounts, and removes those that become zero.
    pub(crate) fn each(&self, amount: impl Fn(&Coin) -> U256) -> Coins {
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
        match self.0.binary_search_by(|coin| coin.denom.as_str().cmp(denom.as_str())) {
            Ok(place) if amount == U256::ZERO => drop(self.0.remove(place)),
            Ok(place) => self.0[place].amount = amount,
            Err(_) if amount == U256::ZERO => {}
            Err(place) => {
                self.0.insert(place, Coin { denom: denom.clone().into_owned(), amount });
            }
        }
    }
}

/// Visits both amounts of every denomination in either list, in order.
fn merge(
    left: &Coins,
    right: &Coins,
    mut show: impl FnMut(&Denom<'static>, U256, U256) -> Result<(), CoinsError>,
) -> Result<(), CoinsError> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(two)) => one.denom.cmp(&two.denom),
        };
        let one = if order == Ordering::Greater { None } else { left.next() };
        let two = if order == Ordering::Less { None } else { right.next() };
        let Some(denom) = one.or(two).map(|coin| &coin.denom) else { return Ok(()) };
        let amount = |coin: Option<&Coin>| coin.map_or(U256::ZERO, |coin| coin.amount);
        show(denom, amount(one), amount(two))?;
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
        for (place, coin) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
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
        let denom = Denom::new(denom.to_owned()).map_err(CoinsError::Denom)?;
        Ok(Coin { denom, amount: amount(digits)? })
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
