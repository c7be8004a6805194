//! Accounts: numbers, unknown types, and data that must not be lost.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coins, empty, fund, refused, sound,
};
use keyscape::store::{ReadExt, StoreId, Tx};
use keyscape_bank::{
    Account, AccountKind, BadAccount, BaseAccount, ErrorKind, VestingAccount, keeper,
    layout::acc::{ACCOUNTS, AccountsAddress, NEXT_ACCOUNT_NUMBER},
    values::Any,
    vesting::{Schedule, Vesting},
};
use prost::Message;

const ACC: StoreId = StoreId::of("acc");

fn put(tx: &mut Tx<'_>, byte: u8, account: &Account) -> Result<(), keyscape::Error> {
    ACCOUNTS.put(tx, AccountsAddress::new(vec![byte; 20])?, account)
}

fn stored(tx: &Tx<'_>, byte: u8) -> Option<Vec<u8>> {
    tx.get(ACC, &[&[0x01][..], &[byte; 20]].concat()).expect("it can be read")
}

#[test]
fn accounts_are_numbered_without_gaps() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    for byte in 0..5 {
        assert_eq!(KEEPER.create_account(&mut tx, &address(byte))?, u64::from(byte));
    }
    let error = refused(&mut tx, |tx| KEEPER.create_account(tx, &address(3)).map(drop));
    assert!(matches!(error.kind(), ErrorKind::AccountExists { .. }), "{error}");
    // A rejected operation consumes no number.
    let error = refused(&mut tx, |tx| {
        let schedule = Schedule::Permanent;
        KEEPER.create_vesting_account(tx, 0, &address(1), &address(9), &coins("1foo"), schedule)
    });
    assert!(matches!(error.kind(), ErrorKind::Insufficient { .. }), "{error}");
    assert_eq!(KEEPER.create_account(&mut tx, &address(5))?, 5);
    assert_eq!(keeper::account_at(&tx, 5)?, Some(address(5)));
    assert_eq!(keeper::account_at(&tx, 6)?, None);
    sound(&tx);
    Ok(())
}

#[test]
fn a_send_to_a_new_account_fails_if_the_next_number_is_taken() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    fund(&mut tx, &address(1), "5foo")?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 0)?;
    let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &address(1), &address(2), &coins("5foo")));
    assert!(!error.is_refusal(), "{error}");
    assert!(error.to_string().contains("account_numbers"), "{error}");
    let broken = keyscape_bank::invariants::check(&tx)?;
    let text = broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(text.ends_with("has the number 3, but the next one is 0"), "{text}");
    Ok(())
}

/// Returns an account of another program: a base account as the first field, and more fields.
fn foreign(number: u64) -> Any {
    #[derive(Clone, PartialEq, Message)]
    struct EthAccount {
        #[prost(message, optional, tag = "1")]
        base_account: Option<BaseAccount>,
        #[prost(string, tag = "2")]
        code_hash: String,
    }
    let base = BaseAccount {
        address: "evmos1xyz".into(),
        account_number: number,
        ..BaseAccount::default()
    };
    let account = EthAccount { base_account: Some(base), code_hash: "0xff".into() };
    Any { type_url: "/ethermint.types.v1.EthAccount".into(), value: account.encode_to_vec() }
}

#[test]
fn accounts_of_unknown_types_are_kept_and_lock_nothing() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let account = Account::from_any(foreign(77))?;
    assert_eq!((account.number(), account.kind()?), (77, AccountKind::Unknown));
    put(&mut tx, 1, &account)?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 78)?;
    assert_eq!(keeper::account_at(&tx, 77)?, Some(ann.clone()));
    let before = stored(&tx, 1);
    assert_eq!(before, Some(foreign(77).encode_to_vec()));

    fund(&mut tx, &ann, "5foo")?;
    assert_eq!(KEEPER.spendable_coins(&tx, 0, &ann)?, coins("5foo"));
    KEEPER.send(&mut tx, 0, &ann, &bob, &coins("1foo"))?;
    KEEPER.delegate(&mut tx, 0, &ann, "pool", &coins("1foo"))?;
    KEEPER.undelegate(&mut tx, "pool", &ann, &coins("1foo"))?;
    assert_eq!(all(&tx, &ann), "4foo");
    assert_eq!(stored(&tx, 1), before);
    sound(&tx);
    Ok(())
}

#[test]
fn a_base_account_is_found_up_to_two_messages_deep() {
    let base = |number| BaseAccount {
        address: "kava1abc".into(),
        account_number: number,
        sequence: 4,
        ..BaseAccount::default()
    };
    let around = |inside: Vec<u8>| {
        let mut message = vec![0x0a, u8::try_from(inside.len()).expect("short")];
        message.extend(inside);
        message.extend([0x12, 0x01, b'x']);
        message
    };
    let number = |value| {
        Account::from_any(Any { type_url: "/other".into(), value }).map(|account| account.number())
    };
    assert_eq!(number(base(9).encode_to_vec()), Ok(9));
    assert_eq!(number(around(base(9).encode_to_vec())), Ok(9));
    assert_eq!(number(around(around(base(0).encode_to_vec()))), Ok(0));
    for value in
        [vec![], b"abc".to_vec(), around(vec![]), around(around(around(base(9).encode_to_vec())))]
    {
        assert!(matches!(number(value), Err(BadAccount::NoBase { .. })));
    }
}

#[test]
fn a_delegation_changes_nothing_else_of_an_account() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = address(1);
    let pub_key = Any { type_url: "/cosmos.crypto.secp256k1.PubKey".into(), value: vec![8; 35] };
    let base = BaseAccount {
        address: ann.to_string().to_uppercase(),
        pub_key: Some(pub_key),
        account_number: 500,
        sequence: 12,
    };
    let vesting = Vesting::new(coins("9foo"), Schedule::Delayed { end: 100 })?;
    let account = VestingAccount { base, vesting };
    put(&mut tx, 1, &Account::vesting(&account))?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 501)?;
    fund(&mut tx, &ann, "9foo")?;
    KEEPER.delegate(&mut tx, 5, &ann, "pool", &coins("4foo"))?;
    let after = keeper::get_account(&tx, &ann)?.ok_or("no account")?.kind()?;
    let mut expected = account;
    expected.vesting.track_delegation(5, &coins("4foo"), |_| 9_u32.into())?;
    assert_eq!(after, AccountKind::Vesting(expected));
    sound(&tx);
    Ok(())
}

#[test]
fn an_account_with_fields_of_a_newer_release_is_not_rewritten_without_them() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = address(1);
    let base =
        BaseAccount { address: "cosmos1abc".into(), account_number: 500, ..BaseAccount::default() };
    let vesting = Vesting::new(coins("9foo"), Schedule::Delayed { end: 100 })?;
    let known = Account::vesting(&VestingAccount { base, vesting });
    let mut any = Any::decode(&*known.encode_to_vec())?;
    any.value.extend([0x7a, 0x01, b'!']); // field 15
    put(&mut tx, 1, &Account::from_any(any)?)?;
    fund(&mut tx, &ann, "9foo,1stake")?;
    let before = stored(&tx, 1);
    // Reading is allowed.
    assert_eq!(KEEPER.locked_coins(&tx, 5, &ann)?, coins("9foo"));
    KEEPER.send(&mut tx, 5, &ann, &address(2), &coins("1stake"))?;
    let error = refused(&mut tx, |tx| KEEPER.delegate(tx, 5, &ann, "pool", &coins("4foo")));
    let ErrorKind::BadAccount { source: BadAccount::Foreign { .. }, .. } = error.kind() else {
        return Err(error.into());
    };
    assert_eq!(stored(&tx, 1), before);
    Ok(())
}

#[test]
fn the_address_of_a_module_is_that_of_the_sdk() -> Outcome {
    // As block explorers of the Cosmos Hub show them.
    for (name, address) in [
        ("mint", "cosmos1m3h30wlvsf8llruxtpukdvsy0km2kum8g38c8q"),
        ("fee_collector", "cosmos17xpfvakm2amg962yls6f84z3kell8c5lserqta"),
        ("bonded_tokens_pool", "cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh"),
        ("not_bonded_tokens_pool", "cosmos1tygms3xhhs3yv487phx3dw4a95jn7t7lpm470r"),
        ("gov", "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn"),
        ("distribution", "cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl"),
    ] {
        assert_eq!(keeper::module_address(name)?.to_string(), address);
    }
    Ok(())
}
