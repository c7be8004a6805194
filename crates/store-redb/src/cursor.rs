//! A cursor over the rows of a range in a redb file.

use crate::{
    database::Bytes,
    error::{catch, store_error},
    key::ByteKey,
};
use keyscape_store::{Cursor, Direction, KeyRange, Row, Stop, StoreError};
use redb::{AccessGuard, ReadOnlyTable, ReadableTable};
use std::cell::Cell;

/// The default size of the first batch, in rows. Each further batch is twice as large.
const FIRST_BATCH: usize = 4;
const LARGEST_BATCH: usize = 32;

/// Rows of up to this number of bytes are copied, which is faster than holding redb's guards.
const MAX_COPIED: usize = 320;

/// A cursor that fetches rows in batches, which amortises the cost of catching panics of redb.
pub(crate) struct RedbCursor<'a> {
    cursor: redb::Cursor<'a, ByteKey, Bytes>,
    direction: Direction,
    stop: Stop,
    /// The fetched rows, each after its [`Head`]. Bytes after the last row are garbage.
    fetched: Vec<u8>,
    /// The end of the fetched rows in `fetched`.
    end: usize,
    /// The offset of the next row to return.
    next: usize,
    /// The offset of the current row.
    current: Option<usize>,
    /// The rows that are too large to be copied.
    large: Vec<Entry<'a>>,
    /// The size of the next batch, in rows.
    batch: usize,
    ended: bool,
    spare: &'a Spare,
}

/// A reusable buffer for the next cursor.
pub(crate) type Spare = Cell<Vec<u8>>;

/// The header of a fetched row.
enum Head {
    /// The lengths of the key and the value, which follow.
    Copied(u16, u16),
    /// The index of a row that is not copied, in `large`.
    Large(u16),
}

impl Head {
    const LENGTH: usize = 4;

    fn bytes(self) -> [u8; Head::LENGTH] {
        let (a, b) = match self {
            Head::Copied(key, value) => (key, value),
            Head::Large(at) => (u16::MAX, at),
        };
        (u32::from(a) << 16 | u32::from(b)).to_ne_bytes()
    }

    fn read(bytes: [u8; Head::LENGTH]) -> Head {
        let both = u32::from_ne_bytes(bytes);
        match ((both >> 16) as u16, both as u16) {
            // No copied key has this length.
            (u16::MAX, at) => Head::Large(at),
            (key, value) => Head::Copied(key, value),
        }
    }
}

type Entry<'a> = (AccessGuard<'a, ByteKey>, AccessGuard<'a, Bytes>);

impl<'a> RedbCursor<'a> {
    /// Opens a cursor before the first row of a range. It takes its buffers from `spare` and
    /// returns them when it is dropped.
    pub(crate) fn open(
        table: &'a ReadOnlyTable<ByteKey, Bytes>,
        range: &KeyRange<'_>,
        spare: &'a Spare,
    ) -> Result<Box<RedbCursor<'a>>, StoreError> {
        let direction = range.direction();
        let batch = range.expected().map_or(FIRST_BATCH, |rows| rows.clamp(1, LARGEST_BATCH));
        // The cursor is large, so it is constructed in its final place.
        catch(|| {
            let cursor = match direction {
                Direction::Forward => table.lower_bound(range.start()),
                Direction::Backward => table.upper_bound(range.end()),
            };
            Ok(Box::new(RedbCursor {
                cursor: cursor.map_err(store_error)?,
                direction,
                stop: range.stop(),
                fetched: spare.take(),
                end: 0,
                next: 0,
                current: None,
                large: Vec::new(),
                batch,
                ended: false,
                spare,
            }))
        })
    }

    /// Replaces the returned rows by the next batch.
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

    /// Fetches a batch. Resolves the position of each row in its page, so [`at`] cannot fail.
    fn fill(
        &mut self,
        step: impl Fn(&mut redb::Cursor<'a, ByteKey, Bytes>) -> redb::Result<Option<Entry<'a>>>,
    ) -> Result<(), StoreError> {
        let needed = self.batch * (Head::LENGTH + MAX_COPIED);
        if self.fetched.len() < needed {
            self.fetched.resize(needed, 0);
        }
        let mut free = &mut self.fetched[..];
        for _ in 0..self.batch {
            // Do not move the guards: moving them would take longer than all other work.
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
            let (head, rest) = free.split_at_mut(Head::LENGTH);
            if key_bytes.len() + value_bytes.len() > MAX_COPIED {
                head.copy_from_slice(&push_large(&mut self.large, (key, value)).bytes());
                free = rest;
            } else {
                let lengths = (key_bytes.len() as u16, value_bytes.len() as u16);
                head.copy_from_slice(&Head::Copied(lengths.0, lengths.1).bytes());
                let (to_key, rest) = rest.split_at_mut(key_bytes.len());
                let (to_value, rest) = rest.split_at_mut(value_bytes.len());
                copy(to_key, key_bytes);
                copy(to_value, value_bytes);
                free = rest;
            }
        }
        let left = free.len();
        self.end = self.fetched.len() - left;
        Ok(())
    }

    fn clear(&mut self) {
        (self.end, self.next, self.current) = (0, 0, None);
        self.large.clear();
    }
}

/// Returns the fetched row at an offset, and the offset of the next row.
#[inline(always)]
fn at<'r>(fetched: &'r [u8], large: &'r [Entry<'_>], start: usize) -> Option<(Row<'r>, usize)> {
    let (head, rest) = fetched.get(start..)?.split_first_chunk()?;
    let body = start + Head::LENGTH;
    match Head::read(*head) {
        Head::Copied(key, value) => {
            let length = usize::from(key) + usize::from(value);
            let (key, value) = rest.get(..length)?.split_at_checked(usize::from(key))?;
            Some((Row { key, value }, body + length))
        }
        Head::Large(at) => {
            let (key, value) = large.get(usize::from(at))?;
            Some((Row { key: key.value(), value: value.value() }, body))
        }
    }
}

#[cold]
fn push_large<'a>(large: &mut Vec<Entry<'a>>, entry: Entry<'a>) -> Head {
    large.push(entry);
    Head::Large((large.len() - 1) as u16)
}

/// Copies bytes, up to the shorter length. A few bytes are copied in two overlapping pieces, which
/// avoids a function call.
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
        if self.next == self.end {
            self.fetch()?;
        }
        // At the end, no row is current.
        self.current = (self.next < self.end).then_some(self.next);
        let row = self.current.and_then(|start| at(&self.fetched, &self.large, start));
        Ok(row.map(|(row, next)| {
            self.next = next;
            row
        }))
    }

    fn row(&self) -> Option<Row<'_>> {
        at(&self.fetched, &self.large, self.current?).map(|(row, _)| row)
    }
}

impl Drop for RedbCursor<'_> {
    fn drop(&mut self) {
        self.spare.set(std::mem::take(&mut self.fetched));
    }
}

/// The cursor of an empty range or a missing table.
pub(crate) struct NoRows;

impl Cursor for NoRows {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        Ok(None)
    }

    fn row(&self) -> Option<Row<'_>> {
        None
    }
}
