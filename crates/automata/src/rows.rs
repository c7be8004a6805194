//! Interned rows of numbers.

use alloc::vec::Vec;
use core::hash::BuildHasher;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Distinct rows, numbered from 0 in the order of their insertion. All rows share one allocation.
#[derive(Default)]
pub(crate) struct Rows {
    cells: Vec<u32>,
    /// The end of each row in `cells`.
    ends: Vec<usize>,
    ids: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Rows {
    /// Returns the number of distinct rows.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a row by its number.
    pub(crate) fn get(&self, id: u32) -> &[u32] {
        row(&self.cells, &self.ends, id)
    }

    /// Returns the number of a row. Adds the row if it is missing.
    pub(crate) fn id(&mut self, of: &[u32]) -> u32 {
        let Self { cells, ends, ids, hasher } = self;
        let hash = hasher.hash_one(of);
        if let Some(&known) = ids.find(hash, |&id| row(cells, ends, id) == of) {
            return known;
        }
        let id = ends.len() as u32;
        ids.insert_unique(hash, id, |&id| hasher.hash_one(row(cells, ends, id)));
        cells.extend_from_slice(of);
        ends.push(cells.len());
        id
    }
}

fn row<'a>(cells: &'a [u32], ends: &[usize], id: u32) -> &'a [u32] {
    let id = id as usize;
    let start = id.checked_sub(1).map_or(0, |before| ends[before]);
    &cells[start..ends[id]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_number() {
        let mut rows = Rows::default();
        let some: [&[u32]; 6] = [&[1, 2], &[2, 1], &[1, 2], &[], &[2, 1], &[1, 2, 0]];
        let ids: Vec<u32> = some.iter().map(|row| rows.id(row)).collect();
        assert_eq!((ids, rows.len()), (Vec::from([0, 1, 0, 2, 1, 3]), 4));
        // Enough rows to grow the table several times.
        for number in 0..1000 {
            assert_eq!(rows.id(&[number, 7]), 4 + number);
        }
        assert_eq!(rows.id(&[500, 7]), 504);
        assert_eq!(
            (rows.get(2), rows.get(3), rows.get(504)),
            (&[][..], &[1, 2, 0][..], &[500, 7][..])
        );
    }
}
