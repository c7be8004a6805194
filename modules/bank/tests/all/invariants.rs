//! Tests that invariants find violations.

use crate::setup::{Outcome, address, bank, begin, coin, coins, denom, fund, metadata, sound};
use keyscape::{
    U256,
    store::{Read, StoreId, Tx},
};
use keyscape_bank::{
    Account, BaseAccount, Coin, Metadata, ModuleAccount, VestingAccount, invariants, keeper,
    layout::{
        acc::{ACCOUNTS, AccountsAddress, NEXT_ACCOUNT_NUMBER},
        bank::{METADATA, SUPPLY},
    },
    values::DenomUnit,
    vesting::{Schedule, Vesting},
};
use keyscape_sim::MAX_LISTED;

const BANK: StoreId = StoreId::of("bank");
const ACC: StoreId = StoreId::of("acc");

fn shown(tx: &Tx<'_>) -> Vec<String> {
    let broken = invariants::check(tx).expect("the state can be read");
    broken.iter().map(ToString::to_string).collect()
}

/// Returns a base account with the address of 20 equal bytes.
fn base(byte: u8, account_number: u64) -> BaseAccount {
    let address = address(byte).to_string();
    BaseAccount { address, account_number, ..BaseAccount::default() }
}

#[test]
fn a_supply_that_differs_from_the_sum_is_reported_with_both_amounts() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "5bar,7foo,9stake")?;
    fund(&mut tx, &address(2), "1foo")?;
    sound(&tx);
    // More than stated, less than stated, stated but missing, present but not stated.
    keeper::set_balance(&mut tx, &address(2), &coin("2foo"))?;
    keeper::set_balance(&mut tx, &address(1), &coin("8stake"))?;
    SUPPLY.put(&mut tx, denom("zoo"), 3_u32.into())?;
    keeper::set_balance(&mut tx, &address(1), &coin("4abc"))?;
    assert_eq!(
        shown(&tx),
        [
            "supply: 0abc are stated, and the balances add up to 4abc",
            "supply: 8foo are stated, and the balances add up to 9foo",
            "supply: 9stake are stated, and the balances add up to 8stake",
            "supply: 3zoo are stated, and the balances add up to 0zoo",
        ]
    );
    Ok(())
}

#[test]
fn a_sum_of_more_than_256_bits_is_no_sum() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    for byte in [1, 2] {
        keeper::set_balance(
            &mut tx,
            &address(byte),
            &Coin { denom: denom("foo"), amount: U256::MAX },
        )?;
    }
    SUPPLY.put(&mut tx, denom("foo"), U256::MAX - 1)?;
    let broken = invariants::supply(&tx)?;
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].what.ends_with("more than 2^256 - 1"), "{broken:?}");
    Ok(())
}

#[test]
fn rows_that_do_not_fit_the_layout_are_reported() -> Outcome {
    let db = bank();
    let rows: [(StoreId, &[u8], &[u8], &str); 12] = [
        (BANK, b"\x00stake", b"0", "no row"),
        (BANK, b"\x00stake", b"x", "supply"),
        (BANK, b"\x00s", b"1", "no keyspace"),
        (BANK, b"\x01stake", b"\xff", "metadata"),
        (BANK, b"\x02\x00stake", b"1", "no keyspace"),
        (BANK, b"\x02\x01astake", b"0", "no row"),
        (BANK, b"\x02\x01astake", b"\x0a\x03foo\x12\x017", "coin of `foo`"),
        (BANK, b"\x03stake\x00\x01a", b"\x01", "holders"),
        (BANK, b"\x04stake", b"\x02", "send_enabled"),
        (BANK, b"\x06", b"", "no keyspace"),
        (ACC, b"\x02", b"1", "next_account_number"),
        (ACC, b"\x01a", b"\x0a\x01", "accounts"),
    ];
    for (store, key, value, text) in rows {
        let mut tx = begin(&db);
        sound(&tx);
        tx.put(store, key, value)?;
        let found = shown(&tx);
        assert!(found[0].starts_with("row: ") && found[0].contains(text), "{found:?}");
        let rows = found.iter().filter(|broken| broken.starts_with("row: "));
        assert_eq!(rows.count(), 1, "{found:?}");
    }
    Ok(())
}

#[test]
fn metadata_describe_the_denomination_of_their_key_and_should_be_valid() -> Outcome {
    type Change = fn(&mut Metadata);
    let db = bank();
    let mut good = metadata("foo");
    good.denom_units.push(DenomUnit { denom: "bigfoo".into(), exponent: 6, aliases: vec![] });
    good.display = "bigfoo".into();
    let cases: [(&str, Change, &str); 5] = [
        ("foo", |_| (), ""),
        ("bar", |_| (), "the metadata describe `foo`"),
        ("foo", |metadata| metadata.denom_units[0].exponent = 5, "the first unit"),
        ("foo", |metadata| metadata.display = "other".into(), "the displayed unit"),
        ("foo", |metadata| metadata.denom_units[1].aliases = vec![String::new()], "blank"),
    ];
    for (key, change, why) in cases {
        let mut tx = begin(&db);
        let mut metadata = good.clone();
        change(&mut metadata);
        METADATA.put(&mut tx, denom(key), &metadata)?;
        let (found, warnings) = (shown(&tx), invariants::warnings(&tx)?);
        let is_other = key == "bar";
        assert_eq!(found.is_empty(), !is_other);
        let shown = match is_other {
            true => found,
            false => warnings.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(shown.len(), usize::from(!why.is_empty()), "{shown:?}");
        let place = if is_other { "the metadata of `bar`" } else { "metadata: `foo`" };
        let fits = |found: &String| found.contains(place) && found.contains(why);
        assert!(shown.iter().all(fits), "{why}: {shown:?}");
    }
    Ok(())
}

#[test]
fn a_violation_describes_the_key_of_its_row() -> Outcome {
    let db = bank();
    let ann = address(1);
    let key = |before: &[u8], after: &[u8]| [before, &[1; 20], after].concat();
    let cases: [(StoreId, Vec<u8>, String); 9] = [
        (BANK, key(b"\x02\x14", b"stake"), format!("the balance of `{ann}` in `stake`, key 0214")),
        (BANK, key(b"\x03stake\0\x14", b""), format!("the holder `{ann}` of `stake`, key 03")),
        (BANK, b"\x00stake".to_vec(), "the supply of `stake`, key 007374616b65 in the".into()),
        (BANK, b"\x01stake".to_vec(), "the metadata of `stake`, key 01".into()),
        (BANK, b"\x04stake".to_vec(), "whether `stake` may be sent, key 04".into()),
        (BANK, b"\x05".to_vec(), "the parameters, key 05 in the store `bank`: ".into()),
        (ACC, key(b"\x01", b""), format!("the account `{ann}`, key 01")),
        (ACC, b"\x02".to_vec(), "the next account number, key 02".into()),
        // A key that cannot be decoded is shown as bytes.
        (BANK, b"\x02\x14stake".to_vec(), "key 02147374616b65 in the store `bank`: ".into()),
    ];
    for (store, key, text) in cases {
        let mut tx = begin(&db);
        tx.put(store, &key, b"\xff")?;
        let found = invariants::rows(&tx)?;
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].to_string().starts_with(&format!("row: {text}")), "{text}: {}", found[0]);
    }
    Ok(())
}

#[test]
fn a_row_that_is_corrupt_hides_nothing_else() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "5bar,7foo,9stake")?;
    fund(&mut tx, &address(2), "1bar,1foo,1stake")?;
    sound(&tx);
    // A wrong supply, and one with a wrong balance.
    SUPPLY.put(&mut tx, denom("foo"), 9_u32.into())?;
    keeper::set_balance(&mut tx, &address(1), &coin("10stake"))?;
    let wrong = [
        "supply: 9foo are stated, and the balances add up to 8foo",
        "supply: 10stake are stated, and the balances add up to 11stake",
    ];
    assert_eq!(shown(&tx), wrong);
    let balance =
        |byte: u8, denom: &str| [&b"\x02\x14"[..], &[byte; 20], denom.as_bytes()].concat();
    let account = [&b"\x01"[..], &[1; 20]].concat();
    let corrupt: [(StoreId, &[u8], &[u8], usize); 8] = [
        (BANK, &balance(3, "zoo"), b"0", 1),
        (BANK, &balance(3, "zoo"), b"x", 1),
        (BANK, &balance(1, "bar"), b"x", 0),
        (BANK, b"\x00bar", b"x", 0),
        (BANK, b"\x00b", b"1", 0),
        (BANK, b"\x03b\x00\x01a", b"", 0),
        (ACC, &account, b"\x0a", 1),
        (ACC, b"\x02", b"1", 1),
    ];
    for (store, key, value, more) in corrupt {
        let before = tx.checkpoint();
        tx.put(store, key, value)?;
        let found = shown(&tx);
        // Further findings: a missing entry of a holder, or a check that needs the row.
        assert_eq!(found.len(), 3 + more, "{found:?}");
        assert!(found[0].starts_with("row: "), "{found:?}");
        assert!(wrong.iter().all(|text| found.iter().any(|found| found == text)), "{found:?}");
        if store == ACC {
            assert!(found.iter().any(|found| found.contains(": not checked: ")), "{found:?}");
        }
        tx.rollback_to(before)?;
        tx.release(before)?;
    }
    Ok(())
}

#[test]
fn holders_are_those_who_have_a_balance() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "5foo")?;
    tx.delete(BANK, &[&b"\x03foo\x00\x14"[..], &[1; 20]].concat())?;
    tx.put(BANK, &[&b"\x03foo\x00\x14"[..], &[2; 20]].concat(), b"")?;
    let broken = invariants::holders(&tx)?;
    assert_eq!(broken.len(), 2, "{broken:?}");
    for (broken, fault) in broken.iter().zip(["has no entry", "has no row"]) {
        assert!(broken.what.starts_with("`holders`: ") && broken.what.contains(fault), "{broken}");
    }
    Ok(())
}

#[test]
fn account_numbers_belong_to_accounts_and_are_below_the_next_number() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let base = base(1, 30);
    ACCOUNTS.put(&mut tx, AccountsAddress::new(vec![1; 20])?, &Account::base(&base))?;
    let text = format!("account number: `{}` has the number 30, but the next one is 3", address(1));
    assert_eq!(shown(&tx), [text]);
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 31)?;
    sound(&tx);
    tx.delete(ACC, &[&b"accountNumber"[..], &30_u64.to_be_bytes()].concat())?;
    let found = shown(&tx);
    assert!(found.len() == 1 && found[0].starts_with("index: `account_numbers`: "), "{found:?}");
    Ok(())
}

#[test]
fn accounts_are_those_of_their_keys() -> Outcome {
    let db = bank();
    let named = |text: &str| BaseAccount { address: text.into(), ..base(1, 3) };
    let module = |name: &str, base, permissions: &[&str]| {
        Account::module(&ModuleAccount {
            base_account: Some(base),
            name: name.into(),
            permissions: permissions.iter().map(ToString::to_string).collect(),
        })
    };
    let gov = keeper::module_address("gov")?;
    let at_gov = || BaseAccount { address: gov.to_string(), ..base(1, 3) };
    let delayed = Vesting::new(coins("9foo"), Schedule::Delayed { end: 5 })?;
    let delayed = VestingAccount { base: named(&address(2).to_string()), vesting: delayed };
    let (ann, other) = (address(1), address(2));
    let cases = [
        (&ann, Account::base(&base(1, 3)), None),
        (&ann, Account::base(&named(&ann.to_string().to_uppercase())), None),
        (
            &ann,
            Account::base(&named("osmo1qyqszqgpqyqszqgpqyqszqgpqyqszqgp6gjwmw")),
            Some("the prefix `osmo`, and that of another account `cosmos`"),
        ),
        (
            &ann,
            Account::base(&named("osmo1qyqszqgpqyqszqgpqyqszqgpqyqszqgp6gjwmq")),
            Some("no address"),
        ),
        (&ann, Account::base(&named("")), Some("no address")),
        (&ann, Account::base(&named(&other.to_string())), Some("another one")),
        (&ann, Account::vesting(&delayed), Some("another one")),
        (&gov, module("gov", at_gov(), &["burner", "minter", "staking"])?, None),
        (&gov, module("gov", base(1, 3), &[])?, Some("another one")),
        (&gov, module("mint", at_gov(), &[])?, Some("the module `mint` has another address")),
        (&gov, module(" ", at_gov(), &[])?, Some("the name of the module is blank")),
        // Programs choose their permissions.
        (&gov, module("gov", at_gov(), &["burner", "printer"])?, None),
        (&gov, module("gov", at_gov(), &["burner", ""])?, Some("a blank permission")),
        // A group policy of x/group has its address as its name.
        (&gov, module(&gov.to_string(), at_gov(), &[])?, None),
        (&gov, module(&ann.to_string(), at_gov(), &[])?, Some("has another address")),
    ];
    for (at, account, why) in cases {
        let mut tx = begin(&db);
        NEXT_ACCOUNT_NUMBER.set(&mut tx, 4)?;
        ACCOUNTS.put(&mut tx, AccountsAddress::new(at.as_bytes())?, &account)?;
        let found = shown(&tx);
        assert_eq!(found.len(), usize::from(why.is_some()), "{why:?}: {found:?}");
        let text = format!("account: `{at}`: ");
        let fits =
            |found: &String| found.starts_with(&text) && why.is_some_and(|why| found.contains(why));
        assert!(found.iter().all(fits), "{why:?}: {found:?}");
    }
    Ok(())
}

/// The bank rejects such a schedule, but an older program may have written it.
#[test]
fn a_stored_schedule_without_time_is_reported() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let vesting = Vesting::new(coins("9foo"), Schedule::Continuous { start: 5, end: 6 })?;
    let account = Account::vesting(&VestingAccount { base: base(1, 3), vesting });
    // The start is the last byte of the message.
    let mut bytes = prost::Message::encode_to_vec(&account);
    assert_eq!(bytes.pop(), Some(5));
    bytes.push(6);
    let account: Account = prost::Message::decode(&*bytes)?;
    ACCOUNTS.put(&mut tx, AccountsAddress::new(vec![1; 20])?, &account)?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 4)?;
    let found = shown(&tx);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("vesting ends at 6, which is not after its start at 6"),
        "{found:?}"
    );
    Ok(())
}

#[test]
fn delegated_vesting_coins_never_exceed_the_vesting_coins() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let mut vesting = Vesting::new(coins("9foo"), Schedule::Permanent)?;
    vesting.track_delegation(0, &coins("9foo"), |_| 9_u32.into())?;
    let base = base(1, 3);
    let mut account = Account::vesting(&VestingAccount { base, vesting });
    let key = AccountsAddress::new(vec![1; 20])?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 4)?;
    ACCOUNTS.put(&mut tx, key.by_ref(), &account)?;
    sound(&tx);
    // Increase the recorded amount by one in the bytes.
    let mut bytes = prost::Message::encode_to_vec(&account);
    let last = bytes.iter().rposition(|byte| *byte == b'9').ok_or("a nine")?;
    let first = bytes.iter().position(|byte| *byte == b'9').ok_or("a nine")?;
    assert_ne!(first, last);
    bytes[first] = b'8';
    account = prost::Message::decode(&*bytes)?;
    ACCOUNTS.put(&mut tx, key.by_ref(), &account)?;
    let found = shown(&tx);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("has delegated `9foo` of `8foo` that vest"), "{found:?}");
    Ok(())
}

#[test]
fn only_the_first_violations_are_listed_and_all_are_counted() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    for place in 0..250 {
        keeper::set_balance(&mut tx, &address(1), &coin(&format!("1coin{place:03}")))?;
    }
    let broken = invariants::supply(&tx)?;
    assert_eq!(broken.len(), MAX_LISTED + 1);
    assert_eq!(broken[MAX_LISTED].to_string(), "supply: 150 more");
    Ok(())
}

#[test]
fn invariants_run_on_every_type_of_state() -> Outcome {
    let db = bank();
    db.write(|tx| fund(tx, &address(1), "5foo"))?;
    let state = db.read()?;
    let any: &dyn Read = &state;
    assert_eq!(invariants::check(any)?, []);
    Ok(())
}
