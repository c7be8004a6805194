//! Vectors: arithmetic with the results of the Osmosis code.

use super::{class, engine::Fault, operations::Input};
use keyscape_concentrated_liquidity::math::{self, BigDec, Dec, MathError, SwapMath};
use serde_json::{Value, json};
use std::fmt::Display;

/// Runs a vector. Returns the difference of its result.
pub(crate) fn difference(vector: &Value) -> Option<String> {
    let Some(function) = vector["f"].as_str() else {
        return Some("`f` is not the name of a function".to_owned());
    };
    let about = |text: String| Some(format!("vector {function} {}: {text}", vector["in"]));
    let result = match run(function, Input(&vector["in"])) {
        Ok(found) => Ok(found),
        Err(fault) => match fault.downcast::<MathError>() {
            Ok(error) => Err(error),
            Err(unreadable) => return about(unreadable.to_string()),
        },
    };
    match (result, vector.get("out")) {
        (Ok(found), Some(out)) if found == *out => None,
        (Ok(found), Some(out)) => about(format!("returned {found}, not {out}")),
        (Ok(found), None) => about(format!("returned {found}, not the error {}", vector["err"])),
        (Err(error), Some(_)) => about(format!("failed: {error}")),
        (Err(error), None) => {
            class::difference(class::of_math(&error), &error, vector).and_then(about)
        }
    }
}

fn one(name: &str, value: impl Display) -> Value {
    json!({ name: value.to_string() })
}

fn run(function: &str, input: Input<'_>) -> Result<Value, Fault> {
    if let Some(operation) = function.strip_prefix("dec_") {
        return Ok(one("r", dec(operation, input.get("a")?, input.get("b")?)?));
    }
    if let Some(operation) = function.strip_prefix("bigdec_") {
        return big(operation, input);
    }
    if let Some(which) = function.strip_prefix("next_sqrt_") {
        return Ok(one("sqrt_price", next_sqrt(which, input)?));
    }
    match function {
        "swap_step_out_given_in" | "swap_step_in_given_out" => step(function, input),
        "sqrt_dec" => Ok(one("root", input.get::<Dec>("x")?.sqrt()?)),
        "sqrt_bigdec" => Ok(one("root", input.get::<BigDec>("x")?.sqrt()?)),
        "sqrt_price_limit" => {
            let limit = math::sqrt_price_limit(input.get("price")?, input.value("zero_for_one")?)?;
            Ok(one("sqrt_price", limit))
        }
        "validate_sqrt_price" => {
            swap_math(input)?.check_limit(input.get("limit")?, input.get("current")?)?;
            Ok(json!({ "ok": true }))
        }
        _ => amounts(function, input),
    }
}

fn ticks(function: &str, input: Input<'_>) -> Result<Value, Fault> {
    let tick = |tick: i64| json!({ "tick": tick });
    Ok(match function {
        "tick_to_price" => one("price", math::tick_to_price(input.value("tick")?)?),
        "tick_to_sqrt_price" => one("sqrt_price", math::tick_to_sqrt_price(input.value("tick")?)?),
        "ticks_to_sqrt_prices" => {
            let (lower, upper) =
                math::ticks_to_sqrt_prices(input.value("lower")?, input.value("upper")?)?;
            json!({ "lower": lower.to_string(), "upper": upper.to_string() })
        }
        "price_to_tick" => tick(math::price_to_tick(input.get("price")?)?),
        "sqrt_price_to_tick" => tick(math::sqrt_price_to_tick(input.get("sqrt_price")?)?),
        "round_down_to_spacing" => {
            tick(math::round_down_to_spacing(input.value("tick")?, input.value("spacing")?)?)
        }
        "sqrt_price_to_tick_spacing" => tick(math::sqrt_price_to_tick_spacing(
            input.get("sqrt_price")?,
            input.value("spacing")?,
        )?),
        // The tick of a position for a requested tick: the highest tick with the same sqrt price.
        "canonical_tick" => {
            let sqrt_price = math::tick_to_sqrt_price(input.value("tick")?)?;
            tick(math::sqrt_price_to_tick_spacing(sqrt_price, input.value("spacing")?)?)
        }
        other => return Err(no_function(other)),
    })
}

fn amounts(function: &str, input: Input<'_>) -> Result<Value, Fault> {
    let range = || Ok::<_, Fault>((input.get("sqrt_a")?, input.get("sqrt_b")?));
    Ok(match function {
        "liquidity0" | "liquidity1" => {
            let (a, b) = range()?;
            let of = if function == "liquidity0" { math::liquidity0 } else { math::liquidity1 };
            one("liquidity", of(input.get("amount")?, a, b)?)
        }
        "liquidity_from_amounts" => {
            let (a, b) = range()?;
            let (amount0, amount1) = (input.get("amount0")?, input.get("amount1")?);
            let sqrt_price = input.get("sqrt_price")?;
            one("liquidity", math::liquidity_from_amounts(sqrt_price, a, b, amount0, amount1)?)
        }
        "amount0_delta" | "amount1_delta" => {
            let (a, b) = range()?;
            let of =
                if function == "amount0_delta" { math::amount0_delta } else { math::amount1_delta };
            one("amount", of(input.get("liquidity")?, a, b, input.value("round_up")?)?)
        }
        "position_amounts" => {
            let (amount0, amount1) = math::position_amounts(
                input.value("tick")?,
                input.get("sqrt_price")?,
                (input.value("lower")?, input.value("upper")?),
                input.get("liquidity_delta")?,
            )?;
            json!({ "amount0": amount0.to_string(), "amount1": amount1.to_string() })
        }
        "spot_price" => {
            let (base0, base1) = math::spot_prices(input.get("sqrt_price")?)?;
            json!({ "base0": base0.to_string(), "base1": base1.to_string() })
        }
        _ => return ticks(function, input),
    })
}

fn next_sqrt(which: &str, input: Input<'_>) -> Result<BigDec, Fault> {
    let sqrt_price = input.get("sqrt_price")?;
    let liquidity: Dec = input.get("liquidity")?;
    Ok(match which {
        "amount0_in_up" => {
            math::next_sqrt_price_amount0_in(sqrt_price, liquidity.to_big()?, input.get("amount")?)?
        }
        "amount0_out_up" => math::next_sqrt_price_amount0_out(
            sqrt_price,
            liquidity.to_big()?,
            input.get("amount")?,
        )?,
        "amount1_in_down" => {
            math::next_sqrt_price_amount1_in(sqrt_price, liquidity, input.get("amount")?)?
        }
        "amount1_out_down" => {
            math::next_sqrt_price_amount1_out(sqrt_price, liquidity, input.get("amount")?)?
        }
        other => return Err(no_function(other)),
    })
}

fn step(function: &str, input: Input<'_>) -> Result<Value, Fault> {
    let (sqrt_price, target) = (input.get("sqrt_price")?, input.get("sqrt_target")?);
    let (liquidity, remaining) = (input.get("liquidity")?, input.get("remaining")?);
    let swap = swap_math(input)?;
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

fn dec(operation: &str, a: Dec, b: Dec) -> Result<Dec, Fault> {
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

fn big(operation: &str, input: Input<'_>) -> Result<Value, Fault> {
    let a: BigDec = input.get("a")?;
    let result = match operation {
        "to_dec" => {
            return Ok(json!({
                "truncated": a.truncate_dec().to_string(),
                "up": a.up_dec()?.to_string(),
                "ceil": a.ceil()?.to_string(),
            }));
        }
        "mul" => a.mul_even(input.get::<BigDec>("b")?),
        "mul_truncate" => a.mul_truncate(input.get::<BigDec>("b")?),
        "mul_round_up" => a.mul_up(input.get::<BigDec>("b")?),
        "mul_dec" => a.mul_even(input.get::<Dec>("b")?),
        "mul_truncate_dec" => a.mul_truncate(input.get::<Dec>("b")?),
        "mul_round_up_dec" => a.mul_up(input.get::<Dec>("b")?),
        "quo" => a.quo_even(input.get("b")?),
        "quo_truncate" => a.quo_truncate(input.get::<BigDec>("b")?),
        "quo_truncate_dec" => a.quo_truncate(input.get::<Dec>("b")?),
        "quo_by_dec_round_up" => a.quo_up(input.get::<Dec>("b")?),
        "quo_round_up" => a.quo_up(input.get::<BigDec>("b")?),
        "quo_round_up_mut" => a.quo_up_always(input.get("b")?),
        "quo_round_up_next_int" => a.quo_up_to_integer(input.get("b")?),
        other => return Err(no_function(other)),
    };
    Ok(one("r", result?))
}

fn swap_math(input: Input<'_>) -> Result<SwapMath, Fault> {
    let has_spread = input.0.get("spread_factor").is_some();
    let spread_factor = if has_spread { input.get("spread_factor")? } else { Dec::ZERO };
    Ok(SwapMath { zero_for_one: input.value("zero_for_one")?, spread_factor })
}

fn no_function(name: &str) -> Fault {
    format!("`{name}` is not a function").into()
}
