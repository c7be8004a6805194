//! Compares the keeper with a simple model: maps of small numbers.

use crate::setup::{KEEPER, address, bank, begin, coins, denom, fund, sound};
use keyscape::store::Tx;
use keyscape_bank::{
    AccountKind, Address, Coin, Coins, Output, keeper,
    vesting::{Period, Schedule},
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeMap;

const DENOMS: [&str; 3] = ["bar", "foo", "stake"];
/// Accounts 1 and 2 are plain, 3 to 6 vest, 7 does not exist at first.
const ACCOUNTS: u8 = 7;
/// The start of vesting, which takes a hundred seconds.
const START: i64 = 1_000;
/// The vesting amount of each denomination.
const VESTS: u64 = 60;

type Amounts = BTreeMap<usize, u64>;

#[derive(Clone, Debug)]
enum Step {
    Send(u8, u8, Amounts),
    MultiSend(u8, Vec<(u8, Amounts)>),
    Mint(Amounts),
    Burn(Amounts),
    Delegate(u8, Amounts),
    Undelegate(u8, Amounts),
    Wait(i64),
}

#[derive(Clone, Debug, Default)]
struct Model {
    /// Balances by account; 0 is the mint, 100 the pool.
    balances: BTreeMap<(u8, usize), u64>,
    delegated_free: BTreeMap<(u8, usize), u64>,
    delegated_vesting: BTreeMap<(u8, usize), u64>,
    there: Vec<u8>,
    now: i64,
}

const MINT: u8 = 0;
const POOL: u8 = 100;

/// Divides and rounds half to even.
fn rounded(number: u64, by: u64) -> u64 {
    let (whole, rest) = (number / by, number % by);
    if rest * 2 > by || (rest * 2 == by && whole % 2 == 1) { whole + 1 } else { whole }
}

impl Model {
    fn of(map: &BTreeMap<(u8, usize), u64>, who: u8, denom: usize) -> u64 {
        map.get(&(who, denom)).copied().unwrap_or(0)
    }

    fn unvested(&self, who: u8) -> u64 {
        let seconds = u64::try_from((self.now - START).clamp(0, 100)).expect("it is not negative");
        let vested = match who {
            3 => rounded(VESTS * seconds, 100),
            4 => {
                if seconds == 100 {
                    VESTS
                } else {
                    0
                }
            }
            5 => match seconds {
                0..40 => 0,
                40..100 => 20,
                _ => VESTS,
            },
            6 => 0,
            _ => VESTS,
        };
        VESTS - vested
    }

    fn locked(&self, who: u8, denom: usize) -> u64 {
        self.unvested(who).saturating_sub(Self::of(&self.delegated_vesting, who, denom))
    }

    fn take(&mut self, who: u8, coins: &Amounts, locked: bool) -> bool {
        for (denom, amount) in coins {
            let locked = if locked { self.locked(who, *denom) } else { 0 };
            let balance = Self::of(&self.balances, who, *denom);
            if balance.saturating_sub(locked) < *amount {
                return false;
            }
            self.balances.insert((who, *denom), balance - amount);
        }
        true
    }

    fn give(&mut self, who: u8, coins: &Amounts) {
        for (denom, amount) in coins {
            *self.balances.entry((who, *denom)).or_default() += amount;
        }
        if !self.there.contains(&who) {
            self.there.push(who);
        }
    }

    /// Applies a step to the model; returns `false` if it is invalid.
    fn step(&mut self, step: &Step) -> bool {
        let mut next = self.clone();
        let done = match step {
            Step::Wait(seconds) => {
                next.now += seconds;
                true
            }
            Step::Send(from, to, coins) => {
                let done = next.take(*from, coins, true);
                next.give(*to, coins);
                done
            }
            Step::MultiSend(from, outputs) => {
                let done = next.take(*from, &sum(outputs), true);
                outputs.iter().for_each(|(to, coins)| next.give(*to, coins));
                done
            }
            Step::Mint(coins) => {
                next.give(MINT, coins);
                true
            }
            Step::Burn(coins) => next.take(POOL, coins, false),
            Step::Delegate(who, coins) => next.delegate(*who, coins),
            Step::Undelegate(who, coins) => next.undelegate(*who, coins),
        };
        if done {
            *self = next;
        }
        done
    }

    fn delegate(&mut self, who: u8, coins: &Amounts) -> bool {
        if !self.there.contains(&who) {
            return false;
        }
        for (denom, amount) in coins {
            let locked = self.locked(who, *denom).min(*amount);
            if (3..=6).contains(&who) {
                *self.delegated_vesting.entry((who, *denom)).or_default() += locked;
                *self.delegated_free.entry((who, *denom)).or_default() += amount - locked;
            }
        }
        let done = self.take(who, coins, false);
        self.give(POOL, coins);
        done
    }

    fn undelegate(&mut self, who: u8, coins: &Amounts) -> bool {
        if !self.there.contains(&who) {
            return false;
        }
        for (denom, amount) in coins {
            let free = self.delegated_free.entry((who, *denom)).or_default();
            let from_free = (*amount).min(*free);
            *free -= from_free;
            let vesting = self.delegated_vesting.entry((who, *denom)).or_default();
            *vesting -= (*vesting).min(amount - from_free);
        }
        let done = self.take(POOL, coins, false);
        self.give(who, coins);
        done
    }
}

fn sum(outputs: &[(u8, Amounts)]) -> Amounts {
    let mut sum = Amounts::new();
    for (denom, amount) in outputs.iter().flat_map(|(_, coins)| coins) {
        *sum.entry(*denom).or_default() += amount;
    }
    sum
}

fn of(amounts: &Amounts) -> Coins {
    let coins = amounts.iter().map(|(place, amount)| Coin::new(DENOMS[*place], *amount));
    let coins = coins.collect::<Result<Vec<_>, _>>().expect("coins");
    Coins::new(coins).expect("sorted and positive")
}

fn who(account: u8) -> Address<'static> {
    match account {
        MINT => keeper::module_address("mint").expect("a name"),
        POOL => keeper::module_address("pool").expect("a name"),
        other => address(other),
    }
}

/// Applies a step to the bank; returns `false` if it is rejected.
fn apply(tx: &mut Tx<'_>, now: i64, step: &Step) -> bool {
    let before = tx.changes().clone();
    let outcome = match step {
        Step::Wait(_) => Ok(()),
        Step::Send(from, to, coins) => {
            KEEPER.send(tx, now, &who(*from), &who(*to), &of(coins)).map(drop)
        }
        Step::MultiSend(from, outputs) => {
            let input = of(&sum(outputs));
            let output = |(to, coins): &(u8, Amounts)| Output { to: who(*to), coins: of(coins) };
            let outputs: Vec<Output> = outputs.iter().map(output).collect();
            KEEPER.multi_send(tx, now, &who(*from), &input, &outputs).map(drop)
        }
        Step::Mint(coins) => KEEPER.mint(tx, "mint", &of(coins)).map(drop),
        Step::Burn(coins) => KEEPER.burn(tx, "pool", &of(coins)).map(drop),
        Step::Delegate(from, coins) => {
            KEEPER.delegate(tx, now, &who(*from), "pool", &of(coins)).map(drop)
        }
        Step::Undelegate(to, coins) => {
            KEEPER.undelegate(tx, "pool", &who(*to), &of(coins)).map(drop)
        }
    };
    match outcome {
        Ok(()) => true,
        Err(error) => {
            assert!(error.is_refusal(), "{error}");
            assert!(tx.changes().iter().eq(before.iter()), "a refused step left something");
            false
        }
    }
}

fn compare(tx: &Tx<'_>, model: &Model) {
    for account in (0..=ACCOUNTS).chain([POOL]) {
        let address = who(account);
        let spendable = KEEPER.spendable_coins(tx, model.now, &address).expect("it can be read");
        for (place, name) in DENOMS.iter().enumerate() {
            let name = denom(name);
            let balance = Model::of(&model.balances, account, place);
            let found = keeper::get_balance(tx, &address, &name).expect("it can be read");
            assert_eq!(found, u128::from(balance), "{account} {name}");
            let free = balance.saturating_sub(model.locked(account, place));
            assert_eq!(spendable.amount_of(&name), u128::from(free), "{account} {name}");
        }
        let there = keeper::get_account(tx, &address).expect("it can be read");
        assert_eq!(there.is_some(), model.there.contains(&account), "{account}");
        let Some(Ok(AccountKind::Vesting(found))) = there.map(|account| account.kind()) else {
            continue;
        };
        for (place, name) in DENOMS.iter().enumerate() {
            let (name, vesting) = (denom(name), &found.vesting);
            let free = Model::of(&model.delegated_free, account, place);
            assert_eq!(vesting.delegated_free().amount_of(&name), u128::from(free));
            let locked = Model::of(&model.delegated_vesting, account, place);
            assert_eq!(vesting.delegated_vesting().amount_of(&name), u128::from(locked));
        }
    }
}

/// Gives every vesting account its vesting coins and a little more, and plain accounts some coins.
fn set_up(tx: &mut Tx<'_>) -> Model {
    let mut model = Model { now: START - 5, there: vec![MINT, POOL], ..Model::default() };
    let text = |amount: u64| format!("{amount}bar,{amount}foo,{amount}stake");
    let all = |amount| (0..DENOMS.len()).map(|place| (place, amount)).collect::<Amounts>();
    for account in [1, 2] {
        fund(tx, &address(account), &text(VESTS * 4 + 100)).expect("coins");
        model.give(account, &all(VESTS * 4 + 100));
    }
    let amount = coins(&text(VESTS));
    let period = |length, part| Period { length, amount: coins(&text(part)) };
    let end = START + 100;
    for (account, schedule) in [
        (3, Schedule::Continuous { start: START, end }),
        (4, Schedule::Delayed { end }),
        (5, Schedule::Periodic { start: START, periods: vec![period(40, 20), period(60, 40)] }),
        (6, Schedule::Permanent),
    ] {
        let (from, to) = (address(1), address(account));
        KEEPER.create_vesting_account(tx, model.now, &from, &to, &amount, schedule).expect("new");
        assert!(model.take(1, &all(VESTS), true));
        model.give(account, &all(VESTS));
    }
    model
}

fn amounts() -> impl Strategy<Value = Amounts> {
    prop::collection::btree_map(0..DENOMS.len(), prop_oneof![1_u64..20, 50_u64..70], 1..3)
}

fn step() -> impl Strategy<Value = Step> {
    let account = || 1..=ACCOUNTS;
    prop_oneof![
        5 => (account(), account(), amounts()).prop_map(|(a, b, c)| Step::Send(a, b, c)),
        2 => (account(), vec((account(), amounts()), 1..4))
            .prop_map(|(from, outputs)| Step::MultiSend(from, outputs)),
        1 => amounts().prop_map(Step::Mint),
        1 => (account(), amounts()).prop_map(|(to, coins)| Step::Send(MINT, to, coins)),
        1 => amounts().prop_map(Step::Burn),
        4 => (account(), amounts()).prop_map(|(from, coins)| Step::Delegate(from, coins)),
        3 => (account(), amounts()).prop_map(|(to, coins)| Step::Undelegate(to, coins)),
        2 => (0_i64..30).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_keeper_does_what_the_model_does(steps in vec(step(), 1..60)) {
        let db = bank();
        let mut tx = begin(&db);
        let mut model = set_up(&mut tx);
        compare(&tx, &model);
        for step in &steps {
            let found = apply(&mut tx, model.now, step);
            prop_assert_eq!(found, model.step(step), "{:?}", step);
            compare(&tx, &model);
        }
        sound(&tx);
    }
}
