//! The rows of a range in a redb file.

use crate::{
    database::Bytes,
    error::{catch, store_error},
    key::ByteKey,
};
use keyscape_store::{Cursor, Direction, KeyRange, Row, Stop, StoreError};
use redb::{AccessGuard, ReadOnlyTable, ReadableTable};
use std::cell::Cell;

/// How many rows are fetched at first, if nobody said how many are expected; then twice as many
/// each time.
const FIRST_BATCH: usize = 4;
const LARGEST_BATCH: usize = 32;

/// Rows of up to this many bytes are copied: that is faster than to keep the guards that redb lends
/// them with.
const COPIED: usize = 320;

/// Rows are fetched some at a time, so that catching what redb may do is paid for once.
pub(crate) struct RedbCursor<'a> {
    cursor: redb::Cursor<'a, ByteKey, Bytes>,
    direction: Direction,
    stop: Stop,
    fetched: Box<Fetched>,
    /// The rows that are not copied.
    kept: Vec<Entry<'a>>,
    /// How many of the fetched rows have been returned; the last of them is the current row.
    returned: usize,
    /// How many rows to fetch next.
    batch: usize,
    ended: bool,
    spare: &'a Spare,
}

/// Buffers for the next cursor.
pub(crate) type Spare = Cell<Option<Box<Fetched>>>;

/// Rows that were fetched together.
#[derive(Default)]
pub(crate) struct Fetched {
    rows: Vec<Place>,
    /// The bytes of those that are copied, one behind the other; the rest has no meaning.
    bytes: Vec<u8>,
}

/// Where a row is.
#[derive(Clone, Copy)]
enum Place {
    /// Its key has so many bytes; the others are its value.
    Copied { start: u32, key: u32, end: u32 },
    /// Which of those that are not copied it is.
    Kept(u32),
}

type Entry<'a> = (AccessGuard<'a, ByteKey>, AccessGuard<'a, Bytes>);

impl<'a> RedbCursor<'a> {
    /// A cursor before the first row of a range. It takes its buffers from `spare`, and leaves them
    /// there for the next one.
    pub(crate) fn open(
        table: &'a ReadOnlyTable<ByteKey, Bytes>,
        range: &KeyRange<'_>,
        spare: &'a Spare,
    ) -> Result<Box<RedbCursor<'a>>, StoreError> {
        let direction = range.direction();
        let batch = range.expected().map_or(FIRST_BATCH, |rows| rows.clamp(1, LARGEST_BATCH));
        // It is large, so that it is put where it stays at once.
        catch(|| {
            let cursor = match direction {
                Direction::Forward => table.lower_bound(range.start()),
                Direction::Backward => table.upper_bound(range.end()),
            };
            Ok(Box::new(RedbCursor {
                cursor: cursor.map_err(store_error)?,
                direction,
                stop: range.stop(),
                fetched: spare.take().unwrap_or_default(),
                kept: Vec::new(),
                returned: 0,
                batch,
                ended: false,
                spare,
            }))
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
        step: impl Fn(&mut redb::Cursor<'a, ByteKey, Bytes>) -> redb::Result<Option<Entry<'a>>>,
    ) -> Result<(), StoreError> {
        let Fetched { rows, bytes } = &mut *self.fetched;
        if bytes.len() < self.batch * COPIED {
            bytes.resize(self.batch * COPIED, 0);
        }
        let mut free = 0;
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
            let (key_bytes, value_bytes) = (key.value(), value.value());
            if self.stop.is_before(key_bytes) {
                self.ended = true;
                break;
            }
            let middle = free + key_bytes.len();
            let end = middle + value_bytes.len();
            if end - free > COPIED {
                rows.push(keep(&mut self.kept, (key, value)));
                continue;
            }
            copy(&mut bytes[free..middle], key_bytes);
            copy(&mut bytes[middle..end], value_bytes);
            rows.push(Place::Copied {
                start: free as u32,
                key: key_bytes.len() as u32,
                end: end as u32,
            });
            free = end;
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.fetched.rows.clear();
        self.kept.clear();
        self.returned = 0;
    }

    #[inline(always)]
    fn at(&self, place: Place) -> Row<'_> {
        match place {
            Place::Copied { start, key, end } => {
                let row = &self.fetched.bytes[start as usize..end as usize];
                let (key, value) = row.split_at(key as usize);
                Row { key, value }
            }
            Place::Kept(at) => {
                let (key, value) = &self.kept[at as usize];
                Row { key: key.value(), value: value.value() }
            }
        }
    }
}

#[cold]
fn keep<'a>(kept: &mut Vec<Entry<'a>>, entry: Entry<'a>) -> Place {
    kept.push(entry);
    Place::Kept((kept.len() - 1) as u32)
}

/// Copies bytes, as many as there are on both sides. Few of them are copied in two pieces that may
/// overlap, which needs no call.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    #[inline(always)]
    fn two<const N: usize>(to: &mut [u8], from: &[u8]) {
        if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk()) {
            *to = *from;
        }
        if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk()) {
            *to = *from;
        }
    }
    match from.len() {
        8..16 => two::<8>(to, from),
        16..32 => two::<16>(to, from),
        32..=64 => two::<32>(to, from),
        _ => to.copy_from_slice(from),
    }
}

impl Cursor for RedbCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        if self.returned == self.fetched.rows.len() {
            self.fetch()?;
        }
        // At the end no row is current.
        let Some(place) = self.fetched.rows.get(self.returned) else { return Ok(None) };
        self.returned += 1;
        Ok(Some(self.at(*place)))
    }

    fn row(&self) -> Option<Row<'_>> {
        let place = self.fetched.rows.get(self.returned.checked_sub(1)?)?;
        Some(self.at(*place))
    }
}

impl Drop for RedbCursor<'_> {
    fn drop(&mut self) {
        self.clear();
        self.spare.set(Some(std::mem::take(&mut self.fetched)));
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
