//! `bank`

use super::Known;
use keyscape_bank::{genesis, invariants, sim};
use keyscape_sim::{Fault, System, Tally};
use keyscape_store::{Layout, Read, Tx};

/// The module `bank`.
#[derive(Debug)]
pub(super) struct Bank;

impl System for Bank {
    fn name(&self) -> &'static str {
        "bank"
    }

    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        vec![&keyscape_bank::layout::bank::LAYOUT]
    }

    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
        Ok(sim::begin(tx, seed)?)
    }

    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
        let sim::Tally { done, refused } = sim::block(tx, seed, height)?;
        Ok(Tally { done, refused })
    }

    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault> {
        Ok(invariants::check(&state)?.iter().map(ToString::to_string).collect())
    }
}

impl Known for Bank {
    fn layout_text(&self) -> &'static str {
        include_str!("../../../../layouts/bank/sound.keys")
    }

    fn verify(&self, state: &dyn Read) -> Result<(), Fault> {
        Ok(genesis::verify(&state)?)
    }
}
