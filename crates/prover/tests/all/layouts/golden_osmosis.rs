//! The vectors of Osmosis concentrated liquidity.

use crate::layouts::golden::{Mapping, key, no_key, of, prefix};

const ALL: &[&str] = &[
    "osmosis-cl/documented.keys",
    "osmosis-cl/1d7fedd270.keys",
    "osmosis-cl/deployed.keys",
    "osmosis-cl/sound.keys",
];
const DOCUMENTED: &[&str] = &["osmosis-cl/documented.keys", "osmosis-cl/sound.keys"];
const CODE: &[&str] = &["osmosis-cl/1d7fedd270.keys", "osmosis-cl/deployed.keys"];
const WITHOUT_ID: &[&str] = &["osmosis-cl/documented.keys", "osmosis-cl/1d7fedd270.keys"];
const WITH_ID: &[&str] = &["osmosis-cl/deployed.keys", "osmosis-cl/sound.keys"];
const COUNTED: &[&str] =
    &["osmosis-cl/1d7fedd270.keys", "osmosis-cl/deployed.keys", "osmosis-cl/sound.keys"];
const DEPLOYED: &[&str] = &["osmosis-cl/deployed.keys"];
const BEFORE: &[&str] = &["osmosis-cl/before-1d7fedd270.keys"];

const EVERY: &str = "commit 1d7fedd270 and HEAD (same)";
const EARLIER: &str = "before commit (1d7fedd270^)";
const LITERAL: &str = "doc-literal";

const POOL: &str = r#"{"pool": "${pool_id}"}"#;
const OWNER: &str = r#"{"owner": "0x${address_hex}"}"#;
const OWNER_POOL: &str = r#"{"owner": "0x${address_hex}", "pool": "${pool_id}"}"#;
const OWNER_POSITION: &str =
    r#"{"owner": "0x${address_hex}", "pool": "${pool_id}", "position": "${position_id}"}"#;
const POSITION: &str = r#"{"position": "${position_id}"}"#;
const POOL_POSITION: &str = r#"{"pool": "${pool_id}", "position": "${position_id}"}"#;
const SPREAD: &str = r#"{"name": {"spread": {"pool": "${pool_id}"}}}"#;
const UPTIME: &str = r#"{"name": {"uptime": {"pool": "${pool_id}", "uptime": "${uptime_index}"}}}"#;
const UPTIME_POSITION: &str =
    r#"{"pool": "${pool_id}", "uptime": "${uptime_index}", "position": "${position_id}"}"#;
const NOTHING: &str = "{}";

pub(crate) const MAPPINGS: &[Mapping] = &[
    of(
        "KeyTick",
        EVERY,
        &[key(ALL, "ticks", r#"{"pool": "${pool_id}", "tick": "${tick_index}"}"#)],
    ),
    of("KeyTickPrefixByPoolId", EVERY, &[prefix(ALL, "ticks", "pool", POOL)]),
    of("TickIndexToBytes", EVERY, &[no_key("the nine bytes of a tick alone, without a pool")]),
    of("KeyUserPositions", EVERY, &[prefix(CODE, "owner_positions", "owner", OWNER)]),
    of("KeyAddressAndPoolId", EVERY, &[prefix(CODE, "owner_positions", "owner,pool", OWNER_POOL)]),
    of(
        "KeyAddressAndPoolId",
        EARLIER,
        &[prefix(BEFORE, "owner_positions", "owner,pool", OWNER_POOL)],
    ),
    of("KeyAddressPoolIdPositionId", EVERY, &[key(CODE, "owner_positions", OWNER_POSITION)]),
    of(
        "KeyAddressPoolIdPositionId",
        LITERAL,
        &[key(DOCUMENTED, "owner_positions", OWNER_POSITION)],
    ),
    of("KeyPool", EVERY, &[key(ALL, "pools", POOL)]),
    of("KeyPositionId", EVERY, &[key(ALL, "positions", POSITION)]),
    Mapping {
        entry: "KeyIncentiveRecord",
        variant: "commit 1d7fedd270",
        given: &[("address_bech32", "osmo1n88uc38xhjgxzw9nwre4ep2c8ga4fjxc4cft9v")],
        places: &[key(
            WITHOUT_ID,
            "incentives",
            r#"{"pool": "${pool_id}", "uptime": "${min_uptime_index}", "denom": "${denom}",
                "creator": "0x${address_hex}"}"#,
        )],
    },
    of(
        "KeyIncentiveRecord",
        "after 4cc966c9df (2023-06-15) .. HEAD",
        &[key(
            WITH_ID,
            "incentives",
            r#"{"pool": "${pool_id}", "uptime": "${min_uptime_index}",
                "incentive": "${incentive_id}"}"#,
        )],
    ),
    of("KeyPoolIncentiveRecords", EVERY, &[prefix(ALL, "incentives", "pool", POOL)]),
    of(
        "KeyUptimeIncentiveRecords",
        EVERY,
        &[prefix(
            ALL,
            "incentives",
            "pool,uptime",
            r#"{"pool": "${pool_id}", "uptime": "${min_uptime_index}"}"#,
        )],
    ),
    of("KeyPoolPositionPositionId", EVERY, &[key(CODE, "pool_positions", POOL_POSITION)]),
    of("KeyPoolPositionPositionId", LITERAL, &[key(DOCUMENTED, "pool_positions", POOL_POSITION)]),
    of("KeyPoolPosition", EVERY, &[prefix(CODE, "pool_positions", "pool", POOL)]),
    of("KeyPositionIdForLock", EVERY, &[key(ALL, "position_locks", POSITION)]),
    of("KeyFullRangeLiquidityPrefix", EVERY, &[key(ALL, "full_range", POOL)]),
    of(
        "KeyBalancerFullRange",
        EVERY,
        &[key(
            ALL,
            "balancer_full_range",
            r#"{"pool": "${cl_pool_id}", "balancer": "${balancer_pool_id}",
                "uptime": "${uptime_index}"}"#,
        )],
    ),
    of("KeyLockIdForPositionId", EVERY, &[key(ALL, "lock_positions", r#"{"lock": "${lock_id}"}"#)]),
    of("accum.acc (spread)", EVERY, &[key(CODE, "accumulators", SPREAD)]),
    of("accum.acc (spread)", EARLIER, &[key(BEFORE, "accumulators", SPREAD)]),
    of("accum.acc (uptime)", EVERY, &[key(CODE, "accumulators", UPTIME)]),
    of("accum.pos (spread)", EVERY, &[key(CODE, "spread_positions", POOL_POSITION)]),
    of("accum.pos (spread)", EARLIER, &[key(BEFORE, "spread_positions", POOL_POSITION)]),
    of("accum.pos (spread)", LITERAL, &[key(DOCUMENTED, "spread_positions", POOL_POSITION)]),
    of("accum.pos (uptime)", EVERY, &[key(CODE, "uptime_positions", UPTIME_POSITION)]),
    of("KeyNextGlobalPositionId", EVERY, &[key(COUNTED, "next_position", NOTHING)]),
    of(
        "KeyNextGlobalIncentiveRecordId",
        "after 4cc966c9df .. HEAD",
        &[key(WITH_ID, "next_incentive", NOTHING)],
    ),
    of(
        "GetDenomPrefix (total liquidity)",
        "after e44b5cda1d (2023-07-01) .. HEAD",
        &[key(WITH_ID, "total_liquidity", r#"{"denom": "${denom}"}"#)],
    ),
    of(
        "pool hook contract",
        "after c387e00c63 (2023-11-08) .. HEAD",
        &[key(DEPLOYED, "hooks", r#"{"pool": "${pool_id}", "action": "${action}"}"#)],
    ),
];
