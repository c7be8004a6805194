//! `keyscape completions`

use crate::{
    command::Arguments,
    failure::{Exit, Failure},
    output::stdout,
};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Generate shell completions
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape completions bash > ~/.local/share/bash-completion/completions/keyscape
  keyscape completions fish > ~/.config/fish/completions/keyscape.fish")]
pub(crate) struct Completions {
    /// The shell to generate completions for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "keyscape", &mut script);
        stdout::print_data(&script)?;
        Ok(Exit::Fine)
    }
}
