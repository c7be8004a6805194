//! `keyscape explain`

use crate::{exit::Exit, failure::Failure};
use clap::Args;

/// x
#[derive(Args, Debug)]
pub(crate) struct Explain {}
impl Explain {
    pub(crate) fn run(self) -> Result<Exit, Failure> { Ok(Exit::Fine) }
}
