//! Sending, minting and burning coins.

use crate::setup::{
    KEEPER, Outcome, address, all, balance, bank, begin, coin, coins, denom, fund, insufficient,
    refused, sound,
};
use keyscape::U256;
use keyscape_bank::{
    Address, Coin, Coins, CoinsError, Denom, ErrorKind, Output, PageRequest, keeper,
};

#[test]
fn a_send_moves_coins_and_creates_the_account_of_a_new_recipient() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    fund(&mut tx, &ann, "7foo,100stake")?;
    assert!(!keeper::has_account(&tx, &bob)?);
    KEEPER.send(&mut tx, 0, &ann, &bob, &coins("7foo,30stake"))?;
    assert_eq!(all(&tx, &ann), "70stake");
    assert_eq!(all(&tx, &bob), "7foo,30stake");
    let account = keeper::get_account(&tx, &bob)?.ok_or("no account")?;
    assert_eq!(keeper::account_at(&tx, account.number())?, Some(bob));
    sound(&tx);
    Ok(())
}

#[test]
fn a_send_to_oneself_changes_nothing_but_is_checked() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let ann = address(1);
    fund(&mut tx, &ann, "100stake")?;
    KEEPER.send(&mut tx, 0, &ann, &ann, &coins("100stake"))?;
    assert_eq!(all(&tx, &ann), "100stake");
    let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &ann, &ann, &coins("101stake")));
    assert!(insufficient(&error).is_some(), "{error}");
    sound(&tx);
    Ok(())
}

#[test]
fn a_send_whose_second_denomination_fails_writes_nothing() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    fund(&mut tx, &ann, "5foo,5stake")?;
    let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &ann, &bob, &coins("5foo,6stake")));
    let ErrorKind::Insufficient { denom, asked, .. } = error.kind() else {
        return Err(error.into());
    };
    assert_eq!((denom.as_str(), *asked), ("stake", U256::new(6)));
    assert_eq!(
        error.to_string(),
        format!(
            "`{ann}` can spend 5stake (has 5, of which 0 are locked), which is less than 6stake"
        )
    );
    // The transaction continues as if nothing had been tried.
    KEEPER.send(&mut tx, 0, &ann, &bob, &coins("5foo,5stake"))?;
    assert_eq!(all(&tx, &bob), "5foo,5stake");
    sound(&tx);
    Ok(())
}

#[test]
fn a_balance_that_becomes_zero_has_no_row_and_no_holder() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    fund(&mut tx, &ann, "5stake")?;
    KEEPER.send(&mut tx, 0, &ann, &bob, &coins("5stake"))?;
    assert_eq!(all(&tx, &ann), "");
    let holders = keeper::holders(&tx, &denom("stake"))?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(holders.len(), 1);
    assert_eq!(holders[0].0.owner, bob);
    sound(&tx);
    Ok(())
}

#[test]
fn a_multi_send_takes_once_and_gives_to_all() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob, cid) = (address(1), address(2), address(3));
    fund(&mut tx, &ann, "10foo,10stake")?;
    let output = |to: &Address<'static>, text| Output { to: to.clone(), coins: coins(text) };
    let outputs = [output(&bob, "4foo"), output(&cid, "1foo,10stake"), output(&ann, "5foo")];
    KEEPER.multi_send(&mut tx, 0, &ann, &coins("10foo,10stake"), &outputs)?;
    assert_eq!((all(&tx, &ann), all(&tx, &bob)), ("5foo".into(), "4foo".into()));
    assert_eq!(all(&tx, &cid), "1foo,10stake");
    sound(&tx);

    let six = [output(&bob, "6foo")];
    let error = refused(&mut tx, |tx| KEEPER.multi_send(tx, 0, &ann, &coins("6foo"), &six));
    assert!(insufficient(&error).is_some(), "{error}");
    let error = refused(&mut tx, |tx| {
        KEEPER.multi_send(tx, 0, &ann, &coins("5foo"), &[output(&bob, "4foo")])
    });
    assert!(matches!(error.kind(), ErrorKind::Unbalanced { .. }), "{error}");
    assert_eq!(error.to_string(), "the outputs add up to `4foo`, but the input is `5foo`");
    let error = refused(&mut tx, |tx| KEEPER.multi_send(tx, 0, &ann, &coins("5foo"), &[]));
    assert!(matches!(error.kind(), ErrorKind::NoOutputs), "{error}");
    let none = Output { to: bob, coins: Coins::none() };
    let error = refused(&mut tx, |tx| KEEPER.multi_send(tx, 0, &ann, &coins("5foo"), &[none]));
    assert!(matches!(error.kind(), ErrorKind::NoCoins), "{error}");
    Ok(())
}

#[test]
fn outputs_whose_sum_leaves_256_bits_are_refused() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let most = Coins::try_from(Coin { denom: denom("foo"), amount: U256::MAX })?;
    let outputs = [
        Output { to: address(2), coins: most.clone() },
        Output { to: address(3), coins: coins("1foo") },
    ];
    let error = refused(&mut tx, |tx| KEEPER.multi_send(tx, 0, &address(1), &most, &outputs));
    assert!(matches!(error.kind(), ErrorKind::Coins(CoinsError::Overflow { .. })), "{error}");
    Ok(())
}

#[test]
fn minting_and_burning_move_the_supply() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, pool) = (address(1), keeper::module_address("pool")?);
    fund(&mut tx, &ann, "10stake")?;
    KEEPER.send(&mut tx, 0, &ann, &pool, &coins("10stake"))?;
    assert_eq!(keeper::get_supply(&tx, &denom("stake"))?, U256::new(10));
    let error = refused(&mut tx, |tx| KEEPER.burn(tx, "pool", &coins("11stake")));
    assert!(insufficient(&error).is_some(), "{error}");
    KEEPER.burn(&mut tx, "pool", &coins("4stake"))?;
    assert_eq!(keeper::get_supply(&tx, &denom("stake"))?, U256::new(6));
    let all = keeper::supplies(&tx)?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].0.denom.as_str(), all[0].1), ("stake", U256::new(6)));
    KEEPER.burn(&mut tx, "pool", &coins("6stake"))?;
    assert!(!keyscape_bank::layout::bank::SUPPLY.contains(&tx, denom("stake"))?, "no zero row");
    sound(&tx);
    Ok(())
}

#[test]
fn burning_more_than_the_supply_is_refused_and_writes_nothing() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    // A balance without a supply, as in a broken genesis.
    keeper::set_balance(&mut tx, &keeper::module_address("pool")?, &coin("5stake"))?;
    let error = refused(&mut tx, |tx| KEEPER.burn(tx, "pool", &coins("5stake")));
    assert!(matches!(error.kind(), ErrorKind::Supply { .. }), "{error}");
    assert_eq!(error.to_string(), "5stake cannot be burnt out of a supply of 0stake");
    Ok(())
}

#[test]
fn modules_need_their_permission() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    for (module, what) in [("fees", "minter"), ("pool", "minter")] {
        let error = refused(&mut tx, |tx| KEEPER.mint(tx, module, &coins("1stake")));
        let expected = format!("the module `{module}` has no permission `{what}`");
        assert_eq!(error.to_string(), expected);
    }
    let error = refused(&mut tx, |tx| KEEPER.burn(tx, "mint", &coins("1stake")));
    assert!(matches!(error.kind(), ErrorKind::NotPermitted { .. }), "{error}");
    let error = refused(&mut tx, |tx| KEEPER.mint(tx, "nobody", &coins("1stake")));
    assert!(matches!(error.kind(), ErrorKind::NoModule { .. }), "{error}");
    // A plain account at the address of a module is not the module's.
    KEEPER.create_account(&mut tx, &keeper::module_address("gov")?)?;
    let error = refused(&mut tx, |tx| KEEPER.mint(tx, "gov", &coins("1stake")));
    assert!(matches!(error.kind(), ErrorKind::NoModule { .. }), "{error}");
    let error = refused(&mut tx, |tx| KEEPER.mint(tx, "a b", &coins("1stake")));
    assert!(matches!(error.kind(), ErrorKind::ModuleName { .. }), "{error}");
    Ok(())
}

#[test]
fn amounts_reach_from_one_to_2_to_the_256() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let half = Coin { denom: denom("big"), amount: U256::ONE << 255 };
    let most = Coin { denom: denom("big"), amount: U256::MAX };
    let rest = Coin { denom: denom("big"), amount: U256::MAX >> 1 };
    let (half, most, rest) =
        (Coins::try_from(half)?, Coins::try_from(most)?, Coins::try_from(rest)?);
    KEEPER.mint(&mut tx, "mint", &half)?;
    let error = refused(&mut tx, |tx| KEEPER.mint(tx, "mint", &half));
    assert!(matches!(error.kind(), ErrorKind::Overflow { what: "supply", .. }), "{error}");
    KEEPER.mint(&mut tx, "mint", &rest)?;
    let error = refused(&mut tx, |tx| KEEPER.mint(tx, "mint", &coins("1big")));
    assert!(matches!(error.kind(), ErrorKind::Overflow { what: "supply", .. }), "{error}");
    KEEPER.send(&mut tx, 0, &keeper::module_address("mint")?, &ann, &most)?;
    let text = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(balance(&tx, &ann, "big"), text);
    KEEPER.send(&mut tx, 0, &ann, &bob, &half)?;
    KEEPER.send(&mut tx, 0, &bob, &ann, &coins("1big"))?;
    KEEPER.send(&mut tx, 0, &ann, &ann, &half)?;
    sound(&tx);

    // A balance without a supply cannot grow beyond 256 bits.
    keeper::set_balance(&mut tx, &bob, &Coin { denom: denom("big"), amount: U256::MAX })?;
    let error = refused(&mut tx, |tx| KEEPER.send(tx, 0, &ann, &bob, &coins("1big")));
    assert!(matches!(error.kind(), ErrorKind::Overflow { what: "balance", .. }), "{error}");
    Ok(())
}

#[test]
fn addresses_and_denominations_have_their_shortest_and_longest_forms() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let long = format!("a{}", "/:._-9Z".repeat(20))[..128].to_owned();
    let (short, long) = (denom("abc"), Denom::new(long)?);
    let addresses = [vec![0], vec![0xff], vec![7; 255], vec![0; 255], vec![0xff; 255]];
    for bytes in addresses {
        let owner = Address::new(bytes)?;
        for denom in [&short, &long] {
            fund(&mut tx, &owner, &format!("3{denom}"))?;
            assert_eq!(keeper::get_balance(&tx, &owner, denom)?, U256::new(3));
        }
        assert_eq!(keeper::get_all_balances(&tx, &owner)?.len(), 2);
    }
    sound(&tx);
    for text in ["ab", "1ab", "a b", "aé", "", &"a".repeat(129)] {
        assert!(Denom::new(text.to_owned()).is_err(), "{text}");
    }
    for length in [0, 256] {
        assert!(Address::new(vec![1; length]).is_err(), "{length}");
    }
    Ok(())
}

#[test]
fn lists_of_coins_are_sorted_and_unique_and_positive() {
    for text in ["1foo,1foo", "2stake,1foo", "0foo", "1foo,0stake", "1", "foo", "-1foo", "01foo"] {
        assert!(text.parse::<Coins>().is_err(), "{text}");
    }
    let unsorted = "2stake,1foo".parse::<Coins>().expect_err("unsorted").to_string();
    assert!(unsorted.starts_with("`foo` follows `stake`: sort coins by denomination"));
    let beyond = format!("{}0foo", U256::MAX);
    assert!(matches!(beyond.parse::<Coins>(), Err(CoinsError::Amount { .. })));
    let (some, more) = (coins("5foo,7stake"), coins("2bar,9foo,7stake"));
    assert_eq!(some.plus(&more).expect("it fits").to_string(), "2bar,14foo,14stake");
    assert_eq!(more.without(&some).to_string(), "2bar,4foo");
    assert!(some.without(&more).is_empty());
    assert!(!some.covers(&more) && more.covers(&coins("9foo")) && some.covers(&Coins::none()));
}

#[test]
fn balances_come_in_pages_that_belong_to_one_account() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    for place in 0..7 {
        fund(&mut tx, &ann, &format!("1coin{place}"))?;
    }
    let first = keeper::balances_page(&tx, &ann, &PageRequest::of(5))?;
    let next = PageRequest { after: first.next, ..PageRequest::of(5) };
    assert!(next.after.is_some());
    let second = keeper::balances_page(&tx, &ann, &next)?;
    let names = first.rows.iter().chain(&second.rows).map(|coin| coin.denom.to_string());
    assert_eq!(names.collect::<Vec<_>>().join(" "), "coin0 coin1 coin2 coin3 coin4 coin5 coin6");
    assert!(second.next.is_none());
    assert!(keeper::balances_page(&tx, &bob, &next).is_err());
    Ok(())
}
