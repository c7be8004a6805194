//! All rows of a keyspace, each with its reading, by taking every choice in turn.

use crate::leaf::Words;
use keyscape_codec::{Codec, IntRange, Value};
use keyscape_layout::{
    Datum, Record, Span,
    guard::Guard,
    model::{Field, Keyspace, KeyspaceId, List, Segment, Type},
};
use std::sync::Arc;

/// A key, one way to read it, and how it came about.
#[derive(Clone, Debug)]
pub struct Row {
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The bytes.
    pub key: Vec<u8>,
    /// What stands where, in order.
    pub steps: Vec<Step>,
    /// The values of the fields.
    pub fields: Record,
}

/// One literal byte, leaf or choice of a row.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its place in the key, counted as the model counts places.
    pub place: u32,
    /// The offset at which it starts.
    pub from: usize,
    /// What it is.
    pub what: What,
}

/// What a [`Step`] is.
#[derive(Clone, Debug)]
pub enum What {
    /// A byte of a literal.
    Byte,
    /// A leaf with its codec and value, and the offset at which it ends.
    Leaf(Arc<dyn Codec>, Value, usize),
    /// This text of an enum, or this arm of a variant.
    Choice(usize),
    /// An optional part, and whether it is there.
    Option(bool),
}

/// What a reading says at one place. A leaf says where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// The leaf ends before this offset.
    End(usize),
    /// This text or arm, chosen at this offset.
    Choice(usize, usize),
    /// Absent or present, decided at this offset.
    Option(bool, usize),
}

/// What every leaf and choice of a row says, by place.
pub type Reading = Vec<(u32, Mark)>;

impl Row {
    /// The reading: what every leaf and choice before a place says.
    #[must_use]
    pub fn marks_before(&self, place: u32) -> Reading {
        let before = self.steps.iter().filter(|step| step.place < place);
        before
            .filter_map(|step| {
                let mark = match step.what {
                    What::Byte => return None,
                    What::Leaf(_, _, end) => Mark::End(end),
                    What::Choice(index) => Mark::Choice(index, step.from),
                    What::Option(present) => Mark::Option(present, step.from),
                };
                Some((step.place, mark))
            })
            .collect()
    }

    /// The whole reading.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.marks_before(u32::MAX)
    }

    /// The offset of a place of the key, if the row passes it; `end` is the place after all.
    #[must_use]
    pub fn offset_of(&self, place: u32, end: u32) -> Option<usize> {
        if place == end {
            return Some(self.key.len());
        }
        self.steps.iter().find(|step| step.place == place).map(|step| step.from)
    }
}

/// There are more rows than are worth comparing, or a leaf cannot be enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// All rows of a keyspace, at most `limit`.
///
/// # Errors
/// [`TooMany`] if there are more.
pub(crate) fn rows(
    id: KeyspaceId,
    keyspace: &Keyspace,
    words: &mut Words,
    limit: usize,
) -> Result<Vec<Row>, TooMany> {
    let mut enumeration = Enumeration { words, limit };
    let whole = enumeration.scope(&keyspace.key, 0, Vec::new(), Vec::new())?;
    let row = |p: Partial<'_>| Row { keyspace: id, key: p.key, steps: p.steps, fields: p.fields };
    Ok(whole.into_iter().map(row).collect())
}

/// The encodings of all values of a type.
///
/// # Errors
/// [`TooMany`] if there are more than `limit`.
pub(crate) fn encodings(
    ty: &Arc<Type>,
    words: &mut Words,
    limit: usize,
) -> Result<Vec<Vec<u8>>, TooMany> {
    let field = Segment::Field(Field {
        name: "value".to_owned(),
        ty: ty.clone(),
        declared: ty.clone(),
        wraps: Vec::new(),
        from_value: false,
        span: Span::default(),
        ty_span: None,
    });
    let segments = [field];
    let mut enumeration = Enumeration { words, limit };
    let all = enumeration.scope(&segments, 0, Vec::new(), Vec::new())?;
    Ok(all.into_iter().map(|partial| partial.key).collect())
}

/// A row up to some place.
#[derive(Clone, Debug, Default)]
struct Partial<'a> {
    key: Vec<u8>,
    steps: Vec<Step>,
    /// The fields of the innermost key, type or arm.
    fields: Record,
    /// Guards of the same, and whether the row has their parts.
    guards: Vec<(&'a Guard, bool)>,
}

impl Partial<'_> {
    fn step(&mut self, place: u32, what: What) {
        self.steps.push(Step { place, from: self.key.len(), what });
    }
}

struct Enumeration<'w> {
    words: &'w mut Words,
    limit: usize,
}

impl Enumeration<'_> {
    /// The segments of a key, a type or an arm, whose guards speak of its own fields: every
    /// combination of present and absent parts, and of those the ones with which the guards agree.
    fn scope<'a>(
        &mut self,
        segments: &'a [Segment],
        place: u32,
        key: Vec<u8>,
        steps: Vec<Step>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let start = Partial { key, steps, fields: Record::default(), guards: Vec::new() };
        let mut all = self.list(segments, place, start)?;
        all.retain(|p| p.guards.iter().all(|&(g, there)| holds(g, segments, &p.fields) == there));
        Ok(all)
    }

    fn list<'a>(
        &mut self,
        segments: &'a [Segment],
        place: u32,
        start: Partial<'a>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let mut all = vec![start];
        let mut place = place;
        for segment in segments {
            let mut longer = Vec::new();
            for partial in all {
                longer.extend(self.segment(segment, place, partial)?);
                if longer.len() > self.limit {
                    return Err(TooMany);
                }
            }
            all = longer;
            place += segment.places();
        }
        Ok(all)
    }

    fn segment<'a>(
        &mut self,
        segment: &'a Segment,
        place: u32,
        mut before: Partial<'a>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        match segment {
            Segment::Literal(literal) => {
                for (index, &byte) in literal.bytes.iter().enumerate() {
                    before.step(place + index as u32, What::Byte);
                    before.key.push(byte);
                }
                Ok(vec![before])
            }
            Segment::Field(field) => self.field(&field.name, &field.ty, place, &before),
            // Depends on fields that may not be there yet.
            Segment::Derived(_) => Err(TooMany),
            Segment::Option(option) => {
                let mut absent = before.clone();
                absent.step(place, What::Option(false));
                absent.guards.extend(option.guard.iter().map(|guard| (guard, false)));
                let mut present = before;
                present.step(place, What::Option(true));
                present.guards.extend(option.guard.iter().map(|guard| (guard, true)));
                let mut all = self.list(&option.segments, place + 1, present)?;
                all.push(absent);
                Ok(all)
            }
        }
    }

    fn field<'a>(
        &mut self,
        name: &str,
        ty: &'a Type,
        place: u32,
        before: &Partial<'a>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let mut all = Vec::new();
        match ty {
            Type::Leaf(leaf) => {
                for (value, word) in self.words.of(&*leaf.codec).ok_or(TooMany)? {
                    let mut row = before.clone();
                    let end = row.key.len() + word.len();
                    row.step(place, What::Leaf(leaf.codec.clone(), value.clone(), end));
                    row.key.extend(word);
                    row.fields.set(name, Datum::Leaf(value.clone()));
                    all.push(row);
                }
            }
            Type::Enum(of) => {
                for (index, (text, bytes)) in of.texts.iter().zip(&of.bytes).enumerate() {
                    let mut row = before.clone();
                    row.step(place, What::Choice(index));
                    row.key.extend(bytes);
                    row.fields.set(name, Datum::Name(text.clone()));
                    all.push(row);
                }
            }
            Type::Composite(segments) => {
                for inner in
                    self.scope(segments, place, before.key.clone(), before.steps.clone())?
                {
                    let mut row = Partial { key: inner.key, steps: inner.steps, ..before.clone() };
                    row.fields.set(name, Datum::Record(inner.fields));
                    all.push(row);
                }
            }
            Type::Variant(arms) => {
                let mut inside = place + 1;
                for (index, arm) in arms.iter().enumerate() {
                    let mut chosen = before.clone();
                    chosen.step(place, What::Choice(index));
                    for inner in self.scope(&arm.segments, inside, chosen.key, chosen.steps)? {
                        let (key, steps) = (inner.key, inner.steps);
                        let mut row = Partial { key, steps, ..before.clone() };
                        row.fields.set(name, Datum::Arm(arm.name.clone(), inner.fields));
                        all.push(row);
                    }
                    inside += arm.segments.iter().map(Segment::places).sum::<u32>();
                }
            }
            Type::List(list) => {
                let mut start = before.clone();
                // A place that says nothing, so that a scan can end before the list.
                start.step(place, What::Byte);
                for (row, elements) in self.elements(list, place, start, &[])? {
                    let mut row = Partial { key: row.key, steps: row.steps, ..before.clone() };
                    row.fields.set(name, Datum::List(elements));
                    all.push(row);
                }
            }
        }
        Ok(all)
    }

    /// All ways to go on with a list that has some elements already: to end it, where there are
    /// enough, and to add one more, where there may be more.
    fn elements<'a>(
        &mut self,
        list: &'a List,
        place: u32,
        before: Partial<'a>,
        elements: &[Datum],
    ) -> Result<Vec<(Partial<'a>, Vec<Datum>)>, TooMany> {
        let count = elements.len() as u32;
        let free = count >= list.min && count < list.max;
        let mut all = Vec::new();
        if count >= list.min {
            let mut ended = before.clone();
            if free {
                ended.step(place, What::Option(false));
            }
            all.push((ended, elements.to_vec()));
        }
        if count < list.max {
            let mut going = before;
            if free {
                going.step(place, What::Option(true));
            }
            for row in self.field("", &list.element, place + 1, &going)? {
                let mut longer = elements.to_vec();
                longer.extend(row.fields.get("").cloned());
                all.extend(self.elements(list, place, row, &longer)?);
                if all.len() > self.limit {
                    return Err(TooMany);
                }
            }
        }
        Ok(all)
    }
}

/// Whether a guard holds for these fields of the list of segments that it stands in.
fn holds(guard: &Guard, segments: &[Segment], fields: &Record) -> bool {
    match guard {
        Guard::Is { field, choices } => {
            let chosen = segments.iter().find_map(|segment| match segment {
                Segment::Field(f) if f.name == *field => choice(&f.ty, fields.get(field)?),
                _ => None,
            });
            chosen.is_some_and(|index| choices.contains(&index))
        }
        Guard::In { field, range } => match (fields.get(field), range) {
            (Some(Datum::Leaf(Value::Uint(n))), IntRange::Unsigned { low, high }) => {
                low <= n && n <= high
            }
            (Some(Datum::Leaf(Value::Int(n))), IntRange::Signed { low, high }) => {
                low <= n && n <= high
            }
            _ => false,
        },
        Guard::All(parts) => parts.iter().all(|part| holds(part, segments, fields)),
        Guard::Any(parts) => parts.iter().any(|part| holds(part, segments, fields)),
    }
}

/// Which text or arm a value is.
fn choice(ty: &Type, datum: &Datum) -> Option<usize> {
    match (ty, datum) {
        (Type::Enum(of), Datum::Name(name)) => of.texts.iter().position(|text| text == name),
        (Type::Variant(arms), Datum::Arm(name, _)) => arms.iter().position(|a| a.name == *name),
        _ => None,
    }
}
