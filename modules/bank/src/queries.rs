//! The queries of the bank, for programs that render them.
//!
//! Addresses have the prefix of the chain. Arguments may have the prefix of the layout, `cosmos`,
//! too, because other commands print it.

use crate::{
    AccountKind, Address, AuthParams, Coin, Coins, Denom, Error, ErrorKind, Event, Keeper,
    Metadata, PageRequest, PageResponse, Prefix, Rules, keeper,
    layout::{acc, bank},
    messages,
    vesting::{Schedule, Vesting},
};
use keyscape::{
    PageCursor,
    store::{Read, Tx},
};
use keyscape_query::{
    AFTER, Answer, Argument, Arguments, Form, LIMIT, Query, QueryError, REVERSE, text,
};
use serde_json::{Map, Value, json};

const ADDRESS: Argument = Argument::new("ADDRESS", Form::Required, "The address of the account");
const DENOM: Argument = Argument::new("DENOM", Form::Optional, "The denomination; default: all");
const TIME: Argument =
    Argument::new("time", Form::Option("SECONDS"), "The time, in seconds since 1970; default: now");

/// The queries and operations.
pub const QUERIES: &[Query] = &[
    Query::read(
        "balance",
        "Print the balances of an account, or its balance in one denomination",
        balance,
    )
    .with_arguments(&[ADDRESS, DENOM, LIMIT, AFTER, REVERSE])
    .with_columns(&["denom", "amount"])
    .with_example("cosmos1… uatom"),
    Query::read("spendable", "Print the coins of an account that are not locked", spendable)
        .with_arguments(&[ADDRESS, TIME, LIMIT, AFTER, REVERSE])
        .with_columns(&["denom", "amount"])
        .with_example("cosmos1… --time 1700000000"),
    Query::read(
        "owners",
        "List the accounts that hold a denomination, with their balances",
        owners,
    )
    .with_arguments(&[
        Argument::new("DENOM", Form::Required, "The denomination"),
        LIMIT,
        AFTER,
        REVERSE,
    ])
    .with_columns(&["owner", "amount"])
    .with_example("uatom --limit 10"),
    Query::read("supply", "Print the supply of all denominations, or of one", supply)
        .with_arguments(&[DENOM, LIMIT, AFTER, REVERSE])
        .with_columns(&["denom", "amount"])
        .with_example("--format json"),
    Query::read("metadata", "List the metadata of denominations, or print those of one", metadata)
        .with_arguments(&[DENOM, LIMIT, AFTER, REVERSE])
        .with_columns(&["base", "display", "exponent", "name", "symbol", "description", "uri"])
        .with_example("uatom"),
    Query::read(
        "send-enabled",
        "List the denominations with their own send setting, or print the setting of one",
        send_enabled,
    )
    .with_arguments(&[DENOM, LIMIT, AFTER, REVERSE])
    .with_columns(&["denom", "enabled"])
    .with_example("uatom"),
    Query::read("params", "Print the parameters of the bank and of accounts", params)
        .with_columns(&[
            "default send enabled",
            "max memo characters",
            "tx sig limit",
            "tx size cost per byte",
            "sig verify cost ed25519",
            "sig verify cost secp256k1",
        ])
        .with_example("--format json")
        .as_record(),
    Query::read(
        "counts",
        "Count accounts, balances, denominations, metadata and send settings",
        counts,
    )
    .with_columns(&["prefix", "accounts", "balances", "denominations", "metadata", "send settings"])
    .with_example("--format json")
    .as_record(),
    Query::read(
        "account",
        "Print an account: its number, its type, and its locked and vesting coins",
        account,
    )
    .with_arguments(&[ADDRESS, TIME])
    .with_columns(&[
        "address",
        "number",
        "sequence",
        "type",
        "module",
        "permissions",
        "locked",
        "vesting",
    ])
    .with_example("cosmos1…")
    .as_record(),
    Query::read("accounts", "List the accounts by their numbers", accounts)
        .with_arguments(&[LIMIT, AFTER, REVERSE])
        .with_columns(&["number", "address", "type"])
        .with_example("--reverse"),
    Query::write(
        "send",
        "Send coins from one account to another, as a message of a user does",
        send,
    )
    .with_arguments(&[
        Argument::new("FROM", Form::Required, "The sender"),
        Argument::new("TO", Form::Required, "The recipient"),
        Argument::new("COINS", Form::Required, "The coins, such as `5stake,100uatom`"),
        TIME,
        Argument::new(
            "module",
            Form::Options("NAME=PERMISSIONS"),
            "Reserve the address of a module, such as `mint=minter`; may be repeated. The \
                 modules of the Cosmos SDK and of ibc-go are reserved already",
        ),
        Argument::new(
            "blocked",
            Form::Options("ADDRESS"),
            "Reject this recipient; may be repeated. The modules of the Cosmos SDK and of \
                 ibc-go except `gov` are blocked already",
        ),
    ])
    .with_columns(&["event", "attributes"])
    .with_example("cosmos1… cosmos1… 5stake,100uatom"),
    Query::write(
        "create-module",
        "Create a module account, or repair one that coins reached before it existed",
        create_module,
    )
    .with_arguments(&[
        Argument::new("MODULE", Form::Required, "The name of the module"),
        Argument::new("permissions", Form::Option("NAMES"), "Permissions, such as `minter,burner`"),
    ])
    .with_columns(&["module", "address", "number"])
    .with_example("gov --permissions burner"),
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

/// The text form of addresses in a state.
struct Chain {
    prefix: Prefix,
    /// Whether addresses may have any prefix, because the state has no account.
    accepts_any: bool,
}

impl Chain {
    fn of(state: &(impl Read + ?Sized)) -> Result<Chain, QueryError> {
        let stored = Prefix::of(state)?;
        Ok(Chain { accepts_any: stored.is_none(), prefix: stored.unwrap_or_default() })
    }

    fn address(
        &self,
        arguments: &Arguments,
        name: &'static str,
    ) -> Result<Address<'static>, QueryError> {
        self.read(name, arguments.text(name).unwrap_or_default())
    }

    fn read(&self, name: &'static str, shown: &str) -> Result<Address<'static>, QueryError> {
        let wrong = |why: &str| QueryError::argument(name, shown, why);
        let Ok((prefix, address)) = Prefix::read(shown) else {
            return Err(wrong("expected an address in bech32"));
        };
        if self.accepts_any || prefix == self.prefix || prefix == Prefix::default() {
            return Ok(address);
        }
        Err(wrong(&format!("addresses of this chain begin with `{}1`", self.prefix)))
    }

    fn show(&self, address: &Address<'_>) -> Value {
        text(self.prefix.show(address))
    }

    fn failed(&self, error: &Error) -> QueryError {
        QueryError::failed(error.show(&self.prefix))
    }
}

fn page(arguments: &Arguments) -> Result<PageRequest, QueryError> {
    let after: Option<PageCursor> = arguments.parse_optional(AFTER.name)?;
    let reverse = arguments.has(REVERSE.name);
    Ok(PageRequest { after, size: arguments.limit()?, reverse, count: false })
}

/// Returns the denomination if the arguments contain one. Pages do not apply to it.
fn denom(arguments: &Arguments) -> Result<Option<Denom<'static>>, QueryError> {
    let denom = arguments.parse_optional(DENOM.name)?;
    if denom.is_some() {
        arguments.without_pages("one denomination")?;
    }
    Ok(denom)
}

fn answer<T>(page: PageResponse<T>, row: impl Fn(T) -> Vec<Value>) -> Answer {
    Answer::rows(page.rows.into_iter().map(row)).with_next(page.next)
}

fn coin(coin: Coin) -> Vec<Value> {
    vec![text(coin.denom), text(coin.amount)]
}

fn balance(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let owner = Chain::of(state)?.address(arguments, "ADDRESS")?;
    match denom(arguments)? {
        Some(denom) => {
            let amount = keeper::get_balance(state, &owner, &denom)?;
            Ok(Answer::row([text(denom), text(amount)]))
        }
        None => Ok(answer(keeper::balances_page(state, &owner, &page(arguments)?)?, coin)),
    }
}

fn spendable(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let chain = Chain::of(state)?;
    let owner = chain.address(arguments, "ADDRESS")?;
    let page = Keeper::default().spendable_page(
        state,
        arguments.seconds(TIME.name)?,
        &owner,
        &page(arguments)?,
    );
    Ok(answer(page.map_err(|error| chain.failed(&error))?, coin))
}

fn owners(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let (chain, denom) = (Chain::of(state)?, arguments.parse("DENOM")?);
    let page = keeper::holders_page(state, &denom, &page(arguments)?)?;
    if page.rows.is_empty() && page.next.is_none() && !arguments.has(AFTER.name) {
        return Err(QueryError::Missing(format!("no account holds `{denom}`")));
    }
    Ok(answer(page, |(owner, amount)| vec![chain.show(&owner), text(amount)]))
}

fn supply(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    match denom(arguments)? {
        Some(denom) => match bank::SUPPLY.get(state, denom.by_ref())? {
            Some(amount) => Ok(Answer::row([text(denom), text(amount)])),
            None => Err(QueryError::Missing(format!("`{denom}` has no supply"))),
        },
        None => Ok(answer(keeper::supply_page(state, &page(arguments)?)?, coin)),
    }
}

fn metadata(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let row = |of: Metadata| {
        let unit = of.denom_units.iter().find(|unit| unit.denom == of.display);
        let exponent = unit.map_or(Value::Null, |unit| unit.exponent.into());
        let (base, display) = (text(of.base), text(of.display));
        let (name, symbol) = (text(of.name), text(of.symbol));
        vec![base, display, exponent, name, symbol, text(of.description), text(of.uri)]
    };
    match denom(arguments)? {
        Some(denom) => match keeper::get_metadata(state, &denom)? {
            Some(metadata) => Ok(Answer::row(row(metadata))),
            None => Err(QueryError::Missing(format!("`{denom}` has no metadata"))),
        },
        None => Ok(answer(keeper::metadata_page(state, &page(arguments)?)?, row)),
    }
}

fn send_enabled(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let row = |(denom, enabled): (Denom<'static>, bool)| vec![text(denom), enabled.into()];
    match denom(arguments)? {
        Some(denom) => {
            let enabled = keeper::is_send_enabled(state, &denom)?;
            Ok(Answer::row(row((denom, enabled))))
        }
        None => Ok(answer(keeper::send_enabled_page(state, &page(arguments)?)?, row)),
    }
}

fn params(state: &dyn Read, _: &Arguments) -> Result<Answer, QueryError> {
    let auth = acc::AUTH_PARAMS.get(state)?;
    let auth = auth.unwrap_or_else(AuthParams::sdk_default);
    Ok(Answer::row([
        keeper::get_params(state)?.default_send_enabled.into(),
        auth.max_memo_characters.into(),
        auth.tx_sig_limit.into(),
        auth.tx_size_cost_per_byte.into(),
        auth.sig_verify_cost_ed25519.into(),
        auth.sig_verify_cost_secp256k1.into(),
    ]))
}

fn counts(state: &dyn Read, _: &Arguments) -> Result<Answer, QueryError> {
    let counts = [
        acc::ACCOUNTS.prefix_all().count(state),
        bank::BALANCES.prefix_all().count(state),
        bank::SUPPLY.prefix_all().count(state),
        bank::METADATA.prefix_all().count(state),
        bank::SEND_ENABLED.prefix_all().count(state),
    ];
    let mut row = vec![text(Chain::of(state)?.prefix)];
    for count in counts {
        row.push(count?.into());
    }
    Ok(Answer::row(row))
}

fn accounts(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let (chain, request) = (Chain::of(state)?, page(arguments)?);
    let page = keeper::page(state, acc::ACCOUNT_NUMBERS.prefix_all(), &request, |(key, owner)| {
        let owner = Address::new(owner).map_err(keyscape::Error::from)?;
        let kind = keeper::get_account(state, &owner)?;
        let kind = kind.map(|account| account.type_url().to_owned()).unwrap_or_default();
        Ok(Some(vec![key.number.into(), chain.show(&owner), text(kind)]))
    })?;
    Ok(answer(page, |row| row))
}

fn account(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let chain = Chain::of(state)?;
    let (owner, now) = (chain.address(arguments, "ADDRESS")?, arguments.seconds(TIME.name)?);
    let Some(found) = keeper::get_account(state, &owner)? else {
        let shown = chain.prefix.show(&owner);
        return Err(QueryError::Missing(format!("`{shown}` has no account")));
    };
    let bad =
        |source| chain.failed(&ErrorKind::BadAccount { address: owner.clone(), source }.into());
    let locked = Keeper::default().locked_coins(state, now, &owner);
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

/// Splits a list of permissions. A permission is any text.
fn permissions(list: &str) -> Vec<&str> {
    list.split(',').map(str::trim).filter(|permission| !permission.is_empty()).collect()
}

/// Returns the rules of the SDK, with the modules and blocked addresses in the arguments.
fn rules(chain: &Chain, arguments: &Arguments) -> Result<Rules, QueryError> {
    let mut rules = Rules::sdk()?;
    for module in arguments.all("module") {
        let (name, list) = module.split_once('=').unwrap_or((module, ""));
        let wrong = |error: Error| QueryError::argument("module", module, error);
        rules = rules.with_module(name, &permissions(list)).map_err(wrong)?;
    }
    for address in arguments.all("blocked") {
        rules = rules.with_blocked(chain.read("blocked", address)?);
    }
    Ok(rules)
}

fn send(tx: &mut Tx<'_>, arguments: &Arguments) -> Result<Answer, QueryError> {
    let chain = Chain::of(tx)?;
    let (from, to) = (chain.address(arguments, "FROM")?, chain.address(arguments, "TO")?);
    let coins: Coins = arguments.parse("COINS")?;
    let (keeper, now) = (Keeper::new(rules(&chain, arguments)?), arguments.seconds(TIME.name)?);
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

fn create_module(tx: &mut Tx<'_>, arguments: &Arguments) -> Result<Answer, QueryError> {
    let (chain, module) = (Chain::of(tx)?, arguments.text("MODULE").unwrap_or_default());
    let permissions = permissions(arguments.text("permissions").unwrap_or_default());
    let wrong = |error: Error| QueryError::argument("MODULE", module, error);
    let rules = Rules::default().with_module(module, &permissions).map_err(wrong)?;
    let number = Keeper::new(rules).create_module_account(tx, module);
    let number = number.map_err(|error| chain.failed(&error))?;
    let address = chain.show(&keeper::module_address(module)?);
    Ok(Answer::row([text(module), address, number.into()]))
}
