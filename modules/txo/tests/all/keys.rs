//! Compares keys with the vectors of the reference.

use crate::world::{key, name, token};
use keyscape_txo::{
    event,
    layout::txo::{
        BLACKLIST, EVENTS, Event, LOGS, LogName, MERKLE, Name, OUTPUT, Outpoint, PROGRESS,
        PROGRESS_PEER, SATOSHIS, SPENDS, SPENT, SUBSCRIPTIONS, Subscription, TOKENS, TOPIC_TXS,
        TOPICS, TokenId, Txid, WHITELIST,
    },
    symbol,
};
use proptest::prelude::*;
use serde_json::Value;
use std::{fs, path::Path};

fn vectors(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../../testing/corpus/golden").join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the key that this crate builds for a vector; `None` for forms of other versions.
fn built(vector: &Value) -> Option<Vec<u8>> {
    let text = |field: &str| vector["fields"][field].as_str().unwrap();
    let txid = || text("txid_display_hex").parse::<Txid>().unwrap();
    let number = |field: &str| u32::try_from(vector["fields"][field].as_u64().unwrap()).unwrap();
    let token = |id: &str| -> TokenId { event::parse_token(id).unwrap() };
    let variant = vector["variant"].as_str().unwrap();
    if !(variant == "all versions"
        || variant == "commit c9f6661"
        || variant.starts_with("doc-literal (vout big-endian)"))
    {
        return None;
    }
    let key = match vector["entry"].as_str().unwrap() {
        "KeySatoshis" => key(SATOSHIS, ()),
        "KeySpends" => key(SPENDS, ()),
        "KeyProgress" => key(PROGRESS, ()),
        "KeyEvent" => key(EVENTS, event::parse(text("event")).unwrap()),
        "KeyEventSpent" => key(SPENT, event::parse(text("event")).unwrap()),
        "KeyTopicOutputs" => key(TOPICS, name(text("topic"))),
        "KeyTopicTxs" => key(TOPIC_TXS, name(text("topic"))),
        "KeyLog" => key(LOGS, LogName::new(text("log_name")).unwrap()),
        "KeyMerkleState" => key(MERKLE, (name(text("topic")), number("state"))),
        "KeyQueue" => key(SUBSCRIPTIONS, Subscription::new(text("queue_name")).unwrap()),
        "KeyTokenQueue" => key(TOKENS, token(text("token_id"))),
        "KeySet" if text("name") == "bsv21:whitelist" => key(WHITELIST, ()),
        "KeySet" => key(BLACKLIST, ()),
        "PeerInteractionField (field of h:prog)" => {
            key(PROGRESS_PEER, (name(text("topic")), text("host")))
        }
        "KeyTxidPrefix" => [b"h:", &txid().0[..]].concat(),
        "KeyOutHash" => key(OUTPUT, Outpoint { txid: txid(), vout: number("vout") }),
        _ => return None,
    };
    Some(key)
}

#[test]
fn every_builder_of_the_reference_gives_the_bytes_of_its_vectors() {
    let mut entries = Vec::new();
    for vector in vectors("onesat.json") {
        let Some(key) = built(&vector) else { continue };
        assert_eq!(vector["key_hex"], keyscape_sim::Hex(&key).to_string(), "{vector}");
        entries.push(vector["entry"].as_str().unwrap().to_owned());
    }
    entries.sort();
    entries.dedup();
    assert_eq!(entries.len(), 15, "{entries:?}");
}

#[test]
fn every_pattern_of_the_reference_is_read_and_printed() {
    let (address, id) = ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", event::print_token(token(1)));
    let txid = &id[..64];
    let texts = [
        format!("own:{address}"),
        format!("txid:{txid}"),
        format!("id:{id}"),
        "sym:PEPE".to_owned(),
        format!("p2pkh:{address}:{id}"),
        format!("cos:{address}:{id}"),
        format!("ltm:{id}"),
        format!("pow20:{id}"),
        format!("list:{id}"),
        format!("list:{address}:{id}"),
    ];
    for text in texts {
        assert_eq!(event::print(&event::parse(&text).unwrap()), text);
        assert_eq!(event::read(&text).unwrap(), event::parse(&text).unwrap());
    }
    let owner = || address.parse().unwrap();
    let made = [
        (Event::Own { owner: owner() }, format!("own:{address}")),
        (Event::P2pkh { owner: owner(), token: token(1) }, format!("p2pkh:{address}:{id}")),
        (Event::Cos { owner: owner(), token: token(1) }, format!("cos:{address}:{id}")),
        (Event::List { seller: Some(owner()), token: token(1) }, format!("list:{address}:{id}")),
        (Event::List { seller: None, token: token(1) }, format!("list:{id}")),
        (Event::Pow20 { token: token(1) }, format!("pow20:{id}")),
        (Event::Ltm { token: token(1) }, format!("ltm:{id}")),
    ];
    for (made, text) in made {
        assert_eq!(event::print(&made), text);
    }
    let bad = address.replace('1', "2");
    for text in ["", "own:", &format!("own:{bad}"), "sym:a:b", "foo:bar", "txid:00", "list::x"] {
        assert!(event::parse(text).is_err(), "{text}");
    }
}

/// Returns the key of one side of a known collision; `None` if this crate cannot build it.
fn side(of: &Value) -> Option<Vec<u8>> {
    let text = |field: &str| of[field].as_str().unwrap();
    let key = match of["fn"].as_str()? {
        "KeyEvent" => key(EVENTS, event::parse(text("event")).ok()?),
        "KeyEventSpent" => key(SPENT, event::parse(text("event")).ok()?),
        "KeyTopicOutputs" => key(TOPICS, Name::new(text("topic")).ok()?),
        "KeyTopicTxs" => key(TOPIC_TXS, Name::new(text("topic")).ok()?),
        "KeyQueue" => key(SUBSCRIPTIONS, Subscription::new(text("name")).ok()?),
        "KeyTokenQueue" => key(TOKENS, event::parse_token(text("token")).ok()?),
        "KeyLog" => key(LOGS, LogName::new(text("log")).ok()?),
        "KeyMerkleState" => {
            let state = u32::try_from(of["state"].as_u64().unwrap()).unwrap();
            key(MERKLE, (Name::new(text("topic")).ok()?, state))
        }
        other => panic!("{other}"),
    };
    Some(key)
}

#[test]
fn known_collisions_cannot_be_built() {
    let mut tried = 0;
    for collision in vectors("collisions.json") {
        let (a, b) = (&collision["a"], &collision["b"]);
        if collision["system"] != "onesat" || a["fn"].is_null() {
            continue;
        }
        tried += 1;
        assert!(side(a).is_none() || side(b).is_none() || side(a) != side(b), "{collision}");
    }
    assert_eq!(tried, 5);
}

proptest! {
    #[test]
    fn escaping_is_one_to_one(a in "[ -~\0-\u{1f}\u{7f}é%:]{0,90}", b in "[a%:0-9A-F]{0,6}") {
        if let Ok(name) = symbol::escape(&a) {
            prop_assert_eq!(symbol::unescape(&name), Some(a.clone()));
            prop_assert!(!name.as_str().contains(':'));
        } else {
            prop_assert!(a.is_empty() || a.len() * 3 > 255);
        }
        // The name of a text is not the name of another text.
        if let Ok(name) = Name::new(b)
            && let Some(text) = symbol::unescape(&name)
        {
            prop_assert_eq!(symbol::escape(&text).unwrap(), name);
        }
    }
}

#[test]
fn texts_without_a_name_say_why() {
    assert_eq!(symbol::escape(""), Err(symbol::BadText::Empty));
    assert_eq!(symbol::escape(&"x".repeat(256)), Err(symbol::BadText::Long(256)));
    assert_eq!(symbol::escape(&":".repeat(86)), Err(symbol::BadText::Long(258)));
    assert!(symbol::escape(&"x".repeat(255)).is_ok() && symbol::escape(&":".repeat(85)).is_ok());
    for name in ["%", "%4", "%41", "%3a", "%zz", "a%"] {
        let name = Name::new(name).unwrap();
        assert_eq!(symbol::unescape(&name), None, "{name}");
    }
}
