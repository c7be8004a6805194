//! Migrations: compares the verdicts of KS111 to KS115 with the images of all rows.

use super::{MAX_ROWS, Pair, draw, is_lossy, read_pair};
use crate::{
    Oracle, Row, Words,
    random::Random,
    seed::Compared,
    sketch::{Keyspace, Seg},
};
use keyscape_evolution::{
    Config,
    migration::{
        Action, Answer, Claim, Migration, MigrationFault, Moved, OldRow, OldValue, Piece, Verdict,
    },
};
use keyscape_layout::{
    Built, Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A claim, and whether it is proved (`true`), refuted (`false`) or neither.
type Outcome = (Claim, Option<bool>);

/// Draws a migration between the layouts of a pair and compares its verdicts with the images of
/// all old rows.
pub fn compare_moves_seed(seed: u64, words: &mut Words) -> Compared<Outcome> {
    let pair = draw(seed);
    let built = Built::default();
    let (old, new) = match read_pair(&built, &pair) {
        Ok(layouts) => layouts,
        Err(why) => return Compared::Rejected(why),
    };
    let mut declaration = String::new();
    for statement in draw_statements(seed, &pair) {
        let longer = format!("{declaration}{statement}");
        if Migration::read(&longer, &old, &new).is_ok() {
            declaration = longer;
        }
    }
    match compare_moves(&old, &new, &declaration, words) {
        Compared::Disagreed(why) => {
            let Pair { old, new } = pair;
            let texts = format!("--- old\n{old}+++ new\n{new}=== migration\n{declaration}");
            Compared::Disagreed(format!("seed {seed}\n{texts}{why}\n"))
        }
        compared => compared,
    }
}

/// Draws drops and moves of some keyspaces. Their conditions and assignments may not be valid.
fn draw_statements(seed: u64, pair: &Pair) -> Vec<String> {
    let mut random = Random::new(seed ^ 0x40e5);
    let maps = |keyspaces: &[Keyspace]| -> Vec<(String, Vec<String>)> {
        let maps = keyspaces.iter().filter(|keyspace| keyspace.of.is_none());
        maps.map(|keyspace| (first_word(&keyspace.name), fields(&keyspace.key))).collect()
    };
    let news = maps(&pair.new.keyspaces);
    let mut statements = Vec::new();
    for (old, sources) in maps(&pair.old.keyspaces) {
        for _ in 0..4 {
            let condition = match sources.is_empty() || random.percent(50) {
                true => String::new(),
                false => format!(" where {}", condition(&mut random, &sources)),
            };
            let unfit = if random.percent(20) { " else drop \"unfit\"" } else { "" };
            statements.push(match random.below(8) {
                0 => format!("drop {old}{condition} \"unused\"\n"),
                1..=3 if !news.is_empty() => {
                    let (new, targets) = random.pick(&news);
                    let body = assignments(&mut random, targets, &sources);
                    format!("move {old}{condition} to {new}{body}{unfit}\n")
                }
                4 => format!("move {old}{condition}{unfit}\n"),
                _ => continue,
            });
        }
    }
    statements
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or(text).to_owned()
}

/// Returns the names of the fields in segments.
fn fields(segs: &[Seg]) -> Vec<String> {
    let names = segs.iter().flat_map(|seg| match seg {
        Seg::Field(name, _) => vec![first_word(name)],
        Seg::Wrap(_, inner) | Seg::Option(inner, _) => fields(inner),
        Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => Vec::new(),
    });
    names.collect()
}

fn condition(random: &mut Random, sources: &[String]) -> String {
    let field = random.pick(sources);
    match random.below(3) {
        0 => format!("{field} is {:?}", random.pick(&["a", "b", "ab", "true"])),
        1 => format!("{field} in {}..", random.between(1, 3)),
        _ => format!("{field} in 0..={}", random.between(0, 200)),
    }
}

fn assignments(random: &mut Random, targets: &[String], sources: &[String]) -> String {
    let mut text = String::new();
    for target in targets {
        if random.percent(50) {
            continue;
        }
        let constant = *random.pick(&["0", "1", "200", "\"a\"", "\"true\"", "0x61"]);
        let source = match sources {
            [] => constant.to_owned(),
            _ => match random.below(8) {
                0 => constant.to_owned(),
                1 => format!("same_bytes({})", random.pick(sources)),
                2 => format!("number({})", random.pick(sources)),
                3 => format!("text({})", random.pick(sources)),
                4 => format!("bytes({})", random.pick(sources)),
                _ => random.pick(sources).clone(),
            },
        };
        text.push_str(&format!(" {target} = {source}\n"));
    }
    if text.is_empty() { text } else { format!(" {{\n{text}}}") }
}

fn compare_moves(
    old: &Layout,
    new: &Layout,
    declaration: &str,
    words: &mut Words,
) -> Compared<Outcome> {
    let has_structures =
        |layout: &Layout| layout.keyspaces.iter().any(|k| layout.store(k.store).structures);
    if is_lossy(old) || is_lossy(new) || has_structures(old) || has_structures(new) {
        return Compared::TooLarge;
    }
    let Ok(migration) = Migration::read(declaration, old, new) else {
        return Compared::Rejected(declaration.to_owned());
    };
    let mut report = keyscape_prover::check(new, keyscape_prover::Config::default());
    // An author may accept failing claims, which proves nothing.
    report.claims.iter_mut().for_each(|claim| claim.accepted = Some("by the oracle".to_owned()));
    let proved = || migration.prove(Config::default(), &report);
    let Ok(proof) = catch_unwind(AssertUnwindSafe(proved)) else {
        return Compared::Disagreed("the proof panicked".into());
    };
    let Ok(rows) = Oracle::new(old, words, &[], MAX_ROWS) else {
        return Compared::TooLarge;
    };
    if !old.keyspace_ids().all(|id| rows.is_complete(id)) {
        return Compared::TooLarge;
    }
    let inverse = match &proof.inverse {
        Some(text) => match Migration::read(text, new, old) {
            Ok(inverse) => Some(inverse),
            Err(_) => return Compared::Disagreed("the inverse is not a migration".into()),
        },
        None => None,
    };
    let moves = Moves { migration: &migration, rows: &rows, inverse: inverse.as_ref() };
    // Several statements can move rows of one keyspace to another one. Together they are proved or
    // refuted.
    let mut subjects: BTreeMap<_, Vec<&Answer>> = BTreeMap::new();
    for answer in &proof.answers {
        let subject = (answer.claim, answer.from, answer.to);
        subjects.entry(subject).or_default().push(answer);
    }
    let mut agreed = Vec::new();
    for ((claim, from, to), answers) in subjects {
        let subject = Subject { claim, from, to };
        if let Err(why) = moves.check(subject, &answers) {
            return Compared::Disagreed(why);
        }
        agreed.push((claim, outcome(&answers)));
    }
    Compared::Agreed(agreed)
}

/// A claim about the rows that move from one keyspace to another.
#[derive(Clone, Copy)]
struct Subject {
    claim: Claim,
    from: KeyspaceId,
    to: Option<KeyspaceId>,
}

/// Returns whether all answers are proofs, or one is a refutation; `None` if neither.
fn outcome(answers: &[&Answer]) -> Option<bool> {
    if answers.iter().any(|answer| matches!(answer.verdict, Verdict::Refuted(_))) {
        return Some(false);
    }
    answers.iter().all(|answer| answer.verdict == Verdict::Proved).then_some(true)
}

struct Moves<'a> {
    migration: &'a Migration<'a>,
    rows: &'a Oracle<'a>,
    inverse: Option<&'a Migration<'a>>,
}

/// A row that a piece moves, and its new key if it fits.
type MovedRow<'a> = (&'a Row, &'a Moved, Option<Vec<u8>>);

impl<'a> Moves<'a> {
    fn check(&self, subject: Subject, answers: &[&Answer]) -> Result<(), String> {
        let Some(is_proved) = outcome(answers) else { return Ok(()) };
        let holds = match subject.claim {
            Claim::Total => self.is_total(subject.from),
            Claim::Fitting => {
                // Only keys are enumerated.
                let is_value = |answer: &&Answer| {
                    use MigrationFault::Unfit;
                    matches!(&answer.verdict, Verdict::Refuted(Unfit { value: Some(_), .. }))
                };
                if answers.iter().any(is_value) {
                    return Ok(());
                }
                self.fits(subject)
            }
            Claim::Injective => self.is_injective(subject),
            Claim::Restartable => self.is_restartable(subject),
            // A refutation of KS115 gives a reason instead of rows.
            Claim::Reversible => return if is_proved { self.comes_back(subject) } else { Ok(()) },
        };
        if holds == is_proved {
            return Ok(());
        }
        let name = &self.migration.old.keyspace(subject.from).name;
        let verdicts: Vec<&Verdict> = answers.iter().map(|answer| &answer.verdict).collect();
        Err(format!("{:?} of `{name}` is {verdicts:?}", subject.claim))
    }

    fn is_total(&self, from: KeyspaceId) -> bool {
        let mut rows = self.rows.rows(from).iter();
        rows.all(|row| self.migration.piece_of(from, &row.fields).is_some())
    }

    /// Returns the rows that move from one keyspace to another.
    fn moved(&self, from: KeyspaceId, to: Option<KeyspaceId>) -> Vec<MovedRow<'a>> {
        let rows = self.rows.rows(from).iter().filter_map(|row| {
            let piece: &'a Piece = self.migration.piece_of(from, &row.fields)?;
            let Action::Move(moved) = &piece.action else { return None };
            (to.is_none_or(|to| to == moved.to)).then(|| (row, moved, self.new_key(moved, row)))
        });
        rows.collect()
    }

    fn new_key(&self, moved: &Moved, row: &Row) -> Option<Vec<u8>> {
        let image = self.migration.image(moved, &old_row(row.keyspace, row)).ok()?;
        self.migration.new.keyspace(image.keyspace).encode(&image.fields).ok()
    }

    fn fits(&self, subject: Subject) -> bool {
        self.moved(subject.from, subject.to)
            .iter()
            .all(|(_, moved, key)| key.is_some() || moved.otherwise.is_some())
    }

    /// Whether no two rows get the same key in the new keyspace. One of them is in the keyspace of
    /// the subject, the other is moved by the same statement or by an earlier one. Two readings of
    /// one stored key are one row.
    fn is_injective(&self, subject: Subject) -> bool {
        let old = self.migration.old;
        let mut images: BTreeMap<Vec<u8>, Vec<&Row>> = BTreeMap::new();
        for (row, _, key) in old.keyspace_ids().flat_map(|id| self.moved(id, subject.to)) {
            if let Some(key) = key {
                images.entry(key).or_default().push(row);
            }
        }
        let place = |row: &Row| (space(old, row.keyspace), row.key.clone());
        images.values().all(|rows| {
            let mut own = rows.iter().filter(|row| row.keyspace == subject.from);
            own.all(|row| {
                let at = self.piece_at(row);
                let mut others = rows.iter().filter(|other| self.piece_at(other) <= at);
                others.all(|other| place(row) == place(other))
            })
        })
    }

    /// Returns the position of the piece that a row is in.
    fn piece_at(&self, row: &Row) -> Option<usize> {
        let piece = self.migration.piece_of(row.keyspace, &row.fields)?;
        self.migration.pieces().iter().position(|other| std::ptr::eq(other, piece))
    }

    /// Whether no row moves to the key of another old row whose bytes change.
    fn is_restartable(&self, subject: Subject) -> bool {
        let Some(to) = subject.to else { return true };
        let to = space(self.migration.new, to);
        let olds = self.migration.old.keyspace_ids();
        let olds: Vec<KeyspaceId> =
            olds.filter(|&id| space(self.migration.old, id) == to).collect();
        self.moved(subject.from, subject.to).iter().all(|(row, moved, key)| {
            let Some(key) = key.as_ref().filter(|key| **key != row.key) else { return true };
            if moved.keeps_all() {
                return true;
            }
            let is_met = |id: &KeyspaceId| {
                self.changes(*id) && self.rows.rows(*id).iter().any(|other| other.key == *key)
            };
            !olds.iter().any(is_met)
        })
    }

    /// Whether rows of an old keyspace change or disappear.
    fn changes(&self, id: KeyspaceId) -> bool {
        let mut pieces = self.migration.pieces().iter().filter(|piece| piece.from == id);
        pieces.any(|piece| match &piece.action {
            Action::Move(moved) => !moved.keeps_all(),
            Action::Drop { .. } => true,
            Action::Derive { kept } => kept.is_none(),
        })
    }

    /// Checks that the inverse returns every row of the keyspace.
    fn comes_back(&self, subject: Subject) -> Result<(), String> {
        let (Some(inverse), true) = (self.inverse, self.is_map(subject.from)) else {
            return Ok(());
        };
        for (row, moved, _) in self.moved(subject.from, subject.to) {
            let Ok(image) = self.migration.image(moved, &old_row(row.keyspace, row)) else {
                continue;
            };
            let new = OldRow {
                keyspace: image.keyspace,
                fields: image.fields.clone(),
                value: OldValue::Unread,
            };
            let piece = inverse.piece_of(new.keyspace, &new.fields);
            let back = piece.and_then(|piece| match &piece.action {
                Action::Move(moved) => inverse.image(moved, &new).ok(),
                _ => None,
            });
            let is_back = back.is_some_and(|back| {
                let key = self.migration.old.keyspace(back.keyspace).encode(&back.fields);
                back.keyspace == row.keyspace && key.is_ok_and(|key| key == row.key)
            });
            if !is_back {
                return Err(format!("the inverse does not return {:?}", row.key));
            }
        }
        Ok(())
    }

    fn is_map(&self, id: KeyspaceId) -> bool {
        self.migration.old.keyspace(id).kind != KeyspaceKind::Index
    }
}

/// Returns the store and the family of a keyspace.
fn space(layout: &Layout, id: KeyspaceId) -> (&str, Option<&str>) {
    let keyspace = layout.keyspace(id);
    (&layout.store(keyspace.store).name, keyspace.family.as_deref())
}

fn old_row(keyspace: KeyspaceId, row: &Row) -> OldRow {
    OldRow { keyspace, fields: row.fields.clone(), value: OldValue::Unread }
}
