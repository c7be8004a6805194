//! The queries of the system, for programs that render them.

use crate::{
    Error,
    keeper::{compute, dex, oracle},
    layout::paw::{POOLS, PRICES, PROVIDERS, Token},
};
use keyscape::store::Read;
use keyscape_query::{
    AFTER, Answer, Argument, Arguments, LIMIT, Query, QueryError, Run, Shape, text,
};

/// The queries.
pub const QUERIES: &[Query] = &[
    Query {
        name: "pools",
        about: "List the pools of the exchange",
        arguments: &[LIMIT, AFTER],
        columns: &["pool", "token a", "reserve a", "token b", "reserve b", "shares"],
        shape: Shape::Table,
        example: "--format json",
        run: Run::Read(pools),
    },
    Query {
        name: "price",
        about: "Print the oracle price of an asset, in units of 10^-18",
        arguments: &[Argument::optional("ASSET", "The asset; default: all"), LIMIT, AFTER],
        columns: &["asset", "price", "period", "time"],
        shape: Shape::Table,
        example: "BTC",
        run: Run::Read(price),
    },
    Query {
        name: "providers",
        about: "List the providers of the compute market",
        arguments: &[LIMIT, AFTER],
        columns: &["provider", "stake", "price", "reputation", "active", "open jobs"],
        shape: Shape::Table,
        example: "--format json",
        run: Run::Read(providers),
    },
    Query {
        name: "request",
        about: "Print a request of the compute market",
        arguments: &[Argument::required("REQUEST", "The id of the request")],
        columns: &["request", "requester", "provider", "units", "status"],
        shape: Shape::Table,
        example: "7",
        run: Run::Read(request),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn pools(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let rows = POOLS.prefix_all().scan(state).map_err(QueryError::failed)?;
    let ids = rows.map(|row| row.map(|(key, _)| key.pool).map_err(QueryError::failed));
    given.listing(ids, u64::to_string, |id| {
        let pool = dex::get_pool(state, id)?;
        Ok(vec![
            id.into(),
            text(pool.token_a),
            text(pool.reserve_a),
            text(pool.token_b),
            text(pool.reserve_b),
            text(pool.shares),
        ])
    })
}

fn price(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let assets = match given.parse_optional::<Token<'static>>("ASSET")? {
        Some(asset) => {
            given.without_pages("one asset")?;
            vec![asset]
        }
        None => {
            let rows = PRICES.prefix_all().scan(state).map_err(QueryError::failed)?;
            let assets = rows.map(|row| row.map(|(key, _)| key.denom));
            assets.collect::<Result<_, _>>().map_err(QueryError::failed)?
        }
    };
    let assets = assets.into_iter().map(Ok::<_, QueryError>);
    given.listing(assets, ToString::to_string, |asset| {
        let price = oracle::get_price(state, &asset)?;
        let (period, time) = (price.period.into(), price.time.into());
        Ok(vec![text(asset), text(price.price), period, time])
    })
}

fn providers(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let rows = PROVIDERS.prefix_all().scan(state).map_err(QueryError::failed)?;
    let rows = rows.map(|row| row.map_err(QueryError::failed));
    given.listing(
        rows,
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

fn request(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let id: u64 = given.integer("REQUEST")?;
    let request = compute::get_request(state, id)?;
    let status = format!("{:?}", compute::get_status(state, id)?).to_lowercase();
    let (requester, provider) = (text(request.requester), text(request.provider));
    Ok(Answer::row([id.into(), requester, provider, request.units.into(), text(status)]))
}
