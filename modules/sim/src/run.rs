//! The loop over blocks.

use crate::{Reached, SimError, State, System, record::Record, sim, state_of};
use keyscape::store::{Db, KeyRange, Layout, Mode, Read, StoreId, Tx};
use std::num::NonZeroU64;

/// How often invariants are checked if nobody says it.
const CHECK_EVERY: NonZeroU64 = match NonZeroU64::new(100) {
    Some(blocks) => blocks,
    None => NonZeroU64::MIN,
};

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is drawn from.
    pub seed: u64,
    /// The last block.
    pub blocks: u64,
    /// Invariants are checked whenever this many blocks have passed, and at the end.
    pub check_every: NonZeroU64,
}

impl Plan {
    /// A plan with a check every 100 blocks.
    #[must_use]
    pub fn new(seed: u64, blocks: u64) -> Plan {
        Plan { seed, blocks, check_every: CHECK_EVERY }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Where the run stood when it was taken up; the default for a new one.
    pub before: Reached,
    /// Where it stands now.
    pub reached: Reached,
    /// How often all invariants were checked.
    pub checks: u64,
    /// The rows of the system.
    pub state: State,
}

/// The layouts of a database for these systems: theirs, and that of the runs.
#[must_use]
pub fn layouts(systems: &[&dyn System]) -> Vec<&'static Layout<'static>> {
    let theirs = systems.iter().flat_map(|system| system.layouts());
    std::iter::once(&sim::LAYOUT).chain(theirs).collect()
}

/// Runs a system up to the last block of the plan, from where its run in the database stands. `each` hears of every block.
///
/// # Errors
/// [`SimError`] says what was wrong. What is committed stays, and a later run takes it up.
pub fn run(
    db: &Db,
    system: &dyn System,
    plan: Plan,
    mut each: impl FnMut(&Reached),
) -> Result<Outcome, SimError> {
    let before = take_up(db, system, plan)?;
    let mut reached = before;
    let mut checks = 0;
    while reached.height < plan.blocks {
        let height = reached.height + 1;
        let mut tx = db.begin(Mode::Write)?;
        let tally = system.block(&mut tx, plan.seed, height).map_err(|fault| SimError::Block {
            system: system.name(),
            height,
            fault,
        })?;
        if height.is_multiple_of(plan.check_every.get()) {
            check(system, &tx, height)?;
            checks += 1;
        }
        reached = reached.then(tally);
        Record { seed: plan.seed, reached }.write(&mut tx, system.name())?;
        tx.commit()?;
        each(&reached);
    }
    let tx = db.begin(Mode::Write)?;
    if checks == 0 || !reached.height.is_multiple_of(plan.check_every.get()) {
        check(system, &tx, reached.height)?;
        checks += 1;
    }
    let state = state_of(&tx, &system.layouts())?;
    Ok(Outcome { before, reached, checks, state })
}

/// Where the run in the database stands; begins one if there is none.
fn take_up(db: &Db, system: &dyn System, plan: Plan) -> Result<Reached, SimError> {
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
