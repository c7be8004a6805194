//! The vectors of Cosmos SDK x/bank.

use crate::layouts::golden::{Mapping, key, of, prefix, refused};

const DOCUMENTED: &[&str] = &["bank/documented.keys"];
const V0_39: &[&str] = &["bank/v0.39.keys"];
const V0_40: &[&str] = &["bank/v0.40.keys"];
const FROM_V0_43: &[&str] =
    &["bank/v0.43.keys", "bank/v0.46.keys", "bank/deployed.keys", "bank/sound.keys"];
const FROM_V0_46: &[&str] = &["bank/v0.46.keys", "bank/deployed.keys", "bank/sound.keys"];
const FROM_V0_47: &[&str] = &["bank/deployed.keys", "bank/sound.keys"];

const BALANCE: &str = r#"{"owner": "0x${address_hex}", "denom": "${denom}"}"#;
const BALANCE_WITHOUT_LENGTH: &str = r#"{"address": "0x${address_hex}", "denom": "${denom}"}"#;
const OWNER: &str = r#"{"owner": "0x${address_hex}"}"#;
const ADDRESS: &str = r#"{"address": "0x${address_hex}"}"#;
const DENOM: &str = r#"{"denom": "${denom}"}"#;
const NOTHING: &str = "{}";

pub(crate) const MAPPINGS: &[Mapping] = &[
    of(
        "balance",
        r#"ADR-004 / v0.40-v0.42 ("balances"||addr20||denom)"#,
        &[key(V0_40, "balances", BALANCE_WITHOUT_LENGTH)],
    ),
    of(
        "balance",
        "v0.43 .. v0.53 (0x02||len||addr||denom)",
        &[key(FROM_V0_43, "balances", BALANCE)],
    ),
    of("balance", "v0.43 .. v0.53", &[key(FROM_V0_43, "balances", BALANCE)]),
    of(
        "balance",
        r#"doc-literal ("balances/{address}/{denom}"); the slashes are NOT in the bytes"#,
        &[key(DOCUMENTED, "balances", BALANCE_WITHOUT_LENGTH)],
    ),
    of(
        "account balances prefix",
        "ADR-004 / v0.40-v0.42",
        &[prefix(V0_40, "balances", "address", ADDRESS)],
    ),
    of(
        "account balances prefix",
        "v0.43 .. v0.53",
        &[prefix(FROM_V0_43, "balances", "owner", OWNER)],
    ),
    of("denom->address index", "v0.46 .. v0.53", &[key(FROM_V0_46, "holders", BALANCE)]),
    Mapping {
        entry: "CreateDenomAddressPrefix",
        variant: "v0.46+",
        given: &[("denom", "")],
        places: &[refused(
            FROM_V0_46,
            "holders",
            "denom",
            r#"{"denom": ""}"#,
            "no denomination is empty",
        )],
    },
    of("CreateDenomAddressPrefix", "v0.46+", &[prefix(FROM_V0_46, "holders", "denom", DENOM)]),
    of(
        "supply (single record)",
        "v0.40-v0.42 (one proto Supply under 0x00)",
        &[key(V0_40, "supply", NOTHING)],
    ),
    of("supply", "v0.43 .. v0.53", &[key(FROM_V0_43, "supply", DENOM)]),
    of(
        "denom metadata",
        "v0.40 .. v0.45 (denom twice)",
        &[key(
            &["bank/v0.40.keys", "bank/v0.43.keys"],
            "metadata",
            r#"{"denom_twice": "${denom}${denom}"}"#,
        )],
    ),
    of("denom metadata", "v0.46+", &[key(FROM_V0_46, "metadata", DENOM)]),
    of("send enabled", "v0.47+", &[key(FROM_V0_47, "send_enabled", DENOM)]),
    of("params", "v0.47+", &[key(FROM_V0_47, "params", NOTHING)]),
    of(
        "account record (balances inside the account)",
        r#"pre-ADR-004: v0.38/v0.39, store "acc""#,
        &[key(V0_39, "accounts", ADDRESS), key(FROM_V0_47, "accounts", ADDRESS)],
    ),
    of(
        "unordered nonce",
        "v0.53+ (0x5A||int64||sender)",
        &[key(
            FROM_V0_47,
            "unordered_nonces",
            r#"{"timeout": "${timeout_ns}", "sender": "0x${sender_hex}"}"#,
        )],
    ),
];
