//! The rules of a program: modules, restrictions, account types; and the events of operations.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coins, denom, empty, fund, refused, sound,
};
use keyscape_bank::{
    Account, AccountKind, AccountType, BaseAccount, Coins, ErrorKind, Event, Keeper, Output,
    PageRequest, Permission, Reason, Rules, keeper,
    layout::acc::{ACCOUNTS, AccountsAddress, NEXT_ACCOUNT_NUMBER},
    messages,
    values::Any,
    vesting::{Schedule, Vesting},
};
use prost::Message;

fn names(events: &[Event]) -> String {
    events.iter().map(Event::name).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_module_is_not_blocked_by_coins_that_arrive_before_it() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let gov = keeper::module_address("gov")?;
    fund(&mut tx, &gov, "5foo")?;
    let early = keeper::get_account(&tx, &gov)?.ok_or("no account")?;
    assert!(matches!(early.kind()?, AccountKind::Base(_)));
    let number = keeper::create_module_account(&mut tx, "gov", &[Permission::Burner])?;
    assert_eq!(number, early.number());
    KEEPER.burn(&mut tx, "gov", &coins("2foo"))?;
    assert_eq!(all(&tx, &gov), "3foo");
    let error = refused(&mut tx, |tx| keeper::create_module_account(tx, "gov", &[]));
    assert!(matches!(error.kind(), ErrorKind::AccountExists { .. }), "{error}");
    sound(&tx);
    Ok(())
}

#[test]
fn an_account_that_has_signed_is_not_converted() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let gov = keeper::module_address("gov")?;
    let base = BaseAccount {
        address: gov.to_string(),
        account_number: 3,
        sequence: 1,
        ..BaseAccount::default()
    };
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 4)?;
    ACCOUNTS.put(&mut tx, AccountsAddress::new(gov.as_bytes())?, &Account::base(&base))?;
    let error = refused(&mut tx, |tx| keeper::create_module_account(tx, "gov", &[]));
    assert!(matches!(error.kind(), ErrorKind::AccountExists { .. }), "{error}");
    Ok(())
}

#[test]
fn addresses_of_registered_modules_are_reserved() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let gov = keeper::module_address("gov")?;
    let rules = Rules::default().with_module("gov", &["burner", "voter"])?;
    let with = Keeper::new(rules);
    fund(&mut tx, &address(1), "9foo")?;
    for error in [
        refused(&mut tx, |tx| with.create_account(tx, &gov)),
        refused(&mut tx, |tx| {
            let one = coins("1foo");
            with.create_vesting_account(tx, 0, &address(1), &gov, &one, Schedule::Permanent)
        }),
        refused(&mut tx, |tx| {
            let (one, schedule) = (coins("1foo"), Schedule::Permanent);
            messages::create_vesting_account(tx, &with, 0, &address(1), &gov, &one, schedule)
        }),
    ] {
        assert!(matches!(error.kind(), ErrorKind::ModuleAddress { .. }), "{error}");
    }
    // The first transfer creates the module account.
    messages::send(&mut tx, &with, 0, &address(1), &gov, &coins("5foo"))?;
    let account = keeper::get_module_account(&tx, "gov")?;
    assert_eq!(account.permissions, ["burner", "voter"]);
    assert_eq!(with.foreign_modules(&tx)?, [""; 0]);
    sound(&tx);
    Ok(())
}

#[test]
fn a_plain_account_of_a_registered_module_is_reported_and_repaired() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let gov = keeper::module_address("gov")?;
    fund(&mut tx, &gov, "5foo")?;
    let with = Keeper::new(Rules::default().with_module("gov", &["burner"])?);
    assert_eq!(with.foreign_modules(&tx)?, ["gov"]);
    let error = refused(&mut tx, |tx| with.mint(tx, "gov", &coins("1foo")));
    assert!(matches!(error.kind(), ErrorKind::NoModule { .. }), "{error}");
    assert_eq!(with.repair_modules(&mut tx)?.repaired, ["gov"]);
    assert_eq!(with.foreign_modules(&tx)?, [""; 0]);
    with.burn(&mut tx, "gov", &coins("5foo"))?;
    sound(&tx);
    Ok(())
}

#[test]
fn modules_pay_accounts_that_may_receive() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let rules = Rules::default().with_module("mint", &["minter"])?.with_module("fees", &[])?;
    let with = Keeper::new(rules.with_blocked(bob.clone()));
    with.mint(&mut tx, "mint", &coins("9foo"))?;
    with.send_from_module_to_account(&mut tx, 0, "mint", &ann, &coins("4foo"))?;
    let error = refused(&mut tx, |tx| {
        with.send_from_module_to_account(tx, 0, "mint", &bob, &coins("1foo"))
    });
    assert!(matches!(error.kind(), ErrorKind::Blocked { .. }), "{error}");
    with.send_from_account_to_module(&mut tx, 0, &ann, "fees", &coins("3foo"))?;
    with.send_from_module_to_module(&mut tx, 0, "mint", "fees", &coins("5foo"))?;
    assert_eq!(all(&tx, &ann), "1foo");
    assert_eq!(all(&tx, &keeper::module_address("fees")?), "8foo");
    let error =
        refused(&mut tx, |tx| with.send_from_account_to_module(tx, 0, &ann, "gov", &coins("1foo")));
    assert!(matches!(error.kind(), ErrorKind::NoModule { .. }), "{error}");
    sound(&tx);
    Ok(())
}

#[test]
fn restrictions_redirect_and_reject() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob, cid) = (address(1), address(2), address(3));
    fund(&mut tx, &ann, "9foo,9stake")?;
    let (from, other) = (bob.clone(), cid.clone());
    let rules = Rules::default()
        .with_send_restriction(move |_, _, to, _| {
            Ok(if *to == from { other.clone() } else { to.clone() })
        })
        .with_send_restriction(|_, _, _, coins| {
            if coins.amount_of(&denom("stake")) > 5_u128 {
                return Err("at most 5stake".into());
            }
            Ok(address(3))
        })
        .with_mint_restriction(|_, module, _| Err(format!("{module} is paused").into()));
    let with = Keeper::new(rules);
    let events = with.send(&mut tx, 0, &ann, &bob, &coins("2foo"))?;
    assert!(matches!(&events[2], Event::Transfer { to, .. } if *to == cid), "{events:?}");
    let outputs = [Output { to: bob.clone(), coins: coins("1foo") }];
    with.multi_send(&mut tx, 0, &ann, &coins("1foo"), &outputs)?;
    assert_eq!((all(&tx, &bob), all(&tx, &cid)), (String::new(), "3foo".into()));
    for error in [
        refused(&mut tx, |tx| with.send(tx, 0, &ann, &bob, &coins("6stake"))),
        refused(&mut tx, |tx| messages::send(tx, &with, 0, &ann, &bob, &coins("6stake"))),
        refused(&mut tx, |tx| with.mint(tx, "mint", &coins("6stake"))),
    ] {
        assert!(matches!(error.kind(), ErrorKind::Restricted { .. }), "{error}");
        assert!(error.is_refusal());
    }
    Ok(())
}

#[test]
fn events_are_those_of_the_sdk() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let with = Keeper::default();
    let (ann, bob) = (address(1), address(2));
    let mint = with.mint(&mut tx, "mint", &coins("9foo"))?;
    assert_eq!(names(&mint), "coin_received coinbase");
    with.send_from_module_to_account(&mut tx, 0, "mint", &ann, &coins("9foo"))?;
    let outputs = [(&bob, "1foo"), (&ann, "2foo")]
        .map(|(to, text)| Output { to: to.clone(), coins: coins(text) });
    let sent = with.multi_send(&mut tx, 0, &ann, &coins("3foo"), &outputs)?;
    assert_eq!(names(&sent), "coin_spent coin_received transfer coin_received transfer");
    assert_eq!(sent[2].to_string(), format!("transfer recipient={bob} amount=1foo"));
    let delegated = with.delegate(&mut tx, 0, &ann, "pool", &coins("2foo"))?;
    assert_eq!(names(&delegated), "coin_spent coin_received");
    let returned = with.undelegate(&mut tx, "pool", &ann, &coins("1foo"))?;
    assert_eq!(names(&returned), "coin_spent coin_received");
    assert_eq!(names(&with.burn(&mut tx, "pool", &coins("1foo"))?), "coin_spent burn");
    let one = with.send(&mut tx, 0, &ann, &bob, &coins("1foo"))?;
    assert_eq!(one[2].to_string(), format!("transfer recipient={bob} sender={ann} amount=1foo"));
    sound(&tx);
    Ok(())
}

/// An account type of a program: the amount of `foo` in its second field is locked.
struct Frozen;

#[derive(Clone, PartialEq, Message)]
struct FrozenAccount {
    #[prost(message, optional, tag = "1")]
    base_account: Option<BaseAccount>,
    #[prost(uint64, tag = "2")]
    locked: u64,
}

impl Frozen {
    fn changed(message: &[u8], by: impl Fn(u64) -> Option<u64>) -> Result<Vec<u8>, Reason> {
        let mut account = FrozenAccount::decode(message)?;
        account.locked = by(account.locked).ok_or("too much")?;
        Ok(account.encode_to_vec())
    }
}

impl AccountType for Frozen {
    fn locked(&self, message: &[u8], _: i64) -> Result<Coins, Reason> {
        Ok(format!("{}foo", FrozenAccount::decode(message)?.locked).parse()?)
    }

    fn delegated(&self, message: &[u8], _: i64, _: &Coins, _: &Coins) -> Result<Vec<u8>, Reason> {
        Frozen::changed(message, |locked| locked.checked_sub(1))
    }

    fn undelegated(&self, message: &[u8], _: &Coins) -> Result<Vec<u8>, Reason> {
        Frozen::changed(message, |locked| locked.checked_add(1))
    }
}

#[test]
fn a_program_registers_account_types_that_lock_coins() -> Outcome {
    const URL: &str = "/program.FrozenAccount";
    let db = bank();
    let mut tx = begin(&db);
    let ann = address(1);
    let base =
        BaseAccount { address: ann.to_string(), account_number: 3, ..BaseAccount::default() };
    let value = FrozenAccount { base_account: Some(base), locked: 4 }.encode_to_vec();
    let account = Account::from_any(Any { type_url: URL.into(), value })?;
    ACCOUNTS.put(&mut tx, AccountsAddress::new(ann.as_bytes())?, &account)?;
    NEXT_ACCOUNT_NUMBER.set(&mut tx, 4)?;
    fund(&mut tx, &ann, "9foo")?;
    let with = Keeper::new(Rules::default().with_account_type(URL, Frozen));
    assert_eq!(with.locked_coins(&tx, 0, &ann)?, coins("4foo"));
    assert_eq!(with.spendable_coins(&tx, 0, &ann)?, coins("5foo"));
    assert_eq!(with.spendable_coin(&tx, 0, &ann, &denom("foo"))?, 5_u128);
    let page = with.spendable_page(&tx, 0, &ann, &PageRequest::of(9))?;
    assert_eq!(Coins::new(page.rows)?, coins("5foo"));
    let error = refused(&mut tx, |tx| with.send(tx, 0, &ann, &address(2), &coins("6foo")));
    assert!(matches!(error.kind(), ErrorKind::Insufficient { .. }), "{error}");
    with.delegate(&mut tx, 0, &ann, "pool", &coins("2foo"))?;
    assert_eq!(with.locked_coins(&tx, 0, &ann)?, coins("3foo"));
    with.undelegate(&mut tx, "pool", &ann, &coins("1foo"))?;
    assert_eq!(with.locked_coins(&tx, 0, &ann)?, coins("4foo"));
    // Without the registration, the type locks nothing.
    assert!(KEEPER.locked_coins(&tx, 0, &ann)?.is_empty());
    sound(&tx);
    Ok(())
}

#[test]
fn a_schedule_ends_after_1970() {
    for end in [0, -1, i64::MIN] {
        let delayed = Vesting::new(coins("1foo"), Schedule::Delayed { end });
        let error = delayed.expect_err("too early").to_string();
        assert_eq!(error, format!("vesting ends at {end}; expected a time after 1970"));
    }
    let early = Schedule::Continuous { start: -9, end: -1 };
    assert!(Vesting::new(coins("1foo"), early).is_err());
    assert!(Vesting::new(coins("1foo"), Schedule::Delayed { end: 1 }).is_ok());
    assert!(Vesting::new(coins("1foo"), Schedule::Permanent).is_ok());
}

/// `SendCoins` of the SDK calls the restrictions and creates the account of the recipient.
#[test]
fn an_empty_list_of_coins_moves_nothing() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let none = Coins::none();
    KEEPER.mint(&mut tx, "mint", &none)?;
    KEEPER.burn(&mut tx, "pool", &none)?;
    assert!(tx.changes().is_empty());
    let restricted = Keeper::new(
        Rules::default().with_send_restriction(|_, _, _, _| Err("the chain is paused".into())),
    );
    let error = refused(&mut tx, |tx| restricted.send(tx, 0, &address(1), &address(2), &none));
    assert!(matches!(error.kind(), ErrorKind::Restricted { .. }), "{error}");
    let events = Keeper::default().send(&mut tx, 0, &address(1), &address(2), &none)?;
    assert_eq!(names(&events), "coin_spent coin_received transfer");
    assert!(keeper::has_account(&tx, &address(2))?);
    assert!(!keeper::has_account(&tx, &address(1))?);
    sound(&tx);
    let error = refused(&mut tx, |tx| {
        messages::send(tx, &Keeper::default(), 0, &address(1), &address(2), &none)
    });
    assert!(matches!(error.kind(), ErrorKind::NoCoins), "{error}");
    Ok(())
}

/// One account that cannot be converted once prevented the others.
#[test]
fn modules_are_repaired_one_by_one() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (gov, nft) = (keeper::module_address("gov")?, keeper::module_address("nft")?);
    fund(&mut tx, &nft, "5foo")?;
    fund(&mut tx, &address(1), "5foo")?;
    let one = coins("1foo");
    KEEPER.create_vesting_account(&mut tx, 0, &address(1), &gov, &one, Schedule::Permanent)?;
    let with =
        Keeper::new(Rules::default().with_module("gov", &[])?.with_module("nft", &["other"])?);
    let result = with.repair_modules(&mut tx)?;
    assert_eq!((result.repaired, result.failed), (vec!["nft".into()], vec!["gov".into()]));
    assert_eq!(keeper::get_module_account(&tx, "nft")?.permissions, ["other"]);
    assert_eq!(with.foreign_modules(&tx)?, ["gov"]);
    sound(&tx);
    Ok(())
}

#[test]
fn listings_come_in_pages_from_both_ends() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    for byte in 1..=5 {
        fund(&mut tx, &address(byte), &format!("{byte}foo,1stake"))?;
    }
    let request = PageRequest::of(2).reverse().count();
    let last = keeper::holders_page(&tx, &denom("foo"), &request)?;
    assert_eq!(last.rows, [(address(5), 5_u32.into()), (address(4), 4_u32.into())]);
    assert_eq!(last.total, Some(5));
    let next = PageRequest { after: last.next, ..PageRequest::of(9).reverse() };
    let rest = keeper::holders_page(&tx, &denom("foo"), &next)?;
    assert_eq!((rest.rows.len(), rest.next, rest.total), (3, None, None));
    assert!(keeper::holders_page(&tx, &denom("stake"), &next).is_err());

    KEEPER.create_vesting_account(
        &mut tx,
        0,
        &address(5),
        &address(9),
        &coins("2foo"),
        Schedule::Permanent,
    )?;
    fund(&mut tx, &address(9), "3foo,1stake")?;
    let spendable = KEEPER.spendable_page(&tx, 0, &address(9), &PageRequest::of(9))?;
    assert_eq!(Coins::new(spendable.rows)?, coins("3foo,1stake"));
    keeper::set_send_enabled(&mut tx, &denom("foo"), Some(false))?;
    let enabled = keeper::send_enabled_page(&tx, &PageRequest::of(9))?;
    assert_eq!(enabled.rows, [(denom("foo"), false)]);
    assert!(keeper::metadata_page(&tx, &PageRequest::of(9).count())?.total == Some(0));
    let mut sum = Coins::none();
    keeper::each_balance(&tx, |_, denom, amount| {
        let one =
            Coins::try_from(keyscape_bank::Coin { denom: denom.clone().into_owned(), amount })?;
        sum = sum.plus(&one)?;
        Ok::<(), keyscape_bank::Error>(())
    })?;
    assert_eq!(sum, Coins::new(keeper::supply_page(&tx, &PageRequest::of(9))?.rows)?);
    Ok(())
}
