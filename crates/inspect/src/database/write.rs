//! Writes entries through the engine of the runtime.

use super::{
    Body, DatabaseError, Entry, Part, Reader, SourceValue,
    entry::{encode_member, encode_score, stored_key},
    indexes::{DynamicIndex, MapRow},
    space_name,
};
use keyscape_diagnostics::{bytes::hex, datum, suggestion};
use keyscape_layout::{
    Datum, EncodeError, Layout, Record,
    model::{Keyspace, KeyspaceId, KeyspaceKind},
    record_kind,
};
use keyscape_runtime::{
    ErrorKind, Pushed,
    engine::{
        self, EntryList, Location, QueueRecords, RowEntries, SetRecords, StructureRecords,
        ZsetRecords,
    },
};
use keyscape_store::{ReadExt, StoreId, Tx};

/// Writes entries.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    pub reader: &'a Reader<'a>,
    /// Whether rows are imported together with the entries of indexes. Then an existing entry stays
    /// as it is, and an entry that only the program can compute comes on its own line.
    pub with_entries: bool,
}

/// Returns the keyspace as the engine names it.
pub(super) fn location(layout: &Layout, id: KeyspaceId) -> Location {
    Location::new(layout.keyspace(id).name.clone(), space_name(layout, id))
}

/// Attributes a missing field to the value of the existing row.
pub(super) fn of_stored_value(error: DatabaseError) -> DatabaseError {
    match error {
        DatabaseError::Extract { index, field, map, value: SourceValue::New, why } => {
            DatabaseError::Extract { index, field, map, value: SourceValue::Stored, why }
        }
        error => error,
    }
}

impl Writer<'_> {
    const fn layout(&self) -> &Layout {
        self.reader.layout()
    }

    fn keyspace(&self, id: KeyspaceId) -> &Keyspace {
        self.layout().keyspace(id)
    }

    /// Puts an entry as a program would: with index entries, counts, ranks and the state of queues.
    pub fn put(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), DatabaseError> {
        let keyspace = self.writable(entry)?;
        let Body::Part { part, .. } = &entry.body else {
            if keyspace.kind != KeyspaceKind::Map {
                return self.record(tx, entry);
            }
            let (_, value) = self.reader.encode(entry)?;
            let row = self.map_row(entry)?;
            return engine::put(tx, &row, &value).map_err(|error| {
                let is_new_right =
                    row.list_entries(Some(&value), &mut EntryList::default()).is_ok();
                let error = if is_new_right { of_stored_value(error) } else { error };
                self.with_owner(tx, entry.keyspace, error)
            });
        };
        let member = self.member(entry.keyspace, part.member())?;
        let score = || encode_score(keyspace, part.score());
        match keyspace.kind {
            KeyspaceKind::Zset => {
                let (zset, score) = (self.zset(entry)?, score()?);
                let old = zset.score(tx, &member)?;
                zset.set(tx, &member, old.as_deref(), &score)?;
            }
            KeyspaceKind::Queue => {
                if self.queue(entry.keyspace, &entry.key)?.push(tx, &member, &score()?)?
                    == Pushed::Dead
                {
                    return Err(DatabaseError::Buried { name: keyspace.name.clone() });
                }
            }
            _ => {
                self.set(entry)?.add(tx, &member)?;
            }
        }
        Ok(())
    }

    /// Deletes an entry as a program would. Returns whether it existed.
    pub fn delete(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<bool, DatabaseError> {
        let keyspace = self.writable(entry)?;
        let Body::Part { part, .. } = &entry.body else {
            let row = (keyspace.kind == KeyspaceKind::Map).then(|| self.map_row(entry));
            let row = row.transpose()?;
            let (store, key) = (self.store(entry), stored_key(self.layout(), entry)?);
            let exists = tx.contains(store, &key)?;
            match row {
                Some(row) if exists => engine::delete(tx, &row).map_err(of_stored_value)?,
                _ => tx.delete(store, &key)?,
            }
            return Ok(exists);
        };
        let member = self.member(entry.keyspace, part.member())?;
        Ok(match keyspace.kind {
            KeyspaceKind::Zset => {
                let zset = self.zset(entry)?;
                let score = zset.score(tx, &member)?;
                if let Some(score) = &score {
                    zset.remove(tx, &member, score)?;
                }
                score.is_some()
            }
            KeyspaceKind::Queue => self.queue(entry.keyspace, &entry.key)?.remove(tx, &member)?,
            _ => self.set(entry)?.remove(tx, &member)?,
        })
    }

    /// Puts the one record of an entry, and nothing else.
    pub fn record(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), DatabaseError> {
        let (key, value) = self.reader.encode(entry)?;
        Ok(tx.put(self.store(entry), &key, &value)?)
    }

    /// Puts the item of a member of a queue with its state, attempts and token. Returns whether the
    /// entry is an item.
    pub fn restore_item(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<bool, DatabaseError> {
        let Body::Part { part: Part::Item { member, item }, .. } = &entry.body else {
            return Ok(false);
        };
        let item = item.encoded(self.keyspace(entry.keyspace))?;
        let member = self.member(entry.keyspace, Some(member))?;
        self.queue(entry.keyspace, &entry.key)?.restore(tx, &member, &item)?;
        Ok(true)
    }

    /// Returns the queue with this key.
    pub fn queue(&self, id: KeyspaceId, key: &Record) -> Result<QueueRecords, EncodeError> {
        let score_width = self.reader.width(id);
        Ok(QueueRecords { records: self.structure(id, key)?, score_width })
    }

    /// Encodes a member of a structure.
    pub fn member(&self, id: KeyspaceId, member: Option<&Datum>) -> Result<Vec<u8>, EncodeError> {
        encode_member(self.keyspace(id), member)
    }

    /// Returns the set of an entry.
    pub fn set(&self, entry: &Entry) -> Result<SetRecords, EncodeError> {
        let counted = self.keyspace(entry.keyspace).counted;
        Ok(SetRecords { records: self.structure(entry.keyspace, &entry.key)?, counted })
    }

    /// Returns the zset of an entry.
    pub fn zset(&self, entry: &Entry) -> Result<ZsetRecords, EncodeError> {
        let &Keyspace { counted, ranked, .. } = self.keyspace(entry.keyspace);
        let score_width = self.reader.width(entry.keyspace);
        let records = self.structure(entry.keyspace, &entry.key)?;
        Ok(ZsetRecords { records, score_width, counted, ranked })
    }

    fn structure(&self, id: KeyspaceId, key: &Record) -> Result<StructureRecords, EncodeError> {
        let keyspace = self.keyspace(id);
        let (location, kind) = (location(self.layout(), id), record_kind(keyspace.kind));
        Ok(StructureRecords::new(location, kind, &keyspace.encode(key)?))
    }

    fn store(&self, entry: &Entry) -> StoreId {
        StoreId::of(&space_name(self.layout(), entry.keyspace))
    }

    fn map_row<'e>(&'e self, entry: &'e Entry) -> Result<MapRow<'e>, DatabaseError> {
        MapRow::new(self.reader, entry.keyspace, &entry.key, self.with_entries)
    }

    fn writable(&self, entry: &Entry) -> Result<&Keyspace, DatabaseError> {
        let keyspace = self.keyspace(entry.keyspace);
        let name = &keyspace.name;
        match keyspace.kind {
            KeyspaceKind::Index => {
                let map = keyspace.of.map_or("", |map| &self.keyspace(map).name);
                Err(DatabaseError::new(
                    format!(
                        "`{name}` is an index of `{map}`, and its entries follow from the rows of \
                         that map"
                    ),
                    format!("write `{map}`; the same commit updates its indexes"),
                ))
            }
            KeyspaceKind::Hash if !matches!(entry.body, Body::Field { .. }) => {
                let own = |field: &&Keyspace| field.hash == Some(entry.keyspace);
                let fields = self.layout().keyspaces.iter().filter(own);
                let fields: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
                Err(DatabaseError::new(
                    format!("`{name}` is a hash; its fields are written and deleted one by one"),
                    format!("fields: {}", suggestion::list(&fields)),
                ))
            }
            _ => Ok(keyspace),
        }
    }

    /// Adds the owner of the entry to an error of a unique index.
    fn with_owner(&self, tx: &Tx<'_>, map: KeyspaceId, error: DatabaseError) -> DatabaseError {
        let DatabaseError::Access(access) = &error else { return error };
        let ErrorKind::NotUnique { index, key } = access.kind() else { return error };
        let indexes = DynamicIndex::of_map(self.reader, map);
        let found = indexes.iter().find(|known| self.keyspace(known.id()).name == *index);
        let owner = found.and_then(|found| {
            let space = space_name(self.layout(), found.id());
            let value = tx.get(StoreId::of(&space), key).ok()??;
            let entry = self.reader.read(&space, key, &value).ok()?;
            let owner = found.owner_key(&entry.key, &value)?;
            let owner = self.reader.read(&space_name(self.layout(), map), &owner, &[]).ok()?;
            Some(datum::line(&self.keyspace(map).key, &owner.key, datum::Extent::Whole))
        });
        DatabaseError::NotUnique {
            index: index.to_string(),
            entry: format!("0x{}", hex(key)),
            owner: owner.unwrap_or_else(|| "its key cannot be read".to_owned()),
        }
    }
}
