//! The systems that come with Keyscape, as the commands see them.

mod bank;
mod txo;

use crate::failure::Failure;
use clap::ValueEnum;
use keyscape_layout::Layout;
use keyscape_report::file;
use keyscape_sim::{Fault, System};
use keyscape_store::Read;
use std::path::Path;

/// A system by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemName {
    /// The bank of the Cosmos SDK: balances, supply, vesting accounts
    Bank,
    /// An index of transaction outputs: events, spends, topics, queues
    Txo,
}

/// What the commands need of a system.
pub(crate) trait Known: System {
    /// The text of its layout.
    fn layout_text(&self) -> &'static str;

    /// Whether a state can be the first of this system.
    fn verify(&self, state: &dyn Read) -> Result<(), Fault>;
}

impl SystemName {
    pub(crate) fn known(self) -> &'static dyn Known {
        match self {
            Self::Bank => &bank::Bank,
            Self::Txo => &txo::Txo,
        }
    }

    /// Its layout. Messages call it by the name of the system.
    pub(crate) fn layout(self) -> Result<Layout, Failure> {
        let known = self.known();
        let path = format!("{}.keys", known.name());
        Ok(file::read_text(Path::new(""), Path::new(&path), known.layout_text())?)
    }
}
