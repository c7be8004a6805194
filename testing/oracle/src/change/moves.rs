//! Migrations: compares the verdicts of KS111 to KS115 with the images of all rows.

use super::{
    MAX_ROWS, Pair, draw,
    draw::smaller_pairs,
    exchange::exchange,
    is_lossy, read_pair,
    statements::draw_statements,
    stored::{self, Place, Stored},
};
use crate::{Oracle, Words, seed::Compared, shrink::shrink};
use keyscape_evolution::{
    Config,
    migration::{
        Action, Answer, Claim, Image, ImageValue, Migration, Moved, OldRow, OldValue, Piece,
        Verdict,
    },
};
use keyscape_layout::{
    Layout,
    model::{Keyspace, KeyspaceId, KeyspaceKind},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A claim, and whether it is proved (`true`), refuted (`false`) or neither.
type Outcome = (Claim, Option<bool>);

/// The keyspace of an old row, the statement that moves the row, and the key.
type Origin<'p> = (KeyspaceId, Option<usize>, &'p Place);

/// Draws migrations between the layouts of a pair, and of the pair with other changes. Compares
/// their verdicts with the images of all old rows.
pub fn compare_moves_seed(seed: u64, words: &mut Words) -> Compared<Outcome> {
    let pair = draw(seed);
    let exchanged = exchange(seed, &pair);
    compare_pair_moves(seed, pair, words).and(|| compare_pair_moves(seed, exchanged, words))
}

fn compare_pair_moves(seed: u64, pair: Pair, words: &mut Words) -> Compared<Outcome> {
    let statements = draw_statements(seed, &pair);
    let compared = compare_statements(&pair, &statements, words);
    if !matches!(compared, Compared::Disagreed(_)) {
        return compared;
    }
    let smallest = shrink(&(pair, statements), smaller, |(pair, statements)| {
        matches!(compare_statements(pair, statements, words), Compared::Disagreed(_))
    });
    match compare_statements(&smallest.0, &smallest.1, words) {
        Compared::Disagreed(why) => Compared::Disagreed(format!("seed {seed}\n{why}")),
        compared => compared,
    }
}

/// Returns all migrations with one statement less, or between smaller layouts.
fn smaller((pair, statements): &(Pair, Vec<String>)) -> Vec<(Pair, Vec<String>)> {
    let fewer = (0..statements.len()).map(|at| {
        let mut fewer = statements.clone();
        fewer.remove(at);
        (pair.clone(), fewer)
    });
    let pairs = smaller_pairs(pair).into_iter().map(|pair| (pair, statements.clone()));
    fewer.chain(pairs).collect()
}

/// Compares the verdicts about the statements that are valid together.
fn compare_statements(pair: &Pair, statements: &[String], words: &mut Words) -> Compared<Outcome> {
    let (old, new) = match read_pair(pair) {
        Ok(layouts) => layouts,
        Err(why) => return Compared::Rejected(why),
    };
    let mut declaration = String::new();
    for statement in statements {
        let longer = format!("{declaration}{statement}");
        if Migration::read(&longer, &old, &new).is_ok() {
            declaration = longer;
        }
    }
    match compare_moves(&old, &new, &declaration, words) {
        Compared::Disagreed(why) => {
            let Pair { old, new } = pair;
            let texts = format!("--- old\n{old}+++ new\n{new}=== migration\n{declaration}");
            Compared::Disagreed(format!("{texts}{why}\n"))
        }
        compared => compared,
    }
}

fn compare_moves(
    old: &Layout,
    new: &Layout,
    declaration: &str,
    words: &mut Words,
) -> Compared<Outcome> {
    if [old, new].into_iter().any(|layout| is_lossy(layout) || stored::has_repeated_names(layout)) {
        return Compared::TooLarge;
    }
    let Ok(migration) = Migration::read(declaration, old, new) else {
        return Compared::Rejected(declaration.to_owned());
    };
    let config = keyscape_prover::Config { fixes: false, ..keyscape_prover::Config::default() };
    let mut report = keyscape_prover::check(new, config);
    // An author may accept failing claims, which proves nothing.
    report.claims.iter_mut().for_each(|claim| claim.accepted = Some("by the oracle".to_owned()));
    let proved = || migration.prove(Config::default(), &report);
    let Ok(proof) = catch_unwind(AssertUnwindSafe(proved)) else {
        return Compared::Disagreed("the proof panicked".into());
    };
    let (Ok(rows), Ok(news)) =
        (Oracle::new(old, words, &[], MAX_ROWS), Oracle::new(new, words, &[], MAX_ROWS))
    else {
        return Compared::TooLarge;
    };
    if !old.keyspace_ids().all(|id| rows.is_complete(id)) {
        return Compared::TooLarge;
    }
    let stored: Option<Vec<Vec<Stored>>> =
        old.keyspace_ids().map(|id| stored::list(&rows, id)).collect();
    let Some(stored) = stored else { return Compared::TooLarge };
    let inverse = match &proof.inverse {
        Some(text) => match Migration::read(text, new, old) {
            Ok(inverse) => Some(inverse),
            Err(_) => return Compared::Disagreed("the inverse is not a migration".into()),
        },
        None => None,
    };
    let moves = Moves { migration: &migration, stored, news: &news, inverse: inverse.as_ref() };
    if let Err(why) = moves.check_kept(proof.may_run()) {
        return Compared::Disagreed(why);
    }
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
    /// The old rows of each keyspace.
    stored: Vec<Vec<Stored>>,
    news: &'a Oracle<'a>,
    inverse: Option<&'a Migration<'a>>,
}

/// A row that a piece moves, and its new row if it fits.
struct MovedRow<'m> {
    stored: &'m Stored,
    moved: &'m Moved,
    new: Option<(Image, Place)>,
}

impl MovedRow<'_> {
    fn place(&self) -> Option<&Place> {
        self.new.as_ref().map(|(_, place)| place)
    }
}

impl Moves<'_> {
    fn check(&self, subject: Subject, answers: &[&Answer]) -> Result<(), String> {
        let Some(is_proved) = outcome(answers) else { return Ok(()) };
        let holds = match subject.claim {
            Claim::Total => self.is_total(subject.from),
            Claim::Fitting => self.fits(subject),
            Claim::Injective => self.is_injective(subject, is_proved),
            Claim::Restartable => self.is_restartable(subject, is_proved),
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

    fn stored(&self, id: KeyspaceId) -> &[Stored] {
        &self.stored[id.0 as usize]
    }

    fn is_total(&self, from: KeyspaceId) -> bool {
        let mut rows = self.stored(from).iter();
        rows.all(|stored| self.migration.piece_of(from, &stored.row.fields).is_some())
    }

    /// Returns the rows that move from one keyspace to another. Unless `with_values` is set, the
    /// key of a row is enough: refutations of KS112 and KS114 ignore values and scores that do not
    /// fit.
    fn moved(
        &self,
        from: KeyspaceId,
        to: Option<KeyspaceId>,
        with_values: bool,
    ) -> Vec<MovedRow<'_>> {
        let has_score = self.migration.old.keyspace(from).score.is_some();
        let rows = self.stored(from).iter().filter_map(|stored| {
            let piece: &Piece = self.migration.piece_of(from, &stored.row.fields)?;
            let Action::Move(moved) = &piece.action else { return None };
            let is_asked = to.is_none_or(|to| to == moved.to);
            let key_only = || {
                let mut row = OldRow { value: OldValue::Unread, ..stored.row.clone() };
                row.fields.0.retain(|(name, _)| !has_score || name != "score");
                self.image(moved, &row).filter(|_| !with_values)
            };
            is_asked.then(|| {
                let new = self.image(moved, &stored.row).or_else(key_only);
                MovedRow { stored, moved, new }
            })
        });
        rows.collect()
    }

    fn image(&self, moved: &Moved, row: &OldRow) -> Option<(Image, Place)> {
        let image = self.migration.image(moved, row).ok()?;
        let place = stored::place(self.migration.new, image.keyspace, &image.fields)?;
        Some((image, place))
    }

    fn fits(&self, subject: Subject) -> bool {
        self.moved(subject.from, subject.to, true)
            .iter()
            .all(|row| row.new.is_some() || row.moved.otherwise.is_some())
    }

    /// Whether no two rows get the same key in the new keyspace. One of them is in the keyspace of
    /// the subject, the other is moved by the same statement or by an earlier one. Two readings of
    /// one stored key are one row.
    fn is_injective(&self, subject: Subject, with_values: bool) -> bool {
        let old = self.migration.old;
        let mut images: BTreeMap<Place, BTreeSet<Origin<'_>>> = BTreeMap::new();
        for row in old.keyspace_ids().flat_map(|id| self.moved(id, subject.to, with_values)) {
            if let Some((_, place)) = row.new {
                let from =
                    (row.stored.row.keyspace, self.piece_at(&row.stored.row), &row.stored.place);
                images.entry(place).or_default().insert(from);
            }
        }
        images.values().all(|rows| {
            let mut own = rows.iter().filter(|row| row.0 == subject.from);
            own.all(|row| {
                let mut others = rows.iter().filter(|other| other.1 <= row.1);
                others.all(|other| space(old, row.0) == space(old, other.0) && row.2 == other.2)
            })
        })
    }

    /// Returns the position of the piece that a row is in.
    fn piece_at(&self, row: &OldRow) -> Option<usize> {
        let piece = self.migration.piece_of(row.keyspace, &row.fields)?;
        self.migration.pieces().iter().position(|other| std::ptr::eq(other, piece))
    }

    /// Whether no row moves to the key of another old row whose bytes change.
    fn is_restartable(&self, subject: Subject, with_values: bool) -> bool {
        let Some(to) = subject.to else { return true };
        let to = space(self.migration.new, to);
        let olds = self.migration.old.keyspace_ids();
        let olds: Vec<KeyspaceId> =
            olds.filter(|&id| space(self.migration.old, id) == to).collect();
        self.moved(subject.from, subject.to, with_values).iter().all(|row| {
            let Some(place) = row.place().filter(|place| **place != row.stored.place) else {
                return true;
            };
            if row.moved.keeps_all() {
                return true;
            }
            let is_met = |id: &KeyspaceId| {
                self.changes(*id) && self.stored(*id).iter().any(|other| other.place == *place)
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

    /// Checks that rows keep the bytes that the migration leaves alone. If the migration may run,
    /// structures that keep their sizes must have the same members.
    fn check_kept(&self, may_run: bool) -> Result<(), String> {
        for from in self.migration.old.keyspace_ids() {
            let mut members: BTreeMap<(KeyspaceId, &Vec<u8>), BTreeSet<&Place>> = BTreeMap::new();
            let rows = self.moved(from, None, true);
            for MovedRow { stored, moved, new } in &rows {
                let Some((image, place)) = new else {
                    if moved.is_identical {
                        return Err(format!("{:?} stays and does not fit", stored.place));
                    }
                    continue;
                };
                if (moved.is_identical || moved.keeps_key) && *place != stored.place {
                    return Err(format!("{:?} does not keep its key", stored.place));
                }
                let content = stored::content(self.migration.new, image, stored);
                if (moved.is_identical || moved.keeps_value)
                    && content.is_some()
                    && content != stored.content
                {
                    return Err(format!("{:?} does not keep its value", stored.place));
                }
                members.entry((moved.to, &place.0)).or_default().insert(&stored.place);
            }
            let sizes = |keyspace: &Keyspace| keyspace.counted || keyspace.ranked;
            if !may_run || !sizes(self.migration.old.keyspace(from)) {
                continue;
            }
            let mut before: BTreeMap<&Vec<u8>, BTreeSet<&Place>> = BTreeMap::new();
            for stored in self.stored(from) {
                before.entry(&stored.place.0).or_default().insert(&stored.place);
            }
            let kept = rows
                .iter()
                .filter(|row| row.moved.keeps_value)
                .filter_map(|row| Some((row.moved.to, &row.stored.place.0, &row.place()?.0)));
            let kept: BTreeSet<(KeyspaceId, &Vec<u8>, &Vec<u8>)> = kept.collect();
            let targets: BTreeSet<KeyspaceId> = kept.iter().map(|(to, ..)| *to).collect();
            let claim = Claim::Injective;
            let targets = targets.into_iter().filter(|&to| {
                sizes(self.migration.new.keyspace(to))
                    && self.is_injective(Subject { claim, from, to: Some(to) }, true)
            });
            let targets: BTreeSet<KeyspaceId> = targets.collect();
            for (to, old, new) in kept {
                if targets.contains(&to) && members.get(&(to, new)) != before.get(old) {
                    return Err(format!("{old:?} keeps its size"));
                }
            }
        }
        Ok(())
    }

    /// Checks that the inverse returns every row of the keyspace.
    fn comes_back(&self, subject: Subject) -> Result<(), String> {
        let (Some(inverse), true) = (self.inverse, self.is_map(subject.from)) else {
            return Ok(());
        };
        for MovedRow { stored, new, .. } in self.moved(subject.from, subject.to, true) {
            let Some((image, _)) = new else { continue };
            let content = stored::content(self.migration.new, &image, stored);
            let values = stored::read_values(self.news, image.keyspace, content.as_deref());
            let is_back = values.into_iter().any(|value| {
                let fields = image.fields.clone();
                let row = OldRow { keyspace: image.keyspace, fields, value };
                let new = Stored { row, place: Place::default(), content: content.clone() };
                self.is_returned(inverse, stored, &new)
            });
            if !is_back {
                return Err(format!("the inverse does not return {:?}", stored.row));
            }
        }
        Ok(())
    }

    /// Whether the inverse makes the old row of a new one.
    fn is_returned(&self, inverse: &Migration<'_>, stored: &Stored, new: &Stored) -> bool {
        let piece = inverse.piece_of(new.row.keyspace, &new.row.fields);
        let back = piece.and_then(|piece| match &piece.action {
            Action::Move(moved) => inverse.image(moved, &new.row).ok(),
            _ => None,
        });
        back.is_some_and(|back| {
            let old = self.migration.old;
            let value = stored::content(old, &back, new);
            // The bytes of an ambiguous value have several readings.
            let is_same_value = value.is_none()
                || value == stored.content
                || matches!(
                    (&back.value, &stored.row.value),
                    (ImageValue::Datum(datum), OldValue::Declared(old) | OldValue::Reads(old))
                        if old == datum
                );
            back.keyspace == stored.row.keyspace
                && stored::place(old, back.keyspace, &back.fields).as_ref() == Some(&stored.place)
                && is_same_value
        })
    }

    fn is_map(&self, id: KeyspaceId) -> bool {
        self.migration.old.keyspace(id).kind != KeyspaceKind::Index
    }
}

/// Returns the store, the family and, among structures, the kind of a keyspace.
fn space(layout: &Layout, id: KeyspaceId) -> (&str, Option<&str>, Option<KeyspaceKind>) {
    let keyspace = layout.keyspace(id);
    let store = layout.store(keyspace.store);
    let kind = store.structures.then_some(match keyspace.kind {
        KeyspaceKind::Item | KeyspaceKind::Sequence | KeyspaceKind::Index => KeyspaceKind::Map,
        kind => kind,
    });
    (&store.name, keyspace.family.as_deref(), kind)
}
