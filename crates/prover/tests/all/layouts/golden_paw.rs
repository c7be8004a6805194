//! The vectors of the PAW chain. The sound layout has other prefixes for packets than the document.

use crate::layouts::golden::{Mapping, ambiguous, key, of, prefix};

const DOCUMENTED: &[&str] = &["paw/documented.keys"];
const DEPLOYED: &[&str] = &["paw/deployed.keys"];
const SOUND: &[&str] = &["paw/sound.keys"];
const BOTH: &[&str] = &["paw/documented.keys", "paw/sound.keys"];

const TABLE: &str = "doc/types (what docs/STATE.md lists; at dbab9ec)";
const KEEPER: &str = "keeper (what state actually uses; at dbab9ec)";
const EVERY: &str = "keeper (all three modules)";

const POOL: &str = r#"{"pool": "${pool_id}"}"#;
const POOL_PROVIDER: &str = r#"{"pool": "${pool_id}", "provider": "0x${provider_hex}"}"#;
const TOKEN: &str = r#"{"token": "${token}"}"#;
const PACKET: &str = r#"{"channel": "${channel_id}", "sender": "${sender}"}"#;
const REQUEST: &str = r#"{"request": "${request_id}"}"#;
const VALIDATOR: &str = r#"{"validator": "${validator_bech32}"}"#;
const TOKENS: &str = r#"{"token_a": "${token_a}", "token_b": "${token_b}"}"#;
const SORTED_TOKENS: &str = r#"{"token_a": "${token_b}", "token_b": "${token_a}"}"#;
const NONCE: &str = r#"{"channel": "${channel}", "sender": "${sender}"}"#;
const NOTHING: &str = "{}";

pub(crate) const MAPPINGS: &[Mapping] = &[
    of("compute.ParamsKey", TABLE, &[key(BOTH, "compute_params", NOTHING)]),
    of("compute.ComputeRequestKeyPrefix", TABLE, &[prefix(BOTH, "requests", "all", NOTHING)]),
    of("compute.ProviderKeyPrefix", TABLE, &[prefix(BOTH, "providers", "all", NOTHING)]),
    of("compute.EscrowKeyPrefix", TABLE, &[prefix(BOTH, "escrows", "all", NOTHING)]),
    of("compute.JobStatusKeyPrefix", TABLE, &[prefix(BOTH, "job_status", "all", NOTHING)]),
    of("compute.NonceTrackerKeyPrefix", TABLE, &[prefix(BOTH, "nonces", "all", NOTHING)]),
    of("compute.ResultKeyPrefix", TABLE, &[prefix(BOTH, "results", "all", NOTHING)]),
    of(
        "compute.IBCPacketNonceKeyPrefix",
        TABLE,
        &[prefix(BOTH, "compute_packets", "all", NOTHING)],
    ),
    of("dex.PoolKeyPrefix", TABLE, &[prefix(BOTH, "pools", "all", NOTHING)]),
    of("dex.PoolCountKey", TABLE, &[key(BOTH, "next_pool", NOTHING)]),
    of("dex.PoolByTokensKeyPrefix", TABLE, &[prefix(BOTH, "pool_by_tokens", "all", NOTHING)]),
    of("dex.LiquidityKeyPrefix", TABLE, &[prefix(BOTH, "liquidity", "all", NOTHING)]),
    of("dex.ParamsKey", TABLE, &[key(BOTH, "dex_params", NOTHING)]),
    of("dex.CircuitBreakerKeyPrefix", TABLE, &[prefix(BOTH, "circuit_breakers", "all", NOTHING)]),
    of("dex.LastLiquidityActionKeyPrefix", TABLE, &[prefix(BOTH, "last_actions", "all", NOTHING)]),
    of("dex.ReentrancyLockKeyPrefix", TABLE, &[prefix(BOTH, "locks", "all", NOTHING)]),
    of("dex.PoolLPFeeKeyPrefix", TABLE, &[prefix(BOTH, "pool_fees", "all", NOTHING)]),
    of("dex.ProtocolFeeKeyPrefix", TABLE, &[prefix(BOTH, "protocol_fees", "all", NOTHING)]),
    of("dex.LiquidityShareKeyPrefix", TABLE, &[prefix(BOTH, "shares", "all", NOTHING)]),
    of("dex.IBCPacketNonceKeyPrefix", TABLE, &[prefix(DOCUMENTED, "dex_packets", "all", NOTHING)]),
    of("oracle.ParamsKey", TABLE, &[key(BOTH, "oracle_params", NOTHING)]),
    of("oracle.PriceKeyPrefix", TABLE, &[prefix(BOTH, "prices", "all", NOTHING)]),
    of("oracle.ValidatorKeyPrefix", TABLE, &[prefix(BOTH, "validators", "all", NOTHING)]),
    of("oracle.FeederDelegationKeyPrefix", TABLE, &[prefix(BOTH, "feeders", "all", NOTHING)]),
    of("oracle.MissCounterKeyPrefix", TABLE, &[prefix(BOTH, "misses", "all", NOTHING)]),
    of("oracle.AggregateVoteKeyPrefix", TABLE, &[prefix(BOTH, "aggregate_votes", "all", NOTHING)]),
    of("oracle.PrevoteKeyPrefix", TABLE, &[prefix(BOTH, "prevotes", "all", NOTHING)]),
    of("oracle.VoteKeyPrefix", TABLE, &[prefix(BOTH, "votes", "all", NOTHING)]),
    of("oracle.DelegateKeyPrefix", TABLE, &[prefix(BOTH, "delegates", "all", NOTHING)]),
    of("oracle.SlashingKeyPrefix", TABLE, &[prefix(BOTH, "slashes", "all", NOTHING)]),
    of("oracle.TWAPKeyPrefix", TABLE, &[prefix(BOTH, "averages", "all", NOTHING)]),
    of(
        "oracle.IBCPacketNonceKeyPrefix",
        TABLE,
        &[prefix(DOCUMENTED, "oracle_packets", "all", NOTHING)],
    ),
    of("oracle.EmergencyPauseStateKey", TABLE, &[key(BOTH, "pause", NOTHING)]),
    of(
        "dex.GetPoolLPFeeKey",
        TABLE,
        &[key(BOTH, "pool_fees", r#"{"pool": "${pool_id}", "token": "${token}"}"#)],
    ),
    // The sound layout has no empty denomination.
    Mapping {
        entry: "dex.GetProtocolFeeKey",
        variant: TABLE,
        given: &[("token", "")],
        places: &[key(DOCUMENTED, "protocol_fees", r#"{"token": ""}"#)],
    },
    of("dex.GetProtocolFeeKey", TABLE, &[key(BOTH, "protocol_fees", TOKEN)]),
    of("dex.GetLiquidityShareKey", TABLE, &[key(BOTH, "shares", POOL_PROVIDER)]),
    // The sound layout has no empty channel.
    Mapping {
        entry: "compute.GetIBCPacketNonceKey",
        variant: TABLE,
        given: &[("channel_id", ""), ("sender", "cosmos1test")],
        places: &[key(
            DOCUMENTED,
            "compute_packets",
            r#"{"channel": "", "sender": "cosmos1test"}"#,
        )],
    },
    of("compute.GetIBCPacketNonceKey", TABLE, &[key(BOTH, "compute_packets", PACKET)]),
    of("dex.GetIBCPacketNonceKey", TABLE, &[key(DOCUMENTED, "dex_packets", PACKET)]),
    of("oracle.GetIBCPacketNonceKey", TABLE, &[key(DOCUMENTED, "oracle_packets", PACKET)]),
    of(
        "compute.ProviderKey",
        KEEPER,
        &[key(DEPLOYED, "providers", r#"{"provider": "0x${provider_hex}"}"#)],
    ),
    of("compute.RequestKey", KEEPER, &[key(DEPLOYED, "requests", REQUEST)]),
    of("compute.ResultKey", KEEPER, &[key(DEPLOYED, "results", REQUEST)]),
    of("compute.NextRequestIDKey", KEEPER, &[key(DEPLOYED, "next_request", NOTHING)]),
    of(
        "compute.RequestByRequesterKey",
        KEEPER,
        &[key(
            DEPLOYED,
            "requests_by_requester",
            r#"{"requester": "0x${requester_hex}", "request": "${request_id}"}"#,
        )],
    ),
    of(
        "compute.RequestByStatusKey",
        KEEPER,
        &[key(
            DEPLOYED,
            "requests_by_status",
            r#"{"status": "${status}", "request": "${request_id}"}"#,
        )],
    ),
    of(
        "compute.NonceKey",
        KEEPER,
        &[key(DEPLOYED, "nonces", r#"{"provider": "0x${provider_hex}", "nonce": "${nonce}"}"#)],
    ),
    of("compute.EscrowStateKey", KEEPER, &[key(DEPLOYED, "escrows", REQUEST)]),
    of(
        "compute.EscrowTimeoutKey",
        KEEPER,
        &[key(
            DEPLOYED,
            "escrow_timeouts",
            r#"{"expires": "${expires_unix}", "request": "${request_id}"}"#,
        )],
    ),
    of("compute.NextEscrowNonceKey", KEEPER, &[key(DEPLOYED, "next_escrow", NOTHING)]),
    of("dex.PoolKey", KEEPER, &[key(DEPLOYED, "pools", POOL), key(BOTH, "pools", POOL)]),
    of("dex.PoolByTokensKey", KEEPER, &[key(DEPLOYED, "pool_by_tokens", SORTED_TOKENS)]),
    // The key has one reading for each possible end of the first token.
    of(
        "dex.PoolByTokensKey",
        "doc-literal (tokenA + tokenB, no separator, unsorted)",
        &[ambiguous(DOCUMENTED, "pool_by_tokens", TOKENS, 10)],
    ),
    of(
        "dex.LiquidityKey",
        KEEPER,
        &[key(DEPLOYED, "liquidity", POOL_PROVIDER), key(SOUND, "liquidity", POOL_PROVIDER)],
    ),
    of(
        "dex.CircuitBreakerKey",
        KEEPER,
        &[key(DEPLOYED, "circuit_breakers", POOL), key(SOUND, "circuit_breakers", POOL)],
    ),
    of(
        "dex.LastLiquidityActionKey",
        KEEPER,
        &[key(DEPLOYED, "last_actions", POOL_PROVIDER), key(SOUND, "last_actions", POOL_PROVIDER)],
    ),
    Mapping {
        entry: "dex.ReentrancyLockKey",
        variant: KEEPER,
        given: &[("lock", "1:swap")],
        places: &[key(DEPLOYED, "locks", r#"{"pool": 1, "operation": "swap"}"#)],
    },
    of("dex.ReentrancyLockKey", "doc-literal (poolID)", &[key(BOTH, "locks", POOL)]),
    of("oracle.GetPriceKey", KEEPER, &[key(DEPLOYED, "prices", r#"{"asset": "${asset}"}"#)]),
    of(
        "oracle.GetValidatorPriceKey",
        KEEPER,
        &[key(
            DEPLOYED,
            "validator_prices",
            r#"{"validator": "${validator_bech32}", "asset": "${asset}"}"#,
        )],
    ),
    of("oracle.GetValidatorOracleKey", KEEPER, &[key(DEPLOYED, "validators", VALIDATOR)]),
    of(
        "oracle.GetPriceSnapshotKey",
        KEEPER,
        &[key(DEPLOYED, "snapshots", r#"{"asset": "${asset}", "height": "${block_height}"}"#)],
    ),
    of("oracle.GetFeederDelegationKey", KEEPER, &[key(DEPLOYED, "feeders", VALIDATOR)]),
    // `pause` has the same key.
    of(
        "oracle.CachedTotalVotingPowerKey",
        "keeper, from 2de2b99 (2025-12-27) .. HEAD",
        &[ambiguous(DEPLOYED, "voting_power", NOTHING, 2)],
    ),
    of(
        "shared incoming nonce",
        EVERY,
        &[
            key(DEPLOYED, "compute_nonces", NONCE),
            key(DEPLOYED, "dex_nonces", NONCE),
            key(DEPLOYED, "oracle_nonces", NONCE),
        ],
    ),
    of(
        "shared outgoing nonce",
        EVERY,
        &[
            key(DEPLOYED, "compute_sent", NONCE),
            key(DEPLOYED, "dex_sent", NONCE),
            key(DEPLOYED, "oracle_sent", NONCE),
        ],
    ),
];
