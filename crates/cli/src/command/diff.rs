//! `keyscape diff`

use crate::{
    failure::{Exit, Failure},
    input::layout,
    output::{
        change::Change,
        sarif::Sarif,
        stderr::many,
        stdout,
        style::{self, paint},
    },
};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use keyscape_diagnostics::plain;
use keyscape_evolution::{Config, Finding, Level, Report};
use keyscape_layout::{Built, Layout};
use std::path::PathBuf;

/// Show how a change of a layout affects stored rows
///
/// Ten rules, KS101 to KS110, describe what can happen: stored keys are lost or read differently, a
/// new keyspace contains old rows, values cannot be read, an index must be built, the old program
/// cannot read new rows, and more. Answers hold for all keys, and every finding shows a key.
///
/// A layout is a `.keys` file, a database that stores one, `-` for stdin, or `git:REF:PATH` for a
/// file of a git commit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct Diff {
    /// The layout that rows were written with
    old: PathBuf,
    /// The layout that rows will be read with
    new: PathBuf,
    /// The compatibility that the change must have
    #[arg(long, value_name = "LEVEL", default_value = "backward", value_parser = level_names())]
    level: Level,
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
  keyscape diff v1.keys v2.keys --format markdown >> CHANGELOG.md
  keyscape diff v1.keys v2.keys --format json | jq -r 'select(.required) | .message'";

const DETAILS: &str = "\
LEVELS
  backward  the new program reads the rows that exist: KS101 to KS105, KS108, KS110
  forward   the old program reads the rows that the new one writes: KS106
  full      both
  rolling   the same as full, for old and new programs that run at the same time
  KS107 and KS109 concern the source code of programs. They are always reported, and no level
  requires them.

EXIT STATUS
  0  the change has the compatibility of the level
  1  the level has a finding, or one of its rules is not decided
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

fn level_names() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(Level::ALL.map(Level::name)).map(|name| {
        let level = Level::ALL.into_iter().find(|level| level.name() == name);
        level.unwrap_or_default()
    })
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
        let old = layout::load_beside(&built, &self.old)?;
        let new = layout::load_beside(&built, &self.new)?;
        let report = keyscape_evolution::diff(&old, &new, Config::default());
        let level = self.level;
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
            Format::Markdown => markdown(&old, &new, &report, level),
        };
        stdout::print_text(&text)?;
        Ok(exit(&report, level))
    }

    fn human<'a>(&self, changes: impl Iterator<Item = Change<'a>>, report: &Report) -> String {
        let messages: Vec<String> = changes.map(|change| change.render(self.level)).collect();
        let mut text = messages.join("\n");
        if !self.quiet {
            text.push_str(&summary(report, self.level));
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

/// Returns a section of a changelog: the renamed, added and removed keyspaces, and the findings.
fn markdown(old: &Layout, new: &Layout, report: &Report, level: Level) -> String {
    let mut text = format!("## Layout{}\n", versions(old, new));
    let renamed = new.keyspace_ids().filter_map(|id| {
        let before = old.keyspace(report.correspondence.old_keyspace(id)?);
        let after = new.keyspace(id);
        (before.name != after.name).then(|| format!("`{}` is now `{}`", before.name, after.name))
    });
    let added = new.keyspace_ids().filter(|&id| report.correspondence.old_keyspace(id).is_none());
    let added = added.map(|id| format!("`{}`{}", new.keyspace(id).name, purpose(new.keyspace(id))));
    let removed = old.keyspace_ids().filter(|&id| report.correspondence.new_keyspace(id).is_none());
    let removed = removed.map(|id| format!("`{}`", old.keyspace(id).name));
    let deprecated = new.keyspace_ids().filter_map(|id| {
        let reason = new.keyspace(id).deprecated.as_ref()?;
        let before = report.correspondence.old_keyspace(id).map(|old_id| old.keyspace(old_id));
        let is_new = before.is_none_or(|before| before.deprecated.is_none());
        is_new.then(|| format!("`{}`: {reason}", new.keyspace(id).name))
    });
    list(&mut text, "Renamed", renamed);
    list(&mut text, "Added", added);
    list(&mut text, "Deprecated", deprecated);
    list(&mut text, "Removed", removed);
    let line = |finding: &Finding| {
        let change = Change { old, new, finding };
        let mut line = format!("{}: {}", finding.rule.code(), change.title());
        for key in change.table().lines(anstyle::Style::new()) {
            line.push_str(&format!("\n  `{}`", plain(&key).trim()));
        }
        line
    };
    let (required, other): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| level.requires(finding.rule));
    let heading = format!("Not {} compatible", level.name());
    list(&mut text, &heading, required.into_iter().map(line));
    list(&mut text, "Further changes", other.into_iter().map(line));
    if report.findings.is_empty() {
        text.push_str("\nExisting rows and programs are not affected.\n");
    }
    text
}

fn versions(old: &Layout, new: &Layout) -> String {
    let version = |layout: &Layout| layout.stores.first().and_then(|store| store.version);
    match (version(old), version(new)) {
        (Some(old), Some(new)) if old != new => format!(" {old} to {new}"),
        _ => String::new(),
    }
}

/// Returns the first line of the documentation of a keyspace.
fn purpose(keyspace: &keyscape_layout::model::Keyspace) -> String {
    keyspace.doc.first().map_or_else(String::new, |line| format!(": {}", line.trim()))
}

fn list(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    for (index, item) in items.enumerate() {
        if index == 0 {
            text.push_str(&format!("\n### {heading}\n\n"));
        }
        text.push_str(&format!("- {item}\n"));
    }
}
