//! The vectors of BitBadges.

use crate::layouts::golden::{Mapping, Place, key, lost, of, prefix};

const DOCUMENTED: &[&str] = &["bitbadges/documented.keys"];
const V11: &[&str] = &["bitbadges/v11.keys"];
const DEPLOYED: &[&str] = &["bitbadges/deployed.keys"];
const ALL: &[&str] = &[
    "bitbadges/documented.keys",
    "bitbadges/v11.keys",
    "bitbadges/deployed.keys",
    "bitbadges/sound.keys",
];
/// The layouts with domains for addresses and levels.
const TYPED: &[&str] = &["bitbadges/v11.keys", "bitbadges/deployed.keys", "bitbadges/sound.keys"];

const PADDED: &str = "before 2ce9ef70 (v10, v11; decimal ids padded/truncated to 8)";
const BIG_ENDIAN: &str = "after 2ce9ef70 (2026-02-16) .. HEAD (x/tokenization)";
const EVERY: &str = "all versions";

const COLLECTION: &str = r#"{"collection": "${collection_id}"}"#;
const STORE: &str = r#"{"store": "${store_id}"}"#;
const VALUE: &str = r#"{"store": "${store_id}", "address": "${address}"}"#;
const BALANCE: &str = r#"{"collection": "${collection_id}", "address": "${address}"}"#;
const OWNER: &str =
    r#"{"collection": "${collection_id}", "owner": {"user": {"address": "${address}"}}}"#;
const CHALLENGE: &str = r#"{"collection": "${collection_id}", "level": "${approval_level}",
    "approver": "${address_for_challenge}", "approval": "${approval_id}",
    "challenge": "${challenge_id}", "leaf": "${leaf_index}"}"#;
const CHALLENGE_OF_COLLECTION: &str = r#"{"collection": "${collection_id}",
    "level": "${approval_level}", "approval": "${approval_id}", "challenge": "${challenge_id}",
    "leaf": "${leaf_index}"}"#;
const CHALLENGE_WITH_EMPTY_APPROVER: &str = r#"{"collection": "${collection_id}",
    "level": "${approval_level}", "approver": "", "approval": "${approval_id}",
    "challenge": "${challenge_id}", "leaf": "${leaf_index}"}"#;
const TRACKER: &str = r#"{"collection": "${collection_id}", "approver": "${address_for_approval}",
    "approval": "${approval_id}", "tracker": "${amount_tracker_id}", "level": "${level}",
    "kind": "${tracker_type}", "address": "${address}"}"#;
const TRACKER_OF_A_PARTY: &str = r#"{"collection": "${collection_id}", "approver": "${address_for_approval}",
    "approval": "${approval_id}", "tracker": "${amount_tracker_id}", "level": "${level}",
    "kind": "${tracker_type}", "address": {"user": {"address": "${address}"}}}"#;
const TRACKER_OF_COLLECTION: &str = r#"{"collection": "${collection_id}",
    "approval": "${approval_id}", "tracker": "${amount_tracker_id}", "level": "${level}",
    "kind": "${tracker_type}"}"#;
const TRACKER_WITH_EMPTY_ADDRESSES: &str = r#"{"collection": "${collection_id}", "approver": "",
    "approval": "${approval_id}", "tracker": "${amount_tracker_id}", "level": "${level}",
    "kind": "${tracker_type}", "address": ""}"#;
const VERSION: &str = r#"{"collection": "${collection_id}", "level": "${level}",
    "approval": "${approval_id}"}"#;
const SIGNATURE: &str = r#"{"collection": "${collection_id}", "level": "${approval_level}",
    "approval": "${approval_id}", "challenge": "${challenge_id}", "signature": "${signature}"}"#;
const NOTHING: &str = "{}";

/// Maps an id of more than eight digits, which is truncated to the first eight.
const fn cut(
    entry: &'static str,
    given: &'static [(&'static str, &'static str)],
    places: &'static [Place],
) -> Mapping {
    Mapping { entry, variant: PADDED, given, places }
}

pub(crate) const MAPPINGS: &[Mapping] = &[
    cut(
        "collectionStoreKey",
        &[("collection_id", "123456789")],
        &[lost(V11, "collections", r#"{"collection": 123456789}"#)],
    ),
    cut(
        "collectionStoreKey",
        &[("collection_id", "100000000")],
        &[lost(V11, "collections", r#"{"collection": 100000000}"#)],
    ),
    cut(
        "collectionStoreKey",
        &[("collection_id", "1000000001")],
        &[lost(V11, "collections", r#"{"collection": 1000000001}"#)],
    ),
    of("collectionStoreKey", PADDED, &[key(V11, "collections", COLLECTION)]),
    of("collectionStoreKey", BIG_ENDIAN, &[key(DEPLOYED, "collections", COLLECTION)]),
    Mapping {
        entry: "userBalanceStoreKey",
        variant: EVERY,
        given: &[("collection_id", "1"), ("address", "Total")],
        places: &[
            key(DOCUMENTED, "balances", r#"{"collection": 1, "address": "Total"}"#),
            key(TYPED, "balances", r#"{"collection": 1, "owner": {"total": {}}}"#),
        ],
    },
    of(
        "userBalanceStoreKey",
        EVERY,
        &[key(DOCUMENTED, "balances", BALANCE), key(TYPED, "balances", OWNER)],
    ),
    of("nextCollectionIdKey", EVERY, &[key(ALL, "next_collection", NOTHING)]),
    Mapping {
        entry: "usedClaimChallengeStoreKey",
        variant: EVERY,
        given: &[("address_for_challenge", "")],
        places: &[
            key(DOCUMENTED, "challenge_trackers", CHALLENGE_WITH_EMPTY_APPROVER),
            key(TYPED, "challenge_trackers", CHALLENGE_OF_COLLECTION),
        ],
    },
    of("usedClaimChallengeStoreKey", EVERY, &[key(ALL, "challenge_trackers", CHALLENGE)]),
    of("addressListStoreKey", EVERY, &[key(ALL, "address_lists", r#"{"list": "${list_id}"}"#)]),
    Mapping {
        entry: "approvalTrackerStoreKey",
        variant: EVERY,
        given: &[("address_for_approval", ""), ("address", "")],
        places: &[
            key(DOCUMENTED, "approval_trackers", TRACKER_WITH_EMPTY_ADDRESSES),
            key(TYPED, "approval_trackers", TRACKER_OF_COLLECTION),
        ],
    },
    of(
        "approvalTrackerStoreKey",
        EVERY,
        &[
            key(DOCUMENTED, "approval_trackers", TRACKER),
            key(TYPED, "approval_trackers", TRACKER_OF_A_PARTY),
        ],
    ),
    of("nextAddressListCounterKey", EVERY, &[key(ALL, "next_address_list", NOTHING)]),
    Mapping {
        entry: "approvalVersionStoreKey",
        variant: EVERY,
        given: &[("approver_address", "")],
        places: &[key(TYPED, "approval_versions", VERSION)],
    },
    cut(
        "dynamicStoreStoreKey",
        &[("store_id", "123456789")],
        &[lost(V11, "dynamic_stores", r#"{"store": 123456789}"#)],
    ),
    of("dynamicStoreStoreKey", PADDED, &[key(V11, "dynamic_stores", STORE)]),
    of("nextDynamicStoreIdKey", EVERY, &[key(ALL, "next_dynamic_store", NOTHING)]),
    of("dynamicStoreValueStoreKey", PADDED, &[key(V11, "dynamic_values", VALUE)]),
    of("dynamicStoreValueStoreKey", BIG_ENDIAN, &[key(DEPLOYED, "dynamic_values", VALUE)]),
    of(
        "scan prefix of GetDynamicStoreValuesFromStore",
        PADDED,
        &[prefix(V11, "dynamic_values", "store", STORE)],
    ),
    Mapping {
        entry: "ethSignatureTrackerStoreKey",
        variant: "v12 .. HEAD",
        given: &[("address_for_challenge", "")],
        places: &[key(DEPLOYED, "signature_trackers", SIGNATURE)],
    },
    of("ParamsKey", "v11", &[key(V11, "params", NOTHING)]),
    of("PortKey", "v11", &[key(V11, "port", NOTHING)]),
];
