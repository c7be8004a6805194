//! `keyscape lsp`

use crate::failure::{Exit, Failure};
use clap::Args;

/// Run the language server for editors
///
/// Speaks the Language Server Protocol on stdin and stdout: diagnostics with counterexamples, quick
/// fixes, hover, go to definition, completion, outline, formatting and inlay hints. An editor
/// starts this command for files that end in `.keys`.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape lsp

EDITORS
  VS Code, in editors/vscode of the repository:
    npm ci && npm run package
    code --install-extension keyscape.vsix

  Neovim 0.11 or later, in init.lua:
    vim.filetype.add({extension = {keys = 'keyscape'}})
    vim.lsp.config('keyscape', {cmd = {'keyscape', 'lsp'}, filetypes = {'keyscape'}})
    vim.lsp.enable('keyscape')

  Helix, in languages.toml:
    [language-server.keyscape]
    command = \"keyscape\"
    args = [\"lsp\"]

    [[language]]
    name = \"keyscape\"
    scope = \"source.keyscape\"
    file-types = [\"keys\"]
    language-servers = [\"keyscape\"]")]
pub(crate) struct Lsp {
    /// Use stdin and stdout, as the server always does; many editors pass this option
    #[arg(long, hide = true)]
    stdio: bool,
}

impl Lsp {
    #[expect(clippy::unused_self, reason = "every command runs on its arguments")]
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        keyscape_lsp::serve_stdio()?;
        Ok(Exit::Fine)
    }
}
