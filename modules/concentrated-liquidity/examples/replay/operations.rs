//! The operations of traces, as calls of the keeper.

use super::engine::Fault;
use keyscape::store::Tx;
use keyscape_bank::{Address, Coin, Coins};
use keyscape_concentrated_liquidity::{
    Error,
    keeper::{
        self, Addition, Authority, Created, NewIncentive, NewPool, NewPosition, Quote, SwapIn,
        SwapOut,
    },
    math::Int,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{collections::BTreeMap, str::FromStr};

/// The result of an operation, or its error.
pub(crate) type Ran = Result<Value, Error>;

/// The arguments of a step or a vector.
#[derive(Clone, Copy)]
pub(crate) struct Input<'v>(pub(crate) &'v Value);

impl Input<'_> {
    /// Parses a text.
    pub(crate) fn get<T: FromStr<Err: Into<Fault>>>(&self, name: &str) -> Result<T, Fault> {
        let text = self.0[name].as_str().ok_or_else(|| format!("`{name}` is not text"))?;
        text.parse().map_err(|error: T::Err| format!("`{name}`: {}", error.into()).into())
    }

    /// Returns an integer, a flag, or a list of them.
    pub(crate) fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, Fault> {
        let value = serde_json::from_value(self.0[name].clone());
        value.map_err(|error| format!("`{name}`: {error}").into())
    }
}

/// A step of a trace.
pub(crate) struct Call<'c> {
    pub(crate) accounts: &'c BTreeMap<String, Address<'static>>,
    pub(crate) input: Input<'c>,
    pub(crate) now: i64,
}

impl<'c> Call<'c> {
    fn id(&self, name: &str) -> Result<u64, Fault> {
        self.input.value(name)
    }

    fn account(&self, name: &str) -> Result<&'c Address<'static>, Fault> {
        let account: String = self.input.get(name)?;
        self.accounts.get(&account).ok_or_else(|| format!("account `{account}` is missing").into())
    }

    fn coin(&self, name: &str) -> Result<Coin, Fault> {
        coin(&self.input.0[name])
    }

    /// Returns the coins without zero amounts.
    fn tokens(&self) -> Result<Coins, Fault> {
        let list: Vec<Value> = self.input.value("tokens")?;
        let coins = list.iter().map(coin).collect::<Result<Vec<Coin>, Fault>>()?;
        Ok(Coins::new(coins.into_iter().filter(|coin| coin.amount > 0).collect())?)
    }

    /// Runs an operation.
    pub(crate) fn run(&self, tx: &mut Tx<'_>, op: &str) -> Result<Ran, Fault> {
        let (now, input) = (self.now, self.input);
        Ok(match op {
            "create_pool" => {
                let (token0, token1) = (&input.get("token0")?, &input.get("token1")?);
                let (id, spacing) = (self.id("pool")?, self.id("spacing")?);
                let new =
                    NewPool { id, token0, token1, spacing, spread_factor: input.get("spread")? };
                keeper::create_pool(tx, now, &new).map(|()| json!({ "pool": id }))
            }
            "create_position" => {
                let new = NewPosition {
                    owner: self.account("owner")?,
                    pool: self.id("pool")?,
                    tokens: &self.tokens()?,
                    min0: input.get("min0")?,
                    min1: input.get("min1")?,
                    lower: input.value("lower")?,
                    upper: input.value("upper")?,
                };
                keeper::create_position(tx, now, &new).map(|made| {
                    let mut all = created(&made);
                    all["lower"] = json!(made.lower);
                    all["upper"] = json!(made.upper);
                    all
                })
            }
            "create_locked" => self.create_locked(tx)?,
            "begin_unlock" => keeper::begin_unlock(tx, now, self.id("lock")?)
                .map(|end| json!({ "end": end.to_string() })),
            "withdraw" => {
                let (owner, id) = (self.account("owner")?, self.id("id")?);
                keeper::withdraw_position(tx, now, owner, id, input.get("liq")?)
                    .map(|(amount0, amount1)| amounts(amount0, amount1))
            }
            "add" => {
                let add = Addition {
                    amount0: input.get("amount0")?,
                    amount1: input.get("amount1")?,
                    min0: input.get("min0")?,
                    min1: input.get("min1")?,
                };
                let (owner, id) = (self.account("owner")?, self.id("id")?);
                keeper::add_to_position(tx, now, owner, id, &add).map(|made| {
                    let mut all = amounts(made.amount0, made.amount1);
                    all["id"] = json!(made.id);
                    all
                })
            }
            "swap_in" | "swap_out" => self.swap(tx, op)?,
            "collect_spread" => {
                let (sender, ids) = (self.account("sender")?, input.value::<Vec<u64>>("ids")?);
                keeper::collect_spread_rewards(tx, now, sender, &ids)
                    .map(|sum| json!({ "coins": coins(&sum) }))
            }
            "collect_incentives" => {
                let (sender, ids) = (self.account("sender")?, input.value::<Vec<u64>>("ids")?);
                keeper::collect_incentives(tx, now, sender, &ids).map(|sum| incentives(&sum))
            }
            "create_incentive" => {
                let new = NewIncentive {
                    sender: self.account("sender")?,
                    pool: self.id("pool")?,
                    coin: &self.coin("coin")?,
                    rate: input.get("rate")?,
                    start: input.get("start")?,
                    uptime: input.get("uptime")?,
                };
                keeper::create_incentive(tx, now, &new).map(|id| json!({ "id": id }))
            }
            "transfer" => {
                let authority = match input.get::<String>("sender")?.as_str() {
                    "gov" => Authority::Governance,
                    _ => Authority::Owner(self.account("sender")?),
                };
                let (ids, to) = (input.value::<Vec<u64>>("ids")?, self.account("to")?);
                keeper::transfer_positions(tx, now, authority, &ids, to).map(|()| json!({}))
            }
            "advance" => Ok(json!({})),
            _ => self.query(tx, op)?,
        })
    }

    fn create_locked(&self, tx: &mut Tx<'_>) -> Result<Ran, Fault> {
        let (owner, pool, tokens) = (self.account("owner")?, self.id("pool")?, self.tokens()?);
        let unlocking = self.input.0["unlocking"] == true;
        let duration = self.input.get("duration")?;
        let locked =
            keeper::create_locked_position(tx, self.now, owner, pool, &tokens, duration, unlocking);
        Ok(locked.map(|locked| {
            let mut all = created(&locked.created);
            all["lock"] = json!(locked.lock);
            if let Some(end) = locked.end {
                all["end"] = json!(end.to_string());
            }
            all
        }))
    }

    fn swap(&self, tx: &mut Tx<'_>, op: &str) -> Result<Ran, Fault> {
        let (sender, pool, price_limit) = (self.account("sender")?, self.id("pool")?, None);
        if op == "swap_in" {
            let (coin, denom_out) = (&self.coin("in")?, &self.input.get("out")?);
            let min_out = self.input.get("min")?;
            let swap = SwapIn { sender, pool, coin, denom_out, min_out, price_limit };
            return Ok(keeper::swap_in(tx, self.now, &swap).map(|swapped| {
                json!({ "out": swapped.amount_out.to_string(), "crossed": swapped.crossed })
            }));
        }
        let (coin, denom_in) = (&self.coin("out")?, &self.input.get("in")?);
        let max_in = self.input.get("max")?;
        let swap = SwapOut { sender, pool, denom_in, max_in, coin, price_limit };
        Ok(keeper::swap_out(tx, self.now, &swap).map(
            |swapped| json!({ "in": swapped.amount_in.to_string(), "crossed": swapped.crossed }),
        ))
    }

    fn query(&self, tx: &Tx<'_>, op: &str) -> Result<Ran, Fault> {
        let input = self.input;
        Ok(match op {
            "claimable_spread" => keeper::claimable_spread_rewards(tx, self.id("id")?)
                .map(|sum| json!({ "coins": coins(&sum) })),
            "claimable_incentives" => keeper::claimable_incentives(tx, self.now, self.id("id")?)
                .map(|sum| incentives(&sum)),
            "estimate_out" => {
                let (coin, denom) = (self.coin("in")?, input.get("out")?);
                keeper::estimate_out(tx, self.id("pool")?, &coin, &denom)
                    .map(|quote| json!({ "out": quote.amount_out.to_string() }))
            }
            "estimate_in" => {
                let (coin, denom) = (self.coin("out")?, input.get("in")?);
                keeper::estimate_in(tx, self.id("pool")?, &denom, &coin)
                    .map(|quote| json!({ "in": quote.amount_in.to_string() }))
            }
            "max_in" => {
                keeper::max_in(tx, self.id("pool")?, &input.get("in")?, self.id("ticks")?).map(
                    |Quote { amount_in, amount_out }| {
                        json!({ "in": amount_in.to_string(), "out": amount_out.to_string() })
                    },
                )
            }
            "spot_price" => {
                let (base, quote) = (input.get("base")?, input.get("quote")?);
                keeper::spot_price(tx, self.id("pool")?, &base, &quote)
                    .map(|price| json!({ "price": price.to_string() }))
            }
            "user_positions" => {
                let pool = Some(self.id("pool")?).filter(|pool| *pool != 0);
                keeper::user_positions(tx, self.account("owner")?, pool).map(|found| {
                    let ids: Vec<u64> = found.iter().map(|position| position.id).collect();
                    json!({ "ids": ids })
                })
            }
            "pool_positions" => {
                keeper::pool_positions(tx, self.id("pool")?).map(|ids| json!({ "ids": ids }))
            }
            other => return Err(format!("`{other}` is not an operation").into()),
        })
    }
}

fn coin(value: &Value) -> Result<Coin, Fault> {
    let part =
        |index: usize| value[index].as_str().ok_or("a coin has a denomination and an amount");
    Ok(format!("{}{}", part(1)?, part(0)?).parse()?)
}

fn coins(coins: &Coins) -> Value {
    coins.iter().map(|coin| json!([coin.denom.as_str(), coin.amount.to_string()])).collect()
}

fn incentives(sum: &keeper::Incentives) -> Value {
    json!({ "collected": coins(&sum.collected), "forfeited": coins(&sum.forfeited) })
}

fn amounts(amount0: Int, amount1: Int) -> Value {
    json!({ "amount0": amount0.to_string(), "amount1": amount1.to_string() })
}

fn created(made: &Created) -> Value {
    let mut all = amounts(made.amount0, made.amount1);
    all["id"] = json!(made.id);
    all["liq"] = json!(made.liquidity.to_string());
    all
}
