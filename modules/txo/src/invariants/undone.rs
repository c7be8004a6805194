//! The invariant of the undo store.

use super::{Broken, broken::Breaches};
use crate::{
    error::Error,
    layout::{
        txo::Txid,
        txo_undo::{
            BLOCKS, FLOOR, NEXT_UNIT, OF_TXID, ON_TXID, OfTxid, OnTxid, ROWS, Rows as UndoRows,
            UNITS,
        },
    },
    undo::Space,
    values::Unit,
};
use keyscape::{
    store::{KeyRange, Read, StoreId},
    traits::{Keyspace, MapRows},
};
use std::collections::BTreeSet;

/// Checks the undo store:
/// - Each unit has the number of rows that it records, and a number below the next one.
/// - Blocks begin in the order of their units, and none is below the lowest kept block.
/// - A unit is in the lists of its transaction and of those whose outputs it spends, exactly if no
///   rollback has undone it.
/// - Every list entry and every row belongs to a unit.
///
/// The numbers of undone units of kept rollbacks are held in memory.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn undo(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("undo");
    units(read, &mut found)?;
    without_unit::<UndoRows>(read, "it has rows and is not there", |key| key.unit, &mut found)?;
    let why = "a transaction lists it, and it is not there";
    without_unit::<OfTxid>(read, why, |key| key.unit, &mut found)?;
    let why = "it is listed as spending outputs, and is not there";
    without_unit::<OnTxid>(read, why, |key| key.unit, &mut found)?;
    blocks(read, &mut found)?;
    Ok(found.reported())
}

fn units(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let next = NEXT_UNIT.peek(read)?;
    let taken = taken_back(read)?;
    let mut units = UNITS.prefix_all().scan(read)?;
    while let Some(row) = units.next()? {
        let (unit, stated) = (row.key.unit, row.value()?);
        if unit >= next {
            found.push(Broken::Undo { unit, why: "its number has not been given out" });
        }
        let mut rows = ROWS.scan_unit(read, unit)?;
        let mut count = 0_u32;
        while let Some(row) = rows.next()? {
            if Space::of(row.value()?.space).is_none() {
                found.push(Broken::Undo { unit, why: "one of its rows is of no keyspace" });
            }
            count = count.saturating_add(1);
        }
        if count != stated.rows {
            found.push(Broken::Undo { unit, why: "it has not as many rows as it says" });
        }
        lists(read, unit, &stated, taken.contains(&unit), found)?;
    }
    Ok(())
}

/// Returns the units that kept rollbacks have undone. The units of pruned rollbacks are older and
/// pruned too.
fn taken_back(read: &impl Read) -> Result<BTreeSet<u64>, Error> {
    let mut taken = BTreeSet::new();
    let mut units = UNITS.prefix_all().scan(read)?;
    while let Some(row) = units.next()? {
        // Rollbacks belong to no transaction.
        if !row.value()?.txid.is_empty() {
            continue;
        }
        let mut rows = ROWS.scan_unit(read, row.key.unit)?;
        while let Some(row) = rows.next()? {
            let row = row.value()?;
            let is_listing = Space::of(row.space) == Some(Space::OfTxid) && row.before.is_some();
            if let Some(key) = OfTxid::decode(&row.member).ok().filter(|_| is_listing) {
                taken.insert(key.unit);
            }
        }
    }
    Ok(taken)
}

/// Checks that a unit is listed exactly if it was not undone.
fn lists(
    read: &impl Read,
    unit: u64,
    stated: &Unit,
    is_taken: bool,
    found: &mut Breaches,
) -> Result<(), Error> {
    let mut compare = |is_listed: bool, missing, left| {
        if is_listed == is_taken {
            found.push(Broken::Undo { unit, why: if is_taken { left } else { missing } });
        }
    };
    let id = |bytes: &[u8]| bytes.try_into().ok().map(Txid);
    if let Some(txid) = id(&stated.txid) {
        let is_listed = OF_TXID.contains(read, (txid.0, unit))?;
        let left = "its transaction lists it, and it was taken back";
        compare(is_listed, "its transaction does not list it", left);
    }
    for txid in stated.on.iter().filter_map(|txid| id(txid)) {
        let is_listed = ON_TXID.contains(read, (txid.0, unit))?;
        let left = "it is listed as spending outputs, and it was taken back";
        compare(is_listed, "it is not listed under a transaction whose outputs it spends", left);
    }
    let ids = stated.on.iter().chain([&stated.txid]);
    if ids.filter(|id| !id.is_empty()).any(|id| id.len() != 32) {
        found.push(Broken::Undo { unit, why: "one of its transaction ids has not 32 bytes" });
    }
    Ok(())
}

/// Checks that every row of a keyspace belongs to an existing unit.
fn without_unit<K: MapRows>(
    read: &impl Read,
    why: &'static str,
    unit: impl Fn(&K::Key<'_>) -> u64,
    found: &mut Breaches,
) -> Result<(), Error> {
    let mut rows = read.rows(StoreId::of(K::SPACE), KeyRange::prefix(K::PREFIX))?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let bad =
            |why: keyscape::Malformed| Error::BadRow { keyspace: K::NAME, why: why.to_string() };
        let unit = unit(&K::decode(row.key).map_err(bad)?);
        if last.replace(unit) != Some(unit) && !UNITS.contains(read, unit)? {
            found.push(Broken::Undo { unit, why });
        }
    }
    Ok(())
}

fn blocks(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let next = NEXT_UNIT.peek(read)?;
    let floor = FLOOR.get(read)?.unwrap_or_default();
    let mut last = 0;
    let mut blocks = BLOCKS.prefix_all().scan(read)?;
    while let Some(row) = blocks.next()? {
        let unit = row.value()?;
        if unit < last || unit > next {
            found.push(Broken::Undo { unit, why: "a block begins there out of order" });
        }
        if row.key.height < floor {
            found.push(Broken::Undo { unit, why: "a block begins there that is final" });
        }
        last = unit;
    }
    Ok(())
}
