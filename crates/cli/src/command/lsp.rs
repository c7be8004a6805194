//! `keyscape lsp`

use crate::{exit::Exit, failure::Failure};
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
  code --install-extension editors/vscode/keyscape.vsix

EDITORS
  VS Code  editors/vscode contains an extension
  Neovim   vim.lsp.config('keyscape', {cmd = {'keyscape', 'lsp'}, filetypes = {'keyscape'}})
  Helix    [language-server.keyscape] command = \"keyscape\", args = [\"lsp\"]")]
pub(crate) struct Lsp {}

impl Lsp {
    #[expect(clippy::unused_self, reason = "every command runs on its arguments")]
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        keyscape_lsp::serve_stdio()?;
        Ok(Exit::Fine)
    }
}
