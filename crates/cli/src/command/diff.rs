//! `keyscape diff`

use crate::{
    exit::Exit,
    failure::Failure,
    input::layout,
    output::{
        change::Change,
        change_markdown,
        sarif::Sarif,
        stderr::many,
        stdout,
        style::{self, paint},
    },
};
use clap::{Args, ValueEnum};
use keyscape_evolution::{Config, Finding, Level, Report};
use keyscape_layout::Built;
use std::path::Path;

/// Show how a change of a layout affects stored rows
///
/// Ten rules, KS101 to KS110, describe what can happen: stored keys are lost or read differently, a
/// new keyspace contains old rows, values cannot be read, an index must be built, the old program
/// cannot read new rows, and more. Answers hold for all keys, and every finding shows a key.
///
/// A layout is a file, `-` for stdin, or `git:REF:PATH` for a file of a git commit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Diff {
    /// The layout that rows were written with
    old: String,
    /// The layout that they will be read with
    new: String,
    /// The compatibility that the change must have
    #[arg(long, value_name = "LEVEL", default_value = "backward")]
    level: LevelName,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Print only findings that the level does not allow
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape diff git:main:shop.keys shop.keys
  keyscape diff old.keys new.keys --level rolling
  keyscape diff v1.keys v2.keys --format markdown >> CHANGELOG.md";

const LONG: &str = "\
EXAMPLES
  keyscape diff git:main:shop.keys shop.keys
  keyscape diff old.keys new.keys --level rolling
  keyscape diff v1.keys v2.keys --format markdown >> CHANGELOG.md
  keyscape diff v1.keys v2.keys --format json | jq -r 'select(.required) | .message'

LEVELS
  backward  the new program reads the rows that exist: KS101 to KS105, KS108, KS110
  forward   the old program reads the rows that the new one writes: KS106
  full      both
  rolling   both, while old and new programs run at the same time: no index may be built
  KS107 and KS109 concern the sources of programs; they are reported and belong to no level.

EXIT STATUS
  0  the change has the compatibility of the level
  1  a finding of the level exists, or a rule of it is not decided
  2  a layout cannot be read, or has errors
  3  a bug in Keyscape

JSON
  One object per finding and line:
    rule, name                      the rule
    required                        whether the level requires the rule
    verdict                         \"found\", or \"unknown\" with `reason`
    message, help                   the finding and the advice in words
    old, new                        {store, keyspace} in the old and in the new layout
    counterexample                  keys are hexadecimal, fields as in `decode`
      KS101   {part, row: {key, keyspace, fields}}; part is \"key\", \"member\" or \"score\"
      KS102, KS103
              {part, key, old: {keyspace, fields}, new: {keyspace, fields}}
      KS104   {written, read, bytes, value, read_as}: the forms, and a value that differs
      KS105   {fault, change, field, row}: \"added\", \"removed\", \"changed\", \"records added\" or
              \"records removed\"
      KS106   {fault: \"unread\", row}, {fault: \"misread\", key, old, new} or {fault: \"value\", …}
      KS107   {fault: \"order\", scan, rows, new_keys}, {fault: \"cursor\", row, new_key} or
              {fault: \"renamed\"}
      KS108   {fault: \"used\" or \"dropped\", namespace, prefix, deprecated, reason, row}
      KS109   {scan} or {index: true}
      KS110   {backend, longest_key, length, row}
    minimal                         whether no shorter counterexample exists
    span                            {file, line, column, end_line, end_column}, the end excluded";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelName {
    /// The new program reads the rows that exist
    Backward,
    /// The old program reads the rows that the new one writes
    Forward,
    /// Both
    Full,
    /// Both, while old and new programs run at the same time
    Rolling,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Backward => Self::Backward,
            LevelName::Forward => Self::Forward,
            LevelName::Full => Self::Full,
            LevelName::Rolling => Self::Rolling,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Messages, and one line at the end
    Human,
    /// One JSON object per finding and line
    Json,
    /// One SARIF 2.1.0 document, for code hosts and editors
    Sarif,
    /// A section of a changelog
    Markdown,
}

impl Diff {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let built = Built::default();
        let old = layout::load_beside(&built, Path::new(&self.old))?;
        let new = layout::load_beside(&built, Path::new(&self.new))?;
        let report = keyscape_evolution::diff(&old, &new, Config::default());
        let level = Level::from(self.level);
        let is_shown = |finding: &&Finding| !self.quiet || level.requires(finding.rule);
        let findings: Vec<&Finding> = report.findings.iter().filter(is_shown).collect();
        let changes = findings.iter().map(|&finding| Change { old: &old, new: &new, finding });
        let text = match self.format {
            Format::Human => self.human(changes, &report),
            Format::Json => changes.map(|change| format!("{}\n", change.object(level))).collect(),
            Format::Sarif => {
                let mut sarif = Sarif::default();
                changes.for_each(|change| sarif.add_change(&change, level));
                sarif.document()
            }
            Format::Markdown => change_markdown::section(&old, &new, &report, level),
        };
        stdout::print_text(&text)?;
        Ok(exit(&report, level))
    }

    fn human<'a>(&self, changes: impl Iterator<Item = Change<'a>>, report: &Report) -> String {
        let level = Level::from(self.level);
        let messages: Vec<String> = changes.map(|change| change.render(level)).collect();
        let mut text = messages.join("\n");
        if !self.quiet {
            text.push_str(&summary(report, level));
        }
        text
    }
}

/// Returns the last line of the output.
fn summary(report: &Report, level: Level) -> String {
    let name = level.name();
    let (found, unknown): (Vec<&Finding>, Vec<&Finding>) =
        report.of_level(level).partition(|finding| finding.fault.is_ok());
    let others = report.findings.len() - found.len() - unknown.len();
    let others = match others {
        0 => String::new(),
        count => format!(", {}", many(count as u64, "further change")),
    };
    let verdict = match (found.len(), unknown.len()) {
        (0, 0) => format!("{name} compatible{others}"),
        (0, count) => {
            let text = format!("{} undecided{others}", many(count as u64, "rule"));
            paint(style::UNKNOWN, text)
        }
        (count, _) => {
            let text = format!("not {name} compatible");
            let findings = many(count as u64, "finding");
            format!("{}: {findings}{others}", paint(style::ERROR, text))
        }
    };
    format!("{}{verdict}\n", if report.findings.is_empty() { "" } else { "\n" })
}

fn exit(report: &Report, level: Level) -> Exit {
    if report.findings.iter().any(Finding::is_bug) {
        return Exit::Bug;
    }
    match report.of_level(level).next() {
        Some(_) => Exit::Refuted,
        None => Exit::Fine,
    }
}
