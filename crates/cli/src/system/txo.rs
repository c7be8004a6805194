//! `txo`

use super::Known;
use keyscape_sim::{Fault, System, Tally};
use keyscape_store::{Layout, Read, Tx};
use keyscape_txo::{genesis, invariants, sim};

/// The module `txo`.
#[derive(Debug)]
pub(super) struct Txo;

impl System for Txo {
    fn name(&self) -> &'static str {
        "txo"
    }

    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        vec![&keyscape_txo::layout::txo::LAYOUT]
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

impl Known for Txo {
    fn layout_text(&self) -> &'static str {
        include_str!("../../../../layouts/onesat/sound.keys")
    }

    fn verify(&self, state: &dyn Read) -> Result<(), Fault> {
        Ok(genesis::verify(&state)?)
    }
}
