//! The state of the module, in the form of traces.

use super::engine::Fault;
use keyscape::store::Snapshot;
use keyscape_bank::{Address, keeper as bank};
use keyscape_concentrated_liquidity::{
    keeper,
    layout::concentratedliquidity::{
        ACCUMULATORS, Accumulator, FULL_RANGE, INCENTIVES, NEXT_INCENTIVE, NEXT_POSITION, POOLS,
        POSITION_LOCKS, POSITIONS, SPREAD_POSITIONS, TICKS, TOTAL_LIQUIDITY, UPTIME_POSITIONS,
    },
    values::{DecCoins, Record},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Entries by their keys.
pub(crate) type State = BTreeMap<String, Value>;

fn coins(coins: &DecCoins) -> Value {
    coins.iter().map(|coin| json!([coin.denom, coin.amount.to_string()])).collect()
}

fn share(record: &Record) -> Value {
    json!({
        "n": record.shares.to_string(),
        "v": coins(&record.value),
        "u": coins(&record.unclaimed),
    })
}

/// Reads the whole state.
pub(crate) fn dump(
    state: &Snapshot,
    accounts: &BTreeMap<String, Address<'static>>,
) -> Result<State, Fault> {
    let mut all = State::new();
    for (name, address) in accounts {
        balances(state, &mut all, name, address)?;
    }
    for row in POOLS.scan_all(state)? {
        let (key, pool) = row?;
        let id = key.pool;
        let [liquidity, incentives, spread] = keeper::pool_addresses(id)?;
        balances(state, &mut all, &format!("pool/{id}"), &liquidity)?;
        balances(state, &mut all, &format!("incentives/{id}"), &incentives)?;
        balances(state, &mut all, &format!("spread/{id}"), &spread)?;
        let (token0, token1) = (&pool.token0, &pool.token1);
        let (spacing, factor) = (pool.spacing, pool.spread_factor.to_string());
        let fixed =
            json!({"token0": token0, "token1": token1, "spacing": spacing, "spread": factor});
        all.insert(format!("pool/{id}"), fixed);
        let price = json!({
            "tick": pool.tick,
            "sqrt": pool.sqrt_price.to_string(),
            "liq": pool.liquidity.to_string(),
            "at": pool.last_update.to_string(),
        });
        all.insert(format!("price/{id}"), price);
        ticks(state, &mut all, id)?;
        for row in INCENTIVES.scan_pool(state, id)? {
            let (key, body) = row?;
            let coin = json!([body.remaining.denom, body.remaining.amount.to_string()]);
            let (rate, start) = (body.rate.to_string(), body.start.to_string());
            let key = format!("inc/{id}/{}/{}", key.uptime.get(), key.incentive);
            all.insert(key, json!({"coin": coin, "rate": rate, "start": start}));
        }
    }
    positions(state, &mut all, accounts)?;
    shares(state, &mut all)?;
    for row in FULL_RANGE.scan_all(state)? {
        let (key, liquidity) = row?;
        all.insert(format!("full/{}", key.pool), json!(liquidity.dec.to_string()));
    }
    for row in TOTAL_LIQUIDITY.scan_all(state)? {
        let (key, amount) = row?;
        all.insert(format!("total/{}", key.denom), json!(amount.to_string()));
    }
    all.insert("next/position".to_owned(), json!(NEXT_POSITION.peek(state)?));
    all.insert("next/incentive".to_owned(), json!(NEXT_INCENTIVE.peek(state)?));
    Ok(all)
}

fn balances(
    state: &Snapshot,
    all: &mut State,
    name: &str,
    address: &Address<'_>,
) -> Result<(), Fault> {
    for coin in &bank::get_all_balances(state, address)? {
        all.insert(format!("bal/{name}/{}", coin.denom), json!(coin.amount.to_string()));
    }
    Ok(())
}

fn ticks(state: &Snapshot, all: &mut State, pool: u64) -> Result<(), Fault> {
    for row in TICKS.scan_pool(state, pool)? {
        let (key, info) = row?;
        let (gross, net) = (info.gross.to_string(), info.net.to_string());
        all.insert(format!("tick/{pool}/{}", key.tick), json!({"gross": gross, "net": net}));
        let uptimes: Vec<Value> = info.uptimes.iter().map(coins).collect();
        let outside = json!({"s": coins(&info.spread), "u": uptimes});
        all.insert(format!("outside/{pool}/{}", key.tick), outside);
    }
    Ok(())
}

fn positions(
    state: &Snapshot,
    all: &mut State,
    accounts: &BTreeMap<String, Address<'static>>,
) -> Result<(), Fault> {
    for row in POSITIONS.scan_all(state)? {
        let (key, position) = row?;
        let owner = accounts.iter().find(|(_, at)| at.as_bytes() == position.owner.as_bytes());
        let entry = json!({
            "pool": position.pool,
            "owner": owner.map(|(name, _)| name),
            "lower": position.lower,
            "upper": position.upper,
            "join": position.join.to_string(),
            "liq": position.liquidity.to_string(),
        });
        all.insert(format!("pos/{}", key.position), entry);
    }
    for row in POSITION_LOCKS.scan_all(state)? {
        let (key, lock) = row?;
        all.insert(format!("lock/{}", key.position), json!(lock));
    }
    Ok(())
}

fn shares(state: &Snapshot, all: &mut State) -> Result<(), Fault> {
    for row in ACCUMULATORS.scan_all(state)? {
        let (key, content) = row?;
        let name = match key.name {
            Accumulator::Spread { pool } => format!("acc/spread/{pool}"),
            Accumulator::Uptime { pool, uptime } => format!("acc/uptime/{pool}/{}", uptime.get()),
        };
        let entry = json!({"n": content.shares.to_string(), "v": coins(&content.value)});
        all.insert(name, entry);
    }
    for row in SPREAD_POSITIONS.scan_all(state)? {
        let (key, record) = row?;
        all.insert(format!("share/spread/{}/{}", key.pool, key.position), share(&record));
    }
    for row in UPTIME_POSITIONS.scan_all(state)? {
        let (key, record) = row?;
        let (pool, uptime) = (key.pool, key.uptime.get());
        all.insert(format!("share/uptime/{pool}/{uptime}/{}", key.position), share(&record));
    }
    Ok(())
}
