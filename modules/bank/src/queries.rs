//! The queries of the bank, for programs that render them.

use crate::{
    Address, Coin, Coins, Denom, Error, Event, PageRequest, PageResponse, Permission, Rules,
    keeper, layout::acc, messages,
};
use keyscape::{
    PageCursor,
    store::{Read, Tx},
};
use keyscape_query::{
    AFTER, Answer, Argument, Given, LIMIT, Query, QueryError, REVERSE, Run, text,
};
use serde_json::Value;

const ADDRESS: Argument = Argument::required("ADDRESS", "The address of the account");
const TIME: Argument = Argument::option("time", "The time in seconds since 1970; default: now");

/// The queries and operations.
pub const QUERIES: &[Query] = &[
    Query {
        name: "balance",
        about: "Print the balances of an account, or its balance in one denomination",
        arguments: &[
            ADDRESS,
            Argument::optional("DENOM", "The denomination; default: all"),
            LIMIT,
            AFTER,
            REVERSE,
        ],
        columns: &["denom", "amount"],
        example: "cosmos1… uatom",
        run: Run::Read(balance),
    },
    Query {
        name: "spendable",
        about: "Print the coins of an account that are not locked",
        arguments: &[ADDRESS, TIME, LIMIT, AFTER, REVERSE],
        columns: &["denom", "amount"],
        example: "cosmos1… --time 1700000000",
        run: Run::Read(spendable),
    },
    Query {
        name: "owners",
        about: "List the accounts that hold a denomination, with their balances",
        arguments: &[Argument::required("DENOM", "The denomination"), LIMIT, AFTER, REVERSE],
        columns: &["owner", "amount"],
        example: "uatom --limit 10",
        run: Run::Read(owners),
    },
    Query {
        name: "supply",
        about: "Print the supply of all denominations, or of one",
        arguments: &[
            Argument::optional("DENOM", "The denomination; default: all"),
            LIMIT,
            AFTER,
            REVERSE,
        ],
        columns: &["denom", "amount"],
        example: "--format json",
        run: Run::Read(supply),
    },
    Query {
        name: "metadata",
        about: "List the metadata of denominations",
        arguments: &[LIMIT, AFTER, REVERSE],
        columns: &["base", "display", "exponent", "name", "symbol"],
        example: "--limit 10",
        run: Run::Read(metadata),
    },
    Query {
        name: "account",
        about: "Print an account: its number, its type and its locked coins",
        arguments: &[ADDRESS, TIME],
        columns: &["address", "number", "type", "locked"],
        example: "cosmos1…",
        run: Run::Read(account),
    },
    Query {
        name: "accounts",
        about: "List the accounts by their numbers",
        arguments: &[LIMIT, AFTER, REVERSE],
        columns: &["number", "address", "type"],
        example: "--reverse",
        run: Run::Read(accounts),
    },
    Query {
        name: "send",
        about: "Send coins from one account to another, as a message of a user does",
        arguments: &[
            Argument::required("FROM", "The sender"),
            Argument::required("TO", "The recipient"),
            Argument::required("COINS", "The coins, such as `5stake,100uatom`"),
            TIME,
        ],
        columns: &["event", "attributes"],
        example: "cosmos1… cosmos1… 5stake,100uatom",
        run: Run::Write(send),
    },
    Query {
        name: "create-module",
        about: "Create a module account, or repair one that coins reached before it existed",
        arguments: &[
            Argument::required("MODULE", "The name of the module"),
            Argument::option("permissions", "Permissions, such as `minter,burner`"),
        ],
        columns: &["module", "address", "number"],
        example: "gov --permissions burner",
        run: Run::Write(create_module),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn address(given: &Given, name: &'static str) -> Result<Address<'static>, QueryError> {
    given.parse(name)
}

/// Returns the given time, or the current one.
fn time(given: &Given) -> Result<i64, QueryError> {
    if let Some(time) = given.parse_optional("time")? {
        return Ok(time);
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Ok(now.ok().and_then(|now| i64::try_from(now.as_secs()).ok()).unwrap_or(i64::MAX))
}

fn page(given: &Given) -> Result<PageRequest, QueryError> {
    let after: Option<PageCursor> = given.parse_optional("after")?;
    let size = given.parse("limit")?;
    Ok(PageRequest { after, size, reverse: given.has("reverse"), count: false })
}

fn answer<T>(page: PageResponse<T>, row: impl Fn(T) -> Vec<Value>) -> Answer {
    Answer::rows(page.rows.into_iter().map(row)).with_next(page.next)
}

fn coin(coin: Coin) -> Vec<Value> {
    vec![text(coin.denom), text(coin.amount)]
}

fn balance(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let owner = address(given, "ADDRESS")?;
    match given.parse_optional::<Denom<'static>>("DENOM")? {
        Some(denom) => {
            let amount = keeper::get_balance(state, &owner, &denom)?;
            Ok(Answer::row([text(denom), text(amount)]))
        }
        None => Ok(answer(keeper::balances_page(state, &owner, &page(given)?)?, coin)),
    }
}

fn spendable(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let owner = address(given, "ADDRESS")?;
    Ok(answer(keeper::spendable_page(state, time(given)?, &owner, &page(given)?)?, coin))
}

fn owners(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let page = keeper::holders_page(state, &given.parse("DENOM")?, &page(given)?)?;
    Ok(answer(page, |(owner, amount)| vec![text(owner), text(amount)]))
}

fn supply(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    match given.parse_optional::<Denom<'static>>("DENOM")? {
        Some(denom) => {
            let amount = keeper::get_supply(state, &denom)?;
            Ok(Answer::row([text(denom), text(amount)]))
        }
        None => Ok(answer(keeper::supply_page(state, &page(given)?)?, coin)),
    }
}

fn metadata(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let page = keeper::metadata_page(state, &page(given)?)?;
    Ok(answer(page, |of| {
        let unit = of.denom_units.iter().find(|unit| unit.denom == of.display);
        let exponent = unit.map_or(0, |unit| unit.exponent);
        vec![text(of.base), text(of.display), exponent.into(), text(of.name), text(of.symbol)]
    }))
}

fn account(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let owner = address(given, "ADDRESS")?;
    let found = keeper::get_account(state, &owner)?;
    let found = found.ok_or_else(|| QueryError::Missing(format!("`{owner}` has no account")))?;
    let locked = keeper::locked_coins(state, time(given)?, &owner)?;
    let (number, kind) = (found.number().into(), text(found.type_url()));
    Ok(Answer::row([text(owner), number, kind, text(locked)]))
}

fn accounts(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let request = page(given)?;
    let page = keeper::page(state, acc::ACCOUNT_NUMBERS.prefix_all(), &request, |row| {
        let owner = Address::new(row.value()?.to_vec()).map_err(keyscape::Error::from)?;
        let kind = keeper::get_account(state, &owner)?;
        let kind = kind.map(|account| account.type_url().to_owned()).unwrap_or_default();
        Ok(Some(vec![row.key.number.into(), text(owner), text(kind)]))
    })?;
    Ok(answer(page, |row| row))
}

fn send(tx: &mut Tx<'_>, given: &Given) -> Result<Answer, QueryError> {
    let (from, to) = (address(given, "FROM")?, address(given, "TO")?);
    let coins: Coins = given.parse("COINS")?;
    let events = messages::send(tx, &Rules::default(), time(given)?, &from, &to, &coins)?;
    let attributes = |event: &Event| {
        let pairs = event.attributes().into_iter().map(|(key, value)| format!("{key}={value}"));
        pairs.collect::<Vec<_>>().join(" ")
    };
    Ok(Answer::rows(events.iter().map(|event| vec![text(event.name()), text(attributes(event))])))
}

fn create_module(tx: &mut Tx<'_>, given: &Given) -> Result<Answer, QueryError> {
    let module: String = given.parse("MODULE")?;
    let mut permissions = Vec::new();
    for name in
        given.text("permissions").unwrap_or_default().split(',').filter(|one| !one.is_empty())
    {
        let known = Permission::ALL.into_iter().find(|known| known.as_str() == name);
        let why = "expected `minter`, `burner` or `staking`";
        permissions.push(known.ok_or_else(|| QueryError::argument("permissions", name, why))?);
    }
    let number = keeper::create_module_account(tx, &module, &permissions)?;
    Ok(Answer::row([text(&module), text(keeper::module_address(&module)?), number.into()]))
}
