//! The plan of a migration: verdicts, rows and modes.

use super::{
    message::{Level, Message},
    stderr::many,
    style::{self, paint},
};
use keyscape_diagnostics::{
    datum::{self, Extent},
    table::Table,
};
use keyscape_evolution::migration::{
    Action, Answer, Claim, Migration, MigrationFault, Piece, Proof, Verdict,
};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_migrate::Counted;
use keyscape_prover::Row;
use serde_json::{Value, json as object};
use std::{collections::BTreeMap, fmt::Write, time::Duration};

/// The rows of a database, counted.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) counts: BTreeMap<KeyspaceId, Counted>,
    /// The number of new rows.
    pub(crate) rows: u64,
    /// The time that counting took.
    pub(crate) took: Duration,
}

/// Writing takes about this many times as long as counting.
const WRITING: u32 = 3;

/// Writes a plan for people.
pub(crate) fn human(migration: &Migration<'_>, proof: &Proof, counts: Option<&Counts>) -> String {
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
pub(crate) fn findings(migration: &Migration<'_>, proof: &Proof) -> String {
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

/// Describes an answer that is not proved.
fn message(migration: &Migration<'_>, answer: &Answer) -> Message {
    let blocks = matches!(answer.claim, Claim::Total | Claim::Injective | Claim::Fitting);
    let level = match &answer.verdict {
        Verdict::Refuted(_) if blocks => Level::Error,
        Verdict::Refuted(_) => Level::Warning,
        Verdict::Unknown(_) | Verdict::Proved => Level::Unknown,
    };
    let keyspace = migration.old.keyspace(answer.from);
    let mut message = Message::new(level, title(migration, answer))
        .code(answer.claim.code())
        .at(keyspace.name_span, "");
    message.body.extend(table(migration, answer).lines(level.style()));
    message.with_help(help(answer))
}

fn title(migration: &Migration<'_>, answer: &Answer) -> String {
    let from = &migration.old.keyspace(answer.from).name;
    let to = answer.to.map_or("", |to| &migration.new.keyspace(to).name);
    match &answer.verdict {
        Verdict::Proved => answer.claim.summary().to_owned(),
        Verdict::Unknown(undecided) => format!("`{from}`: {undecided}"),
        Verdict::Refuted(fault) => match fault {
            MigrationFault::Forgotten { .. } => {
                format!("rows of `{from}` are neither moved nor dropped")
            }
            MigrationFault::Collision { .. } => format!("two old rows get the same key of `{to}`"),
            MigrationFault::Unfit { reason, .. } => {
                format!("rows of `{from}` do not fit `{to}`: {reason}")
            }
            MigrationFault::Both { .. } => {
                format!("a key of `{to}` can be old and new while rows of `{from}` move")
            }
            MigrationFault::Dropped { reason } => {
                format!("rows of `{from}` are dropped and cannot come back: {reason}")
            }
            MigrationFault::Lost { field } => {
                format!("`{field}` of `{from}` does not follow from the new row")
            }
            MigrationFault::Merged { other } => {
                let other = &migration.old.keyspace(*other).name;
                format!(
                    "rows of `{from}` cannot be distinguished from those of `{other}` afterwards"
                )
            }
        },
    }
}

fn table(migration: &Migration<'_>, answer: &Answer) -> Table {
    let mut table = Table::default();
    let mut old = |label: &str, row: &Row| {
        let keyspace = migration.old.keyspace(row.keyspace);
        let fields = datum::line(&keyspace.key, &row.fields, Extent::Short);
        table.key(&format!("{label} {}", keyspace.name), fields, &row.key);
    };
    if let Verdict::Refuted(fault) = &answer.verdict {
        match fault {
            MigrationFault::Forgotten { row, .. } | MigrationFault::Unfit { row, .. } => {
                old("old", row);
            }
            MigrationFault::Collision { first, second, key } => {
                old("old", first);
                old("old", second);
                table.key("new", "", key);
            }
            MigrationFault::Both { row, moved } => {
                old("old", row);
                old("moves there", moved);
            }
            MigrationFault::Dropped { .. }
            | MigrationFault::Lost { .. }
            | MigrationFault::Merged { .. } => {}
        }
    }
    table
}

fn help(answer: &Answer) -> Option<String> {
    let Verdict::Refuted(fault) = &answer.verdict else { return None };
    Some(match fault {
        MigrationFault::Forgotten { .. } => {
            "write `move … to …`, or `drop … \"reason\"`".to_owned()
        }
        MigrationFault::Collision { .. } => {
            "keep every field of the old key, or set a field to different constants".to_owned()
        }
        MigrationFault::Unfit { .. } => {
            "widen the new field, or drop rows that do not fit with `else drop \"reason\"`"
                .to_owned()
        }
        MigrationFault::Both { .. } => "copy to a new file with `--to NEW`".to_owned(),
        MigrationFault::Dropped { .. }
        | MigrationFault::Lost { .. }
        | MigrationFault::Merged { .. } => return None,
    })
}

/// Writes a plan as one JSON object.
pub(crate) fn json(migration: &Migration<'_>, proof: &Proof, counts: Option<&Counts>) -> String {
    let claims: Vec<Value> = proof
        .answers
        .iter()
        .map(|answer| {
            let verdict = match &answer.verdict {
                Verdict::Proved => "proved",
                Verdict::Refuted(_) => "refuted",
                Verdict::Unknown(_) => "unknown",
            };
            object!({
                "code": answer.claim.code(),
                "name": answer.claim.name(),
                "verdict": verdict,
                "keyspace": migration.old.keyspace(answer.from).name,
                "to": answer.to.map(|to| &migration.new.keyspace(to).name),
                "message": title(migration, answer),
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
