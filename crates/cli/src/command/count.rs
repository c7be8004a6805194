//! `keyscape count`

use super::target::{Target, incomplete};
use crate::{
    database::{Condition, Listing},
    failure::{Exit, Failure},
    output::{progress::Progress, stderr, stdout},
};
use clap::Args;
use keyscape_store::Direction;
use std::ops::ControlFlow;

/// Count the rows that `scan` would list
///
/// Reads and decodes every row without changing the file. Verifies the checksums of the whole file
/// first. Exit status: 1 if rows do not fit the layout; 2 if the file is damaged.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape count shop.redb orders
  keyscape count shop.redb orders user=1
  keyscape count shop.redb orders --where 'value=ink'")]
pub(crate) struct Count {
    #[command(flatten)]
    target: Target,
    /// Count only rows that fulfil a condition, as for `scan`; may be repeated
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
}

impl Count {
    pub(crate) fn run(mut self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let filter = self.target.row_filter_with_ranges(&layout)?;
        Condition::check(&mut self.conditions, &layout, &filter)?;
        let base = self.target.database.open_read_only(&layout)?;
        let listing = Listing { filter: &filter, direction: Direction::Forward, after: None };
        let prefix = filter.prefix(&layout).map_err(|e| incomplete(&layout, &filter, &e))?;
        let mut progress = Progress::new("counting");
        let mut rows = 0_u64;
        let faults = listing.each::<Failure>(&base, &prefix, |_, entry| {
            progress.row();
            rows += u64::from(Condition::all_hold(&self.conditions, &layout, &entry));
            Ok(ControlFlow::Continue(()))
        })?;
        drop(progress);
        stdout::print_data(format!("{rows}\n"))?;
        Ok(stderr::report_faults(faults, &base))
    }
}
