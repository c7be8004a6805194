//! Arithmetic against results of the Osmosis code.

use crate::{corpus, replay::class};
use keyscape_concentrated_liquidity::math::{self, BigDec, Dec, Int, MathError, SwapMath};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The arguments of a vector.
struct Input<'v>(&'v Value);

impl Input<'_> {
    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap()
    }

    fn big(&self, name: &str) -> BigDec {
        self.text(name).parse().unwrap()
    }

    fn dec(&self, name: &str) -> Dec {
        self.text(name).parse().unwrap()
    }

    fn int(&self, name: &str) -> Int {
        self.text(name).parse().unwrap()
    }

    fn number(&self, name: &str) -> i64 {
        self.0[name].as_i64().unwrap()
    }

    fn spacing(&self) -> u64 {
        self.0["spacing"].as_u64().unwrap()
    }

    fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap()
    }

    fn swap(&self) -> SwapMath {
        let spread_factor =
            self.0.get("spread_factor").map_or(Dec::ZERO, |_| self.dec("spread_factor"));
        SwapMath { zero_for_one: self.flag("zero_for_one"), spread_factor }
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

fn run(function: &str, input: &Input<'_>) -> Result<Value, MathError> {
    if let Some(operation) = function.strip_prefix("dec_") {
        return dec(operation, input.dec("a"), input.dec("b")).map(|result| one("r", result));
    }
    if let Some(operation) = function.strip_prefix("bigdec_") {
        return big(operation, input);
    }
    if let Some(which) = function.strip_prefix("next_sqrt_") {
        return next_sqrt(which, input).map(|next| one("sqrt_price", next));
    }
    match function {
        "swap_step_out_given_in" | "swap_step_in_given_out" => step(function, input),
        "sqrt_dec" => Ok(one("root", input.dec("x").sqrt()?)),
        "sqrt_bigdec" => Ok(one("root", input.big("x").sqrt()?)),
        "sqrt_price_limit" => {
            let limit = math::sqrt_price_limit(input.big("price"), input.flag("zero_for_one"))?;
            Ok(one("sqrt_price", limit))
        }
        "validate_sqrt_price" => {
            input.swap().check_limit(input.big("limit"), input.big("current"))?;
            Ok(json!({ "ok": true }))
        }
        _ => amounts(function, input).unwrap_or_else(|| ticks(function, input)),
    }
}

fn ticks(function: &str, input: &Input<'_>) -> Result<Value, MathError> {
    let tick = |tick: i64| json!({ "tick": tick });
    Ok(match function {
        "tick_to_price" => one("price", math::tick_to_price(input.number("tick"))?),
        "tick_to_sqrt_price" => one("sqrt_price", math::tick_to_sqrt_price(input.number("tick"))?),
        "ticks_to_sqrt_prices" => {
            let (lower, upper) =
                math::ticks_to_sqrt_prices(input.number("lower"), input.number("upper"))?;
            json!({ "lower": lower.to_string(), "upper": upper.to_string() })
        }
        "price_to_tick" => tick(math::price_to_tick(input.big("price"))?),
        "sqrt_price_to_tick" => tick(math::sqrt_price_to_tick(input.big("sqrt_price"))?),
        "round_down_to_spacing" => {
            tick(math::round_down_to_spacing(input.number("tick"), input.spacing())?)
        }
        "sqrt_price_to_tick_spacing" => {
            tick(math::sqrt_price_to_tick_spacing(input.big("sqrt_price"), input.spacing())?)
        }
        "canonical_tick" => tick(math::canonical_tick(input.number("tick"), input.spacing())?),
        other => panic!("no such function: {other}"),
    })
}

fn amounts(function: &str, input: &Input<'_>) -> Option<Result<Value, MathError>> {
    let range = || (input.big("sqrt_a"), input.big("sqrt_b"));
    let result = match function {
        "liquidity0" | "liquidity1" => {
            let (a, b) = range();
            let of = if function == "liquidity0" { math::liquidity0 } else { math::liquidity1 };
            of(input.int("amount"), a, b).map(|liquidity| one("liquidity", liquidity))
        }
        "liquidity_from_amounts" => {
            let (a, b) = range();
            let (amount0, amount1) = (input.int("amount0"), input.int("amount1"));
            math::liquidity_from_amounts(input.big("sqrt_price"), a, b, amount0, amount1)
                .map(|liquidity| one("liquidity", liquidity))
        }
        "amount0_delta" | "amount1_delta" => {
            let (a, b) = range();
            let of =
                if function == "amount0_delta" { math::amount0_delta } else { math::amount1_delta };
            of(input.dec("liquidity"), a, b, input.flag("round_up"))
                .map(|amount| one("amount", amount))
        }
        "position_amounts" => math::position_amounts(
            input.number("tick"),
            input.big("sqrt_price"),
            (input.number("lower"), input.number("upper")),
            input.dec("liquidity_delta"),
        )
        .map(|(amount0, amount1)| {
            json!({ "amount0": amount0.to_string(), "amount1": amount1.to_string() })
        }),
        "spot_price" => math::spot_prices(input.big("sqrt_price")).map(|(base0, base1)| {
            json!({ "base0": base0.to_string(), "base1": base1.to_string() })
        }),
        _ => return None,
    };
    Some(result)
}

fn next_sqrt(which: &str, input: &Input<'_>) -> Result<BigDec, MathError> {
    let sqrt_price = input.big("sqrt_price");
    let liquidity = input.dec("liquidity");
    match which {
        "amount0_in_up" => {
            math::next_sqrt_price_amount0_in(sqrt_price, liquidity.to_big()?, input.big("amount"))
        }
        "amount0_out_up" => {
            math::next_sqrt_price_amount0_out(sqrt_price, liquidity.to_big()?, input.dec("amount"))
        }
        "amount1_in_down" => {
            math::next_sqrt_price_amount1_in(sqrt_price, liquidity, input.big("amount"))
        }
        "amount1_out_down" => {
            math::next_sqrt_price_amount1_out(sqrt_price, liquidity, input.big("amount"))
        }
        other => panic!("no such function: {other}"),
    }
}

fn step(function: &str, input: &Input<'_>) -> Result<Value, MathError> {
    let (sqrt_price, target) = (input.big("sqrt_price"), input.big("sqrt_target"));
    let (liquidity, remaining) = (input.dec("liquidity"), input.dec("remaining"));
    let swap = input.swap();
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

fn dec(operation: &str, a: Dec, b: Dec) -> Result<Dec, MathError> {
    match operation {
        "mul" => a.mul_even(b),
        "mul_truncate" => a.mul_truncate(b),
        "mul_round_up" => a.mul_up(b),
        "quo" => a.quo_even(b),
        "quo_truncate" => a.quo_truncate(b),
        "quo_round_up" => a.quo_up(b),
        other => panic!("no such function: {other}"),
    }
}

fn big(operation: &str, input: &Input<'_>) -> Result<Value, MathError> {
    let a = input.big("a");
    let result = match operation {
        "to_dec" => {
            return Ok(json!({
                "truncated": a.truncate_dec().to_string(),
                "up": a.up_dec()?.to_string(),
                "ceil": a.ceil()?.to_string(),
            }));
        }
        "mul" => a.mul_even(input.big("b")),
        "mul_truncate" => a.mul_truncate(input.big("b")),
        "mul_round_up" => a.mul_up(input.big("b")),
        "mul_dec" => a.mul_dec(input.dec("b")),
        "mul_truncate_dec" => a.mul_truncate_dec(input.dec("b")),
        "mul_round_up_dec" => a.mul_up_dec(input.dec("b")),
        "quo" => a.quo_even(input.big("b")),
        "quo_truncate" => a.quo_truncate(input.big("b")),
        "quo_truncate_dec" => a.quo_truncate_dec(input.dec("b")),
        "quo_by_dec_round_up" => a.quo_up_dec(input.dec("b")),
        "quo_round_up" => a.quo_up(input.big("b")),
        "quo_round_up_mut" => a.quo_up_always(input.big("b")),
        "quo_round_up_next_int" => a.quo_up_to_integer(input.big("b")),
        other => panic!("no such function: {other}"),
    };
    result.map(|result| one("r", result))
}

#[test]
fn all_vectors_have_the_results_of_the_origin() {
    let mut count = BTreeMap::<String, u32>::new();
    for vector in corpus::lines("vectors.jsonl.gz") {
        let function = vector["f"].as_str().unwrap();
        let found = run(function, &Input(&vector["in"]));
        match (vector.get("out"), &found) {
            (Some(out), Ok(found)) => assert_eq!(found, out, "{vector}"),
            (None, Err(error)) => {
                assert_eq!(vector["err"], class::of_math(error).0, "{vector}");
            }
            (_, found) => panic!("{vector}: {found:?}"),
        }
        *count.entry(function.to_owned()).or_default() += 1;
    }
    assert_eq!(count.values().sum::<u32>(), 17_310);
    assert_eq!(count.len(), 45, "{count:?}");
}
