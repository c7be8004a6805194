//! Recorded writes, and the restoration of what they changed.

use crate::{
    error::Error,
    layout::{
        txo::{self, Score, Txid},
        txo_undo::{NEXT_UNIT, OF_TXID, ROWS, UNITS},
    },
    values::{Row, Unit},
};
use keyscape::{
    Pushed, Queue, Set, Zset,
    record::{self, Family, Item, Kind},
    store::{ReadExt, StoreId, Tx},
    traits::{
        Field, HashField, HashKeyspace, IntoField, Keyspace, QueueKeyspace, SetKeyspace,
        ZsetKeyspace,
    },
};

/// A keyspace with rows that a rollback restores. All other rows of a transaction are found and
/// deleted without their previous values. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Space {
    /// `subscriptions`
    Subscriptions = 8,
    /// `tokens`
    Tokens = 9,
    /// `progress`
    Progress = 16,
}

impl Space {
    /// Returns the keyspace with this number.
    #[must_use]
    pub fn of(number: u32) -> Option<Space> {
        let all = [Space::Subscriptions, Space::Tokens, Space::Progress];
        all.into_iter().find(|space| *space as u32 == number)
    }
}

/// The writer of operations. It records each operation as a unit, with the previous values that a
/// rollback restores; an operation that changes nothing leaves no unit.
///
/// It is used inside `tx.attempt`, so an error leaves neither rows nor a unit.
#[derive(Debug)]
pub(crate) struct Recorder<'t, 'db> {
    tx: &'t mut Tx<'db>,
    /// `None` for writes without a unit.
    operation: Option<&'static str>,
    txid: Option<Txid>,
    unit: Option<u64>,
    rows: u32,
}

impl<'t, 'db> Recorder<'t, 'db> {
    /// Begins a unit of a transaction, or of none.
    pub(crate) fn begin(
        tx: &'t mut Tx<'db>,
        operation: &'static str,
        txid: impl Into<Option<Txid>>,
    ) -> Self {
        Self { tx, operation: Some(operation), txid: txid.into(), unit: None, rows: 0 }
    }

    /// Creates a writer that records nothing, for a rollback.
    pub(crate) fn without_unit(tx: &'t mut Tx<'db>) -> Self {
        Self { tx, operation: None, txid: None, unit: None, rows: 0 }
    }

    /// Returns the transaction, for reading.
    pub(crate) fn state(&self) -> &Tx<'db> {
        self.tx
    }

    /// Returns the transaction, for writes that are recorded with [`Recorder::note`].
    pub(crate) fn tx(&mut self) -> &mut Tx<'db> {
        self.tx
    }

    /// Sets or removes the score of a member, and returns its previous score.
    pub(crate) fn score<'k, 'm, K: ZsetKeyspace<Score = Score>>(
        &mut self,
        set: &Zset<K>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<<K::Member as Field>::View<'m>>,
        score: Option<Score>,
    ) -> Result<Option<Score>, Error> {
        let before = match score {
            Some(score) => set.add(self.tx, key, member, score)?,
            None => set.remove(self.tx, key, member)?,
        };
        self.note_change(before != score)?;
        Ok(before)
    }

    /// Adds a member to a set, or removes it.
    pub(crate) fn member<'k, 'm, K: SetKeyspace>(
        &mut self,
        set: &Set<K>,
        key: impl IntoField<K::Key<'k>>,
        member: impl IntoField<<K::Member as Field>::View<'m>>,
        is_member: bool,
    ) -> Result<(), Error> {
        let has_changed = match is_member {
            true => set.add(self.tx, key, member)?,
            false => set.remove(self.tx, key, member)?,
        };
        self.note_change(has_changed)
    }

    /// Writes or deletes a field of a hash.
    pub(crate) fn field<'k, 'f, F: HashField>(
        &mut self,
        key: impl Into<<F::Hash as Keyspace>::Key<'k>>,
        field: impl Into<F::Key<'f>>,
        value: Option<&[u8]>,
    ) -> Result<(), Error> {
        let (key, field) = (key_of::<F::Hash>(&key.into())?, key_of::<F>(&field.into())?);
        let before = write_field::<F::Hash>(self.tx, &key, &field, value)?;
        self.note_change(before.as_deref() != value)
    }

    /// Records the height that a source has reached.
    pub(crate) fn progress(&mut self, source: Vec<u8>, height: u32) -> Result<(), Error> {
        let key = key_of::<txo::Progress>(&())?;
        let value = height.to_be_bytes();
        let before = write_field::<txo::Progress>(self.tx, &key, &source, Some(&value))?;
        self.note(Space::Progress, key, source, before)
    }

    /// Records the previous value of a changed row, which a rollback restores.
    pub(crate) fn note(
        &mut self,
        space: Space,
        structure: Vec<u8>,
        member: Vec<u8>,
        before: Option<Vec<u8>>,
    ) -> Result<(), Error> {
        let unit = self.unit()?;
        let row = Row { space: space as u32, structure, member, before };
        ROWS.put(self.tx, (unit, self.rows), &row)?;
        self.rows = self.rows.checked_add(1).ok_or(Error::Overflow("the rows of an operation"))?;
        Ok(())
    }

    fn note_change(&mut self, has_changed: bool) -> Result<(), Error> {
        if has_changed && self.operation.is_some() {
            self.unit()?;
        }
        Ok(())
    }

    /// Returns the number of the unit. The first change assigns it.
    fn unit(&mut self) -> Result<u64, Error> {
        match self.unit {
            Some(unit) => Ok(unit),
            None => Ok(*self.unit.insert(NEXT_UNIT.next(self.tx)?)),
        }
    }

    /// Ends the unit.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let (Some(number), Some(operation)) = (self.unit, self.operation) else { return Ok(()) };
        let unit = Unit {
            operation: operation.to_owned(),
            txid: self.txid.map(|txid| txid.0.to_vec()).unwrap_or_default(),
            rows: self.rows,
        };
        UNITS.put(self.tx, number, &unit)?;
        if let Some(txid) = self.txid {
            OF_TXID.put(self.tx, (txid.0, number), ())?;
        }
        Ok(())
    }
}

/// Restores the previous value of a row.
pub(super) fn restore(tx: &mut Tx<'_>, unit: u64, row: &Row) -> Result<(), Error> {
    let why = "one of its rows belongs to no keyspace";
    match Space::of(row.space).ok_or_else(|| Error::corrupt_unit(unit, why))? {
        Space::Subscriptions => restore_member::<txo::Subscriptions>(tx, row),
        Space::Tokens => restore_member::<txo::Tokens>(tx, row),
        Space::Progress => {
            let Row { structure, member, before, .. } = row;
            write_field::<txo::Progress>(tx, structure, member, before.as_deref()).map(drop)
        }
    }
}

/// Restores a member of a queue: its presence and the score of its next claim.
fn restore_member<K: QueueKeyspace<Score = Score>>(
    tx: &mut Tx<'_>,
    row: &Row,
) -> Result<(), Error> {
    let queue = Queue::<K>::new();
    let key = K::decode(&row.structure).map_err(bad::<K>)?;
    let member = K::Member::decode(&row.member).map_err(bad::<K>)?;
    let Some(before) = &row.before else {
        queue.remove(tx, key, member)?;
        return Ok(());
    };
    let score = Score::decode(before).map_err(bad::<K>)?;
    let known = queue.get(tx, key.clone(), member.clone())?;
    let is_other = known.map(|known| known.again.unwrap_or(known.score)) != Some(score);
    // A push does not change a dead member.
    if is_other && queue.push(tx, key, member, score)? == Pushed::Dead {
        rescore::<K>(tx, row, before)?;
    }
    Ok(())
}

/// Changes the score of a dead member. It stays dead: the record of a dead member has no score, so
/// only its item changes.
fn rescore<K: QueueKeyspace>(tx: &mut Tx<'_>, row: &Row, score: &[u8]) -> Result<(), Error> {
    let mut key = Vec::new();
    record::begin(Kind::Queue, &row.structure, Family::Item, &mut key);
    key.extend_from_slice(&row.member);
    let store = StoreId::of(K::SPACE);
    let value = tx.get(store, &key)?.unwrap_or_default();
    let mut item = Item::read(&value, K::SCORE_WIDTH).map_err(bad::<K>)?;
    item.score = score.into();
    Ok(tx.put(store, &key, &item.bytes(K::SCORE_WIDTH))?)
}

/// Writes or deletes a field of a hash, and returns its previous value.
fn write_field<H: HashKeyspace>(
    tx: &mut Tx<'_>,
    structure: &[u8],
    field: &[u8],
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Error> {
    H::decode(structure).map_err(bad::<H>)?;
    let mut key = Vec::new();
    record::begin(Kind::Hash, structure, Family::Field, &mut key);
    key.extend_from_slice(field);
    let store = StoreId::of(H::SPACE);
    let before = tx.get(store, &key)?;
    match value {
        Some(value) => {
            H::entry(field, value).map_err(bad::<H>)?;
            tx.put(store, &key, value)?;
        }
        None => tx.delete(store, &key)?,
    }
    Ok(before)
}

/// Encodes a member or score.
pub(crate) fn bytes_of<F: Field>(view: &F::View<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    F::encode(view, &mut out)?;
    Ok(out)
}

/// Encodes a key.
pub(crate) fn key_of<K: Keyspace>(key: &K::Key<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    K::encode(key, &mut out)?;
    Ok(out)
}

/// Makes the error of a row that does not fit its keyspace.
pub(crate) fn bad<K: Keyspace>(source: impl std::error::Error) -> Error {
    Error::corrupt(format_args!("a row of `{}`", K::NAME), source)
}
