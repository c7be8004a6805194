//! Rows of numbers that are told apart.

use alloc::vec::Vec;
use core::hash::BuildHasher;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Rows of one width, each with a number: 0 for the first one that was met, and so on. They lie one
/// behind the other, so that a new row takes no room of its own.
pub(crate) struct Rows {
    width: usize,
    cells: Vec<u32>,
    ids: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Rows {
    pub(crate) fn new(width: usize) -> Self {
        let hasher = DefaultHashBuilder::default();
        Self { width, cells: Vec::new(), ids: HashTable::new(), hasher }
    }

    /// How many different rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number of a row of that width; the next one if it has not been met.
    pub(crate) fn id(&mut self, row: &[u32]) -> u32 {
        let Self { width, cells, ids, hasher } = self;
        let at = |id: u32| &cells[id as usize * *width..(id as usize + 1) * *width];
        let hash = hasher.hash_one(row);
        if let Some(&known) = ids.find(hash, |&id| at(id) == row) {
            return known;
        }
        let id = ids.len() as u32;
        ids.insert_unique(hash, id, |&id| hasher.hash_one(at(id)));
        cells.extend_from_slice(row);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_number() {
        let mut rows = Rows::new(2);
        let ids: Vec<u32> =
            [[1, 2], [2, 1], [1, 2], [0, 0], [2, 1]].iter().map(|row| rows.id(row)).collect();
        assert_eq!((ids, rows.len()), (Vec::from([0, 1, 0, 2, 1]), 3));
        // Enough of them that the table grows several times.
        for number in 0..1000 {
            assert_eq!(rows.id(&[number, 7]), 3 + number);
        }
        assert_eq!(rows.id(&[500, 7]), 503);
    }
}
