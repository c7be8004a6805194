//! Operations that users may not do, but modules may.

use crate::setup::{
    KEEPER, Outcome, address, all, bank, begin, coins, denom, fund, refused, sound,
};
use keyscape_bank::{
    ErrorKind, Keeper, Metadata, Output, Params, Rules, keeper, messages, values::DenomUnit,
    vesting::Schedule,
};

#[test]
fn only_modules_send_a_disabled_denomination() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob, bank) = (address(1), address(2), Keeper::default());
    fund(&mut tx, &ann, "5foo,5stake")?;
    keeper::set_send_enabled(&mut tx, &denom("stake"), Some(false))?;
    let both = coins("1foo,1stake");
    let error = refused(&mut tx, |tx| messages::send(tx, &bank, 0, &ann, &bob, &both));
    assert_eq!(error.to_string(), "sending `stake` is disabled");
    let outputs = [Output { to: bob.clone(), coins: both.clone() }];
    let error = refused(&mut tx, |tx| messages::multi_send(tx, &bank, 0, &ann, &both, &outputs));
    assert!(matches!(error.kind(), ErrorKind::SendDisabled { .. }), "{error}");
    let error = refused(&mut tx, |tx| {
        let schedule = Schedule::Permanent;
        messages::create_vesting_account(tx, &bank, 0, &ann, &bob, &both, schedule)
    });
    assert!(matches!(error.kind(), ErrorKind::SendDisabled { .. }), "{error}");
    messages::send(&mut tx, &bank, 0, &ann, &bob, &coins("1foo"))?;
    KEEPER.send(&mut tx, 0, &ann, &bob, &both)?;
    assert_eq!(all(&tx, &bob), "2foo,1stake");
    sound(&tx);
    Ok(())
}

#[test]
fn the_parameters_apply_to_denominations_without_a_row() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (foo, stake) = (denom("foo"), denom("stake"));
    assert!(keeper::is_send_enabled(&tx, &foo)?, "nothing is set");
    keeper::set_params(&mut tx, &Params::default())?;
    keeper::set_send_enabled(&mut tx, &stake, Some(true))?;
    assert!(!keeper::is_send_enabled(&tx, &foo)? && keeper::is_send_enabled(&tx, &stake)?);
    keeper::set_send_enabled(&mut tx, &stake, None)?;
    assert!(!keeper::is_send_enabled(&tx, &stake)?);
    let on = Params { default_send_enabled: true, ..Params::default() };
    keeper::set_params(&mut tx, &on)?;
    assert!(keeper::is_send_enabled(&tx, &stake)?);
    assert_eq!(keeper::get_params(&tx)?, on);
    Ok(())
}

#[test]
fn blocked_addresses_receive_from_modules_only() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, fees) = (address(1), keeper::module_address("fees")?);
    fund(&mut tx, &ann, "5foo")?;
    let bank = Keeper::new(Rules::default().with_blocked(fees.clone()));
    let one = coins("1foo");
    let error = refused(&mut tx, |tx| messages::send(tx, &bank, 0, &ann, &fees, &one));
    assert!(matches!(error.kind(), ErrorKind::Blocked { .. }), "{error}");
    let outputs = [address(2), fees.clone()].map(|to| Output { to, coins: one.clone() });
    let two = coins("2foo");
    let error = refused(&mut tx, |tx| messages::multi_send(tx, &bank, 0, &ann, &two, &outputs));
    assert!(matches!(error.kind(), ErrorKind::Blocked { .. }), "{error}");
    KEEPER.send(&mut tx, 0, &ann, &fees, &one)?;
    messages::multi_send(&mut tx, &bank, 0, &ann, &one, &outputs[..1])?;
    assert_eq!(all(&tx, &ann), "3foo");
    Ok(())
}

#[test]
fn a_message_creates_a_vesting_account() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    fund(&mut tx, &ann, "5foo")?;
    let schedule = Schedule::Delayed { end: 10 };
    let (bank, five) = (Keeper::default(), coins("5foo"));
    messages::create_vesting_account(&mut tx, &bank, 0, &ann, &bob, &five, schedule)?;
    assert_eq!(KEEPER.locked_coins(&tx, 9, &bob)?, five);
    assert!(KEEPER.locked_coins(&tx, 10, &bob)?.is_empty());
    sound(&tx);
    Ok(())
}

#[test]
fn metadata_fit_their_denomination() -> Outcome {
    let db = bank();
    let mut tx = begin(&db);
    let unit = |denom: &str, exponent| DenomUnit {
        denom: denom.to_owned(),
        exponent,
        aliases: vec![format!("micro{denom}")],
    };
    let good = Metadata {
        description: "The staking coin".into(),
        denom_units: vec![unit("uatom", 0), unit("matom", 3), unit("atom", 6)],
        base: "uatom".into(),
        display: "atom".into(),
        name: "Atom".into(),
        symbol: "ATOM".into(),
        uri: "https://example.org".into(),
        uri_hash: "00".into(),
    };
    keeper::set_metadata(&mut tx, &good)?;
    assert_eq!(keeper::get_metadata(&tx, &denom("uatom"))?, Some(good.clone()));
    assert_eq!(keeper::get_metadata(&tx, &denom("atom"))?, None);
    let with = |change: fn(&mut Metadata)| {
        let mut changed = good.clone();
        change(&mut changed);
        changed
    };
    let bad = [
        with(|metadata| metadata.denom_units.clear()),
        with(|metadata| metadata.denom_units[0].exponent = 1),
        with(|metadata| metadata.denom_units.swap(1, 2)),
        with(|metadata| metadata.denom_units[1].denom = "1".into()),
        with(|metadata| metadata.display = "other".into()),
        with(|metadata| metadata.base = "no denomination".into()),
        with(|metadata| metadata.denom_units[2].denom = "uatom".into()),
        with(|metadata| metadata.denom_units[0].aliases = vec!["a".into(), "a".into()]),
        with(|metadata| metadata.denom_units[2].aliases = vec!["a".into(), " ".into()]),
        with(|metadata| metadata.name = " ".into()),
        with(|metadata| metadata.symbol.clear()),
    ];
    for metadata in bad {
        let error = refused(&mut tx, |tx| keeper::set_metadata(tx, &metadata));
        assert!(matches!(error.kind(), ErrorKind::Metadata { .. }), "{error}");
    }
    Ok(())
}
