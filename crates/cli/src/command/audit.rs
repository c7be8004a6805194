//! `keyscape audit`

use super::index;
use crate::{
    audit::{self, Finding, FindingKind, Options, Report, Size, rebuild_counts},
    database::{Additions, DatabaseArgument, DatabaseError},
    failure::{Exit, Failure},
    input::positive,
    output::{
        bytes::hex,
        grid::Grid,
        message::{Level, Message},
        progress::Progress,
        sarif,
        stderr::{self, many},
        stdout,
    },
};
use clap::{Args, ValueEnum};
use keyscape_diagnostics::escape::escaped;
use keyscape_layout::Layout;
use keyscape_store::IndexInfo;
use std::{collections::BTreeSet, num::NonZeroU64, ops::ControlFlow};

/// Check a database against its layout
///
/// Reads every row once, in bounded memory. Reports keys that belong to no keyspace, keys with
/// several readings, and rows that encode to other bytes. Reports values that do not decode, and
/// fields outside their domains. Checks that index entries, counts, ranks and records of structures
/// match their rows and members. Warns about rows under reserved or deprecated prefixes and keys
/// near the limit of the backend. Lists the largest keyspaces and prefixes.
///
/// Works on files of other programs with --layout, and with layouts that are not proved. Exit
/// status: 1 if something is wrong; warnings alone give 0.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct Audit {
    #[command(flatten)]
    database: DatabaseArgument,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Rebuild derived rows that need no program, then audit again; other rows are never changed
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    repair: Vec<Repair>,
    /// Check one of N rows; indexes whose entries only the program computes are not counted
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    sample: NonZeroU64,
    /// The maximum number of examples of each finding
    #[arg(long, value_name = "N", default_value_t = 5)]
    examples: usize,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape audit shop.redb
  keyscape audit shop.redb --repair indexes,counts
  keyscape audit node.redb --layout layouts/bank/deployed.keys --sample 100
  keyscape audit shop.redb --format json | jq '.findings[] | {kind, keyspace, count}'";

const DETAILS: &str = "\
JSON
  One object. Keys are hexadecimal digits.
    rows, checked    the number of rows, and of those that were checked
    ok               whether nothing is wrong
    findings[]       {kind, level: \"error\" or \"warning\", says, store, keyspace, count,
                      examples: [{key, text}]}
    keyspaces[]      {store, keyspace, rows, key_bytes, value_bytes}, the largest first
    prefixes[]       {store, keyspace, prefix, rows, key_bytes, value_bytes}: the largest groups of
                     rows with the same first field
  `kind` is one of unknown-store, unknown-key, outside-domain, ambiguous-key, not-canonical,
  bad-value, missing-field, bad-record, index-not-built, missing-entry, wrong-entry,
  dangling-entry, stale-entry, entry-count, missing-partner, wrong-count, wrong-rank,
  reserved-prefix, deprecated-prefix, key-too-long and key-near-limit.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Findings with examples, and tables of the largest keyspaces and prefixes
    Human,
    /// One JSON object
    Json,
    /// One SARIF 2.1.0 document
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Repair {
    /// The entries of indexes
    Indexes,
    /// The counts and ranks of sets and zsets
    Counts,
}

impl Audit {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let mut report = self.audit(&layout)?;
        let mut exit = Exit::Fine;
        if let Some(repaired) = self.repair(&layout, &report)? {
            exit = repaired;
            report = self.audit(&layout)?;
        }
        match self.format {
            Format::Human => print_human(&layout, &report)?,
            Format::Json => stdout::print_data(format!("{}\n", report.object(&layout)))?,
            Format::Sarif => {
                let document = sarif::audit(&self.database.db, &layout, &report.findings);
                stdout::print_data(document)?;
            }
        }
        Ok(if report.findings.are_harmless() { exit } else { Exit::Refuted })
    }

    fn audit(&self, layout: &Layout) -> Result<Report, Failure> {
        let base = self.database.open_read_only(layout)?;
        let options = Options { sample: self.sample, examples: self.examples };
        let state = base.db.read()?;
        let mut progress = Progress::new("auditing");
        Ok(audit::run(&base, &state, options, || {
            progress.row();
            ControlFlow::Continue(())
        })?)
    }

    /// Rebuilds derived rows, as far as possible. Reports each index that cannot be rebuilt.
    /// Returns the exit status; `None` if nothing had to be rebuilt.
    fn repair(&self, layout: &Layout, report: &Report) -> Result<Option<Exit>, Failure> {
        let found = |is_of: fn(FindingKind) -> bool| {
            report.findings.iter().filter(move |finding| is_of(finding.kind))
        };
        let wants = |what| self.repair.contains(&what);
        let indexes: BTreeSet<_> = found(FindingKind::is_of_index)
            .filter(|_| wants(Repair::Indexes))
            .filter_map(|finding: Finding| finding.keyspace)
            .collect();
        let counts = wants(Repair::Counts) && found(FindingKind::is_of_counts).next().is_some();
        if indexes.is_empty() && !counts {
            return Ok(None);
        }
        let mut exit = Exit::Fine;
        let base = self.database.open_to_build(layout, Additions::default())?;
        for id in indexes {
            match index::build(&base, id, IndexInfo::BATCH) {
                Ok(()) => stderr::line(&format!("rebuilt index `{}`", layout.keyspace(id).name)),
                Err(error @ Failure::Database(DatabaseError::Store(_))) => return Err(error),
                Err(error) => {
                    error.report();
                    exit = Exit::Refuted;
                }
            }
        }
        if counts {
            let mut progress = Progress::new("counting members");
            let rebuilt = rebuild_counts(&base, || progress.row())?;
            stderr::line(&format!("counted the members of {}", many(rebuilt, "structure")));
        }
        Ok(Some(exit))
    }
}

/// The maximum number of keyspaces in the table.
const KEYSPACES: usize = 10;
/// The maximum number of digits of a key in the text.
const DIGITS: usize = 80;

/// Prints the report for people.
fn print_human(layout: &Layout, report: &Report) -> Result<(), Failure> {
    let mut text: String =
        report.findings.iter().map(|finding| message(layout, &finding).render(None)).collect();
    let rows = match report.checked < report.rows {
        true => format!("{} of {}", report.checked, many(report.rows, "row")),
        false => many(report.rows, "row"),
    };
    let verdict =
        if report.findings.are_harmless() { "nothing is wrong" } else { "with the findings above" };
    text.push_str(&format!("audited {rows}: {verdict}\n"));
    stdout::print_text(&text)?;
    let keyspaces = report.statistics.keyspaces().into_iter().take(KEYSPACES);
    table("largest keyspaces", keyspaces.map(|(id, size)| (layout.full_name(id), size)))?;
    let prefixes = report.statistics.prefixes().into_iter().map(|prefix| {
        let name = layout.full_name(prefix.keyspace);
        (format!("{name} {}", digits(&prefix.prefix)), prefix.size)
    });
    table("largest prefixes", prefixes)
}

fn table(title: &str, lines: impl Iterator<Item = (String, Size)>) -> Result<(), Failure> {
    let mut grid = Grid::new([title, "rows", "bytes"].map(str::to_owned).to_vec()).of_numbers();
    for (name, size) in lines {
        let bytes = size.key_bytes + size.value_bytes;
        grid.row(vec![name, size.rows.to_string(), bytes.to_string()])?;
    }
    Ok(grid.flush()?)
}

/// Formats a finding with its examples. Their texts may contain stored values.
pub(super) fn message(layout: &Layout, finding: &Finding) -> Message {
    let level = if finding.kind.is_wrong() { Level::Error } else { Level::Warning };
    let title = format!("{}: {}: {}", finding.place(layout), finding.kind.says(), finding.count);
    let mut message = Message::new(level, title).code(finding.kind.name());
    for example in &finding.examples {
        let key = if example.key.is_empty() { String::new() } else { digits(&example.key) + "  " };
        message.line(format!("{key}{}", escaped(&example.text)));
    }
    let more = finding.count.saturating_sub(finding.examples.len() as u64);
    if more > 0 && !finding.examples.is_empty() {
        message.line(format!("and {more} more"));
    }
    message
}

fn digits(bytes: &[u8]) -> String {
    let mut digits = hex(bytes);
    if digits.len() > DIGITS {
        digits.truncate(DIGITS);
        digits.push('…');
    }
    digits
}
