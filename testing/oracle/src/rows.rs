//! All rows of a keyspace, each with its reading, by taking every choice in turn.

use crate::{
    condition::Condition,
    leaf::{self, Listed, Word, Words},
};
use keyscape_codec::{Codec, Value};
use keyscape_layout::{
    Datum, Layout, Record,
    model::{Derived, KeyspaceId, List, OptionSegment, Segment, Type},
};
use std::{collections::HashMap, rc::Rc, sync::Arc};

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
    /// A byte of a literal, or derived bytes.
    Byte,
    /// A leaf.
    Leaf {
        /// Its value.
        value: Value,
        /// Whether its logical order is the reverse of that of its values.
        descends: bool,
        /// The offset at which it ends.
        end: usize,
    },
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
                    What::Leaf { end, .. } => Mark::End(end),
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

/// There are more rows than are worth comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// A row up to some place.
#[derive(Clone, Debug, Default)]
struct Partial<'a> {
    key: Vec<u8>,
    steps: Vec<Step>,
    /// The fields of the innermost key, type or arm.
    fields: Record,
    /// Guards of the same, and whether the row has their parts.
    guards: Vec<(Rc<Condition>, bool)>,
    /// Derived bytes of the same, and the step before which they are missing.
    derived: Vec<(&'a Derived, usize)>,
}

impl<'a> Partial<'a> {
    fn step(&mut self, place: u32, what: What) {
        self.steps.push(Step { place, from: self.key.len(), what });
    }

    /// Puts in bytes that were missing at a step.
    fn insert(&mut self, step: usize, bytes: &[u8]) {
        let at = self.steps[step].from;
        self.key.splice(at..at, bytes.iter().copied());
        for later in &mut self.steps[step + 1..] {
            later.from += bytes.len();
            if let What::Leaf { end, .. } = &mut later.what {
                *end += bytes.len();
            }
        }
    }

    /// The same row with the key and the steps of a type or arm that ends here.
    fn after(&self, inner: Partial<'a>) -> Self {
        Self { key: inner.key, steps: inner.steps, ..self.clone() }
    }
}

/// Lists the rows of keyspaces.
pub(crate) struct Enumeration<'w> {
    /// The layout.
    pub(crate) layout: &'w Layout,
    /// The words of leaves.
    pub(crate) words: &'w mut Words,
    /// Values to try in leaves that are not listed in full.
    pub(crate) extra: &'w [Value],
    /// The most rows.
    pub(crate) limit: usize,
    /// The guards that have been read, by the offset of their optional part.
    guards: HashMap<u32, Rc<Condition>>,
    /// The leaves that have been listed, by the address of their codec.
    listed: HashMap<usize, Rc<Listed>>,
}

impl<'w> Enumeration<'w> {
    pub(crate) fn new(
        layout: &'w Layout,
        words: &'w mut Words,
        extra: &'w [Value],
        limit: usize,
    ) -> Self {
        Self { layout, words, extra, limit, guards: HashMap::new(), listed: HashMap::new() }
    }

    /// The words of a leaf, with those of the extra values that it takes.
    pub(crate) fn listed(&mut self, codec: &Arc<dyn Codec>) -> Rc<Listed> {
        let (words, extra) = (&mut *self.words, self.extra);
        let list = || {
            let mut listed = words.of(&**codec).clone();
            listed.extend(&**codec, extra);
            Rc::new(listed)
        };
        // The layout keeps its codecs, so their addresses tell them apart.
        let address = Arc::as_ptr(codec).cast::<()>() as usize;
        self.listed.entry(address).or_insert_with(list).clone()
    }

    /// All rows of a keyspace. Fields that `given` has are held to their values there.
    ///
    /// # Errors
    /// [`TooMany`] if there are more than the limit.
    pub(crate) fn rows(
        &mut self,
        id: KeyspaceId,
        given: Option<&Record>,
    ) -> Result<Vec<Row>, TooMany> {
        let layout = self.layout;
        let whole = self.scope(&layout.keyspace(id).key, 0, Partial::default(), given)?;
        let row =
            |p: Partial<'_>| Row { keyspace: id, key: p.key, steps: p.steps, fields: p.fields };
        Ok(whole.into_iter().map(row).collect())
    }

    /// The encodings of all values of a type, or of one that is given.
    ///
    /// # Errors
    /// [`TooMany`] if there are more than the limit.
    pub(crate) fn encodings(
        &mut self,
        ty: &Arc<Type>,
        given: Option<&Datum>,
    ) -> Result<Vec<Vec<u8>>, TooMany> {
        let all = self.field("value", ty, 0, &Partial::default(), given)?;
        Ok(all.into_iter().map(|partial| partial.key).collect())
    }

    /// The segments of a key, a type or an arm, whose guards speak of its own fields: every
    /// combination of present and absent parts, and of those the ones with which the guards agree.
    /// Then derived bytes are put in, since they depend on fields that may come later.
    fn scope<'a>(
        &mut self,
        segments: &'a [Segment],
        place: u32,
        before: Partial<'a>,
        given: Option<&Record>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let start = Partial { key: before.key, steps: before.steps, ..Partial::default() };
        let mut all = self.list(segments, place, start, given)?;
        all.retain(|p| p.guards.iter().all(|(guard, there)| guard.holds(&p.fields) == *there));
        for partial in &mut all {
            // From the last one on, so that the steps of the others stay where they are.
            for (derived, step) in std::mem::take(&mut partial.derived).into_iter().rev() {
                let bytes = self.derive(derived, &partial.fields)?;
                partial.insert(step, &bytes);
            }
        }
        Ok(all)
    }

    /// The bytes that are derived from some fields.
    fn derive(&mut self, derived: &Derived, fields: &Record) -> Result<Vec<u8>, TooMany> {
        let mut hashed = Vec::new();
        for input in &derived.inputs {
            let encoded = self.encodings(&input.ty, fields.get(&input.name))?;
            hashed.extend(encoded.first().ok_or(TooMany)?);
        }
        let mut digest = derived.function.digest(&hashed);
        digest.truncate(derived.length);
        let word = leaf::encode(&*derived.leaf.codec, &Value::Bytes(digest));
        word.map(|(_, bytes)| bytes).ok_or(TooMany)
    }

    fn list<'a>(
        &mut self,
        segments: &'a [Segment],
        place: u32,
        start: Partial<'a>,
        given: Option<&Record>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let mut all = vec![start];
        let mut place = place;
        for segment in segments {
            let mut longer = Vec::new();
            for partial in all {
                longer.extend(self.segment(segment, place, partial, given)?);
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
        given: Option<&Record>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        match segment {
            Segment::Literal(literal) => {
                for (index, &byte) in literal.bytes.iter().enumerate() {
                    before.step(place + index as u32, What::Byte);
                    before.key.push(byte);
                }
                Ok(vec![before])
            }
            Segment::Field(field) => {
                let given = given.and_then(|given| given.get(&field.name));
                self.field(&field.name, &field.ty, place, &before, given)
            }
            Segment::Derived(derived) => {
                before.derived.push((derived, before.steps.len()));
                before.step(place, What::Byte);
                Ok(vec![before])
            }
            Segment::Option(option) => {
                let guard = self.guard(option);
                let part = |mut before: Partial<'a>, there: bool| {
                    before.step(place, What::Option(there));
                    before.guards.extend(guard.iter().map(|guard| (guard.clone(), there)));
                    before
                };
                let (absent, present) = (part(before.clone(), false), part(before, true));
                let mut all = self.list(&option.segments, place + 1, present, given)?;
                all.push(absent);
                Ok(all)
            }
        }
    }

    /// The guard of an optional part, read from its text.
    fn guard(&mut self, option: &OptionSegment) -> Option<Rc<Condition>> {
        option.guard.as_ref()?;
        let text = self.layout.sources.text(option.span);
        let read = || Rc::new(Condition::of_option(text).unwrap_or_default());
        Some(self.guards.entry(option.span.start).or_insert_with(read).clone())
    }

    fn field<'a>(
        &mut self,
        name: &str,
        ty: &'a Type,
        place: u32,
        before: &Partial<'a>,
        given: Option<&Datum>,
    ) -> Result<Vec<Partial<'a>>, TooMany> {
        let mut all = Vec::new();
        match ty {
            Type::Leaf(leaf) => {
                let listed = self.listed(&leaf.codec);
                let given: Option<Vec<Word>> = given.map(|given| match given {
                    Datum::Leaf(value) => leaf::encode(&*leaf.codec, value).into_iter().collect(),
                    _ => Vec::new(),
                });
                for (value, word) in given.as_ref().unwrap_or(&listed.words) {
                    let mut row = before.clone();
                    let (end, descends) = (row.key.len() + word.len(), listed.descends);
                    row.step(place, What::Leaf { value: value.clone(), descends, end });
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
                let given = match given {
                    Some(Datum::Record(record)) => Some(record),
                    _ => None,
                };
                for mut inner in self.scope(segments, place, before.clone(), given)? {
                    let fields = std::mem::take(&mut inner.fields);
                    let mut row = before.after(inner);
                    row.fields.set(name, Datum::Record(fields));
                    all.push(row);
                }
            }
            Type::Variant(arms) => {
                let mut inside = place + 1;
                for (index, arm) in arms.iter().enumerate() {
                    let given = match given {
                        Some(Datum::Arm(_, record)) => Some(record),
                        _ => None,
                    };
                    let mut chosen = before.clone();
                    chosen.step(place, What::Choice(index));
                    for mut inner in self.scope(&arm.segments, inside, chosen, given)? {
                        let fields = std::mem::take(&mut inner.fields);
                        let mut row = before.after(inner);
                        row.fields.set(name, Datum::Arm(arm.name.clone(), fields));
                        all.push(row);
                    }
                    inside += arm.segments.iter().map(Segment::places).sum::<u32>();
                }
            }
            Type::List(list) => {
                let given = match given {
                    Some(Datum::List(elements)) => Some(elements.as_slice()),
                    _ => None,
                };
                let mut start = before.clone();
                // A place that says nothing, so that a scan can end before the list.
                start.step(place, What::Byte);
                for (row, elements) in self.elements(list, place, start, &[], given)? {
                    let mut row = before.after(row);
                    row.fields.set(name, Datum::List(elements));
                    all.push(row);
                }
            }
        }
        if given.is_some() {
            all.retain(|row| row.fields.get(name) == given);
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
        given: Option<&[Datum]>,
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
        let next = given.map(|given| given.get(elements.len()));
        if count < list.max && next != Some(None) {
            let mut going = before;
            if free {
                going.step(place, What::Option(true));
            }
            for row in self.field("", &list.element, place + 1, &going, next.flatten())? {
                let mut longer = elements.to_vec();
                longer.extend(row.fields.get("").cloned());
                all.extend(self.elements(list, place, row, &longer, given)?);
                if all.len() > self.limit {
                    return Err(TooMany);
                }
            }
        }
        Ok(all)
    }
}
