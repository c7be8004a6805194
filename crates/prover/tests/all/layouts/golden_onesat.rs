//! The vectors of b-open-io/1sat-stack.

use crate::layouts::golden::{Mapping, Place, ambiguous, key, of, prefix};

const ALL: &[&str] = &["onesat/documented.keys", "onesat/deployed.keys", "onesat/sound.keys"];
const DOCUMENTED: &[&str] = &["onesat/documented.keys"];
const DEPLOYED: &[&str] = &["onesat/deployed.keys"];
const UNSOUND: &[&str] = &["onesat/documented.keys", "onesat/deployed.keys"];
const SOUND: &[&str] = &["onesat/sound.keys"];
const WITHOUT_DOCUMENT: &[&str] = &["onesat/deployed.keys", "onesat/sound.keys"];
const BIG_ENDIAN: &[&str] = &["onesat/documented.keys", "onesat/sound.keys"];
const EV: &[&str] = &["onesat/1842d5c.keys"];
const BADGER: &[&str] = &["onesat/badger.keys"];
const BADGER_NUL: &[&str] = &["onesat/badger-nul.keys"];
const BOTH_BADGERS: &[&str] = &["onesat/badger.keys", "onesat/badger-nul.keys"];

const SATOSHI: &[(&str, &str)] = &[("event", "own:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")];
const EVENT: &str = r#"{"event": "${event}"}"#;
const OWN: &str = r#"{"event": {"own": {"owner": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}}}"#;
const TOPIC: &str = r#"{"topic": "${topic}"}"#;
const MERKLE: &str = r#"{"topic": "${topic}", "state": "${state}"}"#;
const PEER: &str = r#"{"topic": "${topic}", "host": "${host}"}"#;
const OUTPOINT: &str = r#"{"outpoint": {"txid": "${txid_display_hex}", "vout": "${vout}"}}"#;
const SCORED: &str =
    r#"{"key": "${key}", "score": "850000.000000123", "member": "0x${member_hex}"}"#;
const TOKEN_TEXT: &str =
    r#"{"token": "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b_0"}"#;
const TOKEN: &str = r#"{"token": {"vout": 0,
    "txid": "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"}}"#;
const ID: &[(&str, &str)] =
    &[("token_id", "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b_0")];
const HEIGHT: &[(&str, &str)] = &[("score_height", "850000"), ("score_idx", "123")];
const NOTHING: &str = "{}";
const EVERY: &str = "all versions";

const fn all(entry: &'static str, places: &'static [Place]) -> Mapping {
    of(entry, EVERY, places)
}

pub(crate) const MAPPINGS: &[Mapping] = &[
    all("KeySatoshis", &[key(ALL, "satoshis", NOTHING)]),
    all("KeySpends", &[key(ALL, "spends", NOTHING)]),
    all("KeyProgress", &[key(ALL, "progress", NOTHING)]),
    // In unsound layouts, an event is a log too.
    Mapping {
        entry: "KeyEvent",
        variant: "commit c9f6661",
        given: SATOSHI,
        places: &[ambiguous(UNSOUND, "events", OWN, 2), key(SOUND, "events", OWN)],
    },
    of(
        "KeyEvent",
        "from 1842d5c (same day, later) .. 862d521",
        &[ambiguous(EV, "events", EVENT, 2)],
    ),
    Mapping {
        entry: "KeyEventSpent",
        variant: "commit c9f6661",
        given: SATOSHI,
        places: &[ambiguous(UNSOUND, "spent", OWN, 2), key(SOUND, "spent", OWN)],
    },
    of("KeyEventSpent", "from 1842d5c .. 862d521", &[ambiguous(EV, "spent", EVENT, 3)]),
    all(
        "KeyTopicOutputs",
        &[
            ambiguous(DOCUMENTED, "topics", TOPIC, 3),
            ambiguous(DEPLOYED, "topics", TOPIC, 2),
            key(SOUND, "topics", TOPIC),
        ],
    ),
    all(
        "KeyTopicTxs",
        &[
            ambiguous(DOCUMENTED, "topic_txs", TOPIC, 4),
            ambiguous(DEPLOYED, "topic_txs", TOPIC, 3),
            key(SOUND, "topic_txs", TOPIC),
        ],
    ),
    all(
        "KeyLog",
        &[
            ambiguous(DOCUMENTED, "logs", r#"{"log": "${log_name}"}"#, 2),
            key(DEPLOYED, "logs", r#"{"log": "${log_name}"}"#),
            key(SOUND, "logs", r#"{"log": "${log_name}"}"#),
        ],
    ),
    all(
        "KeyMerkleState",
        &[
            ambiguous(DOCUMENTED, "merkle", MERKLE, 3),
            ambiguous(DEPLOYED, "merkle", MERKLE, 2),
            key(SOUND, "merkle", MERKLE),
        ],
    ),
    all("KeyQueue", &[key(ALL, "subscriptions", r#"{"subscription": "${queue_name}"}"#)]),
    Mapping {
        entry: "KeyTokenQueue",
        variant: EVERY,
        given: ID,
        places: &[ambiguous(UNSOUND, "tokens", TOKEN_TEXT, 2), key(SOUND, "tokens", TOKEN)],
    },
    Mapping {
        entry: "KeySet",
        variant: EVERY,
        given: &[("name", "bsv21:whitelist")],
        places: &[
            ambiguous(DOCUMENTED, "whitelist", NOTHING, 2),
            ambiguous(DOCUMENTED, "sets", r#"{"name": "bsv21:whitelist"}"#, 2),
            key(WITHOUT_DOCUMENT, "whitelist", NOTHING),
        ],
    },
    Mapping {
        entry: "KeySet",
        variant: EVERY,
        given: &[("name", "bsv21:blacklist")],
        places: &[
            ambiguous(DOCUMENTED, "blacklist", NOTHING, 2),
            ambiguous(DOCUMENTED, "sets", r#"{"name": "bsv21:blacklist"}"#, 2),
            key(WITHOUT_DOCUMENT, "blacklist", NOTHING),
        ],
    },
    // The host contains a colon. In unsound layouts, a part of it is read as part of the topic, or
    // the whole field is read as a subscription.
    of(
        "PeerInteractionField (field of h:prog)",
        EVERY,
        &[ambiguous(UNSOUND, "progress.peer", PEER, 3), key(SOUND, "progress.peer", PEER)],
    ),
    all(
        "KeyTxidPrefix",
        &[prefix(
            ALL,
            "output",
            "outpoint.txid",
            r#"{"outpoint": {"txid": "${txid_display_hex}"}}"#,
        )],
    ),
    of(
        "KeyOutHash",
        "ACTUAL: go-sdk a2751960a5f0 pinned by go.mod (vout little-endian)",
        &[key(DEPLOYED, "output", OUTPOINT)],
    ),
    of(
        "KeyOutHash",
        "doc-literal (vout big-endian); never produced by the pinned code",
        &[key(BIG_ENDIAN, "output", OUTPOINT)],
    ),
    of(
        "KeyOutHash",
        "go-sdk <= v1.2.13 (display-order txid + BE vout); not the pinned version",
        &[key(&["onesat/go-sdk-1.2.13.keys"], "output", OUTPOINT)],
    ),
    // The key has one reading for each colon.
    of(
        "badger hash field",
        "badger layer, all versions",
        &[ambiguous(
            BOTH_BADGERS,
            "hash_fields",
            r#"{"key": "${key}", "field": "0x${field_hex}"}"#,
            3,
        )],
    ),
    of(
        "badger hash field",
        "badger layer, all versions",
        &[ambiguous(
            BOTH_BADGERS,
            "hash_fields",
            r#"{"key": "0x${key_hex_in}", "field": "${field}"}"#,
            3,
        )],
    ),
    of(
        "badger hash field",
        "badger layer, all versions",
        &[ambiguous(BOTH_BADGERS, "hash_fields", r#"{"key": "${key}", "field": "${field}"}"#, 2)],
    ),
    of(
        "badger set member",
        "badger layer, all versions",
        &[ambiguous(BOTH_BADGERS, "set_members", r#"{"key": "${key}", "member": "${member}"}"#, 3)],
    ),
    of(
        "badger zset member key",
        "badger layer, commit c9f6661 (\":\" delimiter)",
        &[ambiguous(
            BADGER,
            "zset_members",
            r#"{"key": "${key}", "member": "0x${member_hex}"}"#,
            4,
        )],
    ),
    Mapping {
        entry: "badger zset score key",
        variant: "badger layer, commit c9f6661 (\":\" delimiter)",
        given: HEIGHT,
        places: &[key(BADGER, "zset_scores", SCORED)],
    },
    Mapping {
        entry: "badger zset score key",
        variant: "badger layer, 862d521 (NUL delimiter)",
        given: HEIGHT,
        places: &[key(BADGER_NUL, "zset_scores", SCORED)],
    },
    of(
        "badger kv",
        "badger layer, all versions (what Scan(KeyTxidPrefix) actually searches)",
        &[key(BOTH_BADGERS, "values", r#"{"key": "0x${key_hex_in}"}"#)],
    ),
];
