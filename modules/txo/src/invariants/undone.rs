//! What is kept to take operations back.

use super::Broken;
use crate::{
    error::Error,
    layout::txo_undo::{BLOCKS, FLOOR, NEXT_UNIT, ROWS, UNITS},
    undo::Space,
};
use keyscape::store::Read;

/// Units have the rows that they count, numbers below the next one, and blocks begin in order of
/// their units, none below the lowest that is kept.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn undo(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let next = NEXT_UNIT.peek(read)?;
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
    }
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
    Ok(found)
}
