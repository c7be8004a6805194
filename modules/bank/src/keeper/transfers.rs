//! Transfers of coins between accounts.

use super::{
    accounts::{self, Locks},
    balances, some,
};
use crate::{Address, Coins, Error, ErrorKind, rules::Context};
use keyscape::store::Tx;

/// One output of a multi-send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The recipient.
    pub to: Address<'static>,
    /// The coins.
    pub coins: Coins,
}

/// Sends coins that are not locked. Creates an account for a recipient without one, even if the
/// list of coins is empty, as the SDK does.
///
/// For each coin it reads two balances and writes two, and updates the index of holders. Once per
/// call it reads the locked coins and looks up the account of the recipient.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, ErrorKind, keeper};
///
/// # let (db, now) = (bank(), 0);
/// let (ann, bob) = (address(1), address(2));
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// db.write(|tx| keeper::send(tx, now, &ann, &bob, &"30uatom".parse::<Coins>()?))?;
/// assert_eq!(keeper::get_all_balances(&db.read()?, &bob)?.to_string(), "30uatom");
///
/// let refused = db.write(|tx| keeper::send(tx, now, &bob, &ann, &"31uatom".parse::<Coins>()?));
/// let error = refused.err().ok_or("bob has less")?;
/// assert!(matches!(error.kind(), ErrorKind::Insufficient { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Insufficient`](ErrorKind::Insufficient), [`Overflow`](ErrorKind::Overflow).
pub fn send(
    tx: &mut Tx<'_>,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    send_in(tx, &mut Context::default(), now, from, to, coins)
}

/// Sends coins under the rules of a context.
pub(crate) fn send_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    let other = context.recipient(tx, from, to, coins)?;
    let to = other.as_ref().unwrap_or(to);
    let locks = accounts::locks_of(tx, context.rules, now, from)?;
    tx.attempt(|tx| {
        take(tx, context, now, from, coins, &locks)?;
        give(tx, context, to, coins)?;
        context.moved(Some(from), to, coins);
        Ok(())
    })
}

/// Sends coins of one account to several others. The outputs must add up to the input.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Output, keeper};
///
/// # let (db, now) = (bank(), 0);
/// # let ann = address(1);
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let outputs = [
///     Output { to: address(2), coins: "1uatom".parse()? },
///     Output { to: address(3), coins: "2uatom".parse()? },
/// ];
/// let input: Coins = "3uatom".parse()?;
/// db.write(|tx| keeper::multi_send(tx, now, &ann, &input, &outputs))?;
/// assert_eq!(keeper::get_all_balances(&db.read()?, &ann)?.to_string(), "97uatom");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unbalanced`](ErrorKind::Unbalanced), [`NoOutputs`](ErrorKind::NoOutputs),
/// [`NoCoins`](ErrorKind::NoCoins) if the input or an output is empty, and as [`send`].
pub fn multi_send(
    tx: &mut Tx<'_>,
    now: i64,
    from: &Address<'_>,
    input: &Coins,
    outputs: &[Output],
) -> Result<(), Error> {
    multi_send_in(tx, &mut Context::default(), now, from, input, outputs)
}

/// Sends coins to several accounts under the rules of a context.
pub(crate) fn multi_send_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    now: i64,
    from: &Address<'_>,
    input: &Coins,
    outputs: &[Output],
) -> Result<(), Error> {
    some(input)?;
    if outputs.is_empty() {
        return Err(ErrorKind::NoOutputs.into());
    }
    let mut sum = Coins::none();
    for output in outputs {
        some(&output.coins)?;
        sum = sum.plus(&output.coins)?;
    }
    if sum != *input {
        return Err(ErrorKind::Unbalanced { input: input.clone(), outputs: sum }.into());
    }
    let locks = accounts::locks_of(tx, context.rules, now, from)?;
    tx.attempt(|tx| {
        take(tx, context, now, from, input, &locks)?;
        outputs.iter().try_for_each(|Output { to, coins }| {
            let other = context.recipient(tx, from, to, coins)?;
            let to = other.as_ref().unwrap_or(to);
            give(tx, context, to, coins)?;
            context.moved(None, to, coins);
            Ok(())
        })
    })
}

/// Withdraws coins that are not locked.
fn take(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    now: i64,
    from: &Address<'_>,
    coins: &Coins,
    locks: &Locks,
) -> Result<(), Error> {
    for coin in coins {
        balances::debit(tx, from, coin, locks.of(&coin.denom, now))?;
    }
    context.spent(from, coins);
    Ok(())
}

/// Adds coins to an address, and creates an account for it if it has none.
fn give(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    for coin in coins {
        balances::credit(tx, to, coin)?;
    }
    context.received(to, coins);
    accounts::ensure(tx, context, to)
}
