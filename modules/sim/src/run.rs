//! The block loop, and the progress of a run in the database.

use crate::{
    Fault, State, System, Tally, sim,
    sim::{Figure, RUNS, RunsKey},
    state_of,
};
use keyscape::store::{Db, KeyRange, Layout, Mode, Read, StoreError, StoreId, Tx};
use std::num::NonZeroU64;

/// The default interval of invariant checks, in blocks.
const CHECK_EVERY: NonZeroU64 = match NonZeroU64::new(100) {
    Some(blocks) => blocks,
    None => NonZeroU64::MIN,
};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The seed of random choices.
    pub seed: u64,
    /// The number of the last block.
    pub blocks: u64,
    /// The interval of invariant checks, in blocks. The last block is checked too.
    pub check_every: NonZeroU64,
}

impl Plan {
    /// Creates a plan with a check every 100 blocks.
    #[must_use]
    pub fn new(seed: u64, blocks: u64) -> Plan {
        Plan { seed, blocks, check_every: CHECK_EVERY }
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The last block.
    pub height: u64,
    /// The number of successful operations since the first block.
    pub done: u64,
    /// The number of rejected operations.
    pub refused: u64,
}

impl Reached {
    /// Adds one block.
    fn after_block(self, tally: Tally) -> Self {
        let Self { height, done, refused } = self;
        Self { height: height + 1, done: done + tally.done, refused: refused + tally.refused }
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The progress at the start; the default for a new run.
    pub before: Reached,
    /// The progress at the end.
    pub reached: Reached,
    /// The number of checks of all invariants.
    pub checks: u64,
    /// The final state of the system.
    pub state: State,
}

/// The reason why a simulation ended before its last block. All earlier blocks are committed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The run in the database has another seed.
    #[error("the run of `{system}` in this database has seed {stored}, not {asked}")]
    Seed {
        /// The system.
        system: &'static str,
        /// The seed of the run.
        stored: u64,
        /// The requested seed.
        asked: u64,
    },
    /// The run in the database is already past the plan.
    #[error("the run of `{system}` in this database is at block {reached}, past block {asked}")]
    Further {
        /// The system.
        system: &'static str,
        /// The last block of the run.
        reached: u64,
        /// The last block of the plan.
        asked: u64,
    },
    /// The stores of the system contain rows that no run has written.
    #[error("store `{space}` contains rows that no run of `{system}` has written")]
    Foreign {
        /// The system.
        system: &'static str,
        /// The store.
        space: Box<str>,
    },
    /// The initial state could not be written.
    #[error("before the first block of `{system}`: {fault}")]
    Begin {
        /// The system.
        system: &'static str,
        /// The cause.
        #[source]
        fault: Fault,
    },
    /// A block failed. Nothing of it is committed.
    #[error("block {height} of `{system}`: {fault}")]
    Block {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// The cause.
        #[source]
        fault: Fault,
    },
    /// Invariants do not hold; the message has one line for each. The block is not committed, but
    /// the blocks since the last check are.
    #[error("after block {height} of `{system}`, invariants do not hold:\n{}", .broken.join("\n"))]
    Broken {
        /// The system.
        system: &'static str,
        /// The block.
        height: u64,
        /// The violations.
        broken: Vec<String>,
    },
    /// The progress of the run could not be read or written.
    #[error(transparent)]
    Record(#[from] keyscape::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the layouts of a database for these systems, including the layout of the runs.
#[must_use]
pub fn layouts(systems: &[&dyn System]) -> Vec<&'static Layout<'static>> {
    let theirs = systems.iter().flat_map(|system| system.layouts());
    std::iter::once(&sim::LAYOUT).chain(theirs).collect()
}

/// Runs a system up to the last block of the plan, continuing its run in the database. Calls `each`
/// after every block.
///
/// # Errors
/// [`SimError`]. Committed blocks remain, and a later run continues after them.
pub fn run(
    db: &Db,
    system: &dyn System,
    plan: Plan,
    mut each: impl FnMut(&Reached),
) -> Result<Outcome, SimError> {
    let before = begin_or_resume(db, system, plan)?;
    let mut reached = before;
    let mut checks = 0;
    while reached.height < plan.blocks {
        let mut tx = db.begin(Mode::Write)?;
        // Another process of the same run may have committed blocks meanwhile.
        if let Some(record) = Record::read(&tx, system.name())? {
            reached = record.reached;
        }
        if reached.height >= plan.blocks {
            break;
        }
        let height = reached.height + 1;
        let tally = system.block(&mut tx, plan.seed, height).map_err(|fault| SimError::Block {
            system: system.name(),
            height,
            fault,
        })?;
        if height.is_multiple_of(plan.check_every.get()) || height == plan.blocks {
            check(system, &tx, height)?;
            checks += 1;
        }
        reached = reached.after_block(tally);
        Record { seed: plan.seed, reached }.write(&mut tx, system.name())?;
        tx.commit()?;
        each(&reached);
    }
    let tx = db.begin(Mode::Write)?;
    // This run may have added no block.
    if checks == 0 {
        check(system, &tx, reached.height)?;
        checks += 1;
    }
    let state = state_of(&tx, &system.layouts())?;
    Ok(Outcome { before, reached, checks, state })
}

/// Returns the progress of the run in the database. Begins a run if the database has no run.
fn begin_or_resume(db: &Db, system: &dyn System, plan: Plan) -> Result<Reached, SimError> {
    let name = system.name();
    let mut tx = db.begin(Mode::Write)?;
    if let Some(Record { seed, reached }) = Record::read(&tx, name)? {
        if seed != plan.seed {
            return Err(SimError::Seed { system: name, stored: seed, asked: plan.seed });
        }
        if reached.height > plan.blocks {
            let (reached, asked) = (reached.height, plan.blocks);
            return Err(SimError::Further { system: name, reached, asked });
        }
        return Ok(reached);
    }
    for space in system.layouts().iter().flat_map(|layout| layout.spaces) {
        if tx.rows(StoreId::of(space), KeyRange::all())?.next()?.is_some() {
            return Err(SimError::Foreign { system: name, space: (*space).into() });
        }
    }
    let begun = system.begin(&mut tx, plan.seed);
    begun.map_err(|fault| SimError::Begin { system: name, fault })?;
    let reached = Reached::default();
    Record { seed: plan.seed, reached }.write(&mut tx, name)?;
    tx.commit()?;
    Ok(reached)
}

fn check(system: &dyn System, tx: &Tx<'_>, height: u64) -> Result<(), SimError> {
    let name = system.name();
    let broken =
        system.broken(tx).map_err(|fault| SimError::Block { system: name, height, fault })?;
    if broken.is_empty() { Ok(()) } else { Err(SimError::Broken { system: name, height, broken }) }
}

/// A run in a database.
#[derive(Clone, Copy, Debug)]
struct Record {
    seed: u64,
    reached: Reached,
}

impl Record {
    /// Reads the record. The rows of a run are always written together.
    fn read(read: &impl Read, system: &str) -> Result<Option<Self>, keyscape::Error> {
        let name = sim::System::new(system)?;
        let figure = |figure| RUNS.get(read, RunsKey { system: name.by_ref(), figure });
        let Some(seed) = figure(Figure::Seed)? else { return Ok(None) };
        let number = |of| Ok::<_, keyscape::Error>(figure(of)?.unwrap_or_default());
        let (height, done, refused) =
            (number(Figure::Height)?, number(Figure::Done)?, number(Figure::Refused)?);
        Ok(Some(Self { seed, reached: Reached { height, done, refused } }))
    }

    fn write(self, tx: &mut Tx<'_>, system: &str) -> Result<(), keyscape::Error> {
        let name = sim::System::new(system)?;
        let Reached { height, done, refused } = self.reached;
        let figures = [
            (Figure::Seed, self.seed),
            (Figure::Height, height),
            (Figure::Done, done),
            (Figure::Refused, refused),
        ];
        figures.into_iter().try_for_each(|(figure, value)| {
            RUNS.put(tx, RunsKey { system: name.by_ref(), figure }, value)
        })
    }
}
