//! What the vectors of Cosmos SDK x/bank are.

use crate::golden::{Mapping, Place, key, prefix, refused};

const DOCUMENTED: &[&str] = &["bank/documented.keys"];
const V0_39: &[&str] = &["bank/v0.39.keys"];
const V0_40: &[&str] = &["bank/v0.40.keys"];
const FROM_V0_43: &[&str] =
    &["bank/v0.43.keys", "bank/v0.46.keys", "bank/deployed.keys", "bank/sound.keys"];
const FROM_V0_46: &[&str] = &["bank/v0.46.keys", "bank/deployed.keys", "bank/sound.keys"];
const FROM_V0_47: &[&str] = &["bank/deployed.keys", "bank/sound.keys"];
const SOUND: &[&str] = &["bank/sound.keys"];

const BALANCE: &str = r#"{"owner": "0x${address_hex}", "denom": "${denom}"}"#;
const BALANCE_WITHOUT_LENGTH: &str = r#"{"address": "0x${address_hex}", "denom": "${denom}"}"#;
const OWNER: &str = r#"{"owner": "0x${address_hex}"}"#;
const ADDRESS: &str = r#"{"address": "0x${address_hex}"}"#;
const DENOM: &str = r#"{"denom": "${denom}"}"#;
const NOTHING: &str = "{}";

const fn all(entry: &'static str, variant: &'static str, places: &'static [Place]) -> Mapping {
    Mapping { entry, variant, given: &[], places }
}

pub(crate) const MAPPINGS: &[Mapping] = &[
    all(
        "balance",
        r#"ADR-004 / v0.40-v0.42 ("balances"||addr20||denom)"#,
        &[key(V0_40, "balances", BALANCE_WITHOUT_LENGTH)],
    ),
    all(
        "balance",
        "v0.43 .. v0.53 (0x02||len||addr||denom)",
        &[key(FROM_V0_43, "balances", BALANCE)],
    ),
    all("balance", "v0.43 .. v0.53", &[key(FROM_V0_43, "balances", BALANCE)]),
    all(
        "balance",
        r#"doc-literal ("balances/{address}/{denom}"); the slashes are NOT in the bytes"#,
        &[key(DOCUMENTED, "balances", BALANCE_WITHOUT_LENGTH)],
    ),
    all(
        "account balances prefix",
        "ADR-004 / v0.40-v0.42",
        &[prefix(V0_40, "balances", "address", ADDRESS)],
    ),
    all(
        "account balances prefix",
        "v0.43 .. v0.53",
        &[prefix(FROM_V0_43, "balances", "owner", OWNER)],
    ),
    all("denom->address index", "v0.46 .. v0.53", &[key(FROM_V0_46, "holders", BALANCE)]),
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
    all("CreateDenomAddressPrefix", "v0.46+", &[prefix(FROM_V0_46, "holders", "denom", DENOM)]),
    all(
        "supply (single record)",
        "v0.40-v0.42 (one proto Supply under 0x00)",
        &[key(V0_40, "supply", NOTHING)],
    ),
    all("supply", "v0.43 .. v0.53", &[key(FROM_V0_43, "supply", DENOM)]),
    all(
        "denom metadata",
        "v0.40 .. v0.45 (denom twice)",
        &[key(
            &["bank/v0.40.keys", "bank/v0.43.keys"],
            "metadata",
            r#"{"denom_twice": "${denom}${denom}"}"#,
        )],
    ),
    all("denom metadata", "v0.46+", &[key(FROM_V0_46, "metadata", DENOM)]),
    all("send enabled", "v0.47+", &[key(FROM_V0_47, "send_enabled", DENOM)]),
    all("params", "v0.47+", &[key(FROM_V0_47, "params", NOTHING)]),
    all(
        "account record (balances inside the account)",
        r#"pre-ADR-004: v0.38/v0.39, store "acc""#,
        &[key(V0_39, "accounts", ADDRESS), key(SOUND, "accounts", ADDRESS)],
    ),
];
