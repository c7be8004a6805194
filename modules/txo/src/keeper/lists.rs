//! Which tokens are followed.

use super::topics;
use crate::{
    error::Error,
    event,
    layout::txo::{Address, BLACKLIST, Blacklist, TokenId, WHITELIST, Whitelist},
    search::{Key, Query, balance},
    undo::{Cell, Recorder, Space},
};
use keyscape::store::{Read, Tx};

/// How a token stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is never followed, also if it is on the other list.
    Black,
    /// It is always followed.
    White,
    /// It is followed while its fees are paid.
    Neither,
}

/// Puts a token on the whitelist. Says whether it is new there.
///
/// # Errors
/// If the store fails.
pub fn whitelist(tx: &mut Tx<'_>, token: TokenId) -> Result<bool, Error> {
    let cell = Cell::new::<Whitelist, TokenId>(Space::Whitelist, &(), &token)?;
    put(tx, "whitelist", cell, true).map(|was| !was)
}

/// Takes a token off the whitelist. Says whether it was there.
///
/// # Errors
/// If the store fails.
pub fn unwhitelist(tx: &mut Tx<'_>, token: TokenId) -> Result<bool, Error> {
    let cell = Cell::new::<Whitelist, TokenId>(Space::Whitelist, &(), &token)?;
    put(tx, "unwhitelist", cell, false)
}

/// Puts a token on the blacklist. Says whether it is new there.
///
/// # Errors
/// If the store fails.
pub fn blacklist(tx: &mut Tx<'_>, token: TokenId) -> Result<bool, Error> {
    let cell = Cell::new::<Blacklist, TokenId>(Space::Blacklist, &(), &token)?;
    put(tx, "blacklist", cell, true).map(|was| !was)
}

/// Takes a token off the blacklist. Says whether it was there.
///
/// # Errors
/// If the store fails.
pub fn unblacklist(tx: &mut Tx<'_>, token: TokenId) -> Result<bool, Error> {
    let cell = Cell::new::<Blacklist, TokenId>(Space::Blacklist, &(), &token)?;
    put(tx, "unblacklist", cell, false)
}

/// Writes a list, and says whether the token was on it.
fn put(tx: &mut Tx<'_>, operation: &'static str, cell: Cell, is_on: bool) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let mut unit = Recorder::begin(tx, operation, None);
        let before = unit.set(cell, is_on.then_some(&[]))?;
        unit.finish()?;
        Ok(before.is_some())
    })
}

/// How a token stands. The blacklist comes first.
///
/// # Errors
/// If the store fails.
pub fn standing(read: &impl Read, token: TokenId) -> Result<Standing, Error> {
    if BLACKLIST.contains(read, (), token)? {
        return Ok(Standing::Black);
    }
    Ok(if WHITELIST.contains(read, (), token)? { Standing::White } else { Standing::Neither })
}

/// What is left of a token's fees: the unspent satoshis at its fee address, less `price` for each
/// output that its own topic has admitted.
///
/// # Errors
/// [`Error::Overflow`] if the sums do not fit.
pub fn fee_balance(
    read: &impl Read,
    token: TokenId,
    fees: &Address<'_>,
    price: u64,
) -> Result<i128, Error> {
    let owned = event::own(fees.by_ref().into_owned());
    let paid = balance(read, &Query::of(Key::Event(owned)))?.satoshis;
    let admitted = topics::topic_count(read, &event::token_topic(token)?)?;
    let used = u128::from(price).checked_mul(u128::from(admitted));
    let (paid, used) = (i128::try_from(paid).ok(), used.and_then(|used| used.try_into().ok()));
    let rest = paid.zip(used).and_then(|(paid, used): (i128, i128)| paid.checked_sub(used));
    rest.ok_or(Error::Overflow("the fees of a token"))
}

/// Whether a token is followed: never if it is on the blacklist, else always if it is on the
/// whitelist, else while its [`fee_balance`] is above zero.
///
/// # Errors
/// As [`fee_balance`].
pub fn is_active(
    read: &impl Read,
    token: TokenId,
    fees: &Address<'_>,
    price: u64,
) -> Result<bool, Error> {
    match standing(read, token)? {
        Standing::Black => Ok(false),
        Standing::White => Ok(true),
        Standing::Neither => Ok(fee_balance(read, token, fees, price)? > 0),
    }
}
