//! Sets as records.

use super::{StructureRecords, StructureReport};
use crate::{Error, record::Family};
use keyscape_store::{Read, Tx};

/// The records of one set.
#[derive(Debug)]
pub struct SetRecords {
    /// All records of the set.
    pub records: StructureRecords,
    /// Whether a record holds the number of members.
    pub counted: bool,
}

impl SetRecords {
    /// Adds a member. Returns whether it is new.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn add(&self, tx: &mut Tx<'_>, member: &[u8]) -> Result<bool, Error> {
        if self.records.contains(tx, Family::Member, member)? {
            return Ok(false);
        }
        tx.attempt(|tx| {
            self.records.put(tx, Family::Member, member, &[])?;
            if self.counted { self.records.add_to_count(tx, 1) } else { Ok(()) }
        })?;
        Ok(true)
    }

    /// Removes a member. Returns whether it existed.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn remove(&self, tx: &mut Tx<'_>, member: &[u8]) -> Result<bool, Error> {
        if !self.records.contains(tx, Family::Member, member)? {
            return Ok(false);
        }
        tx.attempt(|tx| {
            self.records.delete(tx, Family::Member, member)?;
            if self.counted { self.records.add_to_count(tx, -1) } else { Ok(()) }
        })?;
        Ok(true)
    }

    /// Writes the count again, from the members.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn rebuild_counts(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        tx.attempt(|tx| self.records.recount(tx, self.counted))
    }

    /// Checks that every member is valid, and that the count is right.
    ///
    /// # Errors
    /// Errors of the store. Faults are in the report.
    pub fn check(
        &self,
        state: &(impl Read + ?Sized),
        is_member: impl Fn(&[u8]) -> bool,
    ) -> Result<StructureReport, Error> {
        let records = &self.records;
        let mut report = StructureReport::default();
        records.for_each(state, Family::Member, |member, value| {
            report.records += 1;
            if !is_member(member) {
                report.fault(records, Family::Member, member, "it is not a member");
            }
            if !value.is_empty() {
                report.fault(records, Family::Member, member, "it has a value");
            }
            Ok(())
        })?;
        report.check_count(records, state, self.counted)?;
        report.finish(records, state)
    }
}
