//! Runs traces step by step, and vectors.

use super::{
    class,
    dump::{self, State},
    operations::{Call, Input, Ran},
    vectors,
};
use keyscape::store::Db;
use keyscape_bank::{
    Address, Coins, Keeper, Permission, keeper as bank, layout::bank::LAYOUT as BANK_LAYOUT,
};
use keyscape_concentrated_liquidity::{
    keeper,
    layout::concentratedliquidity::LAYOUT,
    math::{Dec, MAX_TICK, MIN_TICK},
    values::Params,
};
use keyscape_testkit::unhex;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

/// A reason why a trace cannot be run.
pub(crate) type Fault = Box<dyn std::error::Error>;

/// A run of traces.
#[derive(Default)]
pub(crate) struct Replay {
    scenario: Option<Scenario>,
    pub(crate) scenarios: u64,
    pub(crate) steps: u64,
    pub(crate) vectors: u64,
    pub(crate) differences: u64,
    /// Steps whose totals differ from the trace intentionally.
    pub(crate) corrected_totals: u64,
    /// Lists of positions that differ from the trace intentionally.
    pub(crate) corrected_lists: u64,
}

/// A scenario with the state of the trace.
pub(crate) struct Scenario {
    pub(crate) db: Db,
    accounts: BTreeMap<String, Address<'static>>,
    /// The state of the module after the last step.
    found: State,
    /// The state of the trace, with totals that are computed from its positions and balances.
    expected: State,
    /// The totals of the trace.
    totals: State,
    /// The entries that differed after the last step.
    differing: BTreeSet<String>,
}

impl Replay {
    /// Runs one line, a step of a trace or a vector. Returns the differences. A line that cannot be
    /// run is a difference.
    pub(crate) fn line(&mut self, line: &[u8]) -> Vec<String> {
        let found = serde_json::from_slice(line).map_err(Fault::from).and_then(|line: Value| {
            if line.get("f").is_none() {
                return self.step(&line);
            }
            self.vectors += 1;
            Ok(vectors::difference(&line).into_iter().collect())
        });
        let found = found.unwrap_or_else(|fault| vec![fault.to_string()]);
        self.differences += found.len() as u64;
        found
    }

    /// Runs a step. Returns the new differences.
    pub(crate) fn step(&mut self, line: &Value) -> Result<Vec<String>, Fault> {
        self.steps += 1;
        let op = line["op"].as_str().ok_or("a step has no operation")?;
        let at = format!("scenario {} step {} {op}", line["s"], line["n"]);
        if op == "begin" {
            self.scenarios += 1;
            // If a scenario cannot begin, its steps must not run in the previous one.
            self.scenario = None;
            self.scenario = Some(Scenario::begin(line).map_err(|fault| format!("{at}: {fault}"))?);
        }
        let scenario = self.scenario.as_mut().ok_or("a trace starts with `begin`")?;
        let mut found = Vec::new();
        if op != "begin" {
            let now = line["t"].as_str().ok_or("a step has no time")?.parse()?;
            let call = Call { accounts: &scenario.accounts, input: Input(&line["in"]), now };
            let mut tx = scenario.db.begin(keyscape::store::Mode::Write)?;
            let ran = call.run(&mut tx, op).map_err(|fault| format!("{at}: {fault}"))?;
            let has_written = !tx.changes().is_empty();
            // A rejected operation writes nothing, so the transaction can be committed in any case.
            tx.commit()?;
            if has_written {
                scenario.found = dump::dump(&scenario.db.read()?, &scenario.accounts)?;
            }
            let mut expected = line.get("ok").cloned();
            if op == "user_positions" {
                let ids = scenario.positions_of(&line["in"]);
                self.corrected_lists += u64::from(expected.as_ref() != Some(&ids));
                expected = Some(ids);
            }
            found.extend(result(&ran, expected.as_ref(), line));
        }
        self.corrected_totals += u64::from(scenario.expect(line)?);
        found.extend(scenario.differences());
        Ok(found.into_iter().map(|difference| format!("{at}: {difference}")).collect())
    }

    /// Returns the database of the current scenario, for tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests look at stored rows"))]
    pub(crate) fn db(&self) -> Option<&Db> {
        self.scenario.as_ref().map(|scenario| &scenario.db)
    }

    /// Describes the run in one line.
    pub(crate) fn summary(&self) -> String {
        let Replay { scenarios, steps, vectors, differences, .. } = self;
        format!(
            "{scenarios} scenarios, {steps} steps, {vectors} vectors: {differences} differences; \
             intentional: totals in {} steps, {} lists of positions",
            self.corrected_totals, self.corrected_lists
        )
    }
}

/// Compares the result of an operation.
fn result(ran: &Ran, expected: Option<&Value>, line: &Value) -> Option<String> {
    match (ran, expected) {
        (Ok(found), Some(expected)) if found == expected => None,
        (Ok(found), Some(expected)) => Some(format!("returned {found}, not {expected}")),
        (Ok(found), None) => Some(format!("returned {found}, not the error {}", line["err"])),
        (Err(error), Some(_)) => Some(format!("failed: {error}")),
        (Err(error), None) => class::difference(class::of(error), error, line),
    }
}

impl Scenario {
    fn begin(line: &Value) -> Result<Scenario, Fault> {
        let input = &line["in"];
        let db = keyscape::memory_with(&[&LAYOUT, &BANK_LAYOUT])?;
        let mut accounts = BTreeMap::new();
        for (name, address) in input["accounts"].as_object().ok_or("no accounts")? {
            let bytes = address.as_str().and_then(unhex).ok_or("an address is hexadecimal text")?;
            accounts.insert(name.clone(), Address::new(bytes)?);
        }
        let input = Input(input);
        let params = Params {
            spacings: input.value("authorized_spacings")?,
            spread_factors: parsed(&input.value::<Vec<_>>("authorized_spreads")?)?,
            uptimes: parsed(&input.value::<Vec<_>>("authorized_uptimes")?)?,
        };
        let (incentives, spread) =
            (input.value("incentive_threshold")?, input.value("spread_threshold")?);
        db.write(|tx| {
            keeper::initialize(tx, &params, incentives, spread)?;
            bank::create_module_account(tx, "mint", &[Permission::Minter])?;
            for (key, amount) in line["set"].as_object().into_iter().flatten() {
                let mut parts = key.split('/').skip(1);
                let (Some(name), Some(denom)) = (parts.next(), parts.next()) else { continue };
                let (Some(to), Some(amount)) = (accounts.get(name), amount.as_str()) else {
                    continue;
                };
                let coins: Coins = format!("{amount}{denom}").parse()?;
                Keeper::default().mint(tx, "mint", &coins)?;
                Keeper::default().send(tx, 0, &bank::module_address("mint")?, to, &coins)?;
            }
            Ok::<(), Fault>(())
        })?;
        let found = dump::dump(&db.read()?, &accounts)?;
        let (expected, totals, differing) = Default::default();
        Ok(Scenario { db, accounts, found, expected, totals, differing })
    }

    /// Describes the entries that differ, without those that differed before.
    fn differences(&mut self) -> Vec<String> {
        let (expected, found) = (&self.expected, &self.found);
        let changed = found.iter().filter(|(key, value)| expected.get(*key) != Some(value));
        let missing = expected.keys().filter(|key| !found.contains_key(*key));
        let differing: BTreeSet<String> =
            changed.map(|(key, _)| key).chain(missing).cloned().collect();
        let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
        let describe = |key: &String| {
            format!("{key} is {}, not {}", text(found.get(key)), text(expected.get(key)))
        };
        let new = differing.difference(&self.differing).map(describe).collect();
        self.differing = differing;
        new
    }

    /// Applies the changes of a step to the expected state. Returns whether the totals of the trace
    /// differ from the computed ones.
    fn expect(&mut self, line: &Value) -> Result<bool, Fault> {
        let set = line["set"].as_object().into_iter().flatten();
        let set = set.map(|(key, value)| (key.as_str(), Some(value)));
        let deleted = line["del"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for (key, value) in set.chain(deleted.map(|key| (key, None))) {
            let part = if is_total(key) { &mut self.totals } else { &mut self.expected };
            // Balances and totals of zero are not stored.
            let is_amount = is_total(key) || key.starts_with("bal/");
            match value.filter(|value| !is_amount || **value != "0") {
                Some(value) => part.insert(key.to_owned(), value.clone()),
                None => part.remove(key),
            };
        }
        self.expected.retain(|key, _| !is_total(key));
        let mut totals = self.computed_totals()?;
        let differ = totals != self.totals;
        self.expected.append(&mut totals);
        Ok(differ)
    }

    /// Computes the totals of the expected state: full-range liquidity from the positions, and the
    /// total of a denomination from the pools' accounts.
    fn computed_totals(&self) -> Result<State, Fault> {
        let full_range = (&json!(MIN_TICK), &json!(MAX_TICK));
        let mut full = BTreeMap::<u64, Dec>::new();
        let mut total = BTreeMap::<String, Coins>::new();
        for (key, value) in &self.expected {
            if key.starts_with("pos/") && (&value["lower"], &value["upper"]) == full_range {
                let pool = full.entry(value["pool"].as_u64().unwrap_or_default()).or_default();
                *pool = pool.plus(value["liq"].as_str().unwrap_or_default().parse()?)?;
            }
            if let Some(denom) =
                key.strip_prefix("bal/pool/").and_then(|rest| rest.split('/').nth(1))
            {
                let coins = format!("{}{denom}", value.as_str().unwrap_or_default()).parse()?;
                let sum = total.entry(denom.to_owned()).or_default();
                *sum = sum.plus(&coins)?;
            }
        }
        let full = full.iter().filter(|(_, liquidity)| !liquidity.is_zero());
        let full =
            full.map(|(pool, liquidity)| (format!("full/{pool}"), json!(liquidity.to_string())));
        let coins = total.values().flat_map(Coins::iter);
        let coins =
            coins.map(|coin| (format!("total/{}", coin.denom), json!(coin.amount.to_string())));
        Ok(full.chain(coins).collect())
    }

    /// Returns the positions of an owner in the state of the trace.
    fn positions_of(&self, input: &Value) -> Value {
        let of = self.expected.iter().filter_map(|(key, value)| {
            let id = key.strip_prefix("pos/")?.parse::<u64>().ok()?;
            let in_pool = input["pool"] == 0 || value["pool"] == input["pool"];
            (value["owner"] == input["owner"] && in_pool).then_some(id)
        });
        let ids: BTreeSet<u64> = of.collect();
        json!({ "ids": ids })
    }
}

/// Whether an entry is a total, which the module computes differently from the trace.
fn is_total(key: &str) -> bool {
    key.starts_with("full/") || key.starts_with("total/")
}

fn parsed<T: FromStr<Err: Into<Fault>>>(texts: &[String]) -> Result<Vec<T>, Fault> {
    texts.iter().map(|text| text.parse().map_err(Into::into)).collect()
}
