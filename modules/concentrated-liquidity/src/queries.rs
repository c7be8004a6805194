//! The queries of the system, for programs that render them.

use crate::{
    Error, keeper,
    layout::concentratedliquidity::POOLS,
    values::{Pool, Position},
};
use keyscape::store::Read;
use keyscape_bank::{Address, Denom, Prefix};
use keyscape_query::{AFTER, Answer, Argument, Arguments, Form, LIMIT, Query, QueryError, text};
use serde_json::Value;

const POOL: Argument = Argument::new("POOL", Form::Required, "The id of the pool");

/// The queries.
pub const QUERIES: &[Query] = &[
    Query::read("pools", "List the pools", pools)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["pool", "token0", "token1", "liquidity", "tick", "spread factor"])
        .with_example("--format json"),
    Query::read("price", "Print the spot price of one token of a pool in the other", price)
        .with_arguments(&[
            POOL,
            Argument::new("BASE", Form::Required, "The token whose price is printed"),
            Argument::new("QUOTE", Form::Required, "The token in which the price is"),
        ])
        .with_columns(&["base", "quote", "price"])
        .with_example("1 eth usdc"),
    Query::read("positions", "List the positions of a pool, or of an owner", positions)
        .with_arguments(&[
            Argument::new("pool", Form::Option("ID"), "The id of the pool"),
            Argument::new("owner", Form::Option("ADDRESS"), "The address of the owner"),
            LIMIT,
            AFTER,
        ])
        .with_columns(&["position", "pool", "owner", "lower", "upper", "liquidity"])
        .with_example("--pool 1"),
    Query::read("ticks", "List the initialised ticks of a pool", ticks)
        .with_arguments(&[POOL, LIMIT, AFTER])
        .with_columns(&["tick", "gross liquidity", "net liquidity"])
        .with_example("1"),
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn pools(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let rows = POOLS.scan_all(state)?;
    let mut pools = rows.map(|row| Ok(row?.1)).collect::<Result<Vec<Pool>, QueryError>>()?;
    pools.sort_by_key(|pool| pool.id);
    let row = |pool: Pool| {
        let (liquidity, factor) = (text(pool.liquidity), text(pool.spread_factor));
        let (token0, token1) = (text(pool.token0), text(pool.token1));
        Ok(vec![pool.id.into(), token0, token1, liquidity, pool.tick.into(), factor])
    };
    let pools = pools.into_iter().map(Ok::<_, QueryError>);
    arguments.listing(pools, |pool| pool.id.to_string(), row)
}

/// Returns the id of an existing pool.
fn existing(state: &dyn Read, pool: u64) -> Result<u64, QueryError> {
    keeper::get_pool(state, pool)?;
    Ok(pool)
}

fn price(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let (base, quote): (Denom<'_>, Denom<'_>) =
        (arguments.parse("BASE")?, arguments.parse("QUOTE")?);
    if base == quote {
        let why = "expected another token than `BASE`";
        return Err(QueryError::argument("QUOTE", quote.as_str(), why));
    }
    let price = keeper::spot_price(state, arguments.parse("POOL")?, &base, &quote)?;
    Ok(Answer::row([text(base), text(quote), text(price)]))
}

fn owner(arguments: &Arguments) -> Result<Option<Address<'static>>, QueryError> {
    let Some(text) = arguments.text("owner") else { return Ok(None) };
    let wrong = |_| QueryError::argument("owner", text, "expected an address in bech32");
    Prefix::read(text).map(|(_, address)| Some(address)).map_err(wrong)
}

fn positions(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let pool: Option<u64> = arguments.parse_optional("pool")?;
    let pool = pool.map(|pool| existing(state, pool)).transpose()?;
    let positions = match (owner(arguments)?, pool) {
        (Some(owner), pool) => keeper::user_positions(state, &owner, pool)?,
        (None, Some(pool)) => keeper::positions_in(state, pool)?,
        (None, None) => {
            return Err(QueryError::Usage("expected `--pool` or `--owner`".to_owned()));
        }
    };
    let row = |of: Position| -> Result<Vec<Value>, QueryError> {
        let (lower, upper) = (of.lower.into(), of.upper.into());
        Ok(vec![of.id.into(), of.pool.into(), text(of.owner), lower, upper, text(of.liquidity)])
    };
    let positions = positions.into_iter().map(Ok::<_, QueryError>);
    arguments.listing(positions, |position| position.id.to_string(), row)
}

fn ticks(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let ticks = keeper::ticks(state, existing(state, arguments.parse("POOL")?)?)?;
    let ticks = ticks.into_iter().map(Ok::<_, QueryError>);
    arguments.listing(
        ticks,
        |(tick, _)| tick.to_string(),
        |(tick, info)| Ok(vec![tick.into(), text(info.gross), text(info.net)]),
    )
}
