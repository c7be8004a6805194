//! Recorded writes.

use super::{Cell, bytes_of};
use crate::{
    error::Error,
    layout::{
        txo::{Score, Txid},
        txo_undo::{NEXT_UNIT, OF_TXID, ROWS, UNITS},
    },
    values::{Row, Unit},
};
use keyscape::{store::Tx, traits::Field};

/// The writer of operations. It records each operation as a unit, with the previous values that a
/// rollback restores; an operation that changes nothing leaves no unit.
///
/// It is used inside `tx.attempt`, so an error leaves neither rows nor a unit.
#[derive(Debug)]
pub(crate) struct Recorder<'t, 'db> {
    tx: &'t mut Tx<'db>,
    operation: &'static str,
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
        Self { tx, operation, txid: txid.into(), unit: None, rows: 0 }
    }

    /// Returns the transaction, for reading.
    pub(crate) fn state(&self) -> &Tx<'db> {
        self.tx
    }

    /// Returns the transaction, for writes that are recorded with [`Recorder::note`].
    pub(crate) fn tx(&mut self) -> &mut Tx<'db> {
        self.tx
    }

    /// Writes or deletes a row, and returns its previous value.
    pub(crate) fn set(
        &mut self,
        cell: Cell,
        value: Option<&[u8]>,
    ) -> Result<Option<Vec<u8>>, Error> {
        let before = cell.replace(self.tx, value)?;
        if before.as_deref() != value {
            self.note(cell, before.clone())?;
        }
        Ok(before)
    }

    /// Sets or removes the score of a member, and returns its previous score.
    pub(crate) fn score(
        &mut self,
        cell: Cell,
        score: Option<Score>,
    ) -> Result<Option<Score>, Error> {
        let score = score.map(|score| bytes_of::<Score>(&score)).transpose()?;
        let before = self.set(cell, score.as_deref())?;
        Ok(before.and_then(|score| Score::decode(&score).ok()))
    }

    /// Records the previous value of a changed row, if a rollback restores it.
    pub(crate) fn note(&mut self, cell: Cell, before: Option<Vec<u8>>) -> Result<(), Error> {
        let unit = match self.unit {
            Some(unit) => unit,
            None => *self.unit.insert(NEXT_UNIT.next(self.tx)?),
        };
        if !cell.space.is_restored() {
            return Ok(());
        }
        let Cell { space, structure, member } = cell;
        let row = Row { space: space.number(), structure, member, before };
        ROWS.put(self.tx, (unit, self.rows), &row)?;
        self.rows = self.rows.checked_add(1).ok_or(Error::Overflow("the rows of an operation"))?;
        Ok(())
    }

    /// Ends the unit.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Some(number) = self.unit else { return Ok(()) };
        let unit = Unit {
            operation: self.operation.to_owned(),
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
