//! KS003: the interval that a scan reads contains its rows and no others.

use crate::{
    oracle::Oracle,
    rows::{Reading, Row},
};
use keyscape_layout::{
    Datum, Record,
    model::{Keyspace, KeyspaceId, Scan, Segment, Type, places},
};
use std::collections::BTreeMap;

/// The rows of a keyspace with one leading reading.
#[derive(Clone, Debug)]
pub struct Leading<'r> {
    /// The bytes of the leading part and of the literals after it.
    pub prefix: &'r [u8],
    /// The reading of the leading part.
    pub marks: Reading,
    /// The rows, at least one.
    pub rows: Vec<&'r Row>,
}

/// Returns the leading readings of all rows that pass a place of the key. `end` is the place after
/// the key.
#[must_use]
pub(crate) fn leadings(rows: &[Row], place: u32, end: u32) -> Vec<Leading<'_>> {
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        if let Some(offset) = row.offset_of(place, end) {
            let leading = (&row.key[..offset], row.marks_before(place));
            groups.entry(leading).or_default().push(row);
        }
    }
    leadings_of(groups)
}

/// Groups the rows that are equal before a place, even if they do not pass it.
#[must_use]
pub(crate) fn equal_before(rows: &[Row], place: u32) -> Vec<Leading<'_>> {
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let next = row.steps.iter().find(|step| step.place >= place);
        let offset = next.map_or(row.key.len(), |step| step.from);
        groups.entry((&row.key[..offset], row.marks_before(place))).or_default().push(row);
    }
    leadings_of(groups)
}

type Groups<'r> = BTreeMap<(&'r [u8], Reading), Vec<&'r Row>>;

fn leadings_of(groups: Groups<'_>) -> Vec<Leading<'_>> {
    groups.into_iter().map(|((prefix, marks), rows)| Leading { prefix, marks, rows }).collect()
}

/// The byte strings from `low` to below `high`, or without an upper end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lower end, included.
    pub low: Vec<u8>,
    /// The upper end, excluded.
    pub high: Option<Vec<u8>>,
}

impl Interval {
    /// Returns the interval of all strings with a prefix.
    fn of_prefix(prefix: &[u8]) -> Self {
        Self { low: prefix.to_vec(), high: above(prefix) }
    }

    /// Whether the interval contains a key.
    #[must_use]
    pub fn holds(&self, key: &[u8]) -> bool {
        *key >= *self.low && self.high.as_ref().is_none_or(|high| *key < **high)
    }
}

/// Returns the first string above all strings with `prefix`, or `None` if `prefix` is empty or all
/// FF.
fn above(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut prefix = prefix.to_vec();
    while let Some(last) = prefix.pop() {
        if last < 0xff {
            prefix.push(last + 1);
            return Some(prefix);
        }
    }
    None
}

/// The fault of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The interval contains the row, but the scan must not read it.
    Foreign,
    /// The scan must read the row, but the interval does not contain it.
    Missed,
}

/// The oracle's answer about a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanAnswer {
    /// The declared interval is exact.
    Exact,
    /// The plain interval is not exact, but the tight one is.
    Tight,
    /// No interval is exact. Contains the length of a faulty row and the length of the start of an
    /// interval for which it is faulty: those with the smallest sum, then with the shortest start.
    Wrong(usize, usize),
}

impl ScanAnswer {
    /// Whether no form of the scan is exact.
    #[must_use]
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::Wrong(..))
    }
}

pub(crate) fn decide(oracle: &Oracle<'_>, id: KeyspaceId, scan: &Scan) -> ScanAnswer {
    let declared = Form::declared(oracle, id, scan);
    let Some((row, start)) = declared.shortest_fault() else { return ScanAnswer::Exact };
    if scan.asked.is_none() && Form::tight(oracle, id, scan).shortest_fault().is_none() {
        return ScanAnswer::Tight;
    }
    ScanAnswer::Wrong(row, start)
}

/// The intervals of a scan, one for each leading reading.
#[derive(Debug)]
pub struct Form<'o> {
    oracle: &'o Oracle<'o>,
    id: KeyspaceId,
    scan: &'o Scan,
    /// The place after the whole key.
    end: u32,
    /// The leading readings with their intervals.
    pub asked: Vec<(Leading<'o>, Interval)>,
}

impl<'o> Form<'o> {
    /// Returns the declared form: the keys that start with the leading part, or the interval of
    /// `as`.
    #[must_use]
    pub fn declared(oracle: &'o Oracle<'o>, id: KeyspaceId, scan: &'o Scan) -> Self {
        let keyspace = oracle.layout.keyspace(id);
        Self::with(oracle, id, scan, |leading| {
            let Some(asked) = &scan.asked else { return Some(Interval::of_prefix(leading.prefix)) };
            let low = spell(keyspace, &asked.start, leading.rows[0])?;
            Some(match &asked.end {
                None => Interval::of_prefix(&low),
                Some(end) => Interval { low, high: Some(spell(keyspace, end, leading.rows[0])?) },
            })
        })
    }

    /// Returns the tight form: from the smallest to the largest byte that can follow a leading
    /// part.
    pub(crate) fn tight(oracle: &'o Oracle<'o>, id: KeyspaceId, scan: &'o Scan) -> Self {
        let mut following = Vec::new();
        let mut may_end = false;
        for (leading, _) in Self::declared(oracle, id, scan).asked {
            for row in leading.rows {
                match row.key.get(leading.prefix.len()) {
                    Some(&byte) => following.push(byte),
                    None => may_end = true,
                }
            }
        }
        Self::with(oracle, id, scan, |leading| {
            let plain = Interval::of_prefix(leading.prefix);
            let with = |byte: u8| [leading.prefix, &[byte]].concat();
            let low = match following.iter().min() {
                Some(&first) if !may_end => with(first),
                _ => plain.low,
            };
            let high = match following.iter().max() {
                Some(&last) if last < 0xff => Some(with(last + 1)),
                _ => plain.high,
            };
            Some(Interval { low, high })
        })
    }

    pub(crate) fn with(
        oracle: &'o Oracle<'o>,
        id: KeyspaceId,
        scan: &'o Scan,
        interval: impl Fn(&Leading<'o>) -> Option<Interval>,
    ) -> Self {
        let end = places(&oracle.layout.keyspace(id).key);
        let asked = leadings(oracle.rows(id), scan.end.0, end).into_iter().filter_map(|leading| {
            let interval = interval(&leading)?;
            Some((leading, interval))
        });
        Self { oracle, id, scan, end, asked: asked.collect() }
    }

    /// Returns the fault of a row in the scan of a leading reading.
    #[must_use]
    pub fn wrong(&self, leading: &Leading<'_>, interval: &Interval, row: &Row) -> Option<Wrong> {
        let (place, end) = (self.scan.end.0, self.end);
        let own = row.keyspace == self.id
            && row.key.starts_with(leading.prefix)
            && row.offset_of(place, end).is_some_and(|at| row.key[..at] == *leading.prefix)
            && row.marks_before(place) == leading.marks;
        match (own, interval.holds(&row.key)) {
            (true, false) => Some(Wrong::Missed),
            (false, true) if !self.is_welcome(leading, row) => Some(Wrong::Foreign),
            _ => None,
        }
    }

    /// Whether a row belongs to an `also` keyspace and has the same values in the leading fields of
    /// the same names.
    fn is_welcome(&self, leading: &Leading<'_>, row: &Row) -> bool {
        let theirs = &self.oracle.layout.keyspace(row.keyspace).key;
        row.keyspace != self.id
            && self.scan.also.contains(&row.keyspace)
            && self.scan.leading.iter().all(|path| {
                let value = |fields: &Record| fields.get_path(path).cloned();
                !has_path(theirs, path)
                    || leading.rows.iter().any(|r| value(&row.fields) == value(&r.fields))
            })
    }

    /// Returns the length of a faulty row, and of the start of an interval for which it is faulty:
    /// those with the smallest sum, then with the shortest start.
    pub(crate) fn shortest_fault(&self) -> Option<(usize, usize)> {
        let mut shortest: Option<(usize, usize)> = None;
        for (leading, interval) in &self.asked {
            for row in self.oracle.space_rows(self.id) {
                let start = interval.low.len();
                let rank = (row.key.len() + start, start);
                if shortest.is_none_or(|shortest| rank < shortest)
                    && self.wrong(leading, interval, row).is_some()
                {
                    shortest = Some(rank);
                }
            }
        }
        shortest.map(|(sum, start)| (sum - start, start))
    }
}

/// Returns the bytes of one side of `as` for a row. A field has the bytes of the row, or its value
/// is encoded with the codec that `as` names. Returns `None` if that codec rejects the value.
fn spell(keyspace: &Keyspace, asked: &[Segment], row: &Row) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for segment in asked {
        match segment {
            Segment::Literal(literal) => bytes.extend(&literal.bytes),
            Segment::Field(field) => match (field.ty_span, row.fields.get(&field.name), &*field.ty)
            {
                (Some(_), Some(Datum::Leaf(value)), Type::Leaf(leaf)) => {
                    leaf.codec.encode(value, &mut bytes).ok()?;
                }
                _ => bytes.extend(bytes_of(keyspace, &field.name, row)),
            },
            Segment::Option(_) | Segment::Derived(_) => {}
        }
    }
    Some(bytes)
}

/// Returns the bytes of a field that is a direct segment of the key.
fn bytes_of<'r>(keyspace: &Keyspace, field: &str, row: &'r Row) -> &'r [u8] {
    let end = places(&keyspace.key);
    let mut place = 0;
    for segment in &keyspace.key {
        let after = place + segment.places();
        if let Segment::Field(found) = segment
            && found.name == field
        {
            let offset = |place| row.offset_of(place, end).unwrap_or_default();
            return &row.key[offset(place)..offset(after)];
        }
        place = after;
    }
    &[]
}

/// Whether a key has a field at a path.
fn has_path(segments: &[Segment], path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    segments.iter().any(|segment| match segment {
        Segment::Literal(_) | Segment::Derived(_) => false,
        Segment::Option(option) => has_path(&option.segments, path),
        Segment::Field(field) if field.name != *first => false,
        Segment::Field(field) => match &*field.ty {
            Type::Composite(inner) => has_path(inner, rest),
            _ => rest.is_empty(),
        },
    })
}
