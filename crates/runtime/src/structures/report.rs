//! Whether the records of a structure agree.

use super::{Structure, place::Place};
use crate::{Error, record::Family};
use keyscape_store::Read;

/// What a check of one structure found.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// FRIENDS.add(tx, Name::new("ann")?, Name::new("bob")?)?;
/// tx.delete(keyscape_store::StoreId::of("txo"), b"sf:ann\x00\x01mbob")?;
/// let report = FRIENDS.check(tx, Name::new("ann")?)?;
/// assert_eq!((report.is_sound(), report.faults), (false, 1));
/// assert_eq!(report.first[0].what, "it is not the number of members");
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureReport {
    /// How many records were read.
    pub records: u64,
    /// How many faults were found.
    pub faults: u64,
    /// The first of them, [`StructureReport::KEPT`] at most.
    pub first: Vec<StructureFault>,
}

/// A record that breaks a promise of its structure.
///
/// ```
/// # mod txo { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/structures/txo.rs")); }
/// # use txo::*; use keyscape_runtime as rt; example(|tx| {
/// tx.put(keyscape_store::StoreId::of("txo"), b"sf:ann\x00\x01mb:b", b"")?;
/// let report = FRIENDS.check(tx, Name::new("ann")?)?;
/// assert_eq!(&*report.first[0].record, b"sf:ann\x00\x01mb:b");
/// assert_eq!(report.first[0].what, "it is no member");
/// # Ok(()) })?; Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureFault {
    /// The record.
    pub record: Box<[u8]>,
    /// What is wrong with it.
    pub what: &'static str,
}

impl StructureReport {
    /// How many faults are kept.
    pub const KEPT: usize = 100;

    /// Whether all records agree.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults == 0
    }

    /// Checks the count record against the members that were read.
    pub(super) fn count<K: Structure>(
        &mut self,
        place: &Place<K>,
        state: &(impl Read + ?Sized),
        counted: bool,
    ) -> Result<(), Error> {
        let members = self.records;
        let stored = place.get(state, Family::Count, &[])?;
        let wanted = (counted && members > 0).then(|| members.to_be_bytes().to_vec());
        self.records += u64::from(stored.is_some());
        if stored != wanted {
            self.fault(place, Family::Count, &[], "it is not the number of members");
        }
        Ok(())
    }

    /// Ends a check that has counted every record that it knows: there must be no other.
    pub(super) fn end<K: Structure>(
        mut self,
        place: &Place<K>,
        state: &(impl Read + ?Sized),
    ) -> Result<Self, Error> {
        let records = place.count_all(state)?;
        if records != self.records {
            self.records = records;
            self.note(place.start(), "the structure has records that belong to nothing");
        }
        Ok(self)
    }

    pub(super) fn fault<K: Structure>(
        &mut self,
        place: &Place<K>,
        family: Family,
        rest: &[u8],
        what: &'static str,
    ) {
        self.note(&place.record(family, rest), what);
    }

    fn note(&mut self, record: &[u8], what: &'static str) {
        self.faults += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(StructureFault { record: record.into(), what });
        }
    }
}
