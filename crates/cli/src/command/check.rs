//! `keyscape check`

use super::check_fix::Fixing;
use crate::{
    database::engine,
    failure::{Exit, Failure},
    in_order::in_order,
    input::layout,
    output::{
        claim,
        claim_json::{ErrorLine, claim_object, span_object},
        document::facts::VerdictCounts,
        sarif::Sarif,
        stderr::many,
        stdout,
        style::{self, paint},
    },
};
use clap::{Args, ValueEnum};
use keyscape_diagnostics::{
    escape::escaped,
    file::{self, LayoutError},
    suggestion,
};
use keyscape_layout::{BACKENDS, Backend, Built, Layout, model::StoreId};
use keyscape_prover::{Cache, Claim, Config, Report};
use std::{
    cmp::Reverse,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Prove the claims of layouts, or show counterexamples
///
/// Ten rules, KS001 to KS010, define the claims: keyspaces share no keys, every key has one
/// reading, scans return their rows and no others, rows are in order, and more (`keyscape rule`
/// lists them). Each claim is proved, refuted by concrete keys, or unknown with a reason.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct Check {
    /// Layouts to check: `.keys` files, databases that store one, or `-` for stdin
    #[arg(required = true, value_name = "LAYOUT")]
    layouts: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    /// Apply the limits of this backend to all stores
    #[arg(long, value_name = "BACKEND", value_parser = backend)]
    backend: Option<&'static Backend>,
    /// Apply a proved fix of each refuted claim to the file: the Nth, or ask on the terminal
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["format", "quiet"],
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    fix: Option<Option<u16>>,
    /// With --fix, print the edits and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
}

fn backend(name: &str) -> Result<&'static Backend, String> {
    let names: Vec<&str> = BACKENDS.iter().map(|backend| backend.name).collect();
    Backend::find(name).ok_or_else(|| suggestion::help(name, "backends", &names))
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape check shop.keys
  keyscape check shop.keys --fix=1 --dry-run
  keyscape check --format json layouts/*.keys | jq 'select(.verdict != \"proved\")'";

const DETAILS: &str = "\
EXIT STATUS
  0  every claim is proved or accepted
  1  a claim is refuted or unknown, or an `accept` matches nothing
  2  a layout cannot be read, or has errors
  3  a bug in Keyscape

JSON
  One object per claim and line:
    rule, store, keyspace           subject of the claim
    scan                            only for KS003 and KS004
    split                           only for KS010
    field                           only for KS005
    verdict                         \"proved\", \"refuted\" or \"unknown\"
    tight                           for a scan that is exact only in its tight form: the bytes from
                                    `low` to below `high` that may follow its leading part
    accepted                        the reason, if the layout accepts the claim
    counterexample                  if refuted; keys are hexadecimal, fields as in `decode`
      KS001, KS008
              {collisions: [{key, readings: [{keyspace, fields}, …]}], more}
      KS002   {key, readings: [{keyspace, fields}, {keyspace, fields}]}
      KS003   {fault: \"foreign\" or \"missed\", asked, start, end, row: {key, keyspace, fields}}
              the scan reads from `start` to below `end`; without `end`, up to the last key
      KS004   {disorder: \"reversed\" or \"tied\", lower: {key, keyspace, fields}, higher: {…}}
      KS005   {values: [two values], bytes: their encoding}
      KS006   {backend, longest_key, row: {key, keyspace, fields}}
              `long`: a second row, if another key is too long; `record`: the record in
              hexadecimal, if a record is too long
      KS007   {fault, other, row}: \"outside range\", \"retired prefix\" or \"comparable prefixes\"
      KS009   {missing, rows: [two rows of the map], entry: their one key in the index}
      KS010   {cuts, separators, parts, row: {key, keyspace, fields}}
              actual and expected offsets of the cuts, and the resulting parts
    minimal                         whether no shorter counterexample exists
    span                            {file, line, column, end_line, end_column}, the end excluded
    fix                             [{text, effect, replaces, edit, idle_accepts}]: proved fixes;
                                    `edit` is {file, start, end, text}, in bytes of the file;
                                    `idle_accepts` match nothing once it is applied
    reason                          why the verdict is unknown
  An error is an object with `error` (\"file\", \"layout\" or \"accept\") and `message`; `span` and
  `help` are optional; `file` names a file that cannot be read.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Messages, and one line per store
    Human,
    /// One JSON object per claim and line
    Json,
    /// One SARIF 2.1.0 document, for code hosts and editors
    Sarif,
}

/// Caches that several checked layouts share, because they are often versions of one another.
#[derive(Default)]
struct Common {
    built: Built,
    memory: Cache,
}

/// The result of checking one layout.
struct Outcome {
    exit: Exit,
    text: String,
    sarif: Sarif,
}

impl Check {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if let Some(choice) = self.fix {
            let config = Config { backend: self.backend, ..Config::default() };
            let fixing = Fixing { choice: choice.map(usize::from), dry_run: self.dry_run };
            let run = |exit: Exit, path: &PathBuf| Ok(exit.max(fixing.run(path, config)?));
            return self.layouts.iter().try_fold(Exit::Fine, run);
        }
        let mut exit = Exit::Fine;
        let mut sarif = Sarif::default();
        let common = Common::default();
        // Start the largest layouts first to balance the threads.
        let mut order: Vec<usize> = (0..self.layouts.len()).collect();
        order.sort_by_key(|&at| Reverse(fs::metadata(&self.layouts[at]).map_or(0, |of| of.len())));
        let work = |at: usize| self.outcome(&self.layouts[at], &common);
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        in_order(threads, &order, work, |outcome| -> Result<(), Failure> {
            let outcome = outcome.unwrap_or_else(|error| self.unreadable(error));
            stdout::print_text(&outcome.text)?;
            sarif.append(outcome.sarif);
            exit = exit.max(outcome.exit);
            Ok(())
        })?;
        if self.format == Format::Sarif {
            stdout::print_text(&sarif.document())?;
        }
        Ok(exit)
    }

    fn outcome(&self, path: &Path, common: &Common) -> Result<Outcome, Failure> {
        let layout = layout::load_beside(&common.built, path)?;
        let start = Instant::now();
        let config = Config { backend: self.backend, ..Config::default() };
        let report = keyscape_prover::check_with(&layout, config, &common.memory);
        let took = start.elapsed();
        let mut sarif = Sarif::default();
        let text = match self.format {
            Format::Human => self.human(path, &layout, &report, took),
            Format::Json => json(&layout, &report),
            Format::Sarif => {
                sarif.add(&layout, &report);
                String::new()
            }
        };
        let exit = match report.holds() {
            _ if report.claims.iter().any(Claim::is_bug) => Exit::Bug,
            true => Exit::Fine,
            false => Exit::Refuted,
        };
        Ok(Outcome { exit, text, sarif })
    }

    fn human(&self, path: &Path, layout: &Layout, report: &Report, took: Duration) -> String {
        let mut text = keyscape_diagnostics::findings(layout, report, !self.quiet);
        if !self.quiet {
            let file = (self.layouts.len() > 1).then(|| match file::is_stdin(path) {
                true => PathBuf::from("stdin"),
                false => engine::without_password(path),
            });
            text.push_str(&summary(layout, report, file.as_deref(), took));
        }
        text
    }

    /// Reports an unreadable layout. The human format reports it on stderr.
    fn unreadable(&self, failure: Failure) -> Outcome {
        let mut outcome =
            Outcome { exit: Exit::Input, text: String::new(), sarif: Sarif::default() };
        match (self.format, failure) {
            (Format::Sarif, Failure::Layout(LayoutError::Rejected(rejected))) => {
                outcome.sarif.reject(&rejected);
            }
            (Format::Human | Format::Sarif, failure) => outcome.exit = failure.report(),
            (Format::Json, Failure::Layout(LayoutError::Rejected(rejected))) => {
                for diagnostic in &rejected.diagnostics {
                    line(&ErrorLine::new(&rejected.sources, diagnostic), &mut outcome.text);
                }
            }
            (Format::Json, failure) => {
                let message = failure.to_string();
                let file = match &failure {
                    Failure::Layout(LayoutError::File(error)) => Some(error.path()),
                    Failure::Database(error) => error.file(),
                    _ => None,
                };
                let file = file.map(|path| path.display().to_string());
                let error = ErrorLine { error: "file", message, file, span: None, help: None };
                line(&error, &mut outcome.text);
            }
        }
        outcome
    }
}

fn json(layout: &Layout, report: &Report) -> String {
    let mut text = String::new();
    for claim in &report.claims {
        line(&claim_object(layout, claim), &mut text);
    }
    for &(keyspace, span) in &report.idle_accepts {
        let message = claim::idle_accept(layout, keyspace, span);
        let span = Some(span_object(&layout.sources, span));
        let (message, help) = (message.title, message.help);
        let error = ErrorLine { error: "accept", message, file: None, span, help };
        line(&error, &mut text);
    }
    text
}

/// Appends one object as one line. All keys are text, so serialisation cannot fail.
fn line(object: &impl serde::Serialize, text: &mut String) {
    text.push_str(&serde_json::to_string(object).unwrap_or_default());
    text.push('\n');
}

/// Returns a line for each store of a layout. Each line begins with the file, if one is given.
fn summary(layout: &Layout, report: &Report, file: Option<&Path>, took: Duration) -> String {
    let mut text = String::new();
    let count = layout.stores.len();
    for index in 0..count {
        if let Some(file) = file {
            text.push_str(&format!("{}: ", escaped(&file.display().to_string())));
        }
        text.push_str(&store_summary(layout, report, StoreId(index as u32)));
        if index + 1 == count {
            let millis = took.as_millis();
            let all = if count > 1 { " for all" } else { "" };
            text.push_str(&paint(style::FAINT, format_args!(" ({millis} ms{all})")));
        }
        text.push('\n');
    }
    text
}

fn store_summary(layout: &Layout, report: &Report, id: StoreId) -> String {
    let keyspaces = || layout.keyspaces.iter().filter(|keyspace| keyspace.store == id);
    let mut parts = vec![many(keyspaces().filter(|k| k.hash.is_none()).count() as u64, "keyspace")];
    let fields = keyspaces().filter(|keyspace| keyspace.hash.is_some()).count();
    if fields > 0 {
        parts.push(many(fields as u64, "hash field"));
    }
    parts.push(many(keyspaces().map(|keyspace| keyspace.scans.len() as u64).sum(), "scan"));
    let claims = || report.claims.iter().filter(|claim| claim.store == id);
    let VerdictCounts { proved, refuted, unknown, accepted } = VerdictCounts::new(claims());
    let name = paint(style::TITLE, &layout.store(id).name);
    let (refuted, unknown) = (noted(refuted, "refuted"), noted(unknown, "unknown"));
    let parts = parts.join(", ");
    let warnings: usize =
        claims().map(|claim| claim.plain.iter().count() + claim.numeric.len()).sum();
    let warned = match warnings {
        0 => String::new(),
        count => format!(", {}", paint(style::UNKNOWN, many(count as u64, "warning"))),
    };
    format!("{name}: {parts}: {proved} proved, {refuted}, {unknown}, {accepted} accepted{warned}")
}

/// Returns a count, which is highlighted unless it is zero.
fn noted(count: usize, what: &str) -> String {
    let text = format!("{count} {what}");
    match what {
        _ if count == 0 => text,
        "refuted" => paint(style::ERROR, text),
        _ => paint(style::UNKNOWN, text),
    }
}
