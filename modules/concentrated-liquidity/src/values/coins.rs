//! Fractions of coins.

use crate::math::{Dec, Int, MathError};
use std::{cmp::Ordering, fmt};

/// An amount of one denomination, with 18 places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecCoin {
    /// The denomination.
    pub denom: String,
    /// The amount; it can be negative.
    pub amount: Dec,
}

/// Amounts of several denominations: sorted, each denomination once, no amount zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecCoins(Vec<DecCoin>);

/// A difference of coins that must not be negative is below zero.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the amount of `{denom}` would be {amount}")]
pub struct NegativeCoins {
    /// The denomination.
    pub denom: String,
    /// The amount.
    pub amount: Box<Dec>,
}

impl DecCoins {
    /// Creates coins from a list. Returns `None` if it is not sorted or contains a zero amount.
    pub(super) fn new(coins: Vec<DecCoin>) -> Option<DecCoins> {
        let is_sorted = coins.windows(2).all(|pair| matches!(pair, [a, b] if a.denom < b.denom));
        let has_zero = coins.iter().any(|coin| coin.amount.is_zero());
        (is_sorted && !has_zero).then_some(DecCoins(coins))
    }

    /// Returns one coin, or no coins if its amount is zero.
    #[must_use]
    pub fn one(denom: &str, amount: Dec) -> DecCoins {
        if amount.is_zero() {
            DecCoins::default()
        } else {
            DecCoins(vec![DecCoin { denom: denom.to_owned(), amount }])
        }
    }

    /// Returns the coins in order of denomination.
    pub fn iter(&self) -> std::slice::Iter<'_, DecCoin> {
        self.0.iter()
    }

    /// Whether there are no coins.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn plus(&self, other: &DecCoins) -> Result<DecCoins, MathError> {
        self.merge(other, |amount| amount)
    }

    /// Subtracts; amounts can become negative.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn minus(&self, other: &DecCoins) -> Result<DecCoins, MathError> {
        self.merge(other, Dec::negated)
    }

    /// Rejects amounts below zero.
    ///
    /// # Errors
    /// [`NegativeCoins`] with the first of them.
    pub fn not_negative(self) -> Result<DecCoins, NegativeCoins> {
        match self.iter().find(|coin| coin.amount.is_negative()) {
            None => Ok(self),
            Some(DecCoin { denom, amount }) => {
                Err(NegativeCoins { denom: denom.clone(), amount: Box::new(*amount) })
            }
        }
    }

    /// Maps the amounts, and removes those that become zero.
    ///
    /// # Errors
    /// Errors of `change`.
    pub fn map_amounts(
        &self,
        change: impl Fn(Dec) -> Result<Dec, MathError>,
    ) -> Result<DecCoins, MathError> {
        let mut coins = Vec::with_capacity(self.0.len());
        for coin in self.iter() {
            let amount = change(coin.amount)?;
            if !amount.is_zero() {
                coins.push(DecCoin { denom: coin.denom.clone(), amount });
            }
        }
        Ok(DecCoins(coins))
    }

    /// Splits the amounts into whole coins and the fractions that are left.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn split(&self) -> Result<(Vec<(String, Int)>, DecCoins), MathError> {
        let mut whole = Vec::new();
        for coin in self.iter() {
            let amount = coin.amount.truncate()?;
            if !amount.is_zero() {
                whole.push((coin.denom.clone(), amount));
            }
        }
        let rest = self.map_amounts(|amount| amount.minus(Dec::from_int(amount.truncate()?)?))?;
        Ok((whole, rest))
    }

    fn merge(&self, other: &DecCoins, sign: impl Fn(Dec) -> Dec) -> Result<DecCoins, MathError> {
        let mut sum = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return Ok(DecCoins(sum)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) => one.denom.cmp(&two.denom),
            };
            let one = if order == Ordering::Greater { None } else { left.next() };
            let two = if order == Ordering::Less { None } else { right.next() };
            let amount = match (one, two) {
                (Some(one), Some(two)) => one.amount.plus(sign(two.amount))?,
                (Some(one), None) => one.amount,
                (None, two) => two.map_or(Dec::ZERO, |two| sign(two.amount)),
            };
            if let Some(coin) = one.or(two).filter(|_| !amount.is_zero()) {
                sum.push(DecCoin { denom: coin.denom.clone(), amount });
            }
        }
    }
}

impl fmt::Display for DecCoins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, coin) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma}{}{}", coin.amount, coin.denom)?;
        }
        Ok(())
    }
}
