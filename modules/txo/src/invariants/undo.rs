//! The invariant of the undo store.

use crate::{
    error::Error,
    layout::txo_undo::{BLOCKS, FLOOR, NEXT_UNIT, OF_TXID, OfTxid, ROWS, Rows as UndoRows, UNITS},
    undo::{Space, bad},
};
use keyscape::{
    store::{KeyRange, Read, StoreId},
    traits::MapRows,
};
use keyscape_sim::{Breaches, Broken};

/// Checks the undo store:
/// - Each unit has the number of rows that it records, and a number below the next one.
/// - Blocks begin in the order of their units, and none is below the lowest block with undo data.
/// - A unit is in the list of its transaction.
/// - Every list entry and every row belongs to a unit.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn undo(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("undo");
    units(read, &mut found)?;
    without_unit::<UndoRows>(read, "it has rows and is missing", |key| key.unit, &mut found)?;
    let why = "a transaction lists it, and it is missing";
    without_unit::<OfTxid>(read, why, |key| key.unit, &mut found)?;
    blocks(read, &mut found)?;
    Ok(found.reported())
}

fn report(found: &mut Breaches, unit: u64, why: &str) {
    found.add(format_args!("unit {unit}: {why}"));
}

fn units(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let next = NEXT_UNIT.peek(read)?;
    let mut units = UNITS.prefix_all().scan(read)?;
    while let Some(row) = units.next_row()? {
        let (unit, stated) = (row.key.unit, row.value()?);
        if unit >= next {
            report(found, unit, "its number has not been given out");
        }
        let mut rows = ROWS.scan_unit(read, unit)?;
        let mut count = 0_u32;
        while let Some(row) = rows.next_row()? {
            if Space::of(row.value()?.space).is_none() {
                report(found, unit, "one of its rows belongs to no keyspace");
            }
            count = count.saturating_add(1);
        }
        if count != stated.rows {
            report(found, unit, "its row count is wrong");
        }
        match <[u8; 32]>::try_from(&*stated.txid) {
            Ok(txid) if !OF_TXID.contains(read, (txid, unit))? => {
                report(found, unit, "its transaction does not list it");
            }
            Err(_) if !stated.txid.is_empty() => {
                report(found, unit, "its transaction id does not have 32 bytes");
            }
            _ => {}
        }
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
        let unit = unit(&K::decode(row.key).map_err(bad::<K>)?);
        if last.replace(unit) != Some(unit) && !UNITS.contains(read, unit)? {
            report(found, unit, why);
        }
    }
    Ok(())
}

fn blocks(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let next = NEXT_UNIT.peek(read)?;
    let floor = FLOOR.get(read)?.unwrap_or_default();
    let mut last = 0;
    let mut blocks = BLOCKS.prefix_all().scan(read)?;
    while let Some(row) = blocks.next_row()? {
        let unit = row.value()?;
        if unit < last || unit > next {
            report(found, unit, "a block begins there out of order");
        }
        if row.key.height < floor {
            report(found, unit, "a block begins there that is final");
        }
        last = unit;
    }
    Ok(())
}
