//! Writing entries so that everything that follows from them is in step.

use super::{
    Body, DatabaseError, Entry, Part, Reader,
    indexes::{self, IndexEntry},
    space_name,
};
use keyscape_layout::{
    EncodeError, Layout,
    model::{Keyspace, KeyspaceKind},
    record_kind,
};
use keyscape_report::{bytes::hex, datum};
use keyscape_runtime::record::{self, Family};
use keyscape_store::{ReadExt, StoreId, Tx};

/// What is done about entries of indexes that are there already, or that cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// As a program does: the entry is written; an index that takes fields from values is refused.
    InStep,
    /// Rows and entries come together: an entry that is there stays, and what cannot be computed is
    /// left to its own line.
    Together,
}

/// Writes entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) reader: &'a Reader<'a>,
    pub(crate) kept: Kept,
}

impl Writer<'_> {
    /// Puts an entry with all that follows from it.
    pub(crate) fn put(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), DatabaseError> {
        let keyspace = self.writable(entry)?;
        let entries = self.entries(entry)?;
        for unique in entries.iter().filter(|found| self.layout.keyspace(found.index).unique) {
            self.refuse(tx, unique)?;
        }
        tx.attempt(|tx| match &entry.body {
            Body::Row(_) | Body::Field { .. } => {
                self.record(tx, entry)?;
                for found in &entries {
                    let there =
                        self.kept == Kept::Together && tx.contains(found.store, &found.key)?;
                    if !there {
                        tx.put(found.store, &found.key, &found.value)?;
                    }
                }
                Ok(())
            }
            Body::Part { part, .. } => self.put_member(tx, keyspace, entry, part),
        })
    }

    /// Deletes the row of an entry with all that follows from it; says whether it was there.
    pub(crate) fn delete(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<bool, DatabaseError> {
        let keyspace = self.writable(entry)?;
        let entries = self.entries(entry)?;
        let (store, key) = (self.store(entry), self.key(entry)?);
        if !tx.contains(store, &key)? {
            return Ok(false);
        }
        tx.attempt(|tx| {
            if let Body::Part { part, .. } = &entry.body {
                self.unsort(tx, keyspace, entry, part)?;
                self.count(tx, keyspace, entry, -1)?;
            }
            tx.delete(store, &key)?;
            for found in &entries {
                // Under the key of a unique index there may be the entry of another row.
                let unique = self.layout.keyspace(found.index).unique;
                if !unique || tx.get(found.store, &found.key)?.as_ref() == Some(&found.value) {
                    tx.delete(found.store, &found.key)?;
                }
            }
            Ok::<_, DatabaseError>(())
        })?;
        Ok(true)
    }

    /// Puts the one record that an entry is, and nothing that follows from it.
    pub(crate) fn record(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), DatabaseError> {
        let (key, value) = entry.bytes(self.layout, self.reader.width(entry.keyspace))?;
        Ok(tx.put(self.store(entry), &key, &value)?)
    }

    fn store(&self, entry: &Entry) -> StoreId {
        StoreId::of(&space_name(self.layout, entry.keyspace))
    }

    /// The stored key of an entry, whatever it holds.
    fn key(&self, entry: &Entry) -> Result<Vec<u8>, EncodeError> {
        super::entry::stored_key(self.layout, entry)
    }

    fn writable(&self, entry: &Entry) -> Result<&Keyspace, DatabaseError> {
        let keyspace = self.layout.keyspace(entry.keyspace);
        let name = keyspace.name.clone();
        match keyspace.kind {
            KeyspaceKind::Index => {
                let map = keyspace.of.map(|map| self.layout.keyspace(map).name.clone());
                Err(DatabaseError::IndexEntry { name, map: map.unwrap_or_default() })
            }
            KeyspaceKind::Queue => Err(DatabaseError::Queue { name }),
            KeyspaceKind::Zset if keyspace.ranked => Err(DatabaseError::Ranked { name }),
            KeyspaceKind::Hash if !matches!(entry.body, Body::Field { .. }) => {
                let own = |field: &&Keyspace| field.hash == Some(entry.keyspace);
                let fields = self.layout.keyspaces.iter().filter(own);
                let fields = fields.map(|field| field.name.clone()).collect();
                Err(DatabaseError::WholeHash { name, fields })
            }
            _ => Ok(keyspace),
        }
    }

    fn entries(&self, entry: &Entry) -> Result<Vec<IndexEntry>, DatabaseError> {
        match self.layout.keyspace(entry.keyspace).kind {
            KeyspaceKind::Map => {
                let lenient = self.kept == Kept::Together;
                indexes::entries(self.layout, entry.keyspace, &entry.key, lenient)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A unique index has one owner for each of its entries.
    fn refuse(&self, tx: &Tx<'_>, entry: &IndexEntry) -> Result<(), DatabaseError> {
        let Some(there) = tx.get(entry.store, &entry.key)? else { return Ok(()) };
        if there == entry.value {
            return Ok(());
        }
        let keyspace = self.layout.keyspace(entry.index);
        let space = space_name(self.layout, entry.index);
        let read = self.reader.read(&space, &entry.key, &there).ok();
        let owner = read.and_then(|read| {
            let (map, key) = indexes::owner_key(self.layout, entry.index, &read.key, &there)?;
            let owner = self.reader.read(&space_name(self.layout, map), &key, &[]).ok()?;
            let segments = &self.layout.keyspace(map).key;
            Some(datum::line(segments, &owner.key, datum::Extent::Whole))
        });
        let owner = owner.unwrap_or_else(|| format!("0x{}", hex(&there)));
        let entry = format!("0x{}", hex(&entry.key));
        Err(DatabaseError::NotUnique { index: keyspace.name.clone(), entry, owner })
    }

    /// Puts a member of a set or zset with its place in the order, and counts it.
    fn put_member(
        &self,
        tx: &mut Tx<'_>,
        keyspace: &Keyspace,
        entry: &Entry,
        part: &Part,
    ) -> Result<(), DatabaseError> {
        if keyspace.kind == KeyspaceKind::Zset && part.score().is_none() {
            return Err(EncodeError::Missing { field: "score".to_owned() }.into());
        }
        if tx.contains(self.store(entry), &self.key(entry)?)? {
            self.unsort(tx, keyspace, entry, part)?;
        } else {
            self.count(tx, keyspace, entry, 1)?;
        }
        self.record(tx, entry)?;
        if keyspace.kind == KeyspaceKind::Zset {
            let part = part.clone();
            let order = Entry { body: Body::Part { family: Family::Score, part }, ..entry.clone() };
            self.record(tx, &order)?;
        }
        Ok(())
    }

    /// Takes a member of a zset out of the order, by the score that it has.
    fn unsort(
        &self,
        tx: &mut Tx<'_>,
        keyspace: &Keyspace,
        entry: &Entry,
        part: &Part,
    ) -> Result<(), DatabaseError> {
        let (Some(member), KeyspaceKind::Zset) = (part.member(), keyspace.kind) else {
            return Ok(());
        };
        let Some(score) = tx.get(self.store(entry), &self.key(entry)?)? else { return Ok(()) };
        let structure = keyspace.encode(&entry.key)?;
        let mut key = Vec::new();
        record::begin(record_kind(keyspace.kind), &structure, Family::Score, &mut key);
        record::put_score(&score, self.reader.width(entry.keyspace), &mut key);
        if let Some(ty) = &keyspace.member {
            keyscape_layout::encode_type(ty, "member", member, &mut key)?;
        }
        Ok(tx.delete(self.store(entry), &key)?)
    }

    /// Counts a member that came or went, if the keyspace is `counted`. No record is a count of zero.
    fn count(
        &self,
        tx: &mut Tx<'_>,
        keyspace: &Keyspace,
        entry: &Entry,
        by: i64,
    ) -> Result<(), DatabaseError> {
        if !keyspace.counted {
            return Ok(());
        }
        let (store, structure) = (self.store(entry), keyspace.encode(&entry.key)?);
        let mut key = Vec::new();
        record::begin(record_kind(keyspace.kind), &structure, Family::Count, &mut key);
        let count = match tx.get(store, &key)? {
            Some(value) => value.try_into().ok().map(u64::from_be_bytes),
            None => Some(0),
        };
        let Some(count) = count.and_then(|count| count.checked_add_signed(by)) else {
            let source = keyscape_codec::Malformed { reason: "its count is wrong" };
            return Err(DatabaseError::Record { keyspace: keyspace.name.clone(), source });
        };
        match count {
            0 => tx.delete(store, &key)?,
            count => tx.put(store, &key, &count.to_be_bytes())?,
        }
        Ok(())
    }
}
