//! The values of rows, byte for byte, and the forms of older releases.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coin, coins, denom, empty, fund, insufficient,
    refused, sound,
};
use keyscape::store::{ReadExt, StoreId, Tx};
use keyscape_bank::{
    ErrorKind, PageRequest, Params, keeper,
    layout::{acc::ACCOUNTS, bank::BALANCES},
    vesting::{Period, Schedule},
};

const BANK: StoreId = StoreId::of("bank");
const ACC: StoreId = StoreId::of("acc");

/// Returns a message field that contains bytes, text or a message, with a length below or above 128
/// bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    field.extend(varint(bytes.len() as u64));
    field.extend(bytes);
    field
}

/// Returns a message field that contains a number.
fn number(place: u8, value: u64) -> Vec<u8> {
    [vec![place << 3], varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn any(type_url: &str, message: &[u8]) -> Vec<u8> {
    [field(1, type_url.as_bytes()), field(2, message)].concat()
}

fn coin_message(denom: &str, amount: &str) -> Vec<u8> {
    [field(1, denom.as_bytes()), field(2, amount.as_bytes())].concat()
}

fn stored(tx: &Tx<'_>, byte: u8) -> Vec<u8> {
    let key = [&[0x01][..], &[byte; 20]].concat();
    tx.get(ACC, &key).expect("it can be read").expect("the account exists")
}

fn balance_key(byte: u8, denom: &str) -> Vec<u8> {
    [&[0x02, 20][..], &[byte; 20], denom.as_bytes()].concat()
}

#[test]
fn accounts_have_the_bytes_of_the_sdk() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    keeper::create_module_account(&mut tx, "mint", &[keyscape_bank::Permission::Minter])?;
    let text = |byte| address(byte).to_string();
    // The first account has the number 0, which a message omits.
    let mint = keeper::module_address("mint")?;
    let key = [&[0x01][..], mint.as_bytes()].concat();
    let base = field(1, mint.to_string().as_bytes());
    let module = [field(1, &base), field(2, b"mint"), field(3, b"minter")].concat();
    let value = any("/cosmos.auth.v1beta1.ModuleAccount", &module);
    assert_eq!(tx.get(ACC, &key)?, Some(value));

    KEEPER.create_account(&mut tx, &address(1))?;
    let base = [field(1, text(1).as_bytes()), number(3, 1)].concat();
    assert_eq!(stored(&tx, 1), any("/cosmos.auth.v1beta1.BaseAccount", &base));
    assert_eq!(tx.get(ACC, b"\x02")?, Some(2_u64.to_be_bytes().to_vec()));
    let entry = [&b"accountNumber"[..], &1_u64.to_be_bytes()].concat();
    assert_eq!(tx.get(ACC, &entry)?, Some(vec![1; 20]));
    Ok(())
}

/// An address of 255 bytes has 408 letters and six for the checksum. The SDK writes text of that
/// length.
#[test]
fn the_longest_address_is_text_as_well() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    let long = keyscape_bank::Address::new(vec![7; 255])?;
    KEEPER.create_account(&mut tx, &long)?;
    let account = keeper::get_account(&tx, &long)?.ok_or("no account")?;
    let keyscape_bank::AccountKind::Base(base) = account.kind()? else {
        return Err("another kind".into());
    };
    assert!(base.address.starts_with("cosmos1qurswp"), "{}", base.address);
    assert_eq!(base.address.len(), "cosmos1".len() + 408 + 6);
    assert_eq!(base.address.parse::<keyscape_bank::Address<'_>>()?, long);
    Ok(())
}

#[test]
fn vesting_accounts_have_the_bytes_of_the_sdk() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "40stake")?;
    let periods = vec![
        Period { length: 300, amount: coins("4stake") },
        Period { length: 1, amount: coins("6stake") },
    ];
    let cases = [
        (2, "Continuous", Schedule::Continuous { start: 7, end: 1_000 }),
        (3, "Delayed", Schedule::Delayed { end: 1_000 }),
        (4, "Periodic", Schedule::Periodic { start: 7, periods }),
        (5, "PermanentLocked", Schedule::Permanent),
    ];
    for (place, (byte, name, schedule)) in cases.into_iter().enumerate() {
        let end = schedule.end().ok_or("an end")?;
        let (ann, ten) = (address(byte), coins("10stake"));
        KEEPER.create_vesting_account(&mut tx, 0, &address(1), &ann, &ten, schedule)?;
        KEEPER.delegate(&mut tx, 6, &ann, "pool", &coins("9stake"))?;
        let base = [field(1, ann.to_string().as_bytes()), number(3, 4 + place as u64)].concat();
        let mut vesting = [
            field(1, &base),
            field(2, &coin_message("stake", "10")),
            field(4, &coin_message("stake", "9")),
        ]
        .concat();
        if end != 0 {
            vesting.extend(number(5, end as u64));
        }
        let mut message = field(1, &vesting);
        if name == "Continuous" || name == "Periodic" {
            message.extend(number(2, 7));
        }
        if name == "Periodic" {
            let first = [number(1, 300), field(2, &coin_message("stake", "4"))].concat();
            let second = [number(1, 1), field(2, &coin_message("stake", "6"))].concat();
            message.extend([field(3, &first), field(3, &second)].concat());
        }
        let suffix = if name == "PermanentLocked" { "Account" } else { "VestingAccount" };
        let type_url = format!("/cosmos.vesting.v1beta1.{name}{suffix}");
        assert_eq!(stored(&tx, byte), any(&type_url, &message), "{name}");
    }
    sound(&tx);
    Ok(())
}

#[test]
fn parameters_have_the_bytes_of_the_sdk() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    keeper::set_params(&mut tx, &Params { default_send_enabled: true, ..Params::default() })?;
    assert_eq!(tx.get(BANK, b"\x05")?, Some(number(2, 1)));
    Ok(())
}

#[test]
fn balances_and_holders_of_older_releases_are_read() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "7stake")?;
    tx.put(BANK, &balance_key(1, "stake"), &coin_message("stake", "7"))?;
    let entry = [&b"\x03stake\x00\x14"[..], &[1; 20]].concat();
    tx.put(BANK, &entry, &[0])?;
    assert_eq!(all(&tx, &address(1)), "7stake");
    assert_eq!(keeper::get_balance(&tx, &address(1), &denom("stake"))?, 7_u128);
    let page = keeper::balances_page(&tx, &address(1), &PageRequest::of(5))?;
    assert_eq!((page.rows[0].amount, page.rows.len()), (7_u32.into(), 1));
    sound(&tx);
    // Typed access compares the denomination of the coin with that of the key.
    assert_eq!(BALANCES.get(&tx, (&address(1), &denom("stake")))?, Some(7_u32.into()));
    tx.put(BANK, &balance_key(3, "stake"), &coin_message("uatom", "7"))?;
    let error =
        BALANCES.get(&tx, (&address(3), &denom("stake"))).expect_err("another denomination");
    assert!(error.to_string().contains("a coin of `uatom` in a row of `stake`"), "{error}");
    tx.delete(BANK, &balance_key(3, "stake"))?;
    // One coin more than the balance is rejected.
    let error =
        refused(&mut tx, |tx| KEEPER.send(tx, 0, &address(1), &address(2), &coins("8stake")));
    assert!(error.is_refusal(), "{error}");
    // A rewritten row has the new form.
    KEEPER.send(&mut tx, 0, &address(1), &address(2), &coins("3stake"))?;
    assert_eq!(tx.get(BANK, &balance_key(1, "stake"))?, Some(b"4".to_vec()));
    sound(&tx);
    KEEPER.send(&mut tx, 0, &address(1), &address(2), &coins("4stake"))?;
    assert_eq!(tx.get(BANK, &entry)?, None);
    sound(&tx);
    Ok(())
}

#[test]
fn a_corrupt_balance_is_an_error_and_never_zero() -> Outcome {
    let db = bank();
    let values = [
        b"".to_vec(),
        b"-1".to_vec(),
        b"07".to_vec(),
        b"7 ".to_vec(),
        b"x".to_vec(),
        vec![0xff],
        coin_message("stake", ""),
        coin_message("stake", "-7"),
        coin_message("stake", "7")[..4].to_vec(),
        coin_message("uatom", "7"),
        coin_message("", "7"),
        format!("{}0", keyscape::U256::MAX).into_bytes(),
    ];
    for value in values {
        let mut tx = begin(&db);
        let (ann, bob) = (address(1), address(2));
        fund(&mut tx, &ann, "7stake")?;
        KEEPER.create_account(&mut tx, &bob)?;
        tx.put(BANK, &balance_key(1, "stake"), &value)?;
        let corrupt = |error: keyscape_bank::Error| {
            let text = error.to_string();
            assert!(matches!(error.kind(), ErrorKind::Access(_)), "{text}");
            assert!(!error.is_refusal() && text.contains("balances"), "{text}");
        };
        corrupt(keeper::get_balance(&tx, &ann, &denom("stake")).expect_err("corrupt"));
        corrupt(keeper::get_all_balances(&tx, &ann).expect_err("corrupt"));
        corrupt(KEEPER.spendable_coins(&tx, 0, &ann).expect_err("corrupt"));
        corrupt(KEEPER.spendable_coin(&tx, 0, &ann, &denom("stake")).expect_err("corrupt"));
        corrupt(keeper::balances_page(&tx, &ann, &PageRequest::of(1)).expect_err("corrupt"));
        let mut rows = keeper::balances(&tx, &ann)?.collect::<Vec<_>>();
        assert_eq!(rows.len(), 1);
        corrupt(rows.remove(0).expect_err("corrupt"));
        let one = coins("1stake");
        corrupt(refused(&mut tx, |tx| KEEPER.send(tx, 0, &ann, &bob, &one)));
        corrupt(refused(&mut tx, |tx| KEEPER.delegate(tx, 0, &ann, "pool", &one)));
        fund(&mut tx, &bob, "1stake")?;
        corrupt(refused(&mut tx, |tx| KEEPER.send(tx, 0, &bob, &ann, &one)));
        let broken = keyscape_bank::invariants::check(&tx)?;
        assert_eq!(broken.len(), 1, "{broken:?}");
    }
    Ok(())
}

/// v0.40 to v0.42 stored balances of zero.
#[test]
fn a_stored_zero_is_omitted_reported_and_deleted_by_the_next_write() -> Outcome {
    let db = bank();
    for zero in [b"0".to_vec(), coin_message("stake", "0")] {
        let mut tx = begin(&db);
        let bob = address(2);
        fund(&mut tx, &address(1), "7stake")?;
        fund(&mut tx, &bob, "1bar,2stake,3zoo")?;
        KEEPER.send(&mut tx, 0, &bob, &address(1), &coins("2stake"))?;
        sound(&tx);
        tx.put(BANK, &balance_key(2, "stake"), &zero)?;
        assert_eq!(keeper::get_balance(&tx, &bob, &denom("stake"))?, 0_u128);
        assert_eq!(KEEPER.spendable_coin(&tx, 0, &bob, &denom("stake"))?, 0_u128);
        assert_eq!(all(&tx, &bob), "1bar,3zoo");
        assert_eq!(KEEPER.spendable_coins(&tx, 0, &bob)?, coins("1bar,3zoo"));
        assert_eq!(keeper::balances(&tx, &bob)?.count(), 2);
        // The second page contains only the zero, and is not the last.
        let (mut pages, mut request) = (Vec::new(), PageRequest::of(1));
        loop {
            let page = keeper::balances_page(&tx, &bob, &request)?;
            pages.push(page.rows.iter().map(|coin| coin.denom.to_string()).collect::<String>());
            request.after = page.next;
            if request.after.is_none() {
                break;
            }
        }
        assert_eq!(pages, ["bar", "", "zoo"]);
        let broken = keyscape_bank::invariants::rows(&tx)?;
        assert_eq!(broken.len(), 1, "{broken:?}");
        let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &bob, &address(1), &coins("1stake")));
        assert_eq!(insufficient(&error), Some(("0".into(), "0".into(), "0".into())));
        keeper::set_balance(&mut tx, &bob, &coin("0stake"))?;
        assert!(!BALANCES.contains(&tx, (&bob, &denom("stake")))?);
        sound(&tx);
    }
    Ok(())
}

#[test]
fn a_row_that_is_no_account_is_an_error() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = address(1);
    fund(&mut tx, &ann, "7stake")?;
    let key = [&[0x01][..], &[1; 20]].concat();
    let values = [
        vec![],
        vec![0xff],
        any("/cosmos.auth.v1beta1.BaseAccount", &[0xff]),
        any("/cosmos.auth.v1beta1.ModuleAccount", &[]),
        any("/cosmos.vesting.v1beta1.DelayedVestingAccount", &field(1, &[])),
        any("/somebody.else.Account", b"what is this"),
    ];
    for value in values {
        tx.put(ACC, &key, &value)?;
        assert!(
            ACCOUNTS
                .get(&tx, keyscape_bank::layout::acc::AccountsAddress::new(vec![1; 20])?)
                .is_err()
        );
        let error = KEEPER.locked_coins(&tx, 0, &ann).expect_err("corrupt");
        assert!(!error.is_refusal(), "{error}");
        assert!(!keyscape_bank::invariants::check(&tx)?.is_empty());
    }
    Ok(())
}
