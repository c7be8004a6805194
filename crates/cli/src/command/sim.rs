//! `keyscape sim`

use crate::{
    database::{DatabaseError, Verification, engine},
    failure::{Exit, Failure},
    input::{address::Address, positive},
    output::{progress::Blocks, stderr, stdout},
    system::{CliSystem, SystemName},
};
use clap::{Args, ValueEnum};
use keyscape_diagnostics::suggestion;
use keyscape_sim::{Outcome, Plan};
use keyscape_store::{Admission, Db, Layout, LayoutError, Memory, Spaces, StoreErrorKind};
use std::{
    num::NonZeroU64,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Run random operations on a system, and check its invariants
///
/// Every block contains valid operations, and invalid ones that must be rejected. The run fails if
/// an operation has the wrong outcome or an invariant does not hold. The same seed always gives the
/// same state; the last line is a digest of all rows.
///
/// Without --db the database is in memory. With --db, each block is one commit, on disk before the
/// next one begins. After a stop at any moment, even by `kill -9`, the same command continues after
/// the last block. Several processes can run the same command on one server; they share the blocks.
/// One file can contain several systems; a file with any other store is rejected.
///
/// Exit status: 1 if an operation or an invariant fails; 2 if the file does not belong to this run.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape sim bank --blocks 1000 --seed 42
  keyscape sim txo --blocks 500 --seed 7 --db state.redb
  keyscape invariants txo state.redb
  keyscape sim cl --blocks 200 --seed 7 --db cl.redb
  keyscape sim chain --blocks 200 --db chain.redb")]
pub(crate) struct Sim {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// Number of the last block
    #[arg(long, value_name = "N", default_value_t = 1000)]
    blocks: u64,
    /// Seed of the random operations
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The database, a file or `postgres://…`; created if it does not exist
    #[arg(long, value_name = "DB", value_parser = Address)]
    db: Option<PathBuf>,
    /// Blocks between two checks of all invariants; the last state is always checked
    #[arg(long, value_name = "K", default_value = "100", value_parser = positive)]
    check_every: NonZeroU64,
    #[command(flatten)]
    verification: Verification,
}

impl Sim {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let system = self.system.system();
        let db = match &self.db {
            Some(path) => open(path, system, self.verification)?,
            None => Db::new(Memory::new(spaces(system)?)),
        };
        let plan = Plan { seed: self.seed, blocks: self.blocks, check_every: self.check_every };
        let began = Instant::now();
        let mut progress = Blocks::new(system.name(), self.blocks);
        let outcome = keyscape_sim::run(&db, system, plan, |reached| {
            progress.at(reached.height, reached.done + reached.refused);
        });
        drop(progress);
        let outcome = outcome?;
        let text = summary(system.name(), plan, &outcome, began.elapsed());
        stdout::print_data(text)?;
        Ok(Exit::Fine)
    }
}

fn spaces(system: &'static dyn CliSystem) -> Result<Spaces, Failure> {
    let layouts = keyscape_sim::layouts(&[system]);
    Layout::spaces_of(&layouts).map_err(|error| Failure::System(error.into()))
}

/// Opens or creates the file of a run. redb repairs the file of a killed run.
fn open(
    path: &Path,
    system: &'static dyn CliSystem,
    verification: Verification,
) -> Result<Db, Failure> {
    let layouts = keyscape_sim::layouts(&[system]);
    // One file may contain several systems, each with stores of its own.
    let admission = Admission::new().add_stores(true);
    if !engine::exists(path)? {
        match engine::create(path, &layouts) {
            Ok(db) => return Ok(db),
            // Another process has created the database meanwhile.
            Err(_) if engine::server(path).is_some() && engine::exists(path)? => {}
            Err(error) => return Err(error.into()),
        }
    }
    verification.run(path)?;
    let stores = stores_of_others(path)?;
    if !stores.is_empty() {
        let (path, word) =
            (engine::without_password(path), if stores.len() == 1 { "store" } else { "stores" });
        let stores = suggestion::list(&stores);
        return Err(Failure::input(
            format!("`{}` contains {word} {stores}, which no known system uses", path.display()),
            "use a new file, or one that `keyscape sim` created",
        ));
    }
    Ok(engine::open(path, &layouts, admission)?)
}

/// Returns the stores of a file that no system uses. Such a file is not used for simulations.
fn stores_of_others(path: &Path) -> Result<Vec<String>, DatabaseError> {
    let db = match engine::open_all_spaces(path) {
        // A killed run leaves the file in this state. Opening it for writing repairs it; nothing is
        // added.
        Err(DatabaseError::Layout { source: LayoutError::Store(error), .. })
            if error.kind() == StoreErrorKind::NeedsRepair =>
        {
            drop(engine::open_spaces(path, engine::spaces(path, [""; 0])?)?);
            engine::open_all_spaces(path)?
        }
        opened => opened?,
    };
    let systems = SystemName::value_variants().iter().map(|system| system.system());
    let layouts: Vec<_> = systems.flat_map(|system| keyscape_sim::layouts(&[system])).collect();
    let is_known = |space: &str| layouts.iter().any(|layout| layout.spaces.contains(&space));
    let names = db.spaces().iter().map(|(_, name)| name.to_owned());
    Ok(names.filter(|name| !name.starts_with(Spaces::RESERVED) && !is_known(name)).collect())
}

fn summary(name: &str, plan: Plan, outcome: &Outcome, took: Duration) -> String {
    let Outcome { before, reached, checks, state } = outcome;
    let blocks = reached.height - before.height;
    let (done, refused) = (reached.done - before.done, reached.refused - before.refused);
    let each_second = |count: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a rate that people read")]
        let count = count as f64;
        format!("{:.0}", count / took.as_secs_f64().max(1e-9))
    };
    let from = match (blocks, before.height) {
        (0, _) => format!("nothing to do: the file is at block {}", reached.height),
        (_, 0) => format!("blocks 1 to {}", reached.height),
        (_, at) => format!("continued after block {at}, blocks {} to {}", at + 1, reached.height),
    };
    format!(
        "{name}: {from}, seed {}
  operations  {done} done, {refused} rejected as expected
  invariants  hold, checked {}
  state       {}, {} bytes
  speed       {:.1} s, {} operations and {} blocks a second
digest: {}
",
        plan.seed,
        stderr::many(*checks, "time"),
        stderr::many(state.rows, "row"),
        state.bytes,
        took.as_secs_f64(),
        each_second(done + refused),
        each_second(blocks),
        state.digest,
    )
}
