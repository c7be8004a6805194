//! The queries of the system, for programs that render them.

use crate::{
    Error,
    keeper::{compute, oracle},
    layout::paw::{POOLS, PRICES, PROVIDERS, Token},
};
use keyscape::store::Read;
use keyscape_query::{AFTER, Answer, Argument, Arguments, Form, LIMIT, Query, QueryError, text};

/// The queries.
pub const QUERIES: &[Query] = &[
    Query::read("pools", "List the pools of the exchange", pools)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["pool", "token a", "reserve a", "token b", "reserve b", "shares"])
        .with_example("--format json"),
    Query::read("price", "Print the oracle price of an asset, in units of 10^-18", price)
        .with_arguments(&[
            Argument::new("ASSET", Form::Optional, "The asset; default: all"),
            LIMIT,
            AFTER,
        ])
        .with_columns(&["asset", "price", "period", "time"])
        .with_example("BTC"),
    Query::read("providers", "List the providers of the compute market", providers)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["provider", "stake", "price", "reputation", "active", "open jobs"])
        .with_example("--format json"),
    Query::read("request", "Print a request of the compute market", request)
        .with_arguments(&[Argument::new("REQUEST", Form::Required, "The id of the request")])
        .with_columns(&["request", "requester", "provider", "units", "status"])
        .with_example("7"),
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn pools(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    arguments.listing(
        POOLS.prefix_all().scan(state)?,
        |(key, _)| key.pool.to_string(),
        |(key, pool)| {
            Ok(vec![
                key.pool.into(),
                text(pool.token_a),
                text(pool.reserve_a),
                text(pool.token_b),
                text(pool.reserve_b),
                text(pool.shares),
            ])
        },
    )
}

fn price(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let assets = match arguments.parse_optional::<Token<'static>>("ASSET")? {
        Some(asset) => {
            arguments.without_pages("one asset")?;
            vec![asset]
        }
        None => {
            let rows = PRICES.prefix_all().scan(state)?;
            rows.map(|row| row.map(|(key, _)| key.denom)).collect::<Result<_, _>>()?
        }
    };
    let assets = assets.into_iter().map(Ok::<_, QueryError>);
    arguments.listing(assets, ToString::to_string, |asset| {
        let price = oracle::get_price(state, &asset)?;
        let (period, time) = (price.period.into(), price.time.into());
        Ok(vec![text(asset), text(price.price), period, time])
    })
}

fn providers(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    arguments.listing(
        PROVIDERS.prefix_all().scan(state)?,
        |(key, _)| key.provider.to_string(),
        |(key, provider)| {
            Ok(vec![
                text(key.provider),
                text(provider.stake),
                text(provider.price),
                provider.reputation.into(),
                provider.active.into(),
                provider.open_jobs.into(),
            ])
        },
    )
}

fn request(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let id: u64 = arguments.parse("REQUEST")?;
    let request = compute::get_request(state, id)?;
    let (requester, provider) = (text(request.requester), text(request.provider));
    let status = text(compute::get_status(state, id)?);
    Ok(Answer::row([id.into(), requester, provider, request.units.into(), status]))
}
