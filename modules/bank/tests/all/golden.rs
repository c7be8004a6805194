//! Vectors of the Cosmos SDK: keys written by the keeper, and vesting amounts.

use crate::setup::{KEEPER, Outcome, bank, begin, coins, denom, metadata};
use keyscape::store::{KeyRange, Read, ReadExt, StoreId};
use keyscape_bank::{
    Address, Coin, Coins, Params, keeper,
    layout::bank::BALANCES,
    vesting::{Period, Schedule, Vesting},
};
use keyscape_testkit::unhex;
use serde::Deserialize;
use std::collections::BTreeMap;

const BANK: StoreId = StoreId::of("bank");

fn read<T: for<'de> Deserialize<'de>>(file: &str) -> T {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testing/corpus/golden");
    let text = std::fs::read_to_string(format!("{folder}/{file}")).expect("the corpus exists");
    serde_json::from_str(&text).expect("it is JSON of this form")
}

#[derive(Deserialize)]
struct KeyVector {
    entry: String,
    variant: String,
    fields: BTreeMap<String, String>,
    key_hex: String,
}

/// Whether a version has the keys of v0.50; older ones have their own layouts.
fn is_current(variant: &str) -> bool {
    ["v0.43 .. v0.53", "v0.46 .. v0.53", "v0.46+", "v0.47+"]
        .iter()
        .any(|current| variant.starts_with(current))
}

#[test]
fn the_keeper_writes_the_keys_of_the_sdk() -> Outcome {
    let vectors: Vec<KeyVector> = read("bank.json");
    let mut checked = BTreeMap::<&str, u32>::new();
    for vector in vectors.iter().filter(|vector| is_current(&vector.variant)) {
        let key = unhex(&vector.key_hex).expect("digits");
        let field = |name: &str| vector.fields.get(name);
        if field("denom").is_some_and(String::is_empty) {
            continue; // Not a denomination.
        }
        let owner =
            field("address_hex").map_or_else(|| vec![1], |text| unhex(text).expect("digits"));
        let (owner, name) = (Address::new(owner)?, field("denom").map_or("abc", |text| text));
        let one = Coin::new(name, 7_u32)?;
        let db = bank();
        let mut tx = begin(&db);
        match &*vector.entry {
            "balance" | "denom->address index" => keeper::set_balance(&mut tx, &owner, &one)?,
            "account balances prefix" | "CreateDenomAddressPrefix" => {
                keeper::set_balance(&mut tx, &owner, &one)?;
                let other = (Address::new(vec![0xff])?, Coin::new("zzz", 1_u32)?);
                keeper::set_balance(&mut tx, &other.0, &other.1)?;
                let found = if vector.entry == "account balances prefix" {
                    let mut scan = BALANCES.scan_owner(&tx, &owner)?;
                    scan.next_row()?.map(|row| row.key_bytes().to_vec())
                } else {
                    let mut scan = keeper::holders(&tx, &one.denom)?;
                    scan.next_row()?.map(|row| row.key_bytes().to_vec())
                };
                let mut rows = tx.rows(BANK, KeyRange::prefix(&key))?;
                assert_eq!(rows.next()?.map(|row| row.key.to_vec()), found);
                assert!(rows.next()?.is_none());
                *checked.entry(&*vector.entry).or_default() += 1;
                continue;
            }
            "supply" => drop(KEEPER.mint(&mut tx, "mint", &one.try_into()?)?),
            "denom metadata" => keeper::set_metadata(&mut tx, &metadata(name))?,
            "send enabled" => keeper::set_send_enabled(&mut tx, &denom(name), Some(true))?,
            "params" => keeper::set_params(&mut tx, &Params::default())?,
            other => unreachable!("{other}"),
        }
        let value = tx.get(BANK, &key)?.ok_or_else(|| format!("nothing at {}", vector.key_hex))?;
        match &*vector.entry {
            "balance" | "supply" => assert_eq!(value, b"7"),
            "send enabled" => assert_eq!(value, [0x08, 0x01]),
            // Empty, or a message with default values only.
            "denom->address index" | "params" => assert_eq!(value, b""),
            _ => assert!(!value.is_empty()),
        }
        *checked.entry(&*vector.entry).or_default() += 1;
    }
    let counts: Vec<(&str, u32)> = checked.into_iter().collect();
    assert_eq!(
        counts,
        [
            ("CreateDenomAddressPrefix", 1),
            ("account balances prefix", 1),
            ("balance", 4),
            ("denom metadata", 1),
            ("denom->address index", 2),
            ("params", 1),
            ("send enabled", 1),
            ("supply", 1),
        ]
    );
    Ok(())
}

type Amounts = BTreeMap<String, u64>;

#[derive(Deserialize)]
struct VestingVector {
    account: String,
    original_vesting: Amounts,
    hours_after_start: i64,
    op: String,
    expected: Expected,
    #[serde(default)]
    periods: Vec<PeriodVector>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Word(String),
    Delegated { delegated_vesting: Amounts, delegated_free: Amounts },
    Amounts(Amounts),
}

#[derive(Deserialize)]
struct PeriodVector {
    length_h: i64,
    amount: Amounts,
}

fn of(amounts: &Amounts) -> Coins {
    let coins = amounts.iter().map(|(denom, amount)| Coin::new(denom, *amount).expect("a coin"));
    Coins::new(coins.collect()).expect("sorted and positive")
}

const START: i64 = 1_580_309_972;
const HOUR: i64 = 3_600;

fn vesting(vector: &VestingVector) -> Vesting {
    let (original, end) = (of(&vector.original_vesting), START + 24 * HOUR);
    let period =
        |one: &PeriodVector| Period { length: one.length_h * HOUR, amount: of(&one.amount) };
    let halves = || {
        let half = |coin: &Coin| Coin { denom: coin.denom.clone(), amount: coin.amount / 2 };
        let quarter = |coin: &Coin| Coin { denom: coin.denom.clone(), amount: coin.amount / 4 };
        let [half, quarter] = [
            Coins::new(original.iter().map(half).collect()),
            Coins::new(original.iter().map(quarter).collect()),
        ]
        .map(|coins| coins.expect("coins"));
        vec![
            Period { length: 12 * HOUR, amount: half },
            Period { length: 6 * HOUR, amount: quarter.clone() },
            Period { length: 6 * HOUR, amount: quarter },
        ]
    };
    let schedule = match &*vector.account {
        "continuous" | "any" => Schedule::Continuous { start: START, end },
        "delayed" => Schedule::Delayed { end },
        // The periods of their unit test: a half, and twice a quarter.
        "periodic" if vector.periods.is_empty() => {
            Schedule::Periodic { start: START, periods: halves() }
        }
        "periodic" => Schedule::Periodic {
            start: START,
            periods: vector.periods.iter().map(period).collect(),
        },
        other => unreachable!("{other}"),
    };
    Vesting::new(original, schedule).expect("a schedule")
}

/// Returns the coins in the parentheses of an operation such as `TrackDelegation(50stake)`.
fn argument(op: &str, original: &Coins) -> Option<Coins> {
    let (_, rest) = op.split_once('(')?;
    let (text, _) = rest.split_once(')')?;
    if text == "all" { Some(original.clone()) } else { text.parse().ok() }
}

/// Runs the operations of a vector in order.
fn carry_out(vector: &VestingVector, before: Option<&str>) -> Vesting {
    let mut vesting = vesting(vector);
    let now = START + vector.hours_after_start * HOUR;
    let original = vesting.original().clone();
    let had = |denom: &keyscape_bank::Denom<'_>| original.amount_of(denom);
    let text = match before {
        Some(before) => vector.op.replacen("... then", &format!("{before},"), 1),
        None => vector.op.clone(),
    };
    for op in text.split(", ") {
        let times = if op.ends_with("twice") { 2 } else { 1 };
        let coins = argument(op, &original).expect("coins");
        for _ in 0..times {
            if op.trim().starts_with("TrackUndelegation") {
                vesting.track_undelegation(&coins);
            } else {
                vesting.track_delegation(now, &coins, had).expect("it is covered");
            }
        }
    }
    vesting
}

#[test]
fn vesting_has_the_numbers_of_the_sdk() {
    let vectors: Vec<VestingVector> = read("bank_vesting.json");
    let mut before: Option<String> = None;
    let mut checked = 0;
    for vector in &vectors {
        let now = START + vector.hours_after_start * HOUR;
        let place = format!("{} {} at {} h", vector.account, vector.op, vector.hours_after_start);
        match (&*vector.op, &vector.expected) {
            ("vested", Expected::Amounts(expected)) => {
                assert_eq!(vesting(vector).vested(now), of(expected), "{place}");
            }
            ("locked", Expected::Amounts(expected)) => {
                assert_eq!(vesting(vector).locked(now), of(expected), "{place}");
            }
            (op, Expected::Amounts(expected)) if op.starts_with("locked after ") => {
                let mut after = vesting(vector);
                let coins = argument(op, after.original()).expect("coins");
                let had = after.original().clone();
                let tracked = after.track_delegation(now, &coins, |denom| had.amount_of(denom));
                assert_eq!(tracked, Ok(()), "{place}");
                assert_eq!(after.locked(now), of(expected), "{place}");
            }
            (op, Expected::Delegated { delegated_vesting, delegated_free }) => {
                let after = carry_out(vector, before.as_deref());
                assert_eq!(after.delegated_vesting(), &of(delegated_vesting), "{place}");
                assert_eq!(after.delegated_free(), &of(delegated_free), "{place}");
                before = Some(op.to_owned());
            }
            // If the SDK panics, the bank returns an error, or the list of coins is invalid.
            (op, Expected::Word(word)) => {
                assert_eq!(word, "panic", "{place}");
                let mut vesting = vesting(vector);
                match argument(op, vesting.original()) {
                    Some(coins) => {
                        let small = coins_of_balance(op);
                        let had = |denom: &keyscape_bank::Denom<'_>| small.amount_of(denom);
                        assert!(vesting.track_delegation(now, &coins, had).is_err(), "{place}");
                    }
                    None => assert!("0stake".parse::<Coins>().is_err(), "{place}"),
                }
            }
            _ => unreachable!("{place}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 26);
}

/// Returns the balance that an operation names.
fn coins_of_balance(op: &str) -> Coins {
    coins(op.rsplit(' ').next().expect("a balance"))
}
