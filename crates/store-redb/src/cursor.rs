//! The rows of a range in a redb file.

use crate::{
    database::Bytes,
    error::{catch, store_error},
};
use keyscape_store::{Cursor, Direction, KeyRange, Row, Stop, StoreError};
use redb::{AccessGuard, ReadOnlyTable, ReadableTable};
use std::cell::Cell;

/// How many rows are fetched at first, if nobody said how many are expected; then twice as many
/// each time.
const FIRST_BATCH: usize = 4;
const LARGEST_BATCH: usize = 32;

/// Values up to this length are copied: that is faster than to keep the guard that redb lends them
/// with.
const COPIED: usize = 256;

/// Larger buffers are given back to the allocator.
const LARGEST_BUFFER: usize = 64 << 10;

/// Rows are fetched some at a time, so that catching what redb may do is paid for once.
pub(crate) struct RedbCursor<'a> {
    cursor: redb::Cursor<'a, Bytes, Bytes>,
    direction: Direction,
    stop: Stop,
    fetched: Fetched,
    /// The values that are not copied.
    kept: Vec<AccessGuard<'a, Bytes>>,
    /// How many of the fetched rows have been returned; the last of them is the current row.
    returned: usize,
    /// How many rows to fetch next.
    batch: usize,
    ended: bool,
    spare: &'a Cell<Fetched>,
}

/// Rows that were fetched together.
#[derive(Default)]
pub(crate) struct Fetched {
    rows: Vec<Place>,
    /// Their keys, and the values that are copied.
    bytes: Vec<u8>,
}

/// Where a row is.
struct Place {
    key: usize,
    /// Where the key ends and a copied value begins.
    value: usize,
    /// Where a copied value ends, or which of the others it is.
    end: Result<usize, usize>,
}

type Entry<'a> = (AccessGuard<'a, Bytes>, AccessGuard<'a, Bytes>);

impl<'a> RedbCursor<'a> {
    /// A cursor before the first row of a range. It takes its buffers from `spare`, and leaves them
    /// there for the next one.
    pub(crate) fn open(
        table: &'a ReadOnlyTable<Bytes, Bytes>,
        range: &KeyRange<'_>,
        spare: &'a Cell<Fetched>,
    ) -> Result<RedbCursor<'a>, StoreError> {
        let direction = range.direction();
        let cursor = catch(|| {
            match direction {
                Direction::Forward => table.lower_bound(range.start()),
                Direction::Backward => table.upper_bound(range.end()),
            }
            .map_err(store_error)
        })?;
        let batch = range.expected().map_or(FIRST_BATCH, |rows| rows.clamp(1, LARGEST_BATCH));
        Ok(RedbCursor {
            cursor,
            direction,
            stop: range.stop(),
            fetched: spare.take(),
            kept: Vec::new(),
            returned: 0,
            batch,
            ended: false,
            spare,
        })
    }

    /// Fetches the next rows in place of those that have been returned.
    #[inline(never)]
    fn fetch(&mut self) -> Result<(), StoreError> {
        self.clear();
        if self.ended {
            return Ok(());
        }
        let fetched = catch(|| match self.direction {
            Direction::Forward => self.fill(redb::Cursor::next),
            Direction::Backward => self.fill(redb::Cursor::prev),
        });
        if fetched.is_err() {
            self.clear();
            self.ended = true;
        }
        self.batch = (2 * self.batch).min(LARGEST_BATCH);
        fetched
    }

    /// Where a row lies in its page is looked up here, so that [`RedbCursor::at`] can rely on it.
    fn fill(
        &mut self,
        step: impl Fn(&mut redb::Cursor<'a, Bytes, Bytes>) -> redb::Result<Option<Entry<'a>>>,
    ) -> Result<(), StoreError> {
        let Fetched { rows, bytes } = &mut self.fetched;
        while rows.len() < self.batch {
            // Moving the guards about takes longer than all the rest.
            let (key, value) = match step(&mut self.cursor) {
                Ok(Some(entry)) => entry,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(error) => return Err(store_error(error)),
            };
            if self.stop.is_before(key.value()) {
                self.ended = true;
                break;
            }
            let start = bytes.len();
            let length = value.value().len();
            bytes.extend_from_slice(key.value());
            let middle = bytes.len();
            let end = if length <= COPIED {
                bytes.extend_from_slice(value.value());
                Ok(middle + length)
            } else {
                keep(&mut self.kept, value)
            };
            rows.push(Place { key: start, value: middle, end });
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.fetched.rows.clear();
        self.fetched.bytes.clear();
        self.kept.clear();
        self.returned = 0;
    }

    #[inline(always)]
    fn at(&self, place: &Place) -> Row<'_> {
        let bytes = &self.fetched.bytes;
        let value = match place.end {
            Ok(end) => &bytes[place.value..end],
            Err(kept) => self.kept[kept].value(),
        };
        Row { key: &bytes[place.key..place.value], value }
    }
}

#[cold]
fn keep<'a>(
    kept: &mut Vec<AccessGuard<'a, Bytes>>,
    value: AccessGuard<'a, Bytes>,
) -> Result<usize, usize> {
    kept.push(value);
    Err(kept.len() - 1)
}

impl Cursor for RedbCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        if self.returned == self.fetched.rows.len() {
            self.fetch()?;
        }
        // At the end no row is current.
        let Some(place) = self.fetched.rows.get(self.returned) else { return Ok(None) };
        self.returned += 1;
        Ok(Some(self.at(place)))
    }

    fn row(&self) -> Option<Row<'_>> {
        let place = self.fetched.rows.get(self.returned.checked_sub(1)?)?;
        Some(self.at(place))
    }
}

impl Drop for RedbCursor<'_> {
    fn drop(&mut self) {
        self.clear();
        if self.fetched.bytes.capacity() <= LARGEST_BUFFER {
            self.spare.set(std::mem::take(&mut self.fetched));
        }
    }
}

/// The cursor of a range without keys, or of a table that is not there.
pub(crate) struct NoRows;

impl Cursor for NoRows {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        Ok(None)
    }

    fn row(&self) -> Option<Row<'_>> {
        None
    }
}
