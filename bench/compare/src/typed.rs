//! Typed access to rows, compared with direct use of the engine and with other libraries.

pub mod data;
pub mod growth;
pub mod memory;
pub mod native;
pub mod ours;
pub mod redb;
pub mod rivals;

use data::Key;
use keyscape::store::Durability;
use keyscape_bench::{Entry, Group, Side, Work};
use serde::{Deserialize, Serialize};

keyscape::layout!("src/typed/shop.keys");
keyscape::layout!("src/typed/live.keys");

/// A value that is stored as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A number that depends on both fields of the key.
    pub ticket: u64,
    /// The order number.
    pub amount: u64,
    /// A text that contains both fields of the key.
    pub text: String,
}

impl Note {
    /// Returns the value for a key.
    #[must_use]
    pub fn of((user, order): Key) -> Self {
        Self { ticket: user ^ order, amount: order, text: format!("order {order} of {user}") }
    }
}

/// Returns the groups that compare typed access on an engine with handwritten code on it.
macro_rules! engine_entries {
    ($engine:ident) => {{
        let entry = |work: &str, build| entry(&format!("{} {work}", stringify!($engine)), build);
        vec![
            entry("get", || {
                by_hand(
                    GET,
                    || ours::get(ours::clean(ours::$engine())),
                    || $engine::get($engine::clean()),
                )
            }),
            entry("put", || {
                by_hand(PUT, || ours::put(ours::$engine(), Durability::Buffered), $engine::put)
            }),
            entry("put-indexed", || {
                by_hand(INDEXED, || ours::put_indexed(ours::$engine()), $engine::put_indexed)
            }),
            entry("scan", || {
                let ours = || ours::scan(ours::clean(ours::$engine()));
                by_hand(SCAN, ours, || $engine::scan($engine::clean()))
            }),
            entry("scan-ten", || {
                let ours = || ours::scan_ten(ours::clean(ours::$engine()));
                by_hand(TEN, ours, || $engine::scan_ten($engine::clean()))
            }),
            entry("dirty-get", || {
                let ours = || ours::get(ours::dirty(ours::$engine()));
                by_hand(GET, ours, || $engine::get($engine::dirty()))
            }),
            entry("dirty-scan", || {
                let ours = || ours::scan(ours::dirty(ours::$engine()));
                by_hand(SCAN, ours, || $engine::scan($engine::dirty()))
            }),
            entry("dirty-scan-ten", || {
                let ours = || ours::scan_ten(ours::dirty(ours::$engine()));
                by_hand(TEN, ours, || $engine::scan_ten($engine::dirty()))
            }),
        ]
    }};
}

/// Returns the groups of this module. Their names contain the engine and the work.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = engine_entries!(memory);
    entries.extend(engine_entries!(redb));
    entries.push(entry("redb put-durable", || {
        by_hand(DURABLE, || ours::put(ours::redb(), Durability::Durable), redb::put_durable)
    }));
    entries.extend(rival_entries());
    entries
}

/// Returns the highest acceptable ratio of our time to the time of handwritten code, if one is set.
#[must_use]
pub fn goal(id: &str) -> Option<f64> {
    match id.split(' ').next_back()? {
        "get" | "put" | "put-durable" => Some(1.05),
        "scan" | "put-indexed" => Some(1.10),
        "scan-ten" => Some(1.20),
        _ => None,
    }
}

fn entry(id: &str, build: fn() -> Group) -> Entry {
    Entry { id: format!("typed {id}"), build }
}

const GET: &str = "get";
const PUT: &str = "put, 1,024 a transaction, not synced";
const DURABLE: &str = "put, 1,024 a transaction, synced";
const INDEXED: &str = "put with an index, 1,024 a transaction, not synced";
const SCAN: &str = "a row of a full scan";
const TEN: &str = "a scan of ten rows";

fn rival_entries() -> Vec<Entry> {
    vec![
        entry("json get", || {
            three("get, JSON", ours::noted_get, rivals::plus_get, rivals::storey_get)
        }),
        entry("json put", || {
            three("put, JSON", ours::noted_put, rivals::plus_put, rivals::storey_put)
        }),
        entry("json scan-ten", || {
            three(
                "a scan of ten rows, JSON",
                ours::noted_scan,
                rivals::plus_scan,
                rivals::storey_scan,
            )
        }),
        entry("native get", || native("get, owned", native::get, native::raw_get)),
        entry("native put", || native(DURABLE, native::put, native::raw_put)),
    ]
}

fn by_hand<A: Work + 'static, B: Work + 'static>(
    title: &str,
    ours: impl FnOnce() -> A + 'static,
    hand: impl FnOnce() -> B + 'static,
) -> Group {
    let sides = vec![Side::lazy("Keyscape", "", ours), Side::lazy("by hand", "", hand)];
    Group { title: title.to_owned(), sides }
}

fn native<A: Work + 'static, B: Work + 'static>(
    title: &str,
    theirs: impl FnOnce() -> A + 'static,
    raw: impl FnOnce() -> B + 'static,
) -> Group {
    let sides = vec![Side::lazy("native_db", "", theirs), Side::lazy("its redb by hand", "", raw)];
    Group { title: title.to_owned(), sides }
}

fn three<A: Work + 'static, B: Work + 'static, C: Work + 'static>(
    title: &str,
    ours: impl FnOnce() -> A + 'static,
    plus: impl FnOnce() -> B + 'static,
    storey: impl FnOnce() -> C + 'static,
) -> Group {
    let sides = vec![
        Side::lazy("Keyscape", "rows pending in a transaction", ours),
        Side::lazy("cw-storage-plus", "rows in a `BTreeMap`", plus),
        Side::lazy("storey", "rows in a `BTreeMap`", storey),
    ];
    Group { title: title.to_owned(), sides }
}
