//! `keyscape check --fix`

use crate::{
    failure::{Exit, Failure},
    input::layout::{is_database, load},
    output::{
        destination,
        stderr::{self, many},
        stdout,
        style::{self, paint},
    },
};
use keyscape_diagnostics::{
    escape::escaped,
    file::{self, FileError},
};
use keyscape_layout::{Layout, Span};
use keyscape_prover::{Claim, Config, Fix, Verdict};
use std::{
    io::{self, IsTerminal},
    path::Path,
};

/// The maximum number of fixes that one run applies.
const MAX_FIXES: usize = 64;

/// The fixes that are applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixing {
    /// The number of the fix of each claim, from 1; `None` asks on the terminal.
    pub(super) choice: Option<usize>,
    /// Whether to print edits instead of writing them.
    pub(super) dry_run: bool,
}

impl Fixing {
    /// Applies a fix of each refuted claim to a layout file, one after the other. Each fix is
    /// proved, and the layout is checked again before the next one.
    pub(super) fn run(self, path: &Path, config: Config) -> Result<Exit, Failure> {
        if file::is_stdin(path) || is_database(path) {
            return Err(Failure::input(
                "`--fix` changes a layout file, not stdin or a database",
                "write the layout to a file; `keyscape layout DB` prints that of a database",
            ));
        }
        if self.choice.is_none() && !io::stdin().is_terminal() {
            return Err(Failure::input(
                "`--fix` without a number asks on a terminal, and stdin is not a terminal",
                "write `--fix=1` for the first fix of each claim",
            ));
        }
        let mut skipped: Vec<String> = Vec::new();
        for round in 0..MAX_FIXES {
            let layout = load(path)?;
            let report = keyscape_prover::check(&layout, config);
            let exit = if report.holds() { Exit::Fine } else { Exit::Refuted };
            let open = report.claims.iter().filter(|claim| is_open(claim));
            if round == 0 {
                self.check_number(&layout, open.clone())?;
            }
            if open.clone().next().is_none() && !report.holds() {
                stderr::line("no claim that fails has a fix");
            }
            if self.dry_run {
                let chosen = open.filter_map(|claim| self.choose(&layout, claim).transpose());
                let chosen = chosen.collect::<Result<Vec<Fix>, Failure>>()?;
                let text: String = chosen.iter().map(|fix| edit_text(&layout, fix)).collect();
                stdout::print_text(&text)?;
                return Ok(exit);
            }
            let mut chosen = None;
            for claim in open {
                let name = title(&layout, claim);
                if skipped.contains(&name) {
                    continue;
                }
                chosen = self.choose(&layout, claim)?;
                if chosen.is_some() {
                    break;
                }
                skipped.push(name);
            }
            let Some(fix) = chosen else { return Ok(exit) };
            apply(&layout, &fix)?;
            stderr::print(&edit_text(&layout, &fix));
        }
        Ok(Exit::Refuted)
    }

    /// Checks that a claim has the chosen fix.
    fn check_number<'c>(
        self,
        layout: &Layout,
        open: impl Iterator<Item = &'c Claim>,
    ) -> Result<(), Failure> {
        let Some(number) = self.choice else { return Ok(()) };
        let open: Vec<(&Claim, usize)> = open.map(|claim| (claim, fixes(claim).len())).collect();
        if open.is_empty() || open.iter().any(|(_, fixes)| *fixes >= number) {
            return Ok(());
        }
        let numbers = open.iter().map(|(claim, fixes)| {
            let numbers: Vec<String> = (1..=*fixes).map(|number| format!("`{number}`")).collect();
            format!("{}: {}", title(layout, claim), numbers.join(", "))
        });
        let numbers: Vec<String> = numbers.collect();
        Err(Failure::input(
            format!("no claim has a fix with the number `{number}`"),
            format!("choose one of the fixes of {}", numbers.join("; ")),
        ))
    }

    /// Returns the chosen fix of a claim.
    fn choose(self, layout: &Layout, claim: &Claim) -> Result<Option<Fix>, Failure> {
        let fixes = fixes(claim);
        let number = match self.choice {
            None => ask(layout, claim, fixes)?,
            Some(number) => number,
        };
        let fix = number.checked_sub(1).and_then(|at| fixes.get(at)).cloned();
        if let (Some(number), None) = (self.choice, &fix) {
            let count = many(fixes.len() as u64, "fix");
            stderr::warn(format!("{} has {count}, no fix {number}", title(layout, claim)), None);
        }
        Ok(fix)
    }
}

fn fixes(claim: &Claim) -> &[Fix] {
    match &claim.verdict {
        Verdict::Refuted(counterexample) => &counterexample.fixes,
        Verdict::Proved | Verdict::Unknown(_) => &[],
    }
}

/// Whether a claim is refuted, not accepted, and has a fix.
fn is_open(claim: &Claim) -> bool {
    claim.accepted.is_none() && !fixes(claim).is_empty()
}

fn title(layout: &Layout, claim: &Claim) -> String {
    let keyspace = &layout.keyspace(claim.keyspace).name;
    format!("{} of `{keyspace}`", claim.rule.code())
}

/// Asks which fix to apply. Any answer that is not a number skips the claim.
fn ask(layout: &Layout, claim: &Claim, fixes: &[Fix]) -> Result<usize, Failure> {
    let mut text = format!("{}\n", title(layout, claim));
    for (at, fix) in fixes.iter().enumerate() {
        text.push_str(&format!("{}) {}", at + 1, edit_text(layout, fix)));
    }
    text.push_str("fix (a number, or return to skip): ");
    stderr::print(&text);
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(Failure::Stdin)?;
    Ok(line.trim().parse().unwrap_or(0))
}

/// Shows the lines that an edit replaces, and the new ones.
fn edit_text(layout: &Layout, fix: &Fix) -> String {
    let Span { file, start, end } = fix.replaces;
    let Some(source) = layout.sources.get(file) else { return String::new() };
    let at = layout.sources.start(fix.replaces);
    let old = source.text.get(start as usize..end as usize).unwrap_or_default();
    let lines = |sign: &str, text: &str| -> String {
        text.lines().map(|line| format!("{sign} {}\n", escaped(line))).collect()
    };
    format!(
        "{} ({})\n{}{}",
        paint(style::TITLE, format_args!("{}:{}:{}", escaped(&source.path), at.line, at.column)),
        fix.effect.words(),
        lines("-", old),
        lines("+", &fix.edit)
    )
}

/// Writes the edit to its file.
fn apply(layout: &Layout, fix: &Fix) -> Result<(), Failure> {
    let Span { file, start, end } = fix.replaces;
    let Some(source) = layout.sources.get(file) else { return Ok(()) };
    let (before, after) = (source.text.get(..start as usize), source.text.get(end as usize..));
    let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
    let text = [before, &fix.edit, after].concat();
    let path = Path::new(&source.path);
    destination::replace(path, &text)
        .map_err(|source| FileError::Write { path: path.to_owned(), source }.into())
}
