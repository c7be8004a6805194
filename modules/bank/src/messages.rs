//! The operations of users: those of the keeper with the rules for messages.
//!
//! A denomination can be disabled, and some addresses, such as those of modules, may not receive
//! coins. The keeper has neither rule, because modules move coins that users may not. A message
//! without coins is rejected. Every operation returns its events.

use crate::{
    Address, Coins, Error, ErrorKind, Event, Keeper,
    keeper::{self, Output},
    layout::bank::SEND_ENABLED,
    vesting::Schedule,
};
use keyscape::store::{Read, Tx};

/// Sends coins of one user to another.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, ErrorKind, Keeper, Rules, keeper, messages};
///
/// # let (db, now) = (bank(), 0);
/// let (ann, fees) = (address(1), keeper::module_address("fees")?);
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let keeper = Keeper::new(Rules::default().with_blocked(fees.clone()));
/// let coins: Coins = "30uatom".parse()?;
/// db.write(|tx| messages::send(tx, &keeper, now, &ann, &address(2), &coins))?;
///
/// let refused = db.write(|tx| messages::send(tx, &keeper, now, &ann, &fees, &coins));
/// let error = refused.err().ok_or("it is blocked")?;
/// assert!(matches!(error.kind(), ErrorKind::Blocked { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked),
/// [`NoCoins`](ErrorKind::NoCoins), and as [`Keeper::send`](crate::Keeper::send).
pub fn send(
    tx: &mut Tx<'_>,
    keeper: &Keeper,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<Vec<Event>, Error> {
    check(tx, keeper, coins, [to])?;
    keeper.send(tx, now, from, to, coins)
}

/// Sends coins of one user to several others.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Denom, Keeper, Output, keeper, messages};
///
/// # let (db, now) = (bank(), 0);
/// # let ann = address(1);
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let (keeper, input): (_, Coins) = (Keeper::default(), "3uatom".parse()?);
/// let outputs = [
///     Output { to: address(2), coins: "1uatom".parse()? },
///     Output { to: address(3), coins: "2uatom".parse()? },
/// ];
/// db.write(|tx| messages::multi_send(tx, &keeper, now, &ann, &input, &outputs))?;
///
/// let uatom = Denom::new("uatom")?;
/// let refused = db.write(|tx| {
///     keeper::set_send_enabled(tx, &uatom, Some(false))?;
///     messages::multi_send(tx, &keeper, now, &ann, &input, &outputs)
/// });
/// let error = refused.err().ok_or("the message is accepted")?;
/// assert_eq!(error.to_string(), "sending `uatom` is disabled");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked), and as
/// [`Keeper::multi_send`].
pub fn multi_send(
    tx: &mut Tx<'_>,
    keeper: &Keeper,
    now: i64,
    from: &Address<'_>,
    input: &Coins,
    outputs: &[Output],
) -> Result<Vec<Event>, Error> {
    check(tx, keeper, input, outputs.iter().map(|output| &output.to))?;
    keeper.multi_send(tx, now, from, input, outputs)
}

/// Creates a vesting account with coins of a user.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Keeper, keeper, messages, vesting::Schedule};
///
/// # let (db, now) = (bank(), 0);
/// # let (ann, bob) = (address(1), address(2));
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let (keeper, coins): (_, Coins) = (Keeper::default(), "40uatom".parse()?);
/// let schedule = Schedule::Delayed { end: 1_000 };
/// db.write(|tx| {
///     messages::create_vesting_account(tx, &keeper, now, &ann, &bob, &coins, schedule.clone())
/// })?;
/// assert_eq!(keeper.locked_coins(&db.read()?, 999, &bob)?, coins);
/// assert!(keeper.locked_coins(&db.read()?, 1_000, &bob)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked), and as
/// [`Keeper::create_vesting_account`].
pub fn create_vesting_account(
    tx: &mut Tx<'_>,
    keeper: &Keeper,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
    schedule: Schedule,
) -> Result<Vec<Event>, Error> {
    check(tx, keeper, coins, [to])?;
    keeper.create_vesting_account(tx, now, from, to, coins, schedule)
}

/// Rejects disabled coins, blocked recipients and an empty list of coins. Reads the parameters at
/// most once.
fn check<'a>(
    state: &impl Read,
    keeper: &Keeper,
    coins: &Coins,
    recipients: impl IntoIterator<Item = &'a Address<'a>>,
) -> Result<(), Error> {
    let mut default = None;
    for coin in coins {
        let enabled = match (SEND_ENABLED.get(state, &coin.denom)?, default) {
            (Some(enabled), _) | (None, Some(enabled)) => enabled,
            (None, None) => *default.insert(keeper::get_params(state)?.default_send_enabled),
        };
        if !enabled {
            return Err(ErrorKind::SendDisabled(coin.denom.clone()).into());
        }
    }
    recipients.into_iter().try_for_each(|to| keeper.rules().may_receive(to))?;
    keeper::reject_empty(coins)
}
