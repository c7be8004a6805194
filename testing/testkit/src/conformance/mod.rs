//! The rules that every engine must satisfy, as one function.
//!
//! ```
//! use keyscape_store::Memory;
//! use keyscape_testkit::conformance::{Setup, run_local};
//!
//! run_local(&|Setup { spaces, limits }| Box::new(Memory::new(spaces).with_limits(limits)));
//! ```

mod bank;
mod checkpoints;
mod conflicts;
mod faults;
mod histories;
mod model;
mod panics;
mod reading;
mod threads;
mod watching;
mod writing;

use keyscape_store::{Database, Db, Limits, Read, ReadExt, Spaces, StoreError, StoreId};
use std::{error::Error, sync::Arc};

/// The parameters of an empty database.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The required spaces.
    pub spaces: Spaces,
    /// Limits that the engine must enforce, if they are tighter than its own.
    pub limits: Limits,
}

pub use histories::record;

/// Opens an empty database on the tested engine.
pub type Factory<'f> = &'f dyn Fn(Setup) -> Box<dyn Database>;

/// A rule: its name, and the function that checks it.
pub type Rule = (&'static str, fn(Factory<'_>) -> Outcome);
type Outcome = Result<(), Box<dyn Error>>;

/// All rules.
pub const RULES: &[Rule] = &[
    ("a prefix has exactly the keys that begin with it", reading::prefixes),
    ("bounds of all kinds, both ways, clean and with pending writes", reading::bounds),
    ("a range goes on after a key", reading::going_on),
    ("a cursor that has ended stays so", reading::ended),
    ("many keys are read as one by one", reading::many_keys),
    ("empty keys and values are rows", reading::empty),
    ("large values come back whole", reading::large),
    ("stores do not see each other", reading::many_stores),
    ("a store that was not opened is an error", reading::unknown_store),
    ("a snapshot does not move", reading::snapshots),
    ("a transaction reads what it wrote", writing::own_writes),
    ("a commit covers all stores, and nothing else does", writing::all_or_nothing),
    ("a transaction that is dropped leaves nothing", writing::dropped),
    ("revisions grow with each commit", writing::revisions),
    ("limits are kept before anything is written", writing::limits),
    ("reading does not write", writing::read_only),
    ("metadata is apart from the user's keys", writing::metadata),
    ("changes are sorted and complete", writing::changes),
    ("meters count what the user does", writing::meters),
    ("a walk meets what is ahead of it and nothing twice", writing::walks),
    ("buffered commits are seen and can be synced", writing::buffered),
    ("checkpoints go back exactly", checkpoints::go_back),
    ("stale checkpoints are refused", checkpoints::stale),
    ("a failed attempt leaves nothing", checkpoints::attempts),
    ("an attempt that panics leaves nothing", panics::attempts),
    ("an attempt that cannot be rolled back ends the transaction", panics::poisoned),
    ("a panic in a callback passes through and changes nothing", panics::callbacks),
    ("a panic in a transaction lets the next writer in", panics::writers),
    ("what was read before a panic still conflicts", panics::reads_of_panics),
    ("a write to a key that was read conflicts", conflicts::keys),
    ("a new key in a range that was read conflicts", conflicts::phantoms),
    ("only what was seen of a range conflicts", conflicts::partly_read),
    ("what a rolled-back part has read still conflicts", conflicts::rolled_back_reads),
    ("writes alone do not conflict", conflicts::blind_writes),
    ("a forgotten cursor still conflicts", conflicts::leaked_cursor),
    ("optimistic transactions are run again", conflicts::run_again),
    ("a thread does not wait for itself", threads::no_deadlock),
    ("writers come one after the other", threads::exclusive),
    ("no increment is lost between threads", threads::increments),
    ("readers see whole commits only", threads::whole_commits),
    ("no two threads skew each other's writes", threads::write_skew),
    ("a subscription reports the commits of its range", watching::commits),
    ("a subscription that loses commits says so", watching::falling_behind),
    ("commits of several threads are reported in their order", watching::following),
    ("each of two transactions is not blind to the other", histories::write_skew),
    ("two transactions do not both find a range empty", histories::inserted_phantoms),
    ("a reader sees no state that never was", histories::late_receipt),
    ("histories of concurrent transactions are serializable", histories::serializable),
    ("transfers conserve the total", bank::transfers),
    ("a commit that fails is not written, and no other one is lost", faults::ledgers),
    ("transactions, checkpoints and cursors agree with a sorted map", model::agrees),
];

/// Further rules of local engines. Remote engines guarantee serializable transactions only.
pub const LOCAL_RULES: &[Rule] = &[
    ("every write inside what was read conflicts", conflicts::any_later_write),
    ("nothing but a commit changes the revision", writing::exact_revisions),
];

/// Checks that an engine satisfies every rule.
///
/// # Panics
/// If it violates a rule, with the name of the rule.
pub fn run(factory: Factory<'_>) {
    for rule in RULES {
        check(rule, factory);
    }
}

/// Checks that a local engine satisfies every rule, including [`LOCAL_RULES`].
///
/// # Panics
/// As [`run`].
pub fn run_local(factory: Factory<'_>) {
    run(factory);
    for rule in LOCAL_RULES {
        check(rule, factory);
    }
}

/// Checks one rule.
///
/// # Panics
/// If it is violated.
pub fn check((name, rule): &Rule, factory: Factory<'_>) {
    if let Err(error) = rule(factory) {
        panic!("an engine breaks the rule `{name}`: {error}");
    }
}

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");

fn open(factory: Factory<'_>) -> Result<Db, Box<dyn Error>> {
    open_with(factory, &["a", "b"], Limits::NONE)
}

fn open_with(factory: Factory<'_>, names: &[&str], limits: Limits) -> Result<Db, Box<dyn Error>> {
    let spaces = Spaces::new(names)?;
    Ok(Db::from(Arc::from(factory(Setup { spaces, limits }))))
}

/// Writes rows in one commit.
fn fill(db: &Db, store: StoreId, rows: &[(&[u8], &[u8])]) -> Result<(), StoreError> {
    db.write(|tx| rows.iter().try_for_each(|(key, value)| tx.put(store, key, value)))
}

/// Returns a value, for comparisons.
fn value(state: &dyn Read, store: StoreId, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    state.get(store, key)
}
