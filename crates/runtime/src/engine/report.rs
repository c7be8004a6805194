//! The report of a check of one structure.

use super::StructureRecords;
use crate::{Error, record::Family};
use keyscape_store::Read;

/// The result of a check of one structure.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// FRIENDS.add(tx, Name::new("ann")?, Name::new("bob")?)?;
/// tx.delete(keyscape_store::StoreId::of("txo"), b"sf:ann\x00\x01mbob")?;
/// let report = FRIENDS.check(tx, Name::new("ann")?)?;
/// assert_eq!((report.is_sound(), report.faults), (false, 1));
/// assert_eq!(report.first[0].what, "it is not the number of members");
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureReport {
    /// The number of records that were read.
    pub records: u64,
    /// The number of faults.
    pub faults: u64,
    /// The first faults, at most [`StructureReport::MAX_LISTED`].
    pub first: Vec<StructureFault>,
}

/// A record that violates an invariant of its structure.
///
/// ```
/// # use keyscape_samples::txo::*; use keyscape_runtime as rt; example(|tx| {
/// tx.put(keyscape_store::StoreId::of("txo"), b"sf:ann\x00\x01mb:b", b"")?;
/// let report = FRIENDS.check(tx, Name::new("ann")?)?;
/// assert_eq!(&*report.first[0].record, b"sf:ann\x00\x01mb:b");
/// assert_eq!(report.first[0].what, "it is not a member");
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureFault {
    /// The kind of the fault.
    pub kind: StructureFaultKind,
    /// The stored key of the record.
    pub record: Box<[u8]>,
    /// The violated invariant.
    pub what: &'static str,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureFaultKind {
    /// A record is not valid, or unexpected.
    Record,
    /// A record lacks its partner, such as the member of a score.
    Partner,
    /// The count disagrees with the members.
    Count,
    /// A rank disagrees with the members.
    Rank,
}

impl StructureReport {
    /// The maximum number of listed faults.
    pub const MAX_LISTED: usize = 100;

    /// Whether no fault was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults == 0
    }

    /// Checks the count record against the members that were read.
    pub(super) fn check_count(
        &mut self,
        records: &StructureRecords,
        state: &(impl Read + ?Sized),
        counted: bool,
    ) -> Result<(), Error> {
        let members = self.records;
        let stored = records.get(state, Family::Count, &[])?;
        let expected = (counted && members > 0).then(|| members.to_be_bytes().to_vec());
        self.records += u64::from(stored.is_some());
        if stored != expected {
            self.fault(records, Family::Count, &[], "it is not the number of members");
        }
        Ok(())
    }

    /// Finishes a check that has counted every expected record. Any other record is a fault.
    pub(crate) fn finish(
        mut self,
        records: &StructureRecords,
        state: &(impl Read + ?Sized),
    ) -> Result<Self, Error> {
        let count = records.count_records(state)?;
        if count != self.records {
            self.records = count;
            let what = "the structure has unexpected records";
            self.add(StructureFaultKind::Record, records.start(), what);
        }
        Ok(self)
    }

    pub(crate) fn fault(
        &mut self,
        records: &StructureRecords,
        family: Family,
        rest: &[u8],
        what: &'static str,
    ) {
        let kind = match family {
            Family::Count => StructureFaultKind::Count,
            Family::Rank => StructureFaultKind::Rank,
            _ => StructureFaultKind::Record,
        };
        self.add(kind, &records.record(family, rest), what);
    }

    /// Adds a record that lacks its partner.
    pub(crate) fn partner(
        &mut self,
        records: &StructureRecords,
        family: Family,
        rest: &[u8],
        what: &'static str,
    ) {
        self.add(StructureFaultKind::Partner, &records.record(family, rest), what);
    }

    fn add(&mut self, kind: StructureFaultKind, record: &[u8], what: &'static str) {
        self.faults += 1;
        if self.first.len() < Self::MAX_LISTED {
            self.first.push(StructureFault { kind, record: record.into(), what });
        }
    }
}
