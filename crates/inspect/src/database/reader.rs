//! Decodes stored rows to entries.

use super::{Body, Entry, Part, RowFilter, Stored, entry::QueueItem, space_name};
use crate::message::is_message;
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Datum, Decoded, Decoder, EncodeError, Layout, Machine, NearMiss, Reading, RowDatum, Side,
    TypeReader, ValueReader,
    model::{Keyspace, KeyspaceId, RowValue, SpaceKind},
    record_kind,
};
use keyscape_runtime::record::{self, Family, Item, Kind};
use keyscape_store::{KeyRange, Read, Row, StoreError, StoreId};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Decodes the rows of the stores of a layout.
#[derive(Debug)]
pub struct Reader<'l> {
    layout: &'l Layout,
    automata: Arc<Automata>,
    /// Keys that had several readings.
    ambiguous: AtomicU64,
}

/// The automata of a layout. They are expensive to build, so several readers may share them.
#[derive(Debug)]
pub struct Automata {
    /// By name of the space and kind of record. The kind is `Row` in stores without structures.
    machines: BTreeMap<String, BTreeMap<Kind, Machine>>,
    /// The fields of each hash.
    hashes: HashMap<KeyspaceId, Machine>,
    forms: Vec<Forms>,
}

#[derive(Debug)]
struct Forms {
    value: ValueReader,
    reads: Option<ValueReader>,
    member: Option<TypeReader>,
    score: Option<TypeReader>,
    width: Option<usize>,
}

/// A message that says why a row does not belong to the layout.
pub type Unread = &'static str;

/// The reason for a key outside all keyspaces.
pub const NO_KEYSPACE: Unread = "no keyspace has this key";
const NO_FIELD: Unread = "no field of the hash has this name";
const NO_MEMBER: Unread = "the bytes after the family are not a member";
const NO_SCORE: Unread = "it has no score";
const NO_NUMBER: Unread = "its value is not a number";

impl<'l> Reader<'l> {
    /// Builds the automata of a layout.
    ///
    /// # Errors
    /// [`OverBudget`] if an automaton is too large.
    pub fn new(layout: &'l Layout) -> Result<Self, OverBudget> {
        let budget = Budget::default();
        let mut machines: BTreeMap<String, BTreeMap<Kind, Machine>> = BTreeMap::new();
        let mut hashes = HashMap::new();
        for space in &layout.spaces {
            let Some(&first) = space.keyspaces.first() else { continue };
            let machine = Machine::build(layout, &space.keyspaces, Side::Over, budget)?;
            match &space.kind {
                SpaceKind::HashFields { hash } => {
                    hashes.insert(*hash, machine);
                }
                SpaceKind::Rows { .. } | SpaceKind::Structures { .. } => {
                    let kind = record_kind(layout.keyspace(first).kind);
                    machines.entry(space_name(layout, first)).or_default().insert(kind, machine);
                }
            }
        }
        let forms = layout.keyspaces.iter().map(|keyspace| Forms::new(keyspace, budget));
        let forms = forms.collect::<Result<_, _>>()?;
        Ok(Self::with_automata(layout, Arc::new(Automata { machines, hashes, forms })))
    }

    /// Creates a reader with the automata of another reader of the same layout.
    pub const fn with_automata(layout: &'l Layout, automata: Arc<Automata>) -> Self {
        Self { layout, automata, ambiguous: AtomicU64::new(0) }
    }

    /// Returns the layout.
    pub const fn layout(&self) -> &'l Layout {
        self.layout
    }

    /// Returns the automata, for further readers of the layout.
    pub const fn automata(&self) -> &Arc<Automata> {
        &self.automata
    }

    /// Decodes a key of a space with the bytes of each part. In a store of structures, the key is
    /// that of the structure, and is returned as well.
    pub fn explain(&self, space: &str, key: &[u8]) -> Option<(Vec<u8>, Decoded)> {
        let (read, machine) = self.machine_of(space, key)?;
        let decoded = Decoder::new(self.layout, machine).explain(&read);
        Some((read, decoded))
    }

    /// Decodes every byte of a stored key in a store of structures: the kind, the key, the family
    /// and the rest of the record. Returns the layout of the readings, whose keyspaces are the
    /// forms of records; `None` in a store of rows.
    pub fn explain_record(&self, id: KeyspaceId, key: &[u8]) -> Option<(Layout, Decoded)> {
        let records = self.layout.records(id)?;
        let ids: Vec<KeyspaceId> = records.keyspace_ids().collect();
        let machine = Machine::build(&records, &ids, Side::Over, Budget::default()).ok()?;
        let decoded = Decoder::new(&records, &machine).explain(key);
        Some((records, decoded))
    }

    /// Decodes the key of a row or of a structure in every space. Returns the spaces with readings.
    pub fn explain_everywhere(&self, key: &[u8]) -> Vec<(&str, Decoded)> {
        self.machines()
            .map(|(space, machine)| (space, Decoder::new(self.layout, machine).explain(key)))
            .filter(|(_, decoded)| !decoded.readings.is_empty() || decoded.too_ambiguous)
            .collect()
    }

    /// Returns the keyspaces that read furthest into a key, at most `max`, the furthest first.
    pub fn nearest_everywhere(&self, key: &[u8], max: usize) -> Vec<NearMiss> {
        let mut misses: Vec<NearMiss> = self
            .machines()
            .flat_map(|(_, machine)| Decoder::new(self.layout, machine).near_misses(key, max))
            .collect();
        misses.sort_by_key(|miss| std::cmp::Reverse(miss.offset));
        misses.truncate(max);
        misses
    }

    fn machines(&self) -> impl Iterator<Item = (&str, &Machine)> {
        let spaces = self.automata.machines.iter();
        spaces.flat_map(|(space, kinds)| kinds.values().map(|machine| (space.as_str(), machine)))
    }

    /// Returns the automaton for a stored key, and the bytes that it reads.
    fn machine_of(&self, space: &str, key: &[u8]) -> Option<(Vec<u8>, &Machine)> {
        let record = self.split(space, key).ok()?;
        Some((record.structure.to_vec(), self.machine(space, record.kind)?))
    }

    fn machine(&self, space: &str, kind: Kind) -> Option<&Machine> {
        self.automata.machines.get(space)?.get(&kind)
    }

    /// Splits a stored key. A key of a space without structures is one row.
    fn split<'k>(&self, space: &str, key: &'k [u8]) -> Result<record::Record<'k>, Unread> {
        if self.has_structures(space) {
            return record::split(key).map_err(|malformed| malformed.reason);
        }
        Ok(record::Record { kind: Kind::Row, structure: key.into(), family: None, rest: &[] })
    }

    /// Returns the number of keys with several readings so far. Proved layouts have none.
    pub fn ambiguous(&self) -> u64 {
        self.ambiguous.load(Ordering::Relaxed)
    }

    /// Returns the length of all encoded scores of a keyspace, if they have the same length.
    pub fn width(&self, id: KeyspaceId) -> Option<usize> {
        self.forms(id).and_then(|forms| forms.width)
    }

    fn forms(&self, id: KeyspaceId) -> Option<&Forms> {
        self.automata.forms.get(id.0 as usize)
    }

    /// Returns the keyspace that can read furthest into a key without a reading. In a store of
    /// structures, the key is that of the structure, and is returned as well.
    pub fn nearest(&self, space: &str, key: &[u8]) -> Option<(Vec<u8>, NearMiss)> {
        let (read, machine) = self.machine_of(space, key)?;
        let misses = Decoder::new(self.layout, machine).near_misses(&read, 1);
        Some((read, misses.into_iter().next()?))
    }

    /// Returns a decoder for the keys of a space without structures.
    pub fn decoder(&self, space: &str) -> Option<Decoder<'_>> {
        if self.has_structures(space) {
            return None;
        }
        self.machine(space, Kind::Row).map(|machine| Decoder::new(self.layout, machine))
    }

    /// Decodes a row of a space.
    pub fn read(&self, space: &str, key: &[u8], value: &[u8]) -> Result<Entry, Unread> {
        let record = self.split(space, key)?;
        let machine = self.machine(space, record.kind).ok_or(NO_KEYSPACE)?;
        let reading = self.first(machine, &record.structure).ok_or(NO_KEYSPACE)?;
        self.entry(reading, &record, value)
    }

    /// Passes each row of a keyspace to `visit`.
    ///
    /// # Errors
    /// Returns errors of the database, and the first error of `visit`.
    pub fn each<E: From<StoreError>>(
        &self,
        state: &dyn Read,
        id: KeyspaceId,
        mut visit: impl FnMut(Row<'_>, Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let space = space_name(self.layout, id);
        // An empty prefix reads the rows of other keyspaces as well.
        let prefix = RowFilter::all(id).prefix(self.layout).unwrap_or_default();
        let mut rows = state.rows(StoreId::of(&space), KeyRange::prefix(&prefix))?;
        while let Some(row) = rows.next()? {
            let entry = self.read(&space, row.key, row.value).ok();
            if let Some(entry) = entry.filter(|entry| entry.keyspace == id) {
                visit(row, entry)?;
            }
        }
        Ok(())
    }

    /// Decodes a row in every way in which the layout reads it, in the order of the layout.
    pub fn read_all(&self, space: &str, key: &[u8], value: &[u8]) -> Result<Vec<Entry>, Unread> {
        let record = self.split(space, key)?;
        let machine = self.machine(space, record.kind).ok_or(NO_KEYSPACE)?;
        let decoded = Decoder::new(self.layout, machine).decode(&record.structure);
        let (mut entries, mut unread) = (Vec::new(), NO_KEYSPACE);
        for reading in decoded.readings {
            match self.entry(reading, &record, value) {
                Ok(entry) => entries.push(entry),
                Err(reason) => unread = reason,
            }
        }
        entries.sort_by_key(|entry| entry.keyspace);
        if entries.is_empty() { Err(unread) } else { Ok(entries) }
    }

    /// Makes the entry of a row whose key has been read.
    fn entry(
        &self,
        Reading { keyspace, fields: key, .. }: Reading,
        record: &record::Record<'_>,
        value: &[u8],
    ) -> Result<Entry, Unread> {
        let body = match record.family {
            None => Body::Row(self.stored(keyspace, value)),
            Some(Family::Field) => self.field(keyspace, record.rest, value)?,
            Some(family) => {
                let part = self.part(keyspace, record.kind, family, record.rest, value)?;
                Body::Part { family, part }
            }
        };
        Ok(Entry { keyspace, key, body })
    }

    /// Decodes a row that encodes to the same bytes again.
    pub fn read_exactly(&self, space: &str, key: &[u8], value: &[u8]) -> Result<Entry, Unread> {
        let entry = self.read(space, key, value)?;
        match self.encode(&entry) {
            Ok((again, held)) if again == key && held == value => Ok(entry),
            _ => Err("the layout encodes it to other bytes"),
        }
    }

    /// Encodes the stored key and value of an entry.
    ///
    /// # Errors
    /// If a value is missing, or outside the domain of its field.
    pub fn encode(&self, entry: &Entry) -> Result<(Vec<u8>, Vec<u8>), EncodeError> {
        entry.bytes(self.layout, self.width(entry.keyspace))
    }

    /// Whether the rows of a space are records of structures.
    pub fn has_structures(&self, space: &str) -> bool {
        let store = space.split('/').next().unwrap_or(space);
        self.layout.stores.iter().any(|known| known.name == store && known.structures)
    }

    fn first(&self, machine: &Machine, key: &[u8]) -> Option<Reading> {
        let decoded = Decoder::new(self.layout, machine).decode(key);
        if decoded.readings.len() > 1 {
            self.ambiguous.fetch_add(1, Ordering::Relaxed);
        }
        decoded.readings.into_iter().next()
    }

    /// Decodes the value of a row.
    pub fn stored(&self, id: KeyspaceId, value: &[u8]) -> Stored {
        let Some(forms) = self.forms(id) else { return Stored::Raw(value.to_vec()) };
        let keyspace = self.layout.keyspace(id);
        let read = |reader: &ValueReader, form: Option<&RowValue>| {
            reader.read(value).ok().filter(|datum| has_form(form, datum))
        };
        if let Some(datum) = read(&forms.value, keyspace.value.as_ref()) {
            return Stored::Value(datum);
        }
        match forms.reads.as_ref().and_then(|reader| read(reader, keyspace.reads.as_ref())) {
            Some(datum) => Stored::Reads(datum),
            None => Stored::Raw(value.to_vec()),
        }
    }

    fn field(&self, hash: KeyspaceId, rest: &[u8], value: &[u8]) -> Result<Body, Unread> {
        let machine = self.automata.hashes.get(&hash).ok_or(NO_FIELD)?;
        let Reading { keyspace: id, fields, .. } = self.first(machine, rest).ok_or(NO_FIELD)?;
        Ok(Body::Field { id, fields, value: self.stored(id, value) })
    }

    fn part(
        &self,
        id: KeyspaceId,
        kind: Kind,
        family: Family,
        mut rest: &[u8],
        value: &[u8],
    ) -> Result<Part, Unread> {
        let width = self.width(id);
        let nothing =
            |part| if value.is_empty() { Ok(part) } else { Err("its value is not empty") };
        match (kind, family) {
            (_, Family::Count | Family::Token) if rest.is_empty() => {
                let number = value.try_into().map_err(|_| NO_NUMBER)?;
                Ok(Part::Number(u64::from_be_bytes(number)))
            }
            (Kind::Zset, Family::Member) => {
                let (member, score) = (self.member(id, rest)?, self.score(id, value)?);
                Ok(Part::Scored { score, member })
            }
            (_, Family::Member | Family::Dead) => {
                nothing(Part::Member { member: self.member(id, rest)? })
            }
            (_, Family::Score | Family::Ready) => {
                let score = record::take_score(&mut rest, width).map_err(|error| error.reason)?;
                let (score, member) = (self.score(id, &score)?, self.member(id, rest)?);
                nothing(Part::Scored { score, member })
            }
            (_, Family::Waiting | Family::Leased) => {
                let (at, rest) = rest.split_first_chunk().ok_or("it has no time")?;
                let (at, member) = (u64::from_be_bytes(*at), self.member(id, rest)?);
                nothing(Part::Timed { at, member })
            }
            (_, Family::Rank) => {
                let (&level, from) = rest.split_first().ok_or("it has no level")?;
                let (children, members) = value.split_first_chunk().ok_or(NO_NUMBER)?;
                let members = members.try_into().map_err(|_| NO_NUMBER)?;
                let [children, members] = [*children, members].map(u64::from_be_bytes);
                Ok(Part::Rank { level, from: from.to_vec(), children, members })
            }
            (_, Family::Item) => {
                let member = self.member(id, rest)?;
                let item = Item::read(value, width).map_err(|error| error.reason)?;
                let score = self.score(id, &item.score)?;
                let again = item.again.as_deref().map(|score| self.score(id, score)).transpose()?;
                let Item { state, attempts, token, .. } = item;
                let item = QueueItem { state, attempts, token, score, again };
                Ok(Part::Item { member, item })
            }
            (_, Family::Count | Family::Token | Family::Field) => Err("it continues after its end"),
        }
    }

    /// Decodes a member of a structure.
    pub fn member(&self, id: KeyspaceId, bytes: &[u8]) -> Result<Datum, Unread> {
        let reader = self.forms(id).and_then(|forms| forms.member.as_ref()).ok_or(NO_MEMBER)?;
        reader.read(bytes).map_err(|_| NO_MEMBER)
    }

    /// Decodes a score of a structure.
    pub fn score(&self, id: KeyspaceId, bytes: &[u8]) -> Result<Datum, Unread> {
        let reader = self.forms(id).and_then(|forms| forms.score.as_ref()).ok_or(NO_SCORE)?;
        reader.read(bytes).map_err(|_| NO_SCORE)
    }
}

impl Forms {
    fn new(keyspace: &Keyspace, budget: Budget) -> Result<Self, OverBudget> {
        let reader = |ty: &Option<_>| ty.as_ref().map(|ty| TypeReader::new(ty, budget)).transpose();
        let reads = keyspace.reads.as_ref();
        Ok(Self {
            value: ValueReader::new(keyspace.value.as_ref(), budget)?,
            reads: reads.map(|form| ValueReader::new(Some(form), budget)).transpose()?,
            member: reader(&keyspace.member)?,
            score: reader(&keyspace.score)?,
            width: keyspace.score.as_ref().and_then(|score| score.fixed_length()),
        })
    }
}

/// Checks JSON and protobuf messages, which the layout crate does not parse.
fn has_form(form: Option<&RowValue>, datum: &RowDatum) -> bool {
    match (form, datum) {
        (_, RowDatum::Json(text)) => serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
        (Some(RowValue::Proto(message)), RowDatum::Bytes(bytes)) => is_message(message, bytes),
        _ => true,
    }
}
