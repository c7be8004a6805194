//! The two questions about keys that all rules ask: does the other layout read a key, and does it
//! read the same values?

use crate::{
    alike::Relations,
    correspondence::Fields,
    events::{Events, Interner, Naming},
    follow::{AllRuns, Runs, SameRuns},
    product::{FoundKeys, Product, Progress},
    report::{Readings, Unknown},
};
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Layout, Side, derived_places,
    machine::TrackId,
    model::{Derived, KeyspaceId},
};
use keyscape_prover::{KeyReader, Row};
use std::{cell::RefCell, rc::Rc};

/// The direction of a question: which layout writes the keys, and which one reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Keys of the old layout, read with the new one.
    Backward,
    /// Keys of the new layout, read with the old one.
    Forward,
}

impl Direction {
    pub(crate) const fn opposite(self) -> Self {
        match self {
            Self::Backward => Self::Forward,
            Self::Forward => Self::Backward,
        }
    }

    /// Converts a pair from the order (old, new) to the order (writing, reading), and back.
    pub(crate) fn oriented<T>(self, a: T, b: T) -> (T, T) {
        match self {
            Self::Backward => (a, b),
            Self::Forward => (b, a),
        }
    }
}

/// Two layouts that are compared.
pub(crate) struct Comparison<'a> {
    pub(crate) old: KeyReader<'a>,
    pub(crate) new: KeyReader<'a>,
    pub(crate) budget: Budget<'a>,
    relations: RefCell<Relations>,
}

/// A keyspace whose keys the other layout reads, and its counterpart.
pub(crate) struct Question {
    direction: Direction,
    keyspace: KeyspaceId,
    /// The counterpart of the keyspace in the layout that reads.
    same: Option<KeyspaceId>,
    /// The corresponding fields of the keyspace and its counterpart.
    fields: Fields,
}

/// A key that answers a question.
#[derive(Clone, Debug)]
pub(crate) struct Answer<T> {
    pub(crate) of: T,
    /// Whether no shorter key answers the question.
    pub(crate) minimal: bool,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(old: &'a Layout, new: &'a Layout, budget: Budget<'a>) -> Self {
        let (old, new) = (KeyReader::new(old, budget), KeyReader::new(new, budget));
        Self { old, new, budget, relations: RefCell::default() }
    }

    /// Returns the question about the keys of a keyspace. `same` is its counterpart.
    pub(crate) fn question(
        &self,
        direction: Direction,
        keyspace: KeyspaceId,
        same: Option<KeyspaceId>,
    ) -> Question {
        let (old, new) = direction.oriented(Some(keyspace), same);
        let fields = old.zip(new).map(|(old, new)| {
            Fields::new(&self.old.keyspace(old).key, &self.new.keyspace(new).key)
        });
        Question { direction, keyspace, same, fields: fields.unwrap_or_default() }
    }

    /// Returns the layout that writes the keys and the layout that reads them.
    fn sides(&self, direction: Direction) -> (&KeyReader<'a>, &KeyReader<'a>) {
        direction.oriented(&self.old, &self.new)
    }

    /// Returns a shortest key that begins with `prefix` and that none of `readers` reads.
    pub(crate) fn unread(
        &self,
        question: &Question,
        readers: &[KeyspaceId],
        prefix: &[u8],
    ) -> Result<Option<Answer<Row>>, Unknown> {
        let (writing, reading) = self.sides(question.direction);
        let is_unread =
            |row: &Row| reading.readings(&row.key, readers).is_some_and(|rows| rows.is_empty());
        let replay = |key: &[u8], _| {
            let mut rows = writing.rows(key, question.keyspace).into_iter();
            rows.find(|row| row.key.starts_with(prefix) && is_unread(row))
        };
        let goal = Goal::Unread { prefix };
        first(self.answers(question, goal, readers, replay, |row| row.key.len()))
    }

    /// Returns, for each of `readers`, a shortest key that this reader reads although the
    /// counterpart does not read the same values. If the question is undecided for some readers,
    /// returns the reason as well.
    pub(crate) fn misread(
        &self,
        question: &Question,
        readers: &[KeyspaceId],
    ) -> (Vec<Answer<Readings>>, Option<Unknown>) {
        if readers.is_empty() {
            return (Vec::new(), None);
        }
        let (_, reading) = self.sides(question.direction);
        let replay = |key: &[u8], track: Option<TrackId>| {
            let machine = reading.machine(readers, Side::Over).ok()?;
            let reader = machine.keyspace(track?);
            // A reader that takes a field from another offset can read the same value by chance, so
            // similar keys are tried as well.
            let others = neighbours(key).take_while(|_| self.spent().is_none());
            let mut keys = std::iter::once(key.to_vec()).chain(others);
            keys.find_map(|key| self.replay_misread(question, &key, reader))
        };
        self.answers(question, Goal::Misread, readers, replay, |both| both.old.key.len())
    }

    /// Returns the error for an exhausted total budget, if the budget is exhausted.
    fn spent(&self) -> Option<OverBudget> {
        self.budget.total.filter(|total| total.left() == 0).map(Total::over)
    }

    /// Returns the first answer of [`misread`](Self::misread).
    pub(crate) fn first_misread(
        &self,
        question: &Question,
        readers: &[KeyspaceId],
    ) -> Result<Option<Answer<Readings>>, Unknown> {
        first(self.misread(question, readers))
    }

    /// Searches for keys and replays them with the codecs. Returns the answers, and the reason if
    /// some questions are undecided. `length` returns the length of the key of an answer.
    fn answers<T>(
        &self,
        question: &Question,
        goal: Goal<'_>,
        readers: &[KeyspaceId],
        replay: impl Fn(&[u8], Option<TrackId>) -> Option<T>,
        length: fn(&T) -> usize,
    ) -> (Vec<Answer<T>>, Option<Unknown>) {
        let (mut answers, mut unknown) = (Vec::new(), None);
        let found = match self.search(question, goal, readers, true) {
            Ok(found) => found,
            Err(reason) => return (answers, Some(reason)),
        };
        let inexact = || self.inexact_codecs(question, readers);
        let mut certain: Option<FoundKeys> = None;
        for (&track, key) in &found.keys {
            if let Some(of) = replay(key, track) {
                let blurred = found.blurred.get(&track);
                let is_first = blurred.is_none_or(|&length| key.len() as u64 <= length);
                let minimal = found.over.is_none() && is_first && length(&of) <= key.len();
                answers.push(Answer { of, minimal });
            } else if !inexact().is_empty() {
                let certain = certain.get_or_insert_with(|| {
                    self.search(question, goal, readers, false).unwrap_or_default()
                });
                match certain.keys.get(&track).and_then(|key| replay(key, track)) {
                    Some(of) => answers.push(Answer { of, minimal: false }),
                    None => unknown = Some(Unknown::Inexact { codecs: inexact() }),
                }
            } else {
                unknown = Some(match goal {
                    Goal::Misread if self.is_read(question, key, readers) => Unknown::Values,
                    _ => Unknown::Bug { key: key.clone() },
                });
            }
        }
        // After the budget is exhausted, keys are not replayed completely.
        let spent = || self.spent().filter(|_| unknown.is_some());
        if let Some(over) = found.over.or_else(spent) {
            unknown = Some(Unknown::Budget(over));
        } else if found.blurred.keys().any(|track| !found.keys.contains_key(track)) {
            unknown = unknown.or_else(|| {
                let codecs = inexact();
                Some(if codecs.is_empty() { Unknown::Values } else { Unknown::Inexact { codecs } })
            });
        }
        (answers, unknown)
    }

    /// Returns the row of a key and its reading in another keyspace, if the counterpart does not
    /// read the same row. Tries the key with the derived bytes of each of the two keyspaces.
    fn replay_misread(
        &self,
        question: &Question,
        key: &[u8],
        reader: KeyspaceId,
    ) -> Option<Readings> {
        let (writing, reading) = self.sides(question.direction);
        let rows = writing.rows(key, question.keyspace).into_iter();
        let keys = rows.chain(reading.rows(key, reader)).map(|row| row.key);
        keys.into_iter().find_map(|key| {
            let is_exact = |row: &Row| row.key == key;
            let other = reading.rows(&key, reader).into_iter().find(is_exact)?;
            let same: Vec<KeyspaceId> = question.same.into_iter().collect();
            let readings = reading.readings(&key, &same)?;
            let is_same = |row: &Row, read: &Row| {
                let (old, new) = question.direction.oriented(row, read);
                question.fields.are_same(&old.fields, &new.fields)
            };
            let is_kept = |row: &Row| readings.iter().any(|read| is_same(row, read));
            let mut rows = writing.rows(&key, question.keyspace).into_iter().filter(is_exact);
            let row = rows.find(|row| !is_kept(row))?;
            let (old, new) = question.direction.oriented(row, other);
            Some(Readings { old, new })
        })
    }

    /// Whether a key belongs to the keyspace, and some of `readers` read it.
    fn is_read(&self, question: &Question, key: &[u8], readers: &[KeyspaceId]) -> bool {
        let (writing, reading) = self.sides(question.direction);
        let is_key = |row: &Row| row.key == key;
        writing.rows(key, question.keyspace).iter().any(is_key)
            && reading.readings(key, readers).is_some_and(|rows| !rows.is_empty())
    }

    /// Returns the codecs of a question that have no exact automaton, and its derived bytes.
    fn inexact_codecs(&self, question: &Question, readers: &[KeyspaceId]) -> Vec<String> {
        let (writing, reading) = self.sides(question.direction);
        let mut codecs = inexact(writing, &[question.keyspace]);
        codecs.extend(inexact(reading, readers));
        codecs.sort();
        codecs.dedup();
        codecs
    }

    fn search(
        &self,
        question: &Question,
        goal: Goal<'_>,
        readers: &[KeyspaceId],
        is_first: bool,
    ) -> Result<FoundKeys, Unknown> {
        // The first search covers every key that may exist, and only runs that certainly exist: it
        // misses nothing. The second one covers only keys that certainly exist, and every run that
        // may exist: it reports nothing false.
        let (leading, following) =
            if is_first { (Side::Over, Side::Under) } else { (Side::Under, Side::Over) };
        let (writing, reading) = self.sides(question.direction);
        let is_identity = question.fields.keep_names();
        let same_derived = |a: &Derived, b: &Derived| is_identity && a.is_same(b);
        let machine = writing.machine(&[question.keyspace], leading)?;
        let interner = Rc::new(RefCell::new(Interner::default()));
        let fields = &question.fields;
        let (own, theirs) = question.direction.oriented(Naming::Old(fields), Naming::New(fields));
        let is_inexact = |id: &KeyspaceId| !inexact(reading, &[*id]).is_empty();
        let (same, all, other, prefix) = match goal {
            Goal::Unread { prefix } => {
                let all = (!readers.is_empty()).then_some(readers);
                (question.same.filter(is_inexact), all, None, prefix)
            }
            Goal::Misread => (question.same, None, Some(readers), &[][..]),
        };
        let own_key = writing.keyspace(question.keyspace).key.as_slice();
        let same_key = same.map_or(&[][..], |same| &reading.keyspace(same).key);
        let same = same.map(|same| reading.machine(&[same], following)).transpose()?;
        let all = all.map(|all| reading.machine(all, following)).transpose()?;
        let other = other.map(|other| reading.machine(other, leading)).transpose()?;
        let product = Product {
            leader: Runs::new(&machine, interner.clone()),
            events: Events::new(own_key, same_key, own, interner.clone()),
            all: all.as_deref().map(|machine| AllRuns {
                runs: Runs::new(machine, interner.clone()),
                is_certain: is_first,
            }),
            same: same.as_deref().map(|machine| SameRuns {
                runs: Runs::new(machine, interner.clone()),
                events: Events::new(same_key, own_key, theirs, interner.clone()),
                same_derived: &same_derived,
            }),
            other: other.as_deref().map(|machine| Runs::new(machine, interner.clone())),
            relations: &mut self.relations.borrow_mut(),
            budget: self.budget,
            prefix,
            progress: Progress::default(),
        };
        Ok(product.search())
    }
}

/// The keys that a search looks for.
#[derive(Clone, Copy)]
enum Goal<'q> {
    /// Keys with this prefix that no reader reads.
    Unread { prefix: &'q [u8] },
    /// Keys that a reader reads as other values.
    Misread,
}

/// Returns the first answer. An undecided question without an answer is an error.
fn first<T>(
    (answers, unknown): (Vec<Answer<T>>, Option<Unknown>),
) -> Result<Option<Answer<T>>, Unknown> {
    match (answers.into_iter().next(), unknown) {
        (None, Some(reason)) => Err(reason),
        (answer, _) => Ok(answer),
    }
}

/// Returns the codecs of some keyspaces that have no exact automaton, and their derived bytes.
fn inexact(reader: &KeyReader<'_>, keyspaces: &[KeyspaceId]) -> Vec<String> {
    let mut codecs = reader.inexact(keyspaces);
    for &id in keyspaces {
        let derived = derived_places(&reader.keyspace(id).key);
        codecs.extend(derived.iter().map(|place| place.derived.text()));
    }
    codecs
}

/// The number of bytes at the end of a key that [`neighbours`] changes.
const CHANGED: usize = 64;

/// Returns keys of the same length that differ from a key in one byte. The last byte changes first.
fn neighbours(key: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..key.len()).rev().take(CHANGED).flat_map(move |at| {
        let byte = key[at];
        [byte ^ 1, byte.wrapping_add(1), byte.wrapping_sub(1)].map(|byte| {
            let mut changed = key.to_vec();
            changed[at] = byte;
            changed
        })
    })
}
