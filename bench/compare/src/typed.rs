//! Typed access to rows, compared with direct use of the engine and with other libraries.

pub mod data;
pub mod growth;
pub mod memory;
pub mod native;
pub mod ours;
pub mod redb;
pub mod rivals;

use data::{Key, kept, ok};
use keyscape::store::Durability;
use keyscape_bench::{Entry, Group, Side, Work};
use serde::{Deserialize, Serialize};

keyscape::layout!("src/typed/shop.keys");
keyscape::layout!("src/typed/live.keys");

/// The cache size of redb in bytes, the same for every side.
pub const CACHE: usize = 1 << 30;

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

/// Returns the groups of this module. Their names contain the engine and the work.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = memory_entries();
    entries.extend(redb_entries());
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

fn memory_entries() -> Vec<Entry> {
    vec![
        entry("memory get", || {
            pair(GET, || ours::get(memory_state()), || memory::get(memory::filled()))
        }),
        entry("memory put", || {
            let ours = || ours::put(memory_db(), Durability::Buffered);
            pair(PUT, ours, || memory::put(memory::filled()))
        }),
        entry("memory put-indexed", || {
            pair(INDEXED, || ours::put_indexed(ours::memory()), memory::put_indexed)
        }),
        entry("memory scan", || {
            pair(SCAN, || ours::scan(memory_state()), || memory::scan(memory::filled()))
        }),
        entry("memory scan-ten", || {
            pair(TEN, || ours::scan_ten(memory_state()), || memory::scan_ten(memory::filled()))
        }),
        entry("memory dirty-get", || {
            pair(GET, || ours::get(ours::dirty(memory_db())), || memory::get(memory::dirty()))
        }),
        entry("memory dirty-scan", || {
            pair(SCAN, || ours::scan(ours::dirty(memory_db())), || memory::scan(memory::dirty()))
        }),
        entry("memory dirty-scan-ten", || {
            let ours = || ours::scan_ten(ours::dirty(memory_db()));
            pair(TEN, ours, || memory::scan_ten(memory::dirty()))
        }),
    ]
}

fn redb_entries() -> Vec<Entry> {
    vec![
        entry("redb get", || pair(GET, || ours::get(redb_state()), || redb::get(redb::clean()))),
        entry("redb put", || {
            pair(PUT, || ours::put(redb_db(), Durability::Buffered), || redb::put(false))
        }),
        entry("redb put-durable", || {
            pair(DURABLE, || ours::put(redb_db(), Durability::Durable), || redb::put(true))
        }),
        entry("redb put-indexed", || {
            pair(INDEXED, || ours::put_indexed(ours::redb()), redb::put_indexed)
        }),
        entry("redb scan", || {
            pair(SCAN, || ours::scan(redb_state()), || redb::scan(redb::clean()))
        }),
        entry("redb scan-ten", || {
            pair(TEN, || ours::scan_ten(redb_state()), || redb::scan_ten(redb::clean()))
        }),
        entry("redb dirty-get", || {
            pair(GET, || ours::get(ours::dirty(redb_db())), || redb::get(redb::dirty()))
        }),
        entry("redb dirty-scan", || {
            pair(SCAN, || ours::scan(ours::dirty(redb_db())), || redb::scan(redb::dirty()))
        }),
        entry("redb dirty-scan-ten", || {
            pair(TEN, || ours::scan_ten(ours::dirty(redb_db())), || redb::scan_ten(redb::dirty()))
        }),
    ]
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

fn memory_db() -> &'static keyscape::store::Db {
    ours::filled(ours::memory())
}

fn redb_db() -> &'static keyscape::store::Db {
    ours::filled(ours::redb())
}

fn memory_state() -> &'static keyscape::store::Snapshot<'static> {
    kept(ok(memory_db().read()))
}

fn redb_state() -> &'static keyscape::store::Snapshot<'static> {
    kept(ok(redb_db().read()))
}

fn pair<A: Work + 'static, B: Work + 'static>(
    title: &str,
    ours: impl FnOnce() -> A + 'static,
    raw: impl FnOnce() -> B + 'static,
) -> Group {
    let sides = vec![Side::lazy("Keyscape", "", ours), Side::lazy("by hand", "", raw)];
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
