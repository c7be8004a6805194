//! The tokens that are followed, by the lists of an operator and by their fees.
//!
//! Programs write [`WHITELIST`], [`BLACKLIST`] and the general [`SETS`](crate::layout::txo::SETS)
//! directly: they are decisions of an operator, which no rollback changes.

use super::topics;
use crate::{
    error::Error,
    event,
    layout::txo::{Address, BLACKLIST, Event, TOKENS, TokenId, WHITELIST},
    search::{Key, OutputQuery, balance},
};
use keyscape::store::Read;
use std::collections::BTreeSet;

/// The listing of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Never followed, even if it is also on the whitelist.
    Black,
    /// Always followed.
    White,
    /// Followed while its fees are paid.
    Neither,
}

/// Returns the listing of a token. The blacklist takes precedence.
///
/// # Errors
/// If the store fails.
pub fn standing(read: &impl Read, token: TokenId) -> Result<Standing, Error> {
    if BLACKLIST.contains(read, (), token)? {
        return Ok(Standing::Black);
    }
    Ok(if WHITELIST.contains(read, (), token)? { Standing::White } else { Standing::Neither })
}

/// Returns the remaining fees of a token: the unspent satoshis at its fee address, minus `price`
/// for each output that its own topic has admitted.
///
/// # Errors
/// [`Error::Overflow`] if the sums overflow.
pub fn fee_balance(
    read: &impl Read,
    token: TokenId,
    fees: &Address<'_>,
    price: u64,
) -> Result<i128, Error> {
    let owned = Event::Own { owner: fees.by_ref().into_owned() };
    let paid = balance(read, &OutputQuery::of(Key::Event(owned)))?.satoshis;
    let admitted = topics::topic_count(read, &event::token_topic(token)?)?;
    let used = u128::from(price).checked_mul(u128::from(admitted));
    let (paid, used) = (i128::try_from(paid).ok(), used.and_then(|used| used.try_into().ok()));
    let rest = paid.zip(used).and_then(|(paid, used): (i128, i128)| paid.checked_sub(used));
    rest.ok_or(Error::Overflow("the fees of a token"))
}

/// Whether a token is followed: never on the blacklist, otherwise always on the whitelist,
/// otherwise while its [`fee_balance`] is positive.
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

/// Returns the tokens that should have a worker, in order of their ids: those on the whitelist, and
/// those with queued work and paid fees; none on the blacklist. A token on no list and without work
/// needs no worker until one of its outputs is queued.
///
/// `fees` returns the fee address of a token; a token without one pays nothing. The cost is one
/// [`fee_balance`] for each token with work that is on no list.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{enqueue_output, followed},
///     layout::txo::{BLACKLIST, Outpoint, TokenId, Txid, TxidText, WHITELIST},
///     score,
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let token = |number: u8| TokenId { txid: TxidText([number; 32]), vout: 0 };
/// db.write(|tx| {
///     WHITELIST.add(tx, (), token(1))?;
///     WHITELIST.add(tx, (), token(2))?;
///     BLACKLIST.add(tx, (), token(2))?;
///     let output = Outpoint { txid: Txid([3; 32]), vout: 0 };
///     enqueue_output(tx, token(3), output, score::seen(1))?; // nobody pays for it
///     Ok::<(), Error>(())
/// })?;
/// assert_eq!(followed(&db.read()?, |_| None, 10)?, [token(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`fee_balance`].
pub fn followed(
    read: &impl Read,
    fees: impl Fn(TokenId) -> Option<Address<'static>>,
    price: u64,
) -> Result<Vec<TokenId>, Error> {
    let mut tokens = BTreeSet::new();
    for token in WHITELIST.members(()).to_vec(read)? {
        if standing(read, token)? == Standing::White {
            tokens.insert(token);
        }
    }
    for key in TOKENS.prefix_all().structures(read)? {
        let token = key?.token;
        // Tokens on a list are already decided.
        if standing(read, token)? != Standing::Neither {
            continue;
        }
        if let Some(fees) = fees(token)
            && fee_balance(read, token, &fees, price)? > 0
        {
            tokens.insert(token);
        }
    }
    Ok(tokens.into_iter().collect())
}
