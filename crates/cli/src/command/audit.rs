//! `keyscape audit`

use super::index;
use crate::{
    audit::{self, Finding, FindingKind, Options, Report, rebuild_counts},
    database::{Additions, Opened, Verification, open},
    exit::Exit,
    failure::Failure,
    input::layout::DatabaseArgument,
    output::{
        audit::human,
        progress::Progress,
        sarif,
        stderr::{self, many},
        stdout,
    },
};
use clap::{Args, ValueEnum};
use keyscape_layout::Layout;
use keyscape_store::IndexInfo;
use std::{num::NonZeroU64, ops::ControlFlow};

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
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Audit {
    #[command(flatten)]
    database: DatabaseArgument,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Rebuild what is derived from other rows, then audit again; other rows are never changed
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    repair: Vec<Repair>,
    /// Check one of N rows; indexes whose entries only the program computes are not counted
    #[arg(long, value_name = "N", default_value = "1")]
    sample: NonZeroU64,
    /// The maximum number of examples of each finding
    #[arg(long, value_name = "N", default_value_t = 5)]
    examples: usize,
    #[command(flatten)]
    verification: Verification,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape audit shop.redb
  keyscape audit shop.redb --repair indexes,counts
  keyscape audit node.redb --layout layouts/bank/deployed.keys --sample 100
  keyscape audit shop.redb --format json | jq '.findings[] | {kind, keyspace, count}'";

const LONG: &str = "\
EXAMPLES
  keyscape audit shop.redb
  keyscape audit shop.redb --repair indexes,counts
  keyscape audit node.redb --layout layouts/bank/deployed.keys --sample 100
  keyscape audit shop.redb --format json | jq '.findings[] | {kind, keyspace, count}'

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
  bad-value, bad-record, index-not-built, missing-entry, wrong-entry, dangling-entry, stale-entry,
  entry-count, missing-partner, wrong-count, wrong-rank, reserved-prefix, deprecated-prefix,
  key-too-long and key-near-limit.";

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
        if !self.repair.is_empty() && self.repair(&layout, &report)? {
            report = self.audit(&layout)?;
        }
        let text = match self.format {
            Format::Human => human(&layout, &report),
            Format::Json => format!("{}\n", report.object(&layout)),
            Format::Sarif => sarif::audit(&self.database.db, &layout, &report.findings),
        };
        stdout::print_text(&text)?;
        Ok(if report.findings.are_harmless() { Exit::Fine } else { Exit::Refuted })
    }

    fn audit(&self, layout: &Layout) -> Result<Report, Failure> {
        let how = Opened::ToRead(self.verification);
        let base = open(layout, &self.database.db, how)?;
        let options = Options { sample: self.sample, examples: self.examples };
        let state = base.db.read()?;
        let mut progress = Progress::new("auditing");
        Ok(audit::run(&base, &state, options, || {
            progress.row();
            ControlFlow::Continue(())
        })?)
    }

    /// Rebuilds what is derived. Returns whether anything was rebuilt.
    fn repair(&self, layout: &Layout, report: &Report) -> Result<bool, Failure> {
        let found = |is_of: fn(FindingKind) -> bool| {
            report.findings.iter().filter(move |finding| is_of(finding.kind))
        };
        let wants = |what| self.repair.contains(&what);
        let mut indexes: Vec<_> = found(FindingKind::is_of_index)
            .filter(|_| wants(Repair::Indexes))
            .filter_map(|finding: Finding| finding.keyspace)
            .collect();
        indexes.dedup();
        let counts = wants(Repair::Counts) && found(FindingKind::is_of_counts).next().is_some();
        if indexes.is_empty() && !counts {
            return Ok(false);
        }
        let how = Opened::ToBuild(self.verification, Additions::default());
        let base = open(layout, &self.database.db, how)?;
        for id in indexes {
            index::build(&base, id, IndexInfo::BATCH)?;
            stderr::line(&format!("rebuilt index `{}`", layout.keyspace(id).name));
        }
        if counts {
            let mut progress = Progress::new("counting members");
            let rebuilt = rebuild_counts(&base, || progress.row())?;
            stderr::line(&format!("counted the members of {}", many(rebuilt, "structure")));
        }
        Ok(true)
    }
}
