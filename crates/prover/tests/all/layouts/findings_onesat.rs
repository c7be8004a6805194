//! The defects of the layouts of the 1Sat store.

use crate::layouts::findings::{
    File, Finding, collides, loses, out_of_order, reads_twice, scans_more,
};

const SYMBOL: &str = "a token symbol is any text: `FOO:spnd` as a symbol is `FOO` spent";
const EVENT: &str = "events have no prefix of their own and may be any text, such as `tp:x`";
const SPENT: &str = "an event may end like a spent one: `sym:FOO:spnd`";
const TOPIC: &str = "a topic may be called `t:tx`, and other names may begin with `tp:`";
const TOPIC_TXS: &str = "the suffix `:tx` may be part of a topic's name";
const LOG: &str = "logs have no prefix of their own: one may be called `merkle:a:1`";
const MERKLE: &str = "a log or event may be called `merkle:a:1`";
const QUEUE: &str = "a subscription may be called `tok:X`, which is the queue of token X";
const PROGRESS: &str = "subscriptions, owners and peers share the fields of one hash";
const PEER: &str = "a topic may contain the colon that is to end it";
const JOINED: &str = "the delimiter may be in both parts: set `s:bsv21`, member `whitelist:X`";
const LEAKS: &str = "`z:own:A:spnd` begins with the prefix under which `z:own:A` is read";
const NUL: &str = "a symbol may contain U+0000, which JSON can write, so the delimiter is not safe";
const LIST: &str =
    "`list:` may name a seller, and a token id may look like a seller and a token id";
const SETS: &str = "`KeySet` takes any name, those of the whitelist and the blacklist too";
const INJECTED: &str = "a transaction id that begins with `sats:` puts its output into `h:sats`";

const ROUNDED: &str = "from height 8388608 on, places next to each other are one number";
const CARRIED: &str = "place 1000000000 of a block has the score of place 0 of the next one";

/// The collisions of structures with a prefix for events.
const STRUCTURES: &[Finding] = &[
    collides("events", &["logs", "spent"], SYMBOL),
    collides("spent", &["events", "logs"], SYMBOL),
    collides("topics", &["logs", "topic_txs"], TOPIC),
    collides("topic_txs", &["logs", "topics"], TOPIC_TXS),
    collides("logs", &["events", "merkle", "spent", "topic_txs", "topics"], LOG),
    collides("merkle", &["logs"], MERKLE),
];

/// Queues, which collide in all versions.
const QUEUES: &[Finding] =
    &[collides("subscriptions", &["tokens"], QUEUE), collides("tokens", &["subscriptions"], QUEUE)];

/// Fields of `h:prog`, which collide in all versions.
const PROGRESS_FIELDS: &[Finding] = &[
    collides("progress.subscription", &["progress.owner", "progress.peer"], PROGRESS),
    collides("progress.owner", &["progress.subscription"], PROGRESS),
    collides("progress.peer", &["progress.subscription"], PROGRESS),
    reads_twice("progress.peer", PEER),
];

const fn scores(why: &'static str) -> [Finding; 6] {
    [
        loses("events", "score", why),
        loses("spent", "score", why),
        loses("topics", "score", why),
        loses("topic_txs", "score", why),
        loses("logs", "score", why),
        loses("merkle", "score", why),
    ]
}

const fn queue_scores(why: &'static str) -> [Finding; 2] {
    [loses("subscriptions", "score", why), loses("tokens", "score", why)]
}

/// The findings of a version on Badger. Only the delimiter of sorted sets differs between versions.
const fn badger(sorted_sets: &'static str) -> [Finding; 8] {
    [
        reads_twice("set_members", JOINED),
        scans_more("set_members", "key", &["set_members"], JOINED),
        reads_twice("hash_fields", INJECTED),
        scans_more("hash_fields", "key", &["hash_fields"], INJECTED),
        reads_twice("zset_scores", sorted_sets),
        scans_more("zset_scores", "key", &["zset_scores"], sorted_sets),
        reads_twice("zset_members", sorted_sets),
        scans_more("zset_members", "key", &["zset_members"], sorted_sets),
    ]
}

pub(crate) const FILES: &[File] = &[
    File {
        name: "onesat/documented.keys",
        findings: &[
            &[
                collides("events", &["logs", "merkle", "spent", "topic_txs", "topics"], EVENT),
                reads_twice("events", LIST),
                reads_twice("spent", LIST),
                collides("sets", &["blacklist", "whitelist"], SETS),
                collides("whitelist", &["sets"], SETS),
                collides("blacklist", &["sets"], SETS),
                collides("spent", &["events", "logs", "topics"], SPENT),
                collides("topics", &["events", "logs", "spent", "topic_txs"], TOPIC),
                collides("topic_txs", &["events", "logs", "topics"], TOPIC_TXS),
                collides("logs", &["events", "merkle", "spent", "topic_txs", "topics"], LOG),
                collides("merkle", &["events", "logs"], MERKLE),
            ],
            QUEUES,
            &scores(ROUNDED),
            &queue_scores(ROUNDED),
            PROGRESS_FIELDS,
        ],
    },
    File {
        name: "onesat/deployed.keys",
        findings: &[
            STRUCTURES,
            QUEUES,
            &[out_of_order(
                "output",
                "outpoint.txid",
                "the number of an output is little-endian: 256 sorts before 1",
            )],
            &scores(CARRIED),
            &queue_scores(CARRIED),
            PROGRESS_FIELDS,
        ],
    },
    File { name: "onesat/1842d5c.keys", findings: &[STRUCTURES, &scores(CARRIED)] },
    File { name: "onesat/badger.keys", findings: &[&badger(LEAKS)] },
    File { name: "onesat/badger-nul.keys", findings: &[&badger(NUL)] },
];
