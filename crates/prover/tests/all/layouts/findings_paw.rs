//! The defects of the layouts of the PAW chain.

use crate::layouts::findings::{
    File, Finding, collides, misplaced, reads_twice, scans_more, splits_wrongly,
};

const CHANNEL: &str = "nothing keeps the slash out of a channel or a sender";
const RANGE: &str = "the document puts what crosses modules between 20 and 2F, and this elsewhere";
const BOUNDARY: &str = "addresses have several lengths and none in the key: a long one may begin \
                        with a short one";
const RATES: &str = "29, 2A and 2B were given away twice: to rates and to randomness";
const HASH: &str = "a hash as text may have the 32 letters of a hash as bytes";
const PAUSE: &str = "03 0E was given away twice, so that the next block overwrites a pause";
const IP: &str = "0B was given away twice: `X:Y` is an address with a validator, or a validator \
                  with an asset";
const SENDER: &str = "a sender may contain the slash, and what it has sent is never pruned";
const COLON: &str = "nothing keeps the colon out of the first part";

const IPS: Finding = collides("validators_by_ip", &["outlier_counts"], IP);
const IPS_TWICE: Finding = reads_twice("validators_by_ip", COLON);
const OUTLIERS: Finding = collides("outlier_counts", &["validators_by_ip"], IP);
const OUTLIERS_TWICE: Finding = reads_twice("outlier_counts", COLON);
const OWNER: Finding = scans_more("orders_by_owner", "owner", &["orders_by_owner"], BOUNDARY);
const TRADER: Finding =
    scans_more("commitments_by_trader", "trader", &["commitments_by_trader"], BOUNDARY);

pub(crate) const FILES: &[File] = &[
    File {
        name: "paw/documented.keys",
        findings: &[&[
            reads_twice("compute_packets", CHANNEL),
            reads_twice("dex_packets", CHANNEL),
            reads_twice("oracle_packets", CHANNEL),
            reads_twice(
                "pool_by_tokens",
                "nothing is between the tokens: `ab` and `c` are also `a` and `bc`",
            ),
            misplaced("dex_packets", RANGE),
            misplaced("oracle_packets", RANGE),
        ]],
    },
    File {
        name: "paw/deployed.keys",
        findings: &[&[
            splits_wrongly("compute_nonce_times", "at \"/\"", SENDER),
            splits_wrongly("dex_nonce_times", "at \"/\"", SENDER),
            splits_wrongly("oracle_nonce_times", "at \"/\"", SENDER),
            scans_more("requests_by_requester", "requester", &["requests_by_requester"], BOUNDARY),
            scans_more("requests_by_provider", "provider", &["requests_by_provider"], BOUNDARY),
            collides("request_rates", &["randomness"], RATES),
            collides("randomness", &["request_rates"], RATES),
            scans_more("randomness", "all", &["request_rates"], RATES),
            collides("request_rates_by_height", &["randomness_by_height"], RATES),
            scans_more("request_rates_by_height", "height", &["randomness_by_height"], RATES),
            collides("randomness_by_height", &["request_rates_by_height"], RATES),
            scans_more("randomness_by_height", "height", &["request_rates_by_height"], RATES),
            reads_twice(
                "pool_by_tokens",
                "a denomination may contain the slash: `a/b` and `c` are also `a` and `b/c`",
            ),
            OWNER,
            collides("commitments", &["voted_commitments"], HASH),
            collides("voted_commitments", &["commitments"], HASH),
            scans_more("commitments", "all", &["voted_commitments"], HASH),
            scans_more("voted_commitments", "all", &["commitments"], HASH),
            TRADER,
            scans_more(
                "snapshots",
                "asset",
                &["snapshots"],
                "the zero byte is not asked for: the snapshots of BTC include those of BTCUSD",
            ),
            collides("pause", &["voting_power"], PAUSE),
            collides("voting_power", &["pause"], PAUSE),
            IPS,
            IPS_TWICE,
            OUTLIERS,
            OUTLIERS_TWICE,
        ]],
    },
    File {
        name: "paw/dbab9ec.keys",
        findings: &[&[OWNER, TRADER, IPS, IPS_TWICE, OUTLIERS, OUTLIERS_TWICE]],
    },
];
