//! The progress of a run in the database.

use crate::{
    Tally,
    sim::{Figure, RUNS, RunsKey, System},
};
use keyscape::store::{Read, Tx};

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
    pub(crate) fn then(self, tally: Tally) -> Self {
        let Self { height, done, refused } = self;
        Self { height: height + 1, done: done + tally.done, refused: refused + tally.refused }
    }
}

/// A run in a database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) seed: u64,
    pub(crate) reached: Reached,
}

impl Record {
    /// Reads the record. The rows of a run are always written together.
    pub(crate) fn read(read: &impl Read, system: &str) -> Result<Option<Self>, keyscape::Error> {
        let name = System::new(system)?;
        let figure = |figure| RUNS.get(read, RunsKey { system: name.by_ref(), figure });
        let Some(seed) = figure(Figure::Seed)? else { return Ok(None) };
        let number = |of| Ok::<_, keyscape::Error>(figure(of)?.unwrap_or_default());
        let (height, done, refused) =
            (number(Figure::Height)?, number(Figure::Done)?, number(Figure::Refused)?);
        Ok(Some(Self { seed, reached: Reached { height, done, refused } }))
    }

    pub(crate) fn write(self, tx: &mut Tx<'_>, system: &str) -> Result<(), keyscape::Error> {
        let name = System::new(system)?;
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
