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

use keyscape_store::{Database, Db, Limits, Spaces, StoreError, StoreErrorKind, StoreId};
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
    ("bounds of all kinds, in both directions, with and without pending writes", reading::bounds),
    ("a range continues after a key", reading::continued),
    ("a cursor that has ended returns no more rows", reading::ended),
    ("reading many keys at once returns the same values as reading each", reading::many_keys),
    ("empty keys and values are rows", reading::empty),
    ("large values are read as they were written", reading::large),
    ("stores are separate", reading::many_stores),
    ("a store that was not opened is an error", reading::unknown_store),
    ("a later commit does not change a snapshot", reading::snapshots),
    ("a transaction reads its own writes", writing::own_writes),
    ("a commit writes to all stores, or to none", writing::all_or_nothing),
    ("a dropped transaction writes nothing", writing::dropped),
    ("revisions grow with each commit", writing::revisions),
    ("limits are enforced before anything is written", writing::limits),
    ("reading does not write", writing::read_only),
    ("metadata is separate from the user's keys", writing::metadata),
    ("changes are sorted and complete", writing::changes),
    ("meters count the operations of the user", writing::meters),
    ("a walk visits the rows ahead of it, each once", writing::walks),
    ("buffered commits are visible and can be synced", writing::buffered),
    ("a rollback restores a checkpoint exactly", checkpoints::restored),
    ("stale checkpoints are rejected", checkpoints::stale),
    ("a failed attempt writes nothing", checkpoints::attempts),
    ("an attempt that panics writes nothing", panics::attempts),
    ("an attempt that cannot be rolled back ends the transaction", panics::poisoned),
    ("a panic in a callback passes through and changes nothing", panics::callbacks),
    ("the next writer can begin after a panic in a transaction", panics::writers),
    ("reads before a panic still conflict", panics::reads_of_panics),
    ("a write to a key that was read conflicts", conflicts::keys),
    ("a new key in a range that was read conflicts", conflicts::phantoms),
    ("only the part of a range that a cursor has passed conflicts", conflicts::partly_read),
    ("reads of a rolled-back part still conflict", conflicts::rolled_back_reads),
    ("writes alone do not conflict", conflicts::blind_writes),
    ("a forgotten cursor still conflicts", conflicts::leaked_cursor),
    ("optimistic transactions are run again", conflicts::run_again),
    ("a thread does not wait for itself", threads::no_deadlock),
    ("exclusive writers run one after the other", threads::exclusive),
    ("no increment is lost between threads", threads::increments),
    ("readers see whole commits only", threads::whole_commits),
    ("concurrent threads cause no write skew", threads::write_skew),
    ("a subscription reports the commits of its range", watching::commits),
    ("a subscription reports that it has lost commits", watching::falling_behind),
    ("commits of several threads are reported in their order", watching::following),
    ("two transactions cannot both miss the write of the other", histories::write_skew),
    ("two transactions do not both find a range empty", histories::inserted_phantoms),
    ("a reader sees no state that never existed", histories::late_receipt),
    ("histories of concurrent transactions are serializable", histories::serializable),
    ("transfers conserve the total", bank::transfers),
    ("a commit that fails is not written, and no other one is lost", faults::ledgers),
    ("transactions, checkpoints and cursors agree with a sorted map", model::agrees),
];

/// Further rules of local engines. Remote engines guarantee serializable transactions only.
pub const LOCAL_RULES: &[Rule] = &[
    ("every write inside a read range conflicts", conflicts::any_later_write),
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

/// Returns the kind of an error, for comparisons.
fn kind<T>(outcome: Result<T, StoreError>) -> Result<(), StoreErrorKind> {
    outcome.map(drop).map_err(|error| error.kind())
}
