//! `keyscape migrate plan`

use crate::{
    failure::{Exit, Failure},
    input::{
        address::Address,
        migration::{Declared, open_old},
    },
    output::{
        Format,
        message::{Level, Message},
        progress::Progress,
        stderr::many,
        stdout,
        style::{self, paint},
    },
};
use clap::Args;
use keyscape_diagnostics::{
    datum::{self, Extent},
    table::Table,
};
use keyscape_evolution::migration::{
    Action, Answer, Claim, Migration, MigrationFault, Piece, Proof, Verdict,
};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_migrate::{Counted, Runner};
use keyscape_prover::Row;
use serde_json::{Value, json as object};
use std::{
    collections::BTreeMap,
    fmt::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Prove a migration, count its rows and choose its mode
///
/// Shows the verdict of each claim with a counterexample, the number of rows of each keyspace and
/// what happens to them, whether the migration can run in place, and an estimate. Checks that every
/// row of the database can be migrated. Writes nothing.
///
/// Exit status: 1 if a claim of KS111 to KS113 is refuted, or a row cannot be migrated.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct PlanArguments {
    /// The database, or the old layout alone
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The migration
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The old layout, instead of the one in the database
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// The new layout, instead of the one that the migration names
    #[arg(long, value_name = "FILE")]
    new: Option<PathBuf>,
    /// Print the inverse migration instead of the plan
    #[arg(long)]
    inverse: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape migrate plan shop.redb v1-to-v2.migration
  keyscape migrate plan v1.keys v1-to-v2.migration --new v2.keys
  keyscape migrate plan shop.redb v1-to-v2.migration --inverse > v2-to-v1.migration
  keyscape migrate plan shop.redb v1-to-v2.migration --format json | jq '.claims[]'";

const DETAILS: &str = "\
JSON
  One object:
    claims[]      {code, name, verdict: \"proved\", \"refuted\" or \"unknown\", keyspace, to, message}
    keyspaces[]   {keyspace, action, to, kept, moved, dropped, derived}; without numbers for a layout
    modes[]       \"in place\" and \"copy\", as far as they are possible
    inverse       the inverse migration, or null";

impl PlanArguments {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let declared =
            Declared::load(&self.db, &self.file, self.layout.as_deref(), self.new.as_deref())?;
        let migration = declared.migration()?;
        let proof = declared.prove(&migration);
        if self.inverse {
            let inverse = proof.inverse.as_ref().ok_or_else(|| {
                let help = "`keyscape migrate plan` without `--inverse` shows why";
                Failure::input("the migration has no inverse: KS115 is not proved", help)
            })?;
            stdout::print_text(&format!("{}\n", declared.inverse_text(inverse)))?;
            return Ok(Exit::Fine);
        }
        let mut counted = None;
        // Only the program can make the rows of `program()`.
        if declared.has_database && proof.may_run() && !migration.needs_program() {
            let runner = Runner::new(&migration, &proof, &declared.text, "")?;
            let db = open_old(&self.db, &declared.old)?;
            let (begun, mut progress) = (Instant::now(), Progress::new("counting"));
            let (counts, digest) = runner.count(&db, || progress.row())?;
            counted = Some(Counts { counts, rows: digest.rows(), took: begun.elapsed() });
        }
        let text = match self.format {
            Format::Human => human(&migration, &proof, counted.as_ref()),
            Format::Json => json(&migration, &proof, counted.as_ref()),
        };
        stdout::print_text(&text)?;
        Ok(if proof.may_run() { Exit::Fine } else { Exit::Refuted })
    }
}

/// The rows of a database, counted.
#[derive(Debug)]
struct Counts {
    counts: BTreeMap<KeyspaceId, Counted>,
    /// The number of new rows.
    rows: u64,
    /// The time that counting took.
    took: Duration,
}

/// Writing takes about this many times as long as counting.
const WRITING: u32 = 3;

/// Writes a plan for people.
fn human(migration: &Migration<'_>, proof: &Proof, counts: Option<&Counts>) -> String {
    let mut text = findings(migration, proof);
    for claim in Claim::ALL {
        let word = verdict_word(proof, claim);
        let _ = writeln!(
            text,
            "{} {:<12} {} {}",
            claim.code(),
            claim.name(),
            paint(style::TITLE, format_args!("{word:<8}")),
            claim.summary()
        );
    }
    text.push('\n');
    for piece in migration.pieces().iter().filter(|piece| is_shown(migration, piece)) {
        let _ = writeln!(text, "{}", piece_line(migration, piece));
    }
    if let Some(counts) = counts {
        text.push('\n');
        for (id, counted) in &counts.counts {
            let name = &migration.old.keyspace(*id).name;
            let _ = writeln!(text, "{name}: {}", counted_words(counted));
        }
        let seconds = (counts.took * WRITING).as_secs().max(1);
        let _ =
            writeln!(text, "{} in about {}", many(counts.rows, "new row"), many(seconds, "second"));
    }
    let _ = writeln!(text, "mode: {}", modes(migration, proof));
    text
}

/// Returns the messages about all claims that are not proved.
pub(super) fn findings(migration: &Migration<'_>, proof: &Proof) -> String {
    let open = proof.answers.iter().filter(|answer| answer.verdict != Verdict::Proved);
    let shown = |answer| message(migration, answer).render(Some(&migration.old.sources)) + "\n";
    open.map(shown).collect()
}

fn verdict_word(proof: &Proof, claim: Claim) -> &'static str {
    match (proof.holds(claim), proof.is_refuted(claim)) {
        (true, _) => "proved",
        (false, true) => "refuted",
        (false, false) => "unknown",
    }
}

fn modes(migration: &Migration<'_>, proof: &Proof) -> &'static str {
    match (proof.may_run_in_place(), proof.may_run(), migration.needs_program()) {
        (true, _, false) => "in place or copy with --to",
        (true, _, true) => "in place or copy, by the program",
        (false, true, false) => "copy with --to",
        (false, true, true) => "copy, by the program",
        (false, false, _) => "none",
    }
}

fn is_shown(migration: &Migration<'_>, piece: &Piece) -> bool {
    let is_index = migration.old.keyspace(piece.from).kind == KeyspaceKind::Index;
    match &piece.action {
        Action::Move(moved) => !moved.keeps_all() || piece.span.is_some(),
        Action::Drop { .. } => true,
        Action::Derive { kept } => is_index && kept.is_none(),
    }
}

fn piece_line(migration: &Migration<'_>, piece: &Piece) -> String {
    let from = &migration.old.keyspace(piece.from).name;
    let is_first = migration
        .pieces()
        .iter()
        .find(|other| other.from == piece.from)
        .is_some_and(|first| std::ptr::eq(first, piece));
    let rows = match (piece.condition.is_some(), is_first) {
        (true, _) => "some rows of",
        (false, true) => "all rows of",
        (false, false) => "the other rows of",
    };
    match &piece.action {
        Action::Move(moved) => {
            let to = &migration.new.keyspace(moved.to).name;
            match &moved.otherwise {
                Some(reason) => format!("{rows} {from} move to {to}, or are dropped: {reason}"),
                None => format!("{rows} {from} move to {to}"),
            }
        }
        Action::Drop { reason } => format!("{rows} {from} are dropped: {reason}"),
        Action::Derive { .. } => format!("entries of {from} are built again"),
    }
}

fn counted_words(counted: &Counted) -> String {
    let parts = [
        (counted.kept, "kept"),
        (counted.moved, "moved"),
        (counted.dropped, "dropped"),
        (counted.derived, "derived again"),
    ];
    let words = parts.iter().filter(|(count, _)| *count > 0);
    words.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// Returns the message about an answer that is not proved.
fn message(migration: &Migration<'_>, answer: &Answer) -> Message {
    let blocks = matches!(answer.claim, Claim::Total | Claim::Injective | Claim::Fitting);
    let level = match &answer.verdict {
        Verdict::Refuted(_) if blocks => Level::Error,
        Verdict::Refuted(_) => Level::Warning,
        Verdict::Unknown(_) | Verdict::Proved => Level::Unknown,
    };
    let Description { title, help, rows } = describe(migration, answer);
    let mut message = Message::new(level, title)
        .code(answer.claim.code())
        .at(migration.old.keyspace(answer.from).name_span, "");
    message.body.extend(rows.lines(level.style()));
    message.with_help(help.map(str::to_owned))
}

/// An answer in words, with the rows of its counterexample.
#[derive(Default)]
struct Description {
    title: String,
    help: Option<&'static str>,
    rows: Table,
}

fn describe(migration: &Migration<'_>, answer: &Answer) -> Description {
    let from = &migration.old.keyspace(answer.from).name;
    let to = answer.to.map_or("", |to| &migration.new.keyspace(to).name);
    let mut rows = Table::default();
    let mut add = |label: &str, row: &Row| {
        let keyspace = migration.old.keyspace(row.keyspace);
        let fields = datum::line(&keyspace.key, &row.fields, Extent::Short);
        rows.key(&format!("{label} {}", keyspace.name), fields, &row.key);
    };
    let fault = match &answer.verdict {
        Verdict::Proved => {
            return Description {
                title: answer.claim.summary().to_owned(),
                ..Description::default()
            };
        }
        Verdict::Unknown(undecided) => {
            return Description {
                title: format!("`{from}`: {undecided}"),
                ..Description::default()
            };
        }
        Verdict::Refuted(fault) => fault,
    };
    let (title, help) = match fault {
        MigrationFault::Forgotten { row, .. } => {
            add("old", row);
            (
                format!("rows of `{from}` are neither moved nor dropped"),
                Some("write `move … to …`, or `drop … \"reason\"`"),
            )
        }
        MigrationFault::Collision { first, second, key } => {
            add("old", first);
            add("old", second);
            rows.key("new", "", key);
            (
                format!("two old rows get the same key of `{to}`"),
                Some("keep every field of the old key, or set a field to different constants"),
            )
        }
        MigrationFault::Unfit { row, reason, .. } => {
            add("old", row);
            (
                format!("rows of `{from}` do not fit `{to}`: {reason}"),
                Some(
                    "widen the new field, or drop rows that do not fit with `else drop \"reason\"`",
                ),
            )
        }
        MigrationFault::Both { row, moved } => {
            add("old", row);
            add("moves there", moved);
            (
                format!("a key of `{to}` can be old and new while rows of `{from}` move"),
                Some("copy to a new file with `--to NEW`"),
            )
        }
        MigrationFault::Dropped { reason } => {
            (format!("rows of `{from}` are dropped and cannot come back: {reason}"), None)
        }
        MigrationFault::Lost { field } => {
            (format!("`{field}` of `{from}` does not follow from the new row"), None)
        }
        MigrationFault::Merged { other } => {
            let other = &migration.old.keyspace(*other).name;
            let rows = format!("rows of `{from}` cannot be distinguished");
            (format!("{rows} from those of `{other}` afterwards"), None)
        }
    };
    Description { title, help, rows }
}

/// Writes a plan as one JSON object.
fn json(migration: &Migration<'_>, proof: &Proof, counts: Option<&Counts>) -> String {
    let claims: Vec<Value> = proof
        .answers
        .iter()
        .map(|answer| {
            object!({
                "code": answer.claim.code(),
                "name": answer.claim.name(),
                "verdict": match &answer.verdict {
                    Verdict::Proved => "proved",
                    Verdict::Refuted(_) => "refuted",
                    Verdict::Unknown(_) => "unknown",
                },
                "keyspace": migration.old.keyspace(answer.from).name,
                "to": answer.to.map(|to| &migration.new.keyspace(to).name),
                "message": describe(migration, answer).title,
            })
        })
        .collect();
    let keyspaces: Vec<Value> = migration
        .pieces()
        .iter()
        .map(|piece| {
            let (action, to) = match &piece.action {
                Action::Move(moved) if moved.keeps_all() => ("keep", Some(moved.to)),
                Action::Move(moved) => ("move", Some(moved.to)),
                Action::Drop { .. } => ("drop", None),
                Action::Derive { kept } => ("derive", *kept),
            };
            let counted = counts.and_then(|counts| counts.counts.get(&piece.from));
            object!({
                "keyspace": migration.old.keyspace(piece.from).name,
                "action": action,
                "to": to.map(|to| &migration.new.keyspace(to).name),
                "kept": counted.map(|counted| counted.kept),
                "moved": counted.map(|counted| counted.moved),
                "dropped": counted.map(|counted| counted.dropped),
                "derived": counted.map(|counted| counted.derived),
            })
        })
        .collect();
    let modes: Vec<&str> = match (proof.may_run_in_place(), proof.may_run()) {
        (true, _) => vec!["in place", "copy"],
        (false, true) => vec!["copy"],
        (false, false) => Vec::new(),
    };
    let plan = object!({"claims": claims, "keyspaces": keyspaces, "modes": modes, "inverse": proof.inverse});
    format!("{plan}\n")
}
