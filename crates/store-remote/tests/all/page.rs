//! Cursors that fetch pages.

use keyscape_store::{Cursor, Direction, KeyRange, Row, StoreError};
use keyscape_store_remote::{Page, PageEnd, PageSource, PagedCursor, Rest};
use std::{cell::RefCell, collections::BTreeMap, ops::Bound};

/// The target size of a page, in bytes.
const PAGE_BYTES: usize = 1 << 20;

/// The longest value of a page with several rows.
const LARGE: usize = PAGE_BYTES / 2;

/// Rows in memory, and the number of rows of each page that was fetched.
struct Rows {
    rows: BTreeMap<Vec<u8>, Vec<u8>>,
    fetched: RefCell<Vec<u32>>,
}

impl PageSource for &Rows {
    type Row = (Vec<u8>, Vec<u8>);
    const LONGEST_PAGE: u32 = 64;

    fn page(&self, rest: &Rest, rows: u32) -> Result<Page<Self::Row>, StoreError> {
        self.fetched.borrow_mut().push(rows);
        let end = rest.end.clone().map_or(Bound::Unbounded, Bound::Excluded);
        let range = self.rows.range((Bound::Included(rest.start.clone()), end));
        let owned = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
        let count = rows as usize;
        let mut found: Vec<Self::Row> = match rest.direction {
            Direction::Forward => range.map(owned).take(count).collect(),
            Direction::Backward => range.rev().map(owned).take(count).collect(),
        };
        let is_large = |(_, value): &Self::Row| rows > 1 && value.len() > LARGE;
        let end = match found.iter().position(is_large) {
            Some(place) => {
                found.truncate(place);
                PageEnd::LargeRow
            }
            None if found.len() < count => PageEnd::Last,
            None => PageEnd::Full,
        };
        Ok(Page { rows: found, end })
    }

    fn row((key, value): &Self::Row) -> Row<'_> {
        Row { key, value }
    }
}

fn rows(count: u8, length: usize) -> Rows {
    let row = |number: u8| (vec![number], vec![number; length]);
    Rows { rows: (0..count).map(row).collect(), fetched: RefCell::default() }
}

fn keys(source: &Rows, range: &KeyRange<'_>) -> Vec<u8> {
    let mut cursor = PagedCursor::new(source, range);
    let mut keys = Vec::new();
    while let Some(row) = cursor.next().unwrap_or_default() {
        keys.extend_from_slice(row.key);
    }
    assert!(cursor.row().is_none());
    keys
}

#[test]
fn pages_grow_and_contain_every_row_once() {
    let source = rows(200, 10);
    assert_eq!(keys(&source, &KeyRange::all().expecting(32)), (0..200).collect::<Vec<u8>>());
    assert_eq!(source.fetched.take(), [32, 64, 64, 64]);
    let backward = keys(&source, &KeyRange::all().expecting(32).backward());
    assert_eq!(backward, (0..200).rev().collect::<Vec<u8>>());
}

#[test]
fn pages_of_large_rows_shrink() {
    let source = rows(40, 300_000);
    assert_eq!(keys(&source, &KeyRange::all().expecting(32)), (0..40).collect::<Vec<u8>>());
    assert_eq!(source.fetched.take(), [32, 3, 3, 3]);
}

#[test]
fn a_large_row_has_its_own_page() {
    let mut source = rows(60, 1);
    source.rows.extend((60..64).map(|number| (vec![number], vec![0; PAGE_BYTES])));
    source.rows.extend((64..100).map(|number| (vec![number], vec![0])));
    assert_eq!(keys(&source, &KeyRange::all().expecting(32)), (0..100).collect::<Vec<u8>>());
    // The second page ends before the first large row.
    assert_eq!(source.fetched.take(), [32, 64, 1, 1, 1, 1, 1, 4, 16, 64]);
    let large = KeyRange::prefix(&[60]).expecting(32);
    assert_eq!(keys(&source, &large), [60]);
    assert_eq!(source.fetched.take(), [32, 1, 1]);
}

#[test]
fn bounds_of_all_kinds_are_half_open() {
    let source = rows(9, 1);
    let range = |start: Bound<&'static [u8]>, end: Bound<&'static [u8]>| {
        keys(&source, &KeyRange::new(start, end))
    };
    assert_eq!(range(Bound::Excluded(&[2]), Bound::Included(&[4])), [3, 4]);
    assert_eq!(range(Bound::Included(&[2]), Bound::Excluded(&[4])), [2, 3]);
    assert_eq!(range(Bound::Unbounded, Bound::Included(&[1])), [0, 1]);
    assert_eq!(range(Bound::Included(&[7]), Bound::Unbounded), [7, 8]);
}
