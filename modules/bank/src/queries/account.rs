//! The query of one account.

use super::{Chain, TIME};
use crate::{
    AccountKind, ErrorKind, keeper,
    vesting::{Schedule, Vesting},
};
use keyscape::store::Read;
use keyscape_query::{Answer, Arguments, QueryError, text};
use serde_json::{Value, json};

pub(super) fn account(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let chain = Chain::of(state)?;
    let (owner, now) = (chain.address(given, "ADDRESS")?, given.seconds(TIME.name)?);
    let Some(found) = keeper::get_account(state, &owner)? else {
        let shown = chain.prefix.show(&owner);
        return Err(QueryError::Missing(format!("`{shown}` has no account")));
    };
    let bad =
        |source| chain.failed(&ErrorKind::BadAccount { address: owner.clone(), source }.into());
    let locked = keeper::locked_coins(state, now, &owner);
    let locked = locked.map_err(|error| chain.failed(&error))?;
    let sequence = found.base_account().map_or(Value::Null, |base| base.sequence.into());
    let (mut module, mut permissions, mut vesting) = (Value::Null, Value::Null, Value::Null);
    match found.kind().map_err(bad)? {
        AccountKind::Module(account) => {
            module = text(account.name);
            permissions = account.permissions.into();
        }
        AccountKind::Vesting(account) => vesting = schedule(&account.vesting, now),
        _ => {}
    }
    Ok(Answer::row([
        chain.show(&owner),
        found.number().into(),
        sequence,
        text(found.type_url()),
        module,
        permissions,
        text(locked),
        vesting,
    ]))
}

/// Returns the vesting coins with their schedule. Times are in seconds since 1970.
fn schedule(vesting: &Vesting, now: i64) -> Value {
    let (kind, start, periods) = match vesting.schedule() {
        Schedule::Continuous { start, .. } => ("continuous", Some(*start), &[][..]),
        Schedule::Delayed { .. } => ("delayed", None, &[][..]),
        Schedule::Periodic { start, periods } => ("periodic", Some(*start), &**periods),
        Schedule::Permanent => ("permanent", None, &[][..]),
    };
    let end = (*vesting.schedule() != Schedule::Permanent).then(|| vesting.end());
    let periods = periods.iter().map(|period| {
        json!({ "length": period.length.to_string(), "amount": period.amount.to_string() })
    });
    json!({
        "schedule": kind,
        "start": start.map(|time| time.to_string()),
        "end": end.map(|time| time.to_string()),
        "original": vesting.original().to_string(),
        "vested": vesting.vested(now).to_string(),
        "delegated_free": vesting.delegated_free().to_string(),
        "delegated_vesting": vesting.delegated_vesting().to_string(),
        "periods": periods.collect::<Vec<_>>(),
    })
}
