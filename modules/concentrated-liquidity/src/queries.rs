//! The queries of the system, for programs that render them.

use crate::{
    Error, keeper,
    layout::concentratedliquidity::POOLS,
    values::{Pool, Position},
};
use keyscape::store::Read;
use keyscape_query::{Answer, Argument, Given, Query, QueryError, Run, text};
use serde_json::Value;

const POOL: Argument = Argument::required("POOL", "The id of the pool");

/// The queries.
pub const QUERIES: &[Query] = &[
    Query {
        name: "pools",
        about: "List the pools",
        arguments: &[],
        columns: &["pool", "token0", "token1", "liquidity", "tick", "spread factor"],
        example: "--format json",
        run: Run::Read(pools),
    },
    Query {
        name: "price",
        about: "Print the spot price of one token of a pool in the other",
        arguments: &[
            POOL,
            Argument::required("BASE", "The token whose price is printed"),
            Argument::required("QUOTE", "The token in which the price is"),
        ],
        columns: &["base", "quote", "price"],
        example: "1 eth usdc",
        run: Run::Read(price),
    },
    Query {
        name: "positions",
        about: "List the positions of a pool, or of an owner",
        arguments: &[
            Argument::option("pool", "The id of the pool"),
            Argument::option("owner", "The address of the owner"),
        ],
        columns: &["position", "pool", "owner", "lower", "upper", "liquidity"],
        example: "--pool 1",
        run: Run::Read(positions),
    },
    Query {
        name: "ticks",
        about: "List the initialised ticks of a pool",
        arguments: &[POOL],
        columns: &["tick", "gross liquidity", "net liquidity"],
        example: "1",
        run: Run::Read(ticks),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn pools(state: &dyn Read, _: &Given) -> Result<Answer, QueryError> {
    let rows = POOLS.scan_all(state).map_err(QueryError::failed)?;
    let mut pools: Vec<Pool> = rows
        .map(|row| row.map(|(_, pool)| pool))
        .collect::<Result<_, _>>()
        .map_err(QueryError::failed)?;
    pools.sort_by_key(|pool| pool.id);
    Ok(Answer::rows(pools.into_iter().map(|pool| {
        let (liquidity, factor) = (text(pool.liquidity), text(pool.spread_factor));
        vec![
            pool.id.into(),
            text(pool.token0),
            text(pool.token1),
            liquidity,
            pool.tick.into(),
            factor,
        ]
    })))
}

fn price(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let (base, quote) = (given.parse("BASE")?, given.parse("QUOTE")?);
    let price = keeper::spot_price(state, given.parse("POOL")?, &base, &quote)?;
    Ok(Answer::row([text(base), text(quote), text(price)]))
}

fn positions(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let pool: Option<u64> = given.parse_optional("pool")?;
    let positions = match (given.parse_optional("owner")?, pool) {
        (Some(owner), pool) => keeper::user_positions(state, &owner, pool)?,
        (None, Some(pool)) => {
            let ids = keeper::pool_positions(state, pool)?;
            ids.into_iter().map(|id| keeper::get_position(state, id)).collect::<Result<_, _>>()?
        }
        (None, None) => return Err(QueryError::Usage("expected `--pool` or `--owner`")),
    };
    let row = |of: Position| -> Vec<Value> {
        let (lower, upper) = (of.lower.into(), of.upper.into());
        vec![of.id.into(), of.pool.into(), text(of.owner), lower, upper, text(of.liquidity)]
    };
    Ok(Answer::rows(positions.into_iter().map(row)))
}

fn ticks(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let ticks = keeper::ticks(state, given.parse("POOL")?)?;
    Ok(Answer::rows(
        ticks.into_iter().map(|(tick, info)| vec![tick.into(), text(info.gross), text(info.net)]),
    ))
}
