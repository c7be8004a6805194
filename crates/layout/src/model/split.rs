//! Splits: the offsets at which they cut a key, and the separators of the layout.
//!
//! A *separator* of a key is an occurrence of the split's bytes within adjacent literals of the
//! layout. A choice ends such a run of literals: an optional part, an arm of a variant or an
//! element of a list, even if no field is between the bytes.

use super::{Cut, Keyspace, Place, Segment};
use crate::{
    Span,
    datum::Record,
    encode::encode_parts,
    traverse::{ItemKind, traverse},
};

/// A split: programs cut keys at the bytes of a separator.
#[derive(Clone, Debug)]
pub struct Split {
    /// The text in the layout: `at "|"`, `at first "-"`.
    pub name: String,
    /// The occurrences of the separator that cut a key.
    pub cut: Cut,
    /// The bytes of the separator, never empty.
    pub separator: Vec<u8>,
    /// The separator in the notation of layouts.
    pub written: String,
    /// The span of the clause.
    pub span: Span,
}

impl Split {
    /// Returns the places of the separators in a key, in source order. `every` and `first` find the
    /// separators of each run of literals from the left without overlap.
    #[must_use]
    pub fn separators(&self, key: &[Segment]) -> Vec<Place> {
        let literals = traverse(key).filter_map(|item| match item.kind {
            ItemKind::Literal { literal, .. } => Some((item.choice, item.place, &literal.bytes)),
            _ => None,
        });
        // The runs of adjacent literals, with their choice and start.
        let mut runs: Vec<(Option<Place>, Place, Vec<u8>)> = Vec::new();
        for (choice, place, bytes) in literals {
            match runs.last_mut() {
                Some((known, start, run))
                    if *known == choice && start.0 + run.len() as u32 == place.0 =>
                {
                    run.extend_from_slice(bytes);
                }
                _ => runs.push((choice, place, bytes.clone())),
            }
        }
        let separators = runs.iter().flat_map(|(_, start, run)| {
            self.occurrences(run).into_iter().map(|offset| Place(start.0 + offset as u32))
        });
        separators.collect()
    }

    /// Returns the offsets at which the split cuts a key. `first` and `last` ignore occurrences
    /// completely inside the first `prefix` bytes.
    #[must_use]
    pub fn cuts(&self, key: &[u8], prefix: usize) -> Vec<usize> {
        self.choose(self.occurrences(key), prefix)
    }

    /// Returns the parts of a key that is cut at some offsets.
    #[must_use]
    pub fn parts<'k>(&self, key: &'k [u8], cuts: &[usize]) -> Vec<&'k [u8]> {
        let starts = [0].into_iter().chain(cuts.iter().map(|cut| cut + self.separator.len()));
        let ends = cuts.iter().copied().chain([key.len()]);
        starts.zip(ends).map(|(start, end)| key.get(start..end).unwrap_or_default()).collect()
    }

    /// Returns the offsets of the separators in the key of a row, or `None` if the row does not
    /// belong to the keyspace.
    #[must_use]
    pub fn declared_cuts(&self, keyspace: &Keyspace, fields: &Record) -> Option<Vec<usize>> {
        let (parts, encoded) = encode_parts(&keyspace.key, fields);
        encoded.ok()?;
        let separators = self.separators(&keyspace.key);
        let literals = parts.into_iter().filter(|part| part.is_literal);
        let starts = literals.flat_map(|part| (part.place.0..).map(Place).zip(part.bytes));
        let starts = starts.filter(|(place, _)| separators.contains(place));
        let offsets = starts.map(|(_, offset)| offset).collect();
        Some(self.choose(offsets, keyspace.literal_prefix().len()))
    }

    /// Returns the ascending offsets of the separator in some bytes: without overlap from the left,
    /// for `last` with overlap.
    fn occurrences(&self, bytes: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= self.separator.len()) {
            if rest.starts_with(&self.separator) {
                found.push(at);
                at += if self.cut == Cut::Last { 1 } else { self.separator.len() };
            } else {
                at += 1;
            }
        }
        found
    }

    /// Reduces ascending offsets of a separator to those at which the split cuts.
    fn choose(&self, mut offsets: Vec<usize>, prefix: usize) -> Vec<usize> {
        let is_after = |at: &&usize| **at + self.separator.len() > prefix;
        let one = match self.cut {
            Cut::Every => return offsets,
            Cut::First => offsets.iter().find(is_after).copied(),
            Cut::Last => offsets.pop().filter(|at| is_after(&at)),
        };
        one.into_iter().collect()
    }
}
