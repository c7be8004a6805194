//! What users ask for: the keeper's operations behind the rules for messages.
//!
//! A denomination can be switched off, and some addresses, those of modules for instance, may not
//! receive. The keeper itself knows neither rule, because modules move coins that users may not.

use crate::{
    Address, Coins, Error, ErrorKind,
    keeper::{self, Output},
    layout::bank::SEND_ENABLED,
    vesting::Schedule,
};
use keyscape::store::{Read, Tx};
use std::collections::BTreeSet;

/// The rules that are not part of the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Who may not receive.
    pub blocked: BTreeSet<Address<'static>>,
}

impl Rules {
    fn may_receive(&self, address: &Address<'_>) -> Result<(), Error> {
        if !self.blocked.is_empty() && self.blocked.contains(address) {
            return Err(ErrorKind::Blocked { address: address.clone().into_owned() }.into());
        }
        Ok(())
    }
}

/// Sends coins of one user to another.
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked), and as
/// [`keeper::send`].
pub fn send(
    tx: &mut Tx<'_>,
    rules: &Rules,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    may_be_sent(tx, coins)?;
    rules.may_receive(to)?;
    keeper::send(tx, now, from, to, coins)
}

/// Sends coins of one user to several others.
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked), and as
/// [`keeper::multi_send`].
pub fn multi_send(
    tx: &mut Tx<'_>,
    rules: &Rules,
    now: i64,
    from: &Address<'_>,
    input: &Coins,
    outputs: &[Output],
) -> Result<(), Error> {
    may_be_sent(tx, input)?;
    outputs.iter().try_for_each(|output| rules.may_receive(&output.to))?;
    keeper::multi_send(tx, now, from, input, outputs)
}

/// Makes an account for coins that vest, with coins of a user.
///
/// # Errors
/// [`SendDisabled`](ErrorKind::SendDisabled), [`Blocked`](ErrorKind::Blocked), and as
/// [`keeper::create_vesting_account`].
pub fn create_vesting_account(
    tx: &mut Tx<'_>,
    rules: &Rules,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
    schedule: Schedule,
) -> Result<(), Error> {
    may_be_sent(tx, coins)?;
    rules.may_receive(to)?;
    keeper::create_vesting_account(tx, now, from, to, coins, schedule)
}

/// Refuses coins that are switched off. The parameters are read once at most.
fn may_be_sent(state: &impl Read, coins: &Coins) -> Result<(), Error> {
    let mut default = None;
    for coin in coins {
        let enabled = match (SEND_ENABLED.get(state, coin.denom.by_ref())?, default) {
            (Some(enabled), _) | (None, Some(enabled)) => enabled,
            (None, None) => *default.insert(keeper::get_params(state)?.default_send_enabled),
        };
        if !enabled {
            return Err(ErrorKind::SendDisabled { denom: coin.denom.clone() }.into());
        }
    }
    Ok(())
}
