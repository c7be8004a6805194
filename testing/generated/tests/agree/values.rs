//! Values written by hand: contents of keys, rejected values, and their messages.

use keyscape::{DomainError, traits::Keyspace};

keyscape::layout!(
    r#"
store shop
/// A coin denomination.
type Denom = text(r"[a-zA-Z][a-zA-Z0-9/]{2,127}")
type Account = len8(bytes[1..=20]) shown as bech32("cosmos")
type Txid = bytes[4] shown as reversed_hex
type Uptime = dec(u8) in 0..=5
type Level = "low" | "high"
type Event = | paid "p" {by: Account} | seen "s" [{at: u64be}]
map balances = 0x02 {owner: Account} {denom: Denom} -> dec
    scan owner by denom
map ticks = 0x03 {uptime: Uptime} "/" {tick: flip(i64)} -> u64be
map events = 0x04 {level: Level} {event: Event} -> empty
map txs = 0x06 {txid: Txid} -> empty
map levels = 0x05 [{note: text[1..=8]} if level is high] 0x00 {level: Level} -> empty
"#
);

use shop::{
    Account, BalancesKey, Denom, Event, EventsKey, Level, LevelsKey, TicksKey, Txid, Uptime,
};

fn encoded<K: Keyspace>(key: &K::Key<'_>) -> Result<Vec<u8>, DomainError> {
    let mut out = Vec::new();
    K::encode(key, &mut out)?;
    Ok(out)
}

#[test]
fn keys_have_the_bytes_of_the_layout() {
    let denom = Denom::new("uatom").unwrap();
    let key = BalancesKey::from((Account::new(vec![7, 8]).unwrap(), &denom));
    let bytes = encoded::<shop::Balances>(&key).unwrap();
    assert_eq!(bytes, b"\x02\x02\x07\x08uatom");
    assert_eq!(shop::Balances::decode(&bytes).unwrap(), key);
    let key = TicksKey::from((Uptime::new(3).unwrap(), -1));
    assert_eq!(encoded::<shop::Ticks>(&key).unwrap(), b"\x033/\x7f\xff\xff\xff\xff\xff\xff\xff");
    let key = EventsKey { level: Level::High, event: Event::Seen { at: Some(1) } };
    assert_eq!(encoded::<shop::Events>(&key).unwrap(), b"\x04highs\0\0\0\0\0\0\0\x01");
    let key = EventsKey { level: Level::Low, event: Event::Seen { at: None } };
    assert_eq!(shop::Events::decode(b"\x04lows").unwrap(), key);
}

#[test]
fn rejected_values_are_named_with_the_position_of_the_fault() {
    assert_eq!(
        Denom::new("ua-tom").unwrap_err().to_string(),
        "Denom: `-` at position 3 is not allowed; expected text matching `[a-zA-Z][a-zA-Z0-9/]{2,127}`"
    );
    assert_eq!(
        Denom::new("ua").unwrap_err().to_string(),
        "Denom: the value ends too early; expected text matching `[a-zA-Z][a-zA-Z0-9/]{2,127}`"
    );
    assert_eq!(
        Uptime::new(6).unwrap_err().to_string(),
        "Uptime: expected an integer from 0 to 5, not `6`"
    );
    assert_eq!(
        Account::new(vec![0; 21]).unwrap_err().to_string(),
        "Account: `0x00` at position 21 is not allowed; expected 1 to 20 bytes"
    );
    assert!("medium".parse::<Level>().is_err());
}

#[test]
fn an_optional_part_must_agree_with_its_guard() {
    let note = shop::LevelsNote::new("hi").unwrap();
    let wrong = LevelsKey { note: Some(note.by_ref()), level: Level::Low };
    assert_eq!(
        encoded::<shop::Levels>(&wrong).unwrap_err().to_string(),
        "levels.note: expected no value: this part of the key is absent here"
    );
    let missing = LevelsKey { note: None, level: Level::High };
    assert!(encoded::<shop::Levels>(&missing).is_err());
    let right = LevelsKey { note: Some(note), level: Level::High };
    assert_eq!(encoded::<shop::Levels>(&right).unwrap(), b"\x05hi\0high");
    assert!(shop::Levels::decode(b"\x05hi\0low").is_err());
}

#[test]
fn values_have_the_display_form_of_the_layout() {
    let txid = Txid([1, 2, 3, 4]);
    assert_eq!(txid.to_string(), "04030201");
    assert_eq!("04030201".parse::<Txid>().unwrap(), txid);
    let account = Account::new(vec![7, 8]).unwrap();
    assert!(account.to_string().starts_with("cosmos1"));
    assert_eq!(account.to_string().parse::<Account<'_>>().unwrap(), account);
    assert_eq!(Level::High.to_string().parse::<Level>().unwrap(), Level::High);
    assert_eq!("5".parse::<Uptime>().unwrap().get(), 5);
}

#[test]
fn fixed_and_borrowed_keys_are_written_and_read_without_allocation() {
    let bytes = b"\x02\x02\x07\x08uatom";
    let measured = allocation_counter::measure(|| {
        let key = shop::Balances::decode(bytes).unwrap();
        let mut out = <shop::Balances as Keyspace>::Buffer::default();
        shop::Balances::encode(&key, &mut out).unwrap();
        assert_eq!(out.bytes().unwrap(), bytes);
        let key = TicksKey { uptime: Uptime::new(1).unwrap(), tick: 9 };
        let mut out = <shop::Ticks as Keyspace>::Buffer::default();
        shop::Ticks::encode(&key, &mut out).unwrap();
        assert_eq!(shop::Ticks::decode(out.bytes().unwrap()).unwrap(), key);
        assert!(shop::Balances::decode(b"\x02\x02\x07").is_err());
    });
    assert_eq!(measured.count_total, 0);
}
