//! Which tokens are followed.

use super::topics;
use crate::{
    error::Error,
    event,
    layout::txo::{Address, BLACKLIST, Blacklist, TOKENS, TokenId, WHITELIST, Whitelist},
    search::{Key, Query, balance},
    undo::{Cell, Recorder, Space},
};
use keyscape::store::{Read, Tx};
use std::collections::BTreeSet;

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

/// The tokens that should have a worker, in order of their ids: those on the whitelist, and those that have
/// work in their queue and whose fees are paid; none that is on the blacklist. A token that is on no list
/// and has no work needs no worker: it comes up when an output of it is put into its queue.
///
/// `fees` gives the fee address of a token; one that has none pays nothing. It costs a [`fee_balance`] for each
/// token with work that is on no list.
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{blacklist, enqueue_output, followed, whitelist},
///     layout::txo::{Outpoint, TokenId, Txid, TxidText},
///     score,
/// };
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
/// let token = |number: u8| TokenId { txid: TxidText([number; 32]), vout: 0 };
/// db.write(|tx| {
///     whitelist(tx, token(1))?;
///     whitelist(tx, token(2))?;
///     blacklist(tx, token(2))?;
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
    for key in TOKENS.prefix_all().structures(read)?.keys() {
        let token = key?.token;
        // Those on a list are decided.
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
