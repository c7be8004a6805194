//! The operations of traces, as calls of the keeper.

use super::engine::Fault;
use keyscape::store::Tx;
use keyscape_bank::{Address, Coin, Coins, Denom};
use keyscape_concentrated_liquidity::{
    Error,
    keeper::{
        self, Addition, Authority, Created, NewIncentive, NewPool, NewPosition, SwapIn, SwapOut,
    },
    math::{Dec, Int},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, str::FromStr};

/// The result of an operation, or its error.
pub(crate) type Ran = Result<Value, Error>;

/// A step of a trace.
pub(crate) struct Call<'c> {
    pub(crate) accounts: &'c BTreeMap<String, Address<'static>>,
    pub(crate) input: &'c Value,
    pub(crate) now: i64,
}

impl Call<'_> {
    fn text(&self, name: &str) -> Result<&str, Fault> {
        self.input[name].as_str().ok_or_else(|| format!("no text `{name}`").into())
    }

    fn parsed<T: FromStr>(&self, name: &str) -> Result<T, Fault>
    where
        T::Err: Into<Fault>,
    {
        self.text(name)?.parse().map_err(Into::into)
    }

    fn int(&self, name: &str) -> Result<Int, Fault> {
        self.parsed(name)
    }

    fn dec(&self, name: &str) -> Result<Dec, Fault> {
        self.parsed(name)
    }

    fn time(&self, name: &str) -> Result<i64, Fault> {
        self.parsed(name)
    }

    fn id(&self, name: &str) -> Result<u64, Fault> {
        self.input[name].as_u64().ok_or_else(|| format!("no number `{name}`").into())
    }

    fn tick(&self, name: &str) -> Result<i64, Fault> {
        self.input[name].as_i64().ok_or_else(|| format!("no tick `{name}`").into())
    }

    fn ids(&self) -> Result<Vec<u64>, Fault> {
        let ids = self.input["ids"].as_array().ok_or("no list `ids`")?;
        ids.iter().map(|id| id.as_u64().ok_or_else(|| "an id is not a number".into())).collect()
    }

    fn account(&self, name: &str) -> Result<&Address<'static>, Fault> {
        let account = self.text(name)?;
        self.accounts.get(account).ok_or_else(|| format!("no account `{account}`").into())
    }

    fn denom(&self, name: &str) -> Result<Denom<'static>, Fault> {
        Ok(Denom::new(self.text(name)?.to_owned())?)
    }

    fn coin(&self, name: &str) -> Result<Coin, Fault> {
        coin(&self.input[name])
    }

    /// Returns the coins without zero amounts.
    fn tokens(&self) -> Result<Coins, Fault> {
        let list = self.input["tokens"].as_array().ok_or("no list `tokens`")?;
        let coins = list.iter().map(coin).collect::<Result<Vec<Coin>, Fault>>()?;
        Ok(Coins::new(coins.into_iter().filter(|coin| coin.amount > 0).collect())?)
    }

    /// Runs an operation that writes.
    pub(crate) fn write(&self, tx: &mut Tx<'_>, op: &str) -> Result<Ran, Fault> {
        let now = self.now;
        Ok(match op {
            "create_pool" => {
                let (token0, token1) = (self.denom("token0")?, self.denom("token1")?);
                let (id, spacing) = (self.id("pool")?, self.id("spacing")?);
                let (token0, token1, spread_factor) = (&token0, &token1, self.dec("spread")?);
                let new = NewPool { id, token0, token1, spacing, spread_factor };
                keeper::create_pool(tx, now, &new).map(|()| json!({ "pool": id }))
            }
            "create_position" => {
                let tokens = self.tokens()?;
                let new = NewPosition {
                    owner: self.account("owner")?,
                    pool: self.id("pool")?,
                    tokens: &tokens,
                    min0: self.int("min0")?,
                    min1: self.int("min1")?,
                    lower: self.tick("lower")?,
                    upper: self.tick("upper")?,
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
                keeper::withdraw_position(tx, now, owner, id, self.dec("liq")?).map(
                    |out| json!({ "amount0": out.0.to_string(), "amount1": out.1.to_string() }),
                )
            }
            "add" => {
                let add = Addition {
                    amount0: self.int("amount0")?,
                    amount1: self.int("amount1")?,
                    min0: self.int("min0")?,
                    min1: self.int("min1")?,
                };
                let (owner, id) = (self.account("owner")?, self.id("id")?);
                keeper::add_to_position(tx, now, owner, id, &add).map(|made| {
                    let (amount0, amount1) = (made.amount0.to_string(), made.amount1.to_string());
                    json!({ "id": made.id, "amount0": amount0, "amount1": amount1 })
                })
            }
            "swap_in" | "swap_out" => self.swap(tx, op)?,
            _ => self.write_others(tx, op)?,
        })
    }

    fn create_locked(&self, tx: &mut Tx<'_>) -> Result<Ran, Fault> {
        let (owner, pool, tokens) = (self.account("owner")?, self.id("pool")?, self.tokens()?);
        let unlocking = self.input["unlocking"] == true;
        let duration = self.time("duration")?;
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
        let (sender, pool) = (self.account("sender")?, self.id("pool")?);
        if op == "swap_in" {
            let (coin, denom_out) = (self.coin("in")?, self.denom("out")?);
            let (coin, denom_out, min_out) = (&coin, &denom_out, self.int("min")?);
            let swap = SwapIn { sender, pool, coin, denom_out, min_out, price_limit: None };
            return Ok(keeper::swap_in(tx, self.now, &swap).map(|swapped| {
                json!({ "out": swapped.amount_out.to_string(), "crossed": swapped.crossed })
            }));
        }
        let (coin, denom_in) = (self.coin("out")?, self.denom("in")?);
        let (coin, denom_in, max_in) = (&coin, &denom_in, self.int("max")?);
        let swap = SwapOut { sender, pool, denom_in, max_in, coin, price_limit: None };
        Ok(keeper::swap_out(tx, self.now, &swap).map(
            |swapped| json!({ "in": swapped.amount_in.to_string(), "crossed": swapped.crossed }),
        ))
    }

    fn write_others(&self, tx: &mut Tx<'_>, op: &str) -> Result<Ran, Fault> {
        let now = self.now;
        Ok(match op {
            "collect_spread" => {
                let ids = self.ids()?;
                keeper::collect_spread_rewards(tx, now, self.account("sender")?, &ids)
                    .map(|sum| json!({ "coins": coins(&sum) }))
            }
            "collect_incentives" => {
                let ids = self.ids()?;
                keeper::collect_incentives(tx, now, self.account("sender")?, &ids)
                    .map(|sum| incentives(&sum))
            }
            "create_incentive" => {
                let coin = self.coin("coin")?;
                let new = NewIncentive {
                    sender: self.account("sender")?,
                    pool: self.id("pool")?,
                    coin: &coin,
                    rate: self.dec("rate")?,
                    start: self.time("start")?,
                    uptime: self.time("uptime")?,
                };
                keeper::create_incentive(tx, now, &new).map(|id| json!({ "id": id }))
            }
            "transfer" => {
                let authority = match self.text("sender")? {
                    "gov" => Authority::Governance,
                    _ => Authority::Owner(self.account("sender")?),
                };
                let to = self.account("to")?;
                keeper::transfer_positions(tx, now, authority, &self.ids()?, to).map(|()| json!({}))
            }
            "advance" => Ok(json!({})),
            _ => self.query(tx, op)?,
        })
    }

    fn query(&self, tx: &Tx<'_>, op: &str) -> Result<Ran, Fault> {
        Ok(match op {
            "claimable_spread" => keeper::claimable_spread_rewards(tx, self.id("id")?)
                .map(|sum| json!({ "coins": coins(&sum) })),
            "claimable_incentives" => keeper::claimable_incentives(tx, self.now, self.id("id")?)
                .map(|sum| incentives(&sum)),
            "estimate_out" => {
                let (coin, denom) = (self.coin("in")?, self.denom("out")?);
                keeper::estimate_out(tx, self.id("pool")?, &coin, &denom)
                    .map(|quote| json!({ "out": quote.amount_out.to_string() }))
            }
            "estimate_in" => {
                let (coin, denom) = (self.coin("out")?, self.denom("in")?);
                keeper::estimate_in(tx, self.id("pool")?, &denom, &coin)
                    .map(|quote| json!({ "in": quote.amount_in.to_string() }))
            }
            "max_in" => {
                let denom = self.denom("in")?;
                keeper::max_in(tx, self.id("pool")?, &denom, self.id("ticks")?).map(|quote| {
                    let (amount_in, out) =
                        (quote.amount_in.to_string(), quote.amount_out.to_string());
                    json!({ "in": amount_in, "out": out })
                })
            }
            "spot_price" => {
                let (base, quote) = (self.denom("base")?, self.denom("quote")?);
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
            other => return Err(format!("no such operation: {other}").into()),
        })
    }
}

fn coin(value: &Value) -> Result<Coin, Fault> {
    let part =
        |place: usize| value[place].as_str().ok_or("a coin has a denomination and an amount");
    Ok(format!("{}{}", part(1)?, part(0)?).parse()?)
}

fn coins(coins: &Coins) -> Value {
    coins.iter().map(|coin| json!([coin.denom.as_str(), coin.amount.to_string()])).collect()
}

fn incentives(sum: &keeper::Incentives) -> Value {
    json!({ "collected": coins(&sum.collected), "forfeited": coins(&sum.forfeited) })
}

fn created(made: &Created) -> Value {
    json!({
        "id": made.id,
        "amount0": made.amount0.to_string(),
        "amount1": made.amount1.to_string(),
        "liq": made.liquidity.to_string(),
    })
}
