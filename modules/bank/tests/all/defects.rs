//! Former defects of the Cosmos SDK, shown to be absent.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coin, coins, denom, fund, insufficient, metadata,
    refused, sound,
};
use keyscape::{
    store::{Counter, KeyRange, Mode, Read, ReadExt, StoreId, Tx},
    traits::{Buffer, Keyspace},
};
use keyscape_bank::{
    Address, Error, PageRequest, keeper,
    layout::bank::{Balances, LAYOUT},
    vesting::Schedule,
};
use std::{collections::BTreeMap, sync::Arc};

const BANK: StoreId = StoreId::of("bank");

/// v0.40 joined address and denomination without a length. A scan of an account returned rows of
/// other accounts whose address began with its own.
#[test]
fn an_address_that_begins_another_has_its_own_balances() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let short = address(7);
    let long = Address::new([&[7; 20][..], b"abcdefghijkl"].concat())?;
    keeper::set_balance(&mut tx, &short, &coin("1abcdefghijklmno"))?;
    keeper::set_balance(&mut tx, &long, &coin("2mno"))?;
    assert_eq!(all(&tx, &short), "1abcdefghijklmno");
    assert_eq!(all(&tx, &long), "2mno");
    Ok(())
}

/// v0.40 stored zero balances.
#[test]
fn no_rows_remain_of_emptied_accounts() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob, pool) = (address(1), address(2), keeper::module_address("pool")?);
    fund(&mut tx, &ann, "1bar,1foo,1stake")?;
    KEEPER.send(&mut tx, 0, &ann, &bob, &coins("1bar"))?;
    KEEPER.delegate(&mut tx, 0, &ann, "pool", &coins("1foo"))?;
    keeper::set_balance(&mut tx, &ann, &coin("0stake"))?;
    keeper::set_balance(&mut tx, &pool, &coin("1stake"))?;
    KEEPER.burn(&mut tx, "pool", &coins("1foo,1stake"))?;
    KEEPER.send(&mut tx, 0, &bob, &pool, &coins("1bar"))?;
    KEEPER.burn(&mut tx, "pool", &coins("1bar"))?;
    let mut rows = tx.rows(BANK, KeyRange::all())?;
    assert!(rows.next()?.is_none(), "supplies and holders are gone as well");
    Ok(())
}

/// Before v0.43 a delegation was recorded in a copy of the account that was never saved.
#[test]
fn delegations_are_saved() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bank.redb");
    let ann = address(1);
    let db = keyscape_store_redb::create(&path, &LAYOUT)?;
    db.write(|tx| {
        use keyscape_bank::Permission::{Minter, Staking};
        keeper::create_module_account(tx, "mint", &[Minter])?;
        keeper::create_module_account(tx, "pool", &[Staking])?;
        fund(tx, &address(2), "10stake")?;
        let schedule = Schedule::Delayed { end: 100 };
        KEEPER.create_vesting_account(tx, 0, &address(2), &ann, &coins("10stake"), schedule)?;
        fund(tx, &ann, "5stake")?;
        KEEPER.delegate(tx, 50, &ann, "pool", &coins("12stake"))?;
        Ok::<(), Error>(())
    })?;
    drop(db);
    let db = keyscape_store_redb::open(&path, &LAYOUT)?;
    let state = db.read()?;
    let account = keeper::get_account(&state, &ann)?.ok_or("no account")?;
    let account = account.vesting_account()?.ok_or("no vesting account")?;
    assert_eq!(account.vesting.delegated_vesting().to_string(), "10stake");
    assert_eq!(account.vesting.delegated_free().to_string(), "2stake");
    assert_eq!(KEEPER.spendable_coins(&state, 50, &ann)?.to_string(), "3stake");
    Ok(())
}

/// Creates an account with a balance of `5atom`, of which `10atom` are locked.
fn locked_above_balance(tx: &mut Tx<'_>) -> Result<Address<'static>, Error> {
    let (ann, bob) = (address(1), address(2));
    fund(tx, &bob, "10atom")?;
    KEEPER.create_vesting_account(tx, 0, &bob, &ann, &coins("10atom"), Schedule::Permanent)?;
    keeper::set_balance(tx, &ann, &coin("5atom"))?;
    Ok(ann)
}

/// If one denomination had more locked than its balance, no denomination was spendable.
#[test]
fn a_denomination_that_is_locked_does_not_lock_others() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = locked_above_balance(&mut tx)?;
    keeper::set_balance(&mut tx, &ann, &coin("100foo"))?;
    assert_eq!(KEEPER.locked_coins(&tx, 0, &ann)?.to_string(), "10atom");
    assert_eq!(KEEPER.spendable_coins(&tx, 0, &ann)?.to_string(), "100foo");
    KEEPER.send(&mut tx, 0, &ann, &address(2), &coins("100foo"))?;
    Ok(())
}

/// Up to v0.46 a send panicked if the locked amount exceeded the balance.
#[test]
fn a_locked_amount_above_the_balance_is_an_error() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = locked_above_balance(&mut tx)?;
    let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &ann, &address(2), &coins("1atom")));
    assert_eq!(insufficient(&error), Some(("5".into(), "10".into(), "0".into())));
    assert_eq!(KEEPER.spendable_coin(&tx, 0, &ann, &denom("atom"))?, 0_u128);
    Ok(())
}

/// Up to v0.45 the key of metadata contained the denomination twice.
#[test]
fn the_key_of_metadata_names_its_denomination_once() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    keeper::set_metadata(&mut tx, &metadata("uatom"))?;
    assert!(tx.contains(BANK, b"\x01uatom")?);
    assert!(!tx.contains(BANK, b"\x01uatomuatom")?);
    Ok(())
}

/// Dust in many denominations made reads of an account expensive. It still costs callers who read
/// everything, but not those who read a page or one coin, or send.
#[test]
fn only_reads_of_all_balances_depend_on_the_number_of_balances() -> Outcome {
    let db = bank();
    let ann = address(1);
    db.write(|tx| {
        fund(tx, &ann, "100stake")?;
        for place in 0..1_000 {
            keeper::set_balance(tx, &ann, &coin(&format!("1dust{place}")))?;
        }
        Ok::<(), Error>(())
    })?;
    let rows_of = |run: &dyn Fn(&mut Tx<'_>) -> Result<(), Error>| {
        let counter = Arc::new(Counter::new());
        let mut tx = db.begin(Mode::Write)?;
        tx.set_meter(Some(counter.clone()));
        run(&mut tx)?;
        let count = counter.count();
        Ok::<_, Error>((count.rows, count.gets))
    };
    let stake = denom("stake");
    assert_eq!(rows_of(&|tx| keeper::get_all_balances(tx, &ann).map(drop))?, (1_001, 0));
    assert_eq!(
        rows_of(&|tx| keeper::balances_page(tx, &ann, &PageRequest::of(10)).map(drop))?,
        (11, 0)
    );
    assert_eq!(rows_of(&|tx| KEEPER.spendable_coin(tx, 0, &ann, &stake).map(drop))?, (0, 2));
    let (rows, _) =
        rows_of(&|tx| KEEPER.send(tx, 0, &ann, &address(2), &coins("1stake")).map(drop))?;
    assert_eq!(rows, 0);
    Ok(())
}

/// `balances/{address}/{denom}`, as documented, has two readings if a part contains a slash.
#[test]
fn slashes_in_addresses_and_denominations_are_unambiguous() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let parts = ["a", "a/b", "a/b/ccc", "/", "//", "a/"];
    let denoms = ["ccc", "ccc/ddd", "b/ccc", "ccc/", "ddd"];
    let mut keys = BTreeMap::new();
    for (place, part) in parts.iter().enumerate() {
        let owner = Address::new(part.as_bytes().to_vec())?;
        for (other, text) in denoms.iter().enumerate() {
            let amount = 1 + place * 10 + other;
            fund(&mut tx, &owner, &format!("{amount}{text}"))?;
            let mut key = <Balances as Keyspace>::Buffer::default();
            Balances::encode(&(&owner, &denom(text)).into(), &mut key)?;
            keys.insert(key.written()?.to_vec(), amount);
        }
    }
    assert_eq!(keys.len(), parts.len() * denoms.len());
    for (place, part) in parts.iter().enumerate() {
        let owner = Address::new(part.as_bytes().to_vec())?;
        for (other, text) in denoms.iter().enumerate() {
            let amount = 1 + (place * 10 + other) as u128;
            assert_eq!(keeper::get_balance(&tx, &owner, &denom(text))?, amount);
        }
        assert_eq!(keeper::get_all_balances(&tx, &owner)?.len(), denoms.len());
    }
    sound(&tx);
    Ok(())
}
