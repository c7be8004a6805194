//! Operations that write.

use super::{Chain, TIME};
use crate::{Coins, Error, Event, Keeper, Rules, keeper, messages};
use keyscape::store::Tx;
use keyscape_query::{Answer, Arguments, QueryError, text};
use serde_json::{Map, Value};

/// Splits a list of permissions. A permission is any text.
fn permissions(list: &str) -> Vec<&str> {
    list.split(',').map(str::trim).filter(|permission| !permission.is_empty()).collect()
}

/// Returns the rules of the SDK with the given modules and blocked addresses.
fn rules(chain: &Chain, given: &Arguments) -> Result<Rules, QueryError> {
    let mut rules = Rules::sdk()?;
    for module in given.all("module") {
        let (name, list) = module.split_once('=').unwrap_or((module, ""));
        let wrong = |error: Error| QueryError::argument("module", module, error);
        rules = rules.with_module(name, &permissions(list)).map_err(wrong)?;
    }
    for address in given.all("blocked") {
        rules = rules.with_blocked(chain.read("blocked", address)?);
    }
    Ok(rules)
}

pub(super) fn send(tx: &mut Tx<'_>, given: &Arguments) -> Result<Answer, QueryError> {
    let chain = Chain::of(tx)?;
    let (from, to) = (chain.address(given, "FROM")?, chain.address(given, "TO")?);
    let coins: Coins = given.parse("COINS")?;
    let (keeper, now) = (Keeper::new(rules(&chain, given)?), given.seconds(TIME.name)?);
    let events = messages::send(tx, &keeper, now, &from, &to, &coins);
    let events = events.map_err(|error| chain.failed(&error))?;
    let attributes = |event: &Event| {
        let pairs = event.attributes(&chain.prefix).into_iter();
        Value::Object(
            pairs.map(|(key, value)| (key.to_owned(), value.into())).collect::<Map<_, _>>(),
        )
    };
    Ok(Answer::rows(events.iter().map(|event| vec![text(event.name()), attributes(event)])))
}

pub(super) fn create_module(tx: &mut Tx<'_>, given: &Arguments) -> Result<Answer, QueryError> {
    let (chain, module) = (Chain::of(tx)?, given.text("MODULE").unwrap_or_default());
    let permissions = permissions(given.text("permissions").unwrap_or_default());
    let wrong = |error: Error| QueryError::argument("MODULE", module, error);
    let rules = Rules::default().with_module(module, &permissions).map_err(wrong)?;
    let number = Keeper::new(rules).create_module_account(tx, module);
    let number = number.map_err(|error| chain.failed(&error))?;
    let address = chain.show(&keeper::module_address(module)?);
    Ok(Answer::row([text(module), address, number.into()]))
}
