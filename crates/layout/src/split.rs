//! Where splitting cuts a key, and where the layout has its separators.
//!
//! A *separator* of a key is an occurrence of the split's bytes within literals that follow one
//! another in the layout. A choice ends such a run of literals: an optional part, an arm of a
//! variant or an element of a list, although no field may lie between the bytes.

use crate::{
    datum::{Datum, Record, is_present},
    encode::encode_type,
    model::{Cut, Keyspace, Place, Segment, Split, Type, places},
};

impl Split {
    /// Returns the places at which a separator starts in a key, in source order. `every` and
    /// `first` take the separators of each run of literals from the left and without overlap.
    #[must_use]
    pub fn separators(&self, key: &[Segment]) -> Vec<Place> {
        let mut runs = Runs { split: self, found: Vec::new(), run: Vec::new(), place: 0 };
        runs.list(key);
        runs.close();
        runs.found
    }

    /// Returns the offsets at which a program that splits a key cuts it. Neither `first` nor
    /// `last` looks at what lies wholly in the first `prefix` bytes.
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

    /// Returns the offsets at which the layout has the separators that the split should find in
    /// the key of a row. `None` if the row is not one of the keyspace.
    #[must_use]
    pub fn declared_cuts(&self, keyspace: &Keyspace, fields: &Record) -> Option<Vec<usize>> {
        let mut row = Row { place: 0, key: Vec::new(), literals: Vec::new() };
        row.list(&keyspace.key, fields)?;
        let separators = self.separators(&keyspace.key);
        let starts = row.literals.into_iter();
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
        let is_behind = |at: &&usize| **at + self.separator.len() > prefix;
        let one = match self.cut {
            Cut::Every => return offsets,
            Cut::First => offsets.iter().find(is_behind).copied(),
            Cut::Last => offsets.pop().filter(|at| is_behind(&at)),
        };
        one.into_iter().collect()
    }
}

/// Looks for separators in the runs of literals of a key.
struct Runs<'a> {
    split: &'a Split,
    found: Vec<Place>,
    /// The literals that follow one another, up to `place`.
    run: Vec<u8>,
    place: u32,
}

impl Runs<'_> {
    fn list(&mut self, segments: &[Segment]) {
        for segment in segments {
            match segment {
                Segment::Literal(literal) => {
                    self.run.extend_from_slice(&literal.bytes);
                    self.place += literal.bytes.len() as u32;
                }
                Segment::Field(field) => self.ty(&field.ty),
                Segment::Derived(_) => self.choice(),
                Segment::Option(option) => {
                    self.choice();
                    self.list(&option.segments);
                    self.close();
                }
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Leaf(_) | Type::Enum(_) => self.choice(),
            Type::Composite(segments) => self.list(segments),
            Type::List(list) => {
                self.choice();
                self.ty(&list.element);
                self.close();
            }
            Type::Variant(arms) => {
                self.choice();
                for arm in arms {
                    self.list(&arm.segments);
                    self.close();
                }
            }
        }
    }

    /// Crosses a place that is no literal.
    fn choice(&mut self) {
        self.close();
        self.place += 1;
    }

    fn close(&mut self) {
        let start = self.place - self.run.len() as u32;
        let offsets = self.split.occurrences(&self.run).into_iter();
        self.found.extend(offsets.map(|offset| Place(start + offset as u32)));
        self.run.clear();
    }
}

/// Finds the literal bytes of a row by encoding it.
struct Row {
    place: u32,
    key: Vec<u8>,
    /// The place and the offset of each literal byte.
    literals: Vec<(Place, usize)>,
}

impl Row {
    fn list(&mut self, segments: &[Segment], fields: &Record) -> Option<()> {
        for segment in segments {
            let after = self.place + segment.places();
            match segment {
                Segment::Literal(literal) => {
                    let bytes = (self.place..after).map(Place).zip(self.key.len()..);
                    self.literals.extend(bytes);
                    self.key.extend_from_slice(&literal.bytes);
                }
                Segment::Field(field) => self.ty(&field.ty, fields.get(&field.name)?)?,
                Segment::Derived(derived) => derived.encode(fields, &mut self.key).ok()?,
                Segment::Option(option) => {
                    if is_present(&option.segments, fields) {
                        self.place += 1;
                        self.list(&option.segments, fields)?;
                    }
                }
            }
            self.place = after;
        }
        Some(())
    }

    /// Leaves `place` where it is, or inside of the type.
    fn ty(&mut self, ty: &Type, datum: &Datum) -> Option<()> {
        match (ty, datum) {
            (Type::Composite(segments), Datum::Record(fields)) => self.list(segments, fields),
            (Type::Variant(arms), Datum::Arm(name, fields)) => {
                let taken = arms.iter().position(|arm| arm.name == *name)?;
                let before = arms.iter().take(taken).map(|arm| places(&arm.segments));
                self.place += 1 + before.sum::<u32>();
                self.list(&arms.get(taken)?.segments, fields)
            }
            (Type::List(list), Datum::List(elements)) => {
                let first = self.place + 1;
                for element in elements {
                    self.place = first;
                    self.ty(&list.element, element)?;
                }
                Some(())
            }
            (ty, datum) => encode_type(ty, "", datum, &mut self.key).ok(),
        }
    }
}
