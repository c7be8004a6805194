//! The new row of a stored row.

use crate::{
    error::{MigrateError, RowProblem},
    runner::{Counted, Runner},
};
use keyscape_evolution::migration::{
    Action, Image, ImageValue, Moved, OldRow, OldValue, Piece, Treatment, Unfit,
};
use keyscape_inspect::database::{
    Body, DatabaseError, Entry, Part, QueueItem, Stored, space_name, stored_key,
};
use keyscape_layout::{
    Decoder, Record, fields,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_runtime::record::Family;
use std::sync::Arc;

const MEMBER: &str = "member";
const SCORE: &str = "score";

/// The treatment of a stored row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The row stays unchanged, in the same space.
    Keep {
        /// Whether the digest contains the row, as in [`Runner::is_in_digest`].
        is_in_digest: bool,
    },
    /// The row becomes a row or a field of a hash.
    Row(StoredRow),
    /// The row becomes a member of a structure, which the engine writes.
    Member(Box<Entry>),
    /// The counter of a queue's tokens becomes the counters of all queues that may get members of
    /// the queue, so that none of them issues a token again. Such a queue may have a larger counter
    /// already.
    Counters(Vec<Entry>),
    /// The declaration drops the row.
    Drop,
    /// The row is derived from others and will be rebuilt.
    Derived,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRow {
    pub(crate) space: Arc<str>,
    pub(crate) key: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Outcome {
    pub(crate) const fn count(&self, counted: &mut Counted) {
        let number = match self {
            Self::Keep { .. } => &mut counted.kept,
            Self::Row(_) | Self::Member(_) | Self::Counters(_) => &mut counted.moved,
            Self::Drop => &mut counted.dropped,
            Self::Derived => &mut counted.derived,
        };
        *number += 1;
    }
}

/// Computes the outcomes of the rows of one space.
#[derive(Debug)]
pub(crate) struct Converter<'r> {
    runner: &'r Runner<'r>,
    space: &'r str,
    /// `None` for spaces with structures.
    decoder: Option<Decoder<'r>>,
}

impl<'r> Converter<'r> {
    pub(crate) fn new(runner: &'r Runner<'r>, space: &'r str) -> Self {
        Self { runner, space, decoder: runner.old_reader.decoder(space) }
    }

    /// Returns the treatment of a stored row, and its old keyspace.
    pub(crate) fn outcome(
        &mut self,
        key: &[u8],
        value: &[u8],
    ) -> Result<(KeyspaceId, Outcome), MigrateError> {
        let Some(outcome) = self.outcome_by_bytes(key, value) else {
            return self.runner.outcome(self.space, key, value);
        };
        debug_assert_eq!(
            self.runner.outcome(self.space, key, value).ok().as_ref(),
            Some(&outcome),
            "the bytes and the values of a row have the same outcome"
        );
        Ok(outcome)
    }

    /// Returns the same result as [`Runner::outcome`], without decoding the values of fields.
    /// Returns `None` if the row needs them.
    fn outcome_by_bytes(&mut self, key: &[u8], value: &[u8]) -> Option<(KeyspaceId, Outcome)> {
        let decoder = self.decoder.as_mut()?;
        let id = decoder.keyspace(key)?;
        let recipe = match self.runner.treatments.get(id.0 as usize)?.as_ref()? {
            &Treatment::Keep { is_derived } => {
                return Some((id, Outcome::Keep { is_in_digest: !is_derived }));
            }
            Treatment::Drop => return Some((id, Outcome::Drop)),
            Treatment::Derive => return Some((id, Outcome::Derived)),
            Treatment::Make(recipe) => recipe,
        };
        let space = Arc::clone(self.runner.new_space(recipe.to));
        let mut row = StoredRow { space, key: Vec::new(), value: Vec::new() };
        recipe.make((key, decoder.leaves()?), value, (&mut row.key, &mut row.value))?;
        let is_same = (&*row.space, &*row.key, &*row.value) == (self.space, key, value);
        let outcome =
            if is_same { Outcome::Keep { is_in_digest: true } } else { Outcome::Row(row) };
        Some((id, outcome))
    }
}

impl Runner<'_> {
    /// Returns the treatment of a stored row, and its old keyspace.
    fn outcome(
        &self,
        space: &str,
        key: &[u8],
        value: &[u8],
    ) -> Result<(KeyspaceId, Outcome), MigrateError> {
        let failed =
            |problem| MigrateError::Row { space: space.to_owned(), key: key.to_vec(), problem };
        let entries = self
            .old_reader
            .read_all(space, key, value)
            .map_err(|reason| failed(RowProblem::Unread(reason)))?;
        if entries.len() > 1 && self.migration.ambiguous.is_none() {
            return Err(failed(RowProblem::Ambiguous(entries.len())));
        }
        let (mut dropped, mut problem) = (None, None);
        for entry in &entries {
            let id = entry.value_keyspace();
            match self.entry_outcome(entry, (key, value)) {
                // Another reading of the same key may fit.
                Ok(Outcome::Drop) => dropped = dropped.or(Some(id)),
                Ok(Outcome::Row(row))
                    if (&*row.space, &*row.key, &*row.value) == (space, key, value) =>
                {
                    return Ok((id, Outcome::Keep { is_in_digest: true }));
                }
                Ok(outcome) => return Ok((id, outcome)),
                Err(found) => problem = problem.or(Some(found)),
            }
        }
        match (dropped, problem) {
            (Some(id), _) => Ok((id, Outcome::Drop)),
            (None, Some(problem)) => Err(failed(problem)),
            (None, None) => Err(failed(RowProblem::Unread("it has no reading"))),
        }
    }

    fn entry_outcome(
        &self,
        entry: &Entry,
        (key, value): (&[u8], &[u8]),
    ) -> Result<Outcome, RowProblem> {
        let id = entry.value_keyspace();
        let name = || self.migration.old.keyspace(id).name.clone();
        let fields = row_fields(entry);
        // A count, a rank or a token counter has no member. Conditions on the member cannot select
        // it.
        let pieces = match &entry.body {
            Body::Part { part, .. } if part.member().is_none() => {
                self.migration.pieces_of_structure(id, &entry.key)
            }
            _ => self.migration.piece_of(id, &fields).into_iter().collect(),
        };
        let moves = |piece: &&&Piece| matches!(piece.action, Action::Move(_));
        let piece = pieces.iter().find(moves).or(pieces.first());
        let Some(piece) = piece else { return Err(RowProblem::Forgotten(name())) };
        let moved = match &piece.action {
            Action::Move(moved) => moved,
            Action::Drop { .. } => return Ok(Outcome::Drop),
            Action::Derive { kept: Some(_) } => return Ok(Outcome::Keep { is_in_digest: false }),
            Action::Derive { kept: None } => return Ok(Outcome::Derived),
        };
        if moved.is_identical {
            return Ok(Outcome::Keep { is_in_digest: is_body_in_digest(&entry.body) });
        }
        let outcome = match &entry.body {
            &Body::Part { family: Family::Token, part: Part::Number(number) } => {
                return self.counters(entry, number, &pieces);
            }
            Body::Part { family, part } => self.part(entry, moved, (*family, part), &fields),
            Body::Row(stored) | Body::Field { value: stored, .. } => {
                self.row((id, fields), moved, (stored, key, value), &name)
            }
        };
        match (outcome, &moved.otherwise) {
            (Err(RowProblem::Unfit(_)), Some(_)) => Ok(Outcome::Drop),
            (outcome, _) => outcome,
        }
    }

    fn row(
        &self,
        (keyspace, fields): (KeyspaceId, Record),
        moved: &Moved,
        (stored, key, bytes): (&Stored, &[u8], &[u8]),
        name: &dyn Fn() -> String,
    ) -> Result<Outcome, RowProblem> {
        let value = match stored {
            Stored::Value(datum) => OldValue::Declared(datum.clone()),
            Stored::Reads(datum) => OldValue::Reads(datum.clone()),
            Stored::Raw(_) if moved.keeps_value || moved.is_value_by_program() => OldValue::Unread,
            Stored::Raw(_) => return Err(RowProblem::Value(name())),
        };
        let old = OldRow { keyspace, fields, value };
        if moved.made_by_program().next().is_some() {
            return self.row_by_program(&old, moved, (key, bytes), name);
        }
        let image = self.migration.image(moved, &old)?;
        let row = self.stored(&self.entry_of(image, bytes));
        row.map(Outcome::Row).map_err(|error| RowProblem::Unfit(error.to_string()))
    }

    /// Makes a new row with a function of the program. The row must agree with the parts that the
    /// declaration makes.
    fn row_by_program(
        &self,
        old: &OldRow,
        moved: &Moved,
        bytes: (&[u8], &[u8]),
        name: &dyn Fn() -> String,
    ) -> Result<Outcome, RowProblem> {
        let new = self.migration.new;
        let keyspaces = (old.keyspace, moved.to);
        let made = self.program.and_then(|own| own.convert(self.migration, keyspaces, bytes));
        let made = made.ok_or_else(|| RowProblem::Program(name()))?;
        let (key, value) = made.map_err(RowProblem::Unfit)?;
        let undeclared = || RowProblem::Undeclared(new.keyspace(moved.to).name.clone());
        let entries = self.new_reader.read_all(&space_name(new, moved.to), &key, &value);
        let entries = entries.map_err(|_| undeclared())?;
        let entry = entries.iter().find(|entry| entry.keyspace == moved.to);
        let fields = &entry.ok_or_else(undeclared)?.key;
        let image = self.migration.image_with(moved, old, Some(fields))?;
        let old_value = if image.value == ImageValue::Program { &value } else { bytes.1 };
        let row = self.stored(&self.entry_of(image, old_value));
        let row = row.map_err(|error| RowProblem::Unfit(error.to_string()))?;
        match row.key == key && row.value == value {
            true => Ok(Outcome::Row(row)),
            false => Err(undeclared()),
        }
    }

    /// Makes the entry for the new row, or for the new field of a hash.
    fn entry_of(&self, image: Image, bytes: &[u8]) -> Entry {
        let new = self.migration.new;
        let stored = match image.value {
            ImageValue::Same | ImageValue::Program => Stored::Raw(bytes.to_vec()),
            ImageValue::Datum(datum) => Stored::Value(datum),
        };
        let keyspace = new.keyspace(image.keyspace);
        match keyspace.hash {
            None => Entry { keyspace: image.keyspace, key: image.fields, body: Body::Row(stored) },
            Some(hash) => {
                let of_hash = fields(&new.keyspace(hash).key);
                let is_of_hash = |name: &str| of_hash.iter().any(|field| field.name == *name);
                let (key, own) = image.fields.0.into_iter().partition(|(name, _)| is_of_hash(name));
                let body = Body::Field { id: image.keyspace, fields: Record(own), value: stored };
                Entry { keyspace: hash, key: Record(key), body }
            }
        }
    }

    fn part(
        &self,
        entry: &Entry,
        moved: &Moved,
        (family, part): (Family, &Part),
        row: &Record,
    ) -> Result<Outcome, RowProblem> {
        let image = |fields: Record| {
            let old = OldRow { keyspace: entry.keyspace, fields, value: OldValue::Unread };
            self.migration.image(moved, &old).map(|image| image.fields)
        };
        let missing = || RowProblem::Unfit("it has no member".to_owned());
        let (key, part) = match (family, part) {
            (Family::Member, Part::Member { .. } | Part::Scored { .. })
            | (Family::Item, Part::Item { .. }) => {
                let mut key = image(row.clone())?;
                let mut take = |name: &str| {
                    let at = key.0.iter().position(|(field, _)| field == name)?;
                    Some(key.0.remove(at).1)
                };
                let (score, member) = (take(SCORE), take(MEMBER).ok_or_else(missing)?);
                let part = match part {
                    Part::Member { .. } => Part::Member { member },
                    Part::Item { item, .. } => {
                        let score = score.ok_or_else(missing)?;
                        let again = item.again.as_ref().map(|again| {
                            let mut fields = row.clone();
                            fields.set(SCORE, again.clone());
                            image(fields).map(|made| made.get(SCORE).cloned())
                        });
                        let again = again.transpose()?.flatten();
                        let &QueueItem { state, attempts, token, .. } = item;
                        Part::Item {
                            member,
                            item: QueueItem { state, attempts, token, score, again },
                        }
                    }
                    _ => Part::Scored { score: score.ok_or_else(missing)?, member },
                };
                (key, part)
            }
            _ => return Ok(Outcome::Derived),
        };
        let body = Body::Part { family, part };
        Ok(Outcome::Member(Box::new(Entry { keyspace: moved.to, key, body })))
    }

    /// Makes the counters of the queues to which the pieces may move members of a queue.
    fn counters(
        &self,
        entry: &Entry,
        number: u64,
        pieces: &[&Piece],
    ) -> Result<Outcome, RowProblem> {
        let mut counters = Vec::new();
        for piece in pieces {
            let Action::Move(moved) = &piece.action else { continue };
            let key = self.migration.structure_key(moved, &entry.key);
            let key = key.map_err(|unfit| RowProblem::Counter(unfit.to_string()))?;
            // A queue whose key does not fit has no members that fit.
            let Some(key) = key else { continue };
            let body = Body::Part { family: Family::Token, part: Part::Number(number) };
            counters.push(Entry { keyspace: moved.to, key, body });
        }
        Ok(if counters.is_empty() { Outcome::Drop } else { Outcome::Counters(counters) })
    }

    /// Calls a function with the stored row of an outcome: its space, key and value. Does nothing
    /// for dropped rows and for rows outside of the digest. `old` is the old row.
    pub(crate) fn with_image<R>(
        &self,
        outcome: &Outcome,
        old: (&str, &[u8], &[u8]),
        call: impl FnOnce(&str, &[u8], &[u8]) -> R,
    ) -> Result<Option<R>, MigrateError> {
        Ok(match outcome {
            Outcome::Keep { is_in_digest: true } => Some(call(old.0, old.1, old.2)),
            Outcome::Row(row) => Some(call(&row.space, &row.key, &row.value)),
            Outcome::Member(entry) => {
                let row = self.stored(entry)?;
                Some(call(&row.space, &row.key, &row.value))
            }
            Outcome::Keep { is_in_digest: false }
            | Outcome::Counters(_)
            | Outcome::Drop
            | Outcome::Derived => None,
        })
    }

    /// Encodes an entry of the new layout.
    pub(crate) fn stored(&self, entry: &Entry) -> Result<StoredRow, MigrateError> {
        let encoded = self.new_reader.encode(entry);
        let (key, value) = encoded.map_err(DatabaseError::from)?;
        Ok(StoredRow { space: Arc::clone(self.new_space(entry.keyspace)), key, value })
    }

    /// Whether the digest contains a row of the new layout. The digest contains neither derived
    /// rows nor the counters of tokens: several old counters can become one, and a counter can be
    /// larger than the old one. Derived rows are entries of indexes, and records of structures that
    /// the members determine.
    pub(crate) fn is_in_digest(&self, space: &str, key: &[u8], value: &[u8]) -> bool {
        let Ok(entry) = self.new_reader.read(space, key, value) else { return true };
        let is_index = self.migration.new.keyspace(entry.keyspace).kind == KeyspaceKind::Index;
        !is_index && is_body_in_digest(&entry.body)
    }

    /// Returns the key of the record that stores a member.
    pub(crate) fn member_key(&self, entry: &Entry) -> Result<Vec<u8>, MigrateError> {
        Ok(stored_key(self.migration.new, entry).map_err(DatabaseError::from)?)
    }
}

/// Returns the fields of a row by the names that migrations use.
fn row_fields(entry: &Entry) -> Record {
    let mut row = entry.key.clone();
    match &entry.body {
        Body::Row(_) => {}
        Body::Field { fields, .. } => row.0.extend(fields.0.iter().cloned()),
        Body::Part { part, .. } => {
            if let Some(member) = part.member() {
                row.set(MEMBER, member.clone());
            }
            if let Some(score) = part.score() {
                row.set(SCORE, score.clone());
            }
        }
    }
    row
}

/// Whether the digest contains the record, if the record is no entry of an index.
const fn is_body_in_digest(body: &Body) -> bool {
    match body {
        Body::Row(_) | Body::Field { .. } => true,
        Body::Part { family, .. } => matches!(family, Family::Member | Family::Item),
    }
}

impl From<Unfit> for RowProblem {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit.to_string())
    }
}
