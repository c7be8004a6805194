//! Enumeration of all rows of a keyspace with their readings.

use crate::{
    condition::Condition,
    leaf::{self, Listed, Word, Words},
};
use keyscape_codec::{Codec, Value};
use keyscape_layout::{
    Datum, Layout, Record,
    model::{Derived, KeyspaceId, List, OptionSegment, RowValue, Segment, Type},
};
use std::{collections::HashMap, rc::Rc, sync::Arc};

/// A key with one of its readings and its values.
#[derive(Clone, Debug)]
pub struct Row {
    /// The keyspace of the row.
    pub keyspace: KeyspaceId,
    /// The bytes of the key.
    pub key: Vec<u8>,
    /// The parts of the key in order.
    pub steps: Vec<Step>,
    /// The values of the fields.
    pub fields: Record,
}

/// One literal byte, leaf or choice of a row.
#[derive(Clone, Debug)]
pub struct Step {
    /// The place in the key, as the model counts places.
    pub place: u32,
    /// The offset of the first byte.
    pub from: usize,
    /// The content of the step.
    pub what: What,
}

/// The content of a [`Step`].
#[derive(Clone, Debug)]
pub enum What {
    /// A byte of a literal, or derived bytes.
    Byte,
    /// A leaf.
    Leaf {
        /// The value of the leaf.
        value: Value,
        /// Whether the logical order is the reverse of the order of the values.
        descends: bool,
        /// The offset after the last byte.
        end: usize,
    },
    /// The index of a text of an enum, or of an arm of a variant.
    Choice(usize),
    /// Whether an optional part is present.
    Option(bool),
}

/// The information of a reading at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// The leaf ends before this offset.
    End(usize),
    /// The index of a text or arm, and the offset of the choice.
    Choice(usize, usize),
    /// Whether an optional part is present, and its offset.
    Option(bool, usize),
}

/// The marks of all leaves and choices of a row, by place.
pub type Reading = Vec<(u32, Mark)>;

impl Row {
    /// Returns the marks of all leaves and choices before a place.
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

    /// Returns the whole reading.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.marks_before(u32::MAX)
    }

    /// Returns the offset of a place of the key, if the row passes it. `end` is the place after the
    /// key.
    #[must_use]
    pub fn offset_of(&self, place: u32, end: u32) -> Option<usize> {
        if place == end {
            return Some(self.key.len());
        }
        self.steps.iter().find(|step| step.place == place).map(|step| step.from)
    }
}

/// The error for a layout with too many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// A row up to a place.
#[derive(Clone, Debug, Default)]
struct Partial<'a> {
    key: Vec<u8>,
    steps: Vec<Step>,
    /// The fields of the innermost key, type or arm.
    fields: Record,
    /// The guards of the same scope, and whether the row has their parts.
    guards: Vec<(Rc<Condition>, bool)>,
    /// The derived bytes of the same scope, with the step at which they must be inserted.
    derived: Vec<(&'a Derived, usize)>,
}

impl<'a> Partial<'a> {
    fn step(&mut self, place: u32, what: What) {
        self.steps.push(Step { place, from: self.key.len(), what });
    }

    /// Inserts derived bytes at a step.
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

    fn into_row(self, keyspace: KeyspaceId) -> Row {
        Row { keyspace, key: self.key, steps: self.steps, fields: self.fields }
    }

    /// Returns this row with the key and the steps of an inner type or arm that ends here.
    fn after(&self, inner: Partial<'a>) -> Self {
        Self { key: inner.key, steps: inner.steps, ..self.clone() }
    }
}

/// Lists the rows of keyspaces.
pub(crate) struct Enumeration<'w> {
    /// The layout to enumerate.
    pub(crate) layout: &'w Layout,
    /// The cache of the words of leaves.
    pub(crate) words: &'w mut Words,
    /// Values to try in leaves whose values are not all listed.
    pub(crate) extra: &'w [Value],
    /// The highest number of rows.
    pub(crate) limit: usize,
    /// A cache of the parsed guards, by the offset of their optional part.
    guards: HashMap<u32, Rc<Condition>>,
    /// A cache of the listed leaves, by the address of their codec.
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

    /// Returns the words of a leaf, including the extra values that it can encode.
    pub(crate) fn listed(&mut self, codec: &Arc<dyn Codec>) -> Rc<Listed> {
        let (words, extra) = (&mut *self.words, self.extra);
        let list = || {
            let mut listed = words.of(&**codec).clone();
            listed.extend(&**codec, extra);
            Rc::new(listed)
        };
        // The layout owns its codecs, so an address identifies a codec.
        let address = Arc::as_ptr(codec).cast::<()>() as usize;
        self.listed.entry(address).or_insert_with(list).clone()
    }

    /// Returns all rows of a keyspace. Fields in `given` have only the given values.
    ///
    /// # Errors
    /// [`TooMany`] if the limit is exceeded.
    pub(crate) fn rows(
        &mut self,
        id: KeyspaceId,
        given: Option<&Record>,
    ) -> Result<Vec<Row>, TooMany> {
        let layout = self.layout;
        let whole = self.scope(&layout.keyspace(id).key, 0, Partial::default(), given)?;
        Ok(whole.into_iter().map(|partial| partial.into_row(id)).collect())
    }

    /// Returns all values of a form, if the layout describes them. The key of such a row is the
    /// encoding of the value.
    ///
    /// # Errors
    /// [`TooMany`] if the limit is exceeded.
    pub(crate) fn values(
        &mut self,
        id: KeyspaceId,
        form: Option<&RowValue>,
    ) -> Result<Vec<Row>, TooMany> {
        let Some(RowValue::Typed(typed)) = form else { return Ok(Vec::new()) };
        self.parts(id, "value", &typed.ty)
    }

    /// Returns all values of a type, in a field of the given name. The key of such a row is the
    /// encoding of the value.
    ///
    /// # Errors
    /// [`TooMany`] if the limit is exceeded.
    pub(crate) fn parts(
        &mut self,
        id: KeyspaceId,
        name: &str,
        ty: &Type,
    ) -> Result<Vec<Row>, TooMany> {
        let all = self.field(name, ty, 0, &Partial::default(), None)?;
        Ok(all.into_iter().map(|partial| partial.into_row(id)).collect())
    }

    /// Returns the encodings of all values of a type, or of a given value.
    ///
    /// # Errors
    /// [`TooMany`] if the limit is exceeded.
    pub(crate) fn encodings(
        &mut self,
        ty: &Arc<Type>,
        given: Option<&Datum>,
    ) -> Result<Vec<Vec<u8>>, TooMany> {
        let all = self.field("value", ty, 0, &Partial::default(), given)?;
        Ok(all.into_iter().map(|partial| partial.key).collect())
    }

    /// Enumerates the segments of a key, a type or an arm, whose guards name its own fields. Tries
    /// every combination of present and absent parts, and retains those that satisfy the guards.
    /// Inserts derived bytes last, because they can depend on later fields.
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
            // Start with the last one, which leaves the indices of the other steps unchanged.
            for (derived, step) in std::mem::take(&mut partial.derived).into_iter().rev() {
                let bytes = self.derive(derived, &partial.fields)?;
                partial.insert(step, &bytes);
            }
        }
        Ok(all)
    }

    /// Computes the bytes that are derived from some fields.
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

    /// Returns the guard of an optional part, parsed from its text.
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
                // An empty step, which lets a scan end before the list.
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

    /// Enumerates all continuations of a list that already has some elements. Ends the list if it
    /// has enough elements, and adds one more element if the maximum allows it.
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
