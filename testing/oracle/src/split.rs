//! KS010: the offsets at which keys are split, decided byte by byte.

use crate::{
    oracle::Oracle,
    rows::{Row, What},
};
use keyscape_layout::model::{Cut, KeyspaceId, Segment, Split, Type};
use std::collections::BTreeMap;

impl Oracle<'_> {
    /// KS010: returns the length of the shortest key that a split cuts at other offsets than those
    /// of its separators.
    #[must_use]
    pub fn shortest_missplit(&self, id: KeyspaceId, split: usize) -> Option<usize> {
        let rows = self.rows(id).iter();
        let wrong = rows.filter(|row| {
            let (cuts, separators) = self.cuts(row, split);
            cuts != separators
        });
        wrong.map(|row| row.key.len()).min()
    }

    /// Returns the offsets at which a split cuts a row, and the offsets of the separators in the
    /// row.
    #[must_use]
    pub fn cuts(&self, row: &Row, split: usize) -> (Vec<usize>, Vec<usize>) {
        let keyspace = self.layout.keyspace(row.keyspace);
        let split = &keyspace.splits[split];
        let mut runs = Runs::default();
        runs.list(&keyspace.key);
        let mut of_byte: Vec<Option<Run>> = vec![None; row.key.len()];
        for step in row.steps.iter().filter(|step| matches!(step.what, What::Byte)) {
            if let Some(run) = runs.by_place.get(&step.place) {
                // The elements of a list have their literals at the same places.
                of_byte[step.from] = Some((*run, step.from.wrapping_sub(step.place as usize)));
            }
        }
        // The length of the first run, if the key starts with it.
        let prefix = of_byte.iter().take_while(|run| **run == Some((0, 0))).count();
        let within_one = |at: usize| {
            let bytes = &of_byte[at..at + split.separator.len()];
            bytes[0].is_some() && bytes.iter().all(|run| *run == bytes[0])
        };
        let all: Vec<usize> = occurrences(&row.key, split);
        let separators = match split.cut {
            Cut::Last => all.iter().copied().filter(|&at| within_one(at)).collect(),
            Cut::Every | Cut::First => in_runs(&row.key, &of_byte, split),
        };
        (chosen(all, split, prefix), chosen(separators, split, prefix))
    }
}

/// A run of adjacent literals: its index in the layout, and the difference of offset and place.
type Run = (usize, usize);

/// Returns the occurrences of the separator within each run of literals, from the left.
fn in_runs(key: &[u8], of_byte: &[Option<Run>], split: &Split) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < key.len() {
        let same = of_byte[start..].iter().take_while(|run| **run == of_byte[start]).count();
        if of_byte[start].is_some() {
            let within = occurrences(&key[start..start + same], split);
            found.extend(within.into_iter().map(|at| start + at));
        }
        start += same;
    }
    found
}

fn occurrences(bytes: &[u8], split: &Split) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (at, window) in bytes.windows(split.separator.len()).enumerate() {
        let free = found.last().is_none_or(|last| last + split.separator.len() <= at);
        if window == split.separator && (free || split.cut == Cut::Last) {
            found.push(at);
        }
    }
    found
}

fn chosen(offsets: Vec<usize>, split: &Split, prefix: usize) -> Vec<usize> {
    let outside = |at: &usize| at + split.separator.len() > prefix;
    match split.cut {
        Cut::Every => offsets,
        Cut::First => offsets.into_iter().filter(outside).take(1).collect(),
        Cut::Last => offsets.into_iter().rfind(outside).into_iter().collect(),
    }
}

/// The runs of adjacent literal bytes in the layout, by place.
#[derive(Default)]
struct Runs {
    by_place: BTreeMap<u32, usize>,
    place: u32,
    run: usize,
}

impl Runs {
    fn list(&mut self, segments: &[Segment]) {
        for segment in segments {
            match segment {
                Segment::Literal(literal) => {
                    for _ in &literal.bytes {
                        self.by_place.insert(self.place, self.run);
                        self.place += 1;
                    }
                }
                Segment::Field(field) => self.ty(&field.ty),
                Segment::Derived(_) => self.other(),
                Segment::Option(option) => {
                    self.other();
                    self.list(&option.segments);
                    self.run += 1;
                }
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Leaf(_) | Type::Enum(_) => self.other(),
            Type::Composite(segments) => self.list(segments),
            Type::List(list) => {
                self.other();
                self.ty(&list.element);
                self.run += 1;
            }
            Type::Variant(arms) => {
                self.other();
                for arm in arms {
                    self.list(&arm.segments);
                    self.run += 1;
                }
            }
        }
    }

    /// Skips a leaf or a choice, which ends the current run.
    fn other(&mut self) {
        self.place += 1;
        self.run += 1;
    }
}
