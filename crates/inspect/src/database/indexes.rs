//! The entries that the rows of a map have in its indexes.

mod build;
mod map_row;
mod source;
mod wire;

pub(super) use map_row::MapRow;

use super::{DatabaseError, Reader, SourceValue, Stored, entry::row_key, space_name};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    EncodeError, Layout, Record, encode_type, fields,
    model::{EntryValue, Keyspace, KeyspaceId, Segment, Take},
};
use keyscape_runtime::record;
use keyscape_store::{IndexInfo, Read, ReadExt, StoreId};

/// An index that a layout describes.
#[derive(Debug)]
pub struct DynamicIndex<'a> {
    reader: &'a Reader<'a>,
    index: KeyspaceId,
    map: KeyspaceId,
    /// The space of the entries.
    space: String,
    /// The space of the rows of the map.
    map_space: String,
}

/// A difference between an index and its map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IndexFault {
    /// A row lacks an entry.
    Missing,
    /// The entry of a row has a wrong value, such as the key of another row.
    Wrong,
    /// The row of an entry does not exist.
    Dangling,
    /// The row of an entry has other entries.
    Stale,
}

impl IndexFault {
    /// Describes the difference. `entry` is the key of the entry that a row lacks or that is wrong.
    pub fn describe(self, entry: Option<&[u8]>) -> String {
        let entry = entry.map_or_else(String::new, |entry| format!(" {}", hex(entry)));
        match self {
            Self::Missing => format!("the row has no entry{entry}"),
            Self::Wrong => format!("the entry{entry} of the row has a wrong value"),
            Self::Dangling => "the row of the entry does not exist".to_owned(),
            Self::Stale => "the row of the entry does not have this entry".to_owned(),
        }
    }
}

/// The entries that a row has in an index.
#[derive(Debug)]
pub struct RowIndexEntries {
    /// The stored keys, sorted, each once.
    pub keys: Vec<Vec<u8>>,
    /// The value of each entry.
    pub value: Vec<u8>,
}

/// Lists the indexes of a map whose entries only the program can compute.
pub fn program_indexes(layout: &Layout, map: KeyspaceId) -> impl Iterator<Item = KeyspaceId> + '_ {
    let is_of_map = move |id: &KeyspaceId| layout.keyspace(*id).of == Some(map);
    let indexes = layout.keyspace_ids().filter(is_of_map);
    indexes.filter(move |&index| program_field(layout, map, index).is_some())
}

/// Returns the first field of an index that only the program can take from a value.
fn program_field(layout: &Layout, map: KeyspaceId, index: KeyspaceId) -> Option<&str> {
    let value = layout.keyspace(map).value.as_ref();
    let mut taken = fields(&layout.keyspace(index).key).into_iter().filter(|f| f.is_from_value());
    taken.find(|field| field.value_source(value).is_none()).map(|field| field.name.as_str())
}

impl<'a> DynamicIndex<'a> {
    /// Returns the index with an id; `None` if the keyspace is not an index.
    pub fn new(reader: &'a Reader<'a>, index: KeyspaceId) -> Option<Self> {
        let layout = reader.layout();
        let map = layout.keyspace(index).of?;
        let (space, map_space) = (space_name(layout, index), space_name(layout, map));
        Some(Self { reader, index, map, space, map_space })
    }

    /// Lists the indexes of a layout.
    pub fn all(reader: &'a Reader<'a>) -> Vec<Self> {
        reader.layout().keyspace_ids().filter_map(|id| Self::new(reader, id)).collect()
    }

    /// Lists the indexes of a map.
    pub fn of_map(reader: &'a Reader<'a>, map: KeyspaceId) -> Vec<Self> {
        let layout = reader.layout();
        let ids = layout.keyspace_ids().filter(|&id| layout.keyspace(id).of == Some(map));
        ids.filter_map(|id| Self::new(reader, id)).collect()
    }

    /// Returns the index in the form of the store.
    pub fn info(&self) -> IndexInfo<'_> {
        IndexInfo { space: &self.space, name: &self.keyspace().name, source: self }
    }

    /// Returns the id of the index.
    pub const fn id(&self) -> KeyspaceId {
        self.index
    }

    /// Returns the id of the map.
    pub const fn map(&self) -> KeyspaceId {
        self.map
    }

    fn layout(&self) -> &'a Layout {
        self.reader.layout()
    }

    fn keyspace(&self) -> &'a Keyspace {
        self.layout().keyspace(self.index)
    }

    fn owner(&self) -> &'a Keyspace {
        self.layout().keyspace(self.map)
    }

    /// Whether only the program can compute entries.
    pub fn needs_program(&self) -> bool {
        program_field(self.layout(), self.map, self.index).is_some()
            || self.keyspace().entry_value().is_none()
    }

    /// Whether each row has exactly one entry.
    pub fn has_entry_per_row(&self) -> bool {
        let own = fields(&self.keyspace().key).into_iter();
        own.filter_map(|field| field.from_value.as_ref()).all(|from| from.take == Take::One)
    }

    /// Whether the index takes a field from the values of its map.
    fn takes_value(&self) -> bool {
        fields(&self.keyspace().key).iter().any(|field| field.is_from_value())
    }

    /// Computes the entries of a row. `value` is needed if the index takes a field from it.
    ///
    /// # Errors
    /// [`DatabaseError::Extract`] if the value of the row does not provide a field, or provides a
    /// value outside its domain. Other errors if only the program can compute the entries.
    pub fn entries(&self, row: &Record, value: &[u8]) -> Result<RowIndexEntries, DatabaseError> {
        let entry_value = match self.keyspace().entry_value() {
            Some(EntryValue::OwnerKey) => {
                let owner = self.owner();
                owner.encode(row)?.split_off(literals(&owner.key).len())
            }
            Some(EntryValue::Fixed(bytes)) => bytes.to_vec(),
            None => return Err(self.no_entry_value()),
        };
        let mut records = vec![Record::default()];
        for field in fields(&self.keyspace().key) {
            let values = match field.is_from_value() {
                true => self.field_values(field, value)?,
                // An optional field that the row lacks is missing in its entries as well.
                false => match row.get(&field.name) {
                    Some(datum) => vec![datum.clone()],
                    None => continue,
                },
            };
            // Only one field of an index has several values.
            records = values
                .iter()
                .flat_map(|value| {
                    records.iter().map(|record| {
                        let mut record = record.clone();
                        record.0.push((field.name.clone(), value.clone()));
                        record
                    })
                })
                .collect();
        }
        let keys = records.iter().map(|record| {
            let key = row_key(self.layout(), self.index, record);
            key.map_err(|error| self.not_encoded(record, error))
        });
        let mut keys = keys.collect::<Result<Vec<_>, _>>()?;
        keys.sort_unstable();
        keys.dedup();
        Ok(RowIndexEntries { keys, value: entry_value })
    }

    /// Returns the error of an index whose entries have a value that does not follow from the row.
    fn no_entry_value(&self) -> DatabaseError {
        let (index, map) = (&self.keyspace().name, &self.owner().name);
        DatabaseError::new(
            format!("the values of `{index}` do not follow from the rows of `{map}`"),
            format!(
                "declare the value of `{index}` as `empty` or `const`, or as `bytes` if it is \
                 `unique`; or write the row with the program"
            ),
        )
    }

    /// Returns the error of a field that only the program can take from a value.
    fn only_program(&self, field: &str) -> DatabaseError {
        let (index, map) = (&self.keyspace().name, &self.owner().name);
        DatabaseError::new(
            format!(
                "`{index}` takes `{field}` from the values of `{map}`, which only the program can \
                 decode"
            ),
            "write these rows with the program, or `import` rows and entries together",
        )
    }

    /// Converts the error of an entry that cannot be encoded. If the value of the row provides a
    /// value that is outside the domain of its field, the error names that field.
    fn not_encoded(&self, entry: &Record, error: EncodeError) -> DatabaseError {
        let mut taken = fields(&self.keyspace().key).into_iter().filter(|f| f.is_from_value());
        let misfit = taken.find_map(|field| {
            let datum = entry.get(&field.name)?;
            let encoded = encode_type(&field.ty, &field.name, datum, &mut Vec::new());
            Some((field.name.clone(), encoded.err()?))
        });
        match misfit {
            Some((field, why)) => DatabaseError::Extract {
                index: self.keyspace().name.clone(),
                field,
                map: self.owner().name.clone(),
                value: SourceValue::New,
                why: why.to_string(),
            },
            None => error.into(),
        }
    }

    /// Returns the stored key of the row of an entry, if the entry contains it.
    pub fn owner_key(&self, entry: &Record, value: &[u8]) -> Option<Vec<u8>> {
        let owner = self.owner();
        let bytes = if self.keyspace().unique {
            [&literals(&owner.key)[..], value].concat()
        } else {
            let names = fields(&owner.key).into_iter().map(|field| &field.name);
            let carried = names.filter_map(|name| Some((name.clone(), entry.get(name)?.clone())));
            owner.encode(&Record(carried.collect())).ok()?
        };
        let structures = self.layout().store(owner.store).structures;
        Some(if structures { record::row(&bytes) } else { bytes })
    }

    /// Returns the fields of a key of the map.
    fn map_key(&self, key: &[u8], value: &[u8]) -> Option<Record> {
        let entry = self.reader.read(&self.map_space, key, value).ok()?;
        (entry.keyspace == self.map).then_some(entry.key)
    }

    /// Compares an entry with the row that it belongs to. Entries that only the program can compute
    /// are right if their row exists.
    pub fn entry_fault(
        &self,
        state: &dyn Read,
        entry: &Record,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<IndexFault>, DatabaseError> {
        let Some(owner) = self.owner_key(entry, value) else {
            return Ok(Some(IndexFault::Dangling));
        };
        let row = state.get(StoreId::of(&self.map_space), &owner)?;
        let row = row.and_then(|value| Some((self.map_key(&owner, &value)?, value)));
        let Some((row, value)) = row else { return Ok(Some(IndexFault::Dangling)) };
        if self.needs_program() {
            return Ok(None);
        }
        match self.entries(&row, &value) {
            Ok(entries) if entries.keys.iter().any(|entry| entry == key) => Ok(None),
            Err(DatabaseError::Extract { value: SourceValue::Older, .. }) => Ok(None),
            _ => Ok(Some(IndexFault::Stale)),
        }
    }

    /// Compares a row with its entries.
    ///
    /// # Errors
    /// As [`entries`](Self::entries), and errors of the store.
    pub fn row_faults(
        &self,
        state: &dyn Read,
        row: &Record,
        value: &[u8],
    ) -> Result<Vec<(IndexFault, Vec<u8>)>, DatabaseError> {
        let entries = self.entries(row, value)?;
        let mut faults = Vec::new();
        for key in entries.keys {
            match state.get(StoreId::of(&self.space), &key)? {
                None => faults.push((IndexFault::Missing, key)),
                Some(found) if found == entries.value || self.is_older_form(&found) => {}
                Some(_) => faults.push((IndexFault::Wrong, key)),
            }
        }
        Ok(faults)
    }

    /// Whether the value of an entry is right in an older form. Unique entries have no older form.
    fn is_older_form(&self, found: &[u8]) -> bool {
        let is_raw = || matches!(self.reader.stored(self.index, found), Stored::Raw(_));
        !self.keyspace().unique && !is_raw()
    }
}

/// Returns the literals that all keys of a keyspace begin with. Entries of unique indexes omit
/// them.
fn literals(segments: &[Segment]) -> Vec<u8> {
    let bytes = segments.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(&literal.bytes[..]),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    bytes.collect::<Vec<_>>().concat()
}
