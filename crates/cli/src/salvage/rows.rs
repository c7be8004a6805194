//! Reads the rows of a damaged store around the places that cannot be read.
//!
//! A cursor stops at the first damaged page. The rows after it are read from the other end, and
//! from keys between both ends, until the pages that cannot be read are enclosed.

use keyscape_store::{Db, Direction, KeyRange, Read, StoreError, StoreId};
use std::ops::Bound;

/// A range of keys that cannot be read, without its ends; an open end is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) before: Option<Vec<u8>>,
}

/// The maximum number of keys at which reading is tried again.
const MAX_PROBES: usize = 4096;

/// Passes every readable row of a store to `visit`, and returns the gaps. Rows are not in order.
pub(crate) fn each<E>(
    db: &Db,
    store: StoreId,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
) -> Result<Vec<Gap>, E> {
    let mut probes = MAX_PROBES;
    let mut lost = Vec::new();
    let whole = Gap { after: None, before: None };
    let mut open = match read(db, store, &whole, Direction::Forward, false, &mut visit)? {
        Reached::End => return Ok(lost),
        Reached::Key(after) => vec![Gap { after, before: None }],
    };
    while let Some(gap) = open.pop() {
        let gap = match read(db, store, &gap, Direction::Backward, false, &mut visit)? {
            Reached::End => continue,
            Reached::Key(before) => Gap { before: before.or(gap.before), ..gap },
        };
        let middle = middle(gap.after.as_deref(), gap.before.as_deref()).filter(|_| probes > 0);
        let Some(middle) = middle else {
            lost.push(gap);
            continue;
        };
        probes -= 1;
        let upper = Gap { after: Some(middle.clone()), before: gap.before.clone() };
        match read(db, store, &upper, Direction::Forward, true, &mut visit)? {
            Reached::End => {}
            Reached::Key(None) => open.push(Gap { after: Some(middle.clone()), ..upper }),
            Reached::Key(after) => open.push(Gap { after, ..upper }),
        }
        open.push(Gap { after: gap.after, before: Some(middle) });
    }
    Ok(joined(lost))
}

/// The end of a read.
enum Reached {
    /// All rows of the range were read.
    End,
    /// The last key before a damaged place; `None` if no row was read.
    Key(Option<Vec<u8>>),
}

/// Reads the rows of a gap in one direction. Rows outside the gap, or out of order, are damage.
fn read<E>(
    db: &Db,
    store: StoreId,
    gap: &Gap,
    direction: Direction,
    with_start: bool,
    visit: &mut impl FnMut(&[u8], &[u8]) -> Result<(), E>,
) -> Result<Reached, E> {
    let start = match gap.after.as_deref() {
        Some(key) if with_start => Bound::Included(key),
        Some(key) => Bound::Excluded(key),
        None => Bound::Unbounded,
    };
    let end = gap.before.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let range = KeyRange::new(start, end).with_direction(direction);
    let mut last: Option<Vec<u8>> = None;
    let mut failed = None;
    let read = each_row(db, store, range.clone(), |key, value| {
        let in_order = last.as_deref().is_none_or(|last| match direction {
            Direction::Forward => key > last,
            Direction::Backward => key < last,
        });
        if !in_order || !range.contains(key) {
            return false;
        }
        if let Err(error) = visit(key, value) {
            failed = Some(error);
            return false;
        }
        last = Some(key.to_vec());
        true
    });
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Ok(true)) => Ok(Reached::End),
        (None, _) => Ok(Reached::Key(last)),
    }
}

/// Passes rows to `visit` while it returns true. Returns whether it always did.
fn each_row(
    db: &Db,
    store: StoreId,
    range: KeyRange<'_>,
    mut visit: impl FnMut(&[u8], &[u8]) -> bool,
) -> Result<bool, StoreError> {
    // An error ends a snapshot, so each read has its own.
    let state = db.read()?;
    let mut rows = state.rows(store, range)?;
    while let Some(row) = rows.next()? {
        if !visit(row.key, row.value) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns a key about halfway between two keys, if there is one.
pub(crate) fn middle(after: Option<&[u8]>, before: Option<&[u8]>) -> Option<Vec<u8>> {
    let low = after.unwrap_or_default();
    let shared = match before {
        Some(before) => low.iter().zip(before).take_while(|(a, b)| a == b).count(),
        None => 0,
    };
    let digits = |bytes: &[u8], fill: u8| {
        let mut eight = [fill; 8];
        let rest = bytes.get(shared..).unwrap_or_default();
        let count = rest.len().min(8);
        eight[..count].copy_from_slice(&rest[..count]);
        u64::from_be_bytes(eight)
    };
    let (a, b) = (digits(low, 0), before.map_or(u64::MAX, |before| digits(before, 0)));
    let half = a + b.checked_sub(a)? / 2;
    let middle = [low.get(..shared).unwrap_or_default(), &half.to_be_bytes()].concat();
    let is_inside =
        middle.as_slice() > low && before.is_none_or(|before| middle.as_slice() < before);
    is_inside.then_some(middle)
}

/// Joins gaps that touch.
fn joined(mut gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.sort_by(|a, b| a.after.cmp(&b.after));
    let mut joined: Vec<Gap> = Vec::new();
    for gap in gaps {
        match joined.last_mut() {
            Some(last) if last.before.is_some() && last.before == gap.after => {
                last.before = gap.before;
            }
            _ => joined.push(gap),
        }
    }
    joined
}
