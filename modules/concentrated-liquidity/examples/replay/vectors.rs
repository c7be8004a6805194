//! Vectors: arithmetic with the results of the Osmosis code.

use super::class;
use keyscape_concentrated_liquidity::math::{self, BigDec, Dec, Int, MathError, SwapMath};
use serde_json::{Value, json};
use std::{fmt::Display, str::FromStr};

/// Why a vector has no result.
#[derive(Debug)]
pub(crate) enum NoResult {
    /// The arithmetic fails.
    Math(MathError),
    /// The vector cannot be run.
    Unreadable(String),
}

impl From<MathError> for NoResult {
    fn from(error: MathError) -> NoResult {
        NoResult::Math(error)
    }
}

/// Runs a vector. Returns the difference of its result.
pub(crate) fn difference(vector: &Value) -> Option<String> {
    let Some(function) = vector["f"].as_str() else {
        return Some("`f` is not the name of a function".to_owned());
    };
    let about = |text: String| Some(format!("vector {function} {}: {text}", vector["in"]));
    match (run(function, &Input(&vector["in"])), vector.get("out")) {
        (Ok(found), Some(out)) if found == *out => None,
        (Ok(found), Some(out)) => about(format!("returned {found}, not {out}")),
        (Ok(found), None) => about(format!("returned {found}, not the error {}", vector["err"])),
        (Err(NoResult::Unreadable(why)), _) => about(why),
        (Err(NoResult::Math(error)), Some(_)) => about(format!("failed: {error}")),
        (Err(NoResult::Math(error)), None) => {
            let (class, message) = class::of_math(&error);
            let said = vector["msg"].as_str().unwrap_or_default();
            let same = vector["err"] == class && said.starts_with(message);
            if same {
                return None;
            }
            about(format!("failed with {class} ({error}), not {}: {said}", vector["err"]))
        }
    }
}

/// The arguments of a vector.
struct Input<'v>(&'v Value);

impl Input<'_> {
    fn text(&self, name: &str) -> Result<&str, NoResult> {
        self.0[name].as_str().ok_or_else(|| NoResult::Unreadable(format!("no text `{name}`")))
    }

    fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, NoResult> {
        let unreadable = |error: T::Err| NoResult::Unreadable(format!("`{name}`: {error}"));
        self.text(name)?.parse().map_err(unreadable)
    }

    fn big(&self, name: &str) -> Result<BigDec, NoResult> {
        self.parsed(name)
    }

    fn dec(&self, name: &str) -> Result<Dec, NoResult> {
        self.parsed(name)
    }

    fn int(&self, name: &str) -> Result<Int, NoResult> {
        self.parsed(name)
    }

    fn number(&self, name: &str) -> Result<i64, NoResult> {
        self.0[name].as_i64().ok_or_else(|| NoResult::Unreadable(format!("no number `{name}`")))
    }

    fn spacing(&self) -> Result<u64, NoResult> {
        self.0["spacing"].as_u64().ok_or_else(|| NoResult::Unreadable("no `spacing`".to_owned()))
    }

    fn flag(&self, name: &str) -> Result<bool, NoResult> {
        self.0[name].as_bool().ok_or_else(|| NoResult::Unreadable(format!("no flag `{name}`")))
    }

    fn swap(&self) -> Result<SwapMath, NoResult> {
        let spread_factor = match self.0.get("spread_factor") {
            None => Dec::ZERO,
            Some(_) => self.dec("spread_factor")?,
        };
        Ok(SwapMath { zero_for_one: self.flag("zero_for_one")?, spread_factor })
    }
}

/// A number as text.
struct Shown(String);

impl From<Dec> for Shown {
    fn from(value: Dec) -> Shown {
        Shown(value.to_string())
    }
}

impl From<BigDec> for Shown {
    fn from(value: BigDec) -> Shown {
        Shown(value.to_string())
    }
}

fn one(name: &str, value: impl Into<Shown>) -> Value {
    json!({ name: value.into().0 })
}

fn run(function: &str, input: &Input<'_>) -> Result<Value, NoResult> {
    if let Some(operation) = function.strip_prefix("dec_") {
        return dec(operation, input.dec("a")?, input.dec("b")?).map(|result| one("r", result));
    }
    if let Some(operation) = function.strip_prefix("bigdec_") {
        return big(operation, input);
    }
    if let Some(which) = function.strip_prefix("next_sqrt_") {
        return next_sqrt(which, input).map(|next| one("sqrt_price", next));
    }
    match function {
        "swap_step_out_given_in" | "swap_step_in_given_out" => step(function, input),
        "sqrt_dec" => Ok(one("root", input.dec("x")?.sqrt()?)),
        "sqrt_bigdec" => Ok(one("root", input.big("x")?.sqrt()?)),
        "sqrt_price_limit" => {
            let limit = math::sqrt_price_limit(input.big("price")?, input.flag("zero_for_one")?)?;
            Ok(one("sqrt_price", limit))
        }
        "validate_sqrt_price" => {
            input.swap()?.check_limit(input.big("limit")?, input.big("current")?)?;
            Ok(json!({ "ok": true }))
        }
        _ => amounts(function, input),
    }
}

fn ticks(function: &str, input: &Input<'_>) -> Result<Value, NoResult> {
    let tick = |tick: i64| json!({ "tick": tick });
    Ok(match function {
        "tick_to_price" => one("price", math::tick_to_price(input.number("tick")?)?),
        "tick_to_sqrt_price" => one("sqrt_price", math::tick_to_sqrt_price(input.number("tick")?)?),
        "ticks_to_sqrt_prices" => {
            let (lower, upper) =
                math::ticks_to_sqrt_prices(input.number("lower")?, input.number("upper")?)?;
            json!({ "lower": lower.to_string(), "upper": upper.to_string() })
        }
        "price_to_tick" => tick(math::price_to_tick(input.big("price")?)?),
        "sqrt_price_to_tick" => tick(math::sqrt_price_to_tick(input.big("sqrt_price")?)?),
        "round_down_to_spacing" => {
            tick(math::round_down_to_spacing(input.number("tick")?, input.spacing()?)?)
        }
        "sqrt_price_to_tick_spacing" => {
            tick(math::sqrt_price_to_tick_spacing(input.big("sqrt_price")?, input.spacing()?)?)
        }
        "canonical_tick" => tick(math::canonical_tick(input.number("tick")?, input.spacing()?)?),
        other => return Err(no_function(other)),
    })
}

fn amounts(function: &str, input: &Input<'_>) -> Result<Value, NoResult> {
    let range = || Ok::<_, NoResult>((input.big("sqrt_a")?, input.big("sqrt_b")?));
    Ok(match function {
        "liquidity0" | "liquidity1" => {
            let (a, b) = range()?;
            let of = if function == "liquidity0" { math::liquidity0 } else { math::liquidity1 };
            one("liquidity", of(input.int("amount")?, a, b)?)
        }
        "liquidity_from_amounts" => {
            let (a, b) = range()?;
            let (amount0, amount1) = (input.int("amount0")?, input.int("amount1")?);
            let sqrt_price = input.big("sqrt_price")?;
            one("liquidity", math::liquidity_from_amounts(sqrt_price, a, b, amount0, amount1)?)
        }
        "amount0_delta" | "amount1_delta" => {
            let (a, b) = range()?;
            let of =
                if function == "amount0_delta" { math::amount0_delta } else { math::amount1_delta };
            one("amount", of(input.dec("liquidity")?, a, b, input.flag("round_up")?)?)
        }
        "position_amounts" => {
            let (amount0, amount1) = math::position_amounts(
                input.number("tick")?,
                input.big("sqrt_price")?,
                (input.number("lower")?, input.number("upper")?),
                input.dec("liquidity_delta")?,
            )?;
            json!({ "amount0": amount0.to_string(), "amount1": amount1.to_string() })
        }
        "spot_price" => {
            let (base0, base1) = math::spot_prices(input.big("sqrt_price")?)?;
            json!({ "base0": base0.to_string(), "base1": base1.to_string() })
        }
        _ => return ticks(function, input),
    })
}

fn next_sqrt(which: &str, input: &Input<'_>) -> Result<BigDec, NoResult> {
    let sqrt_price = input.big("sqrt_price")?;
    let liquidity = input.dec("liquidity")?;
    Ok(match which {
        "amount0_in_up" => {
            math::next_sqrt_price_amount0_in(sqrt_price, liquidity.to_big()?, input.big("amount")?)?
        }
        "amount0_out_up" => math::next_sqrt_price_amount0_out(
            sqrt_price,
            liquidity.to_big()?,
            input.dec("amount")?,
        )?,
        "amount1_in_down" => {
            math::next_sqrt_price_amount1_in(sqrt_price, liquidity, input.big("amount")?)?
        }
        "amount1_out_down" => {
            math::next_sqrt_price_amount1_out(sqrt_price, liquidity, input.big("amount")?)?
        }
        other => return Err(no_function(other)),
    })
}

fn step(function: &str, input: &Input<'_>) -> Result<Value, NoResult> {
    let (sqrt_price, target) = (input.big("sqrt_price")?, input.big("sqrt_target")?);
    let (liquidity, remaining) = (input.dec("liquidity")?, input.dec("remaining")?);
    let swap = input.swap()?;
    let step = if function == "swap_step_out_given_in" {
        swap.out_given_in(sqrt_price, target, liquidity, remaining)?
    } else {
        swap.in_given_out(sqrt_price, target, liquidity, remaining)?
    };
    Ok(json!({
        "sqrt_price": step.sqrt_price.to_string(),
        "amount_in": step.amount_in.to_string(),
        "amount_out": step.amount_out.to_string(),
        "spread": step.spread.to_string(),
    }))
}

fn dec(operation: &str, a: Dec, b: Dec) -> Result<Dec, NoResult> {
    Ok(match operation {
        "mul" => a.mul_even(b),
        "mul_truncate" => a.mul_truncate(b),
        "mul_round_up" => a.mul_up(b),
        "quo" => a.quo_even(b),
        "quo_truncate" => a.quo_truncate(b),
        "quo_round_up" => a.quo_up(b),
        other => return Err(no_function(other)),
    }?)
}

fn big(operation: &str, input: &Input<'_>) -> Result<Value, NoResult> {
    let a = input.big("a")?;
    let result = match operation {
        "to_dec" => {
            return Ok(json!({
                "truncated": a.truncate_dec().to_string(),
                "up": a.up_dec()?.to_string(),
                "ceil": a.ceil()?.to_string(),
            }));
        }
        "mul" => a.mul_even(input.big("b")?),
        "mul_truncate" => a.mul_truncate(input.big("b")?),
        "mul_round_up" => a.mul_up(input.big("b")?),
        "mul_dec" => a.mul_dec(input.dec("b")?),
        "mul_truncate_dec" => a.mul_truncate_dec(input.dec("b")?),
        "mul_round_up_dec" => a.mul_up_dec(input.dec("b")?),
        "quo" => a.quo_even(input.big("b")?),
        "quo_truncate" => a.quo_truncate(input.big("b")?),
        "quo_truncate_dec" => a.quo_truncate_dec(input.dec("b")?),
        "quo_by_dec_round_up" => a.quo_up_dec(input.dec("b")?),
        "quo_round_up" => a.quo_up(input.big("b")?),
        "quo_round_up_mut" => a.quo_up_always(input.big("b")?),
        "quo_round_up_next_int" => a.quo_up_to_integer(input.big("b")?),
        other => return Err(no_function(other)),
    };
    Ok(one("r", result?))
}

fn no_function(name: &str) -> NoResult {
    NoResult::Unreadable(format!("there is no function `{name}`"))
}
