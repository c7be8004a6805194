//! Entries: decoded rows of keyspaces, fields of hashes, and records of other structures.

use keyscape_layout::{
    Datum, EncodeError, Layout, Record, RowDatum, encode_segments, encode_type, encode_value,
    model::{KeyspaceId, Type},
    record_kind,
};
use keyscape_runtime::record::{self, Family, Item, Kind, State};

/// A decoded row.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The keyspace; for a field of a hash, the hash.
    pub keyspace: KeyspaceId,
    /// The fields of the key.
    pub key: Record,
    pub body: Body,
}

/// The part of an entry after its key.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A row of a map, an item, an index or a sequence.
    Row(Stored),
    /// A field of a hash.
    Field { id: KeyspaceId, fields: Record, value: Stored },
    /// A record of a set, zset or queue.
    Part { family: Family, part: Part },
}

/// The value of a row, and its form.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// The declared form.
    Value(RowDatum),
    /// The older form after `reads`.
    Reads(RowDatum),
    /// Neither form.
    Raw(Vec<u8>),
}

/// A decoded record of a structure.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Member { member: Datum },
    Scored { score: Datum, member: Datum },
    Timed { at: u64, member: Datum },
    Number(u64),
    Rank { level: u8, from: Vec<u8>, children: u64, members: u64 },
    Item { member: Datum, item: QueueItem },
}

/// The item of a member of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueItem {
    pub state: State,
    pub attempts: u32,
    pub token: u64,
    pub score: Datum,
    pub again: Option<Datum>,
}

/// Returns the name of a family in JSON.
pub const fn family_name(family: Family) -> &'static str {
    match family {
        Family::Count => "count",
        Family::Dead => "dead",
        Family::Field => "field",
        Family::Item => "item",
        Family::Rank => "rank",
        Family::Leased => "leased",
        Family::Member => "member",
        Family::Ready => "ready",
        Family::Score => "score",
        Family::Token => "token",
        Family::Waiting => "waiting",
    }
}

/// Encodes the stored key of a row.
pub fn row_key(layout: &Layout, id: KeyspaceId, key: &Record) -> Result<Vec<u8>, EncodeError> {
    let keyspace = layout.keyspace(id);
    let bytes = keyspace.encode(key)?;
    Ok(if layout.store(keyspace.store).structures { record::row(&bytes) } else { bytes })
}

impl Stored {
    fn bytes(&self, layout: &Layout, id: KeyspaceId) -> Result<Vec<u8>, EncodeError> {
        let keyspace = layout.keyspace(id);
        let mut out = Vec::new();
        match self {
            Self::Value(datum) => encode_value(keyspace.value.as_ref(), datum, &mut out)?,
            Self::Reads(datum) => encode_value(keyspace.reads.as_ref(), datum, &mut out)?,
            Self::Raw(bytes) => out.extend_from_slice(bytes),
        }
        Ok(out)
    }
}

impl Entry {
    /// Encodes the stored key and value. `width` is the length of all encoded scores of the
    /// keyspace, if they have the same length.
    pub fn bytes(
        &self,
        layout: &Layout,
        width: Option<usize>,
    ) -> Result<(Vec<u8>, Vec<u8>), EncodeError> {
        let keyspace = layout.keyspace(self.keyspace);
        match &self.body {
            Body::Row(value) => {
                Ok((stored_key(layout, self)?, value.bytes(layout, self.keyspace)?))
            }
            Body::Field { id, value, .. } => {
                Ok((stored_key(layout, self)?, value.bytes(layout, *id)?))
            }
            Body::Part { family, part } => {
                let mut key = Vec::new();
                let structure = keyspace.encode(&self.key)?;
                record::begin(record_kind(keyspace.kind), &structure, *family, &mut key);
                let types = Types { member: &keyspace.member, score: &keyspace.score, width };
                let value = part.bytes(*family, &types, &mut key)?;
                Ok((key, value))
            }
        }
    }
}

/// The types of members and scores.
struct Types<'l> {
    member: &'l Option<std::sync::Arc<Type>>,
    score: &'l Option<std::sync::Arc<Type>>,
    width: Option<usize>,
}

impl Types<'_> {
    fn member(&self, datum: &Datum, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        alone(self.member.as_deref(), "member", datum, out)
    }

    fn score(&self, datum: &Datum) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        alone(self.score.as_deref(), "score", datum, &mut out)?;
        Ok(out)
    }
}

fn alone(
    ty: Option<&Type>,
    name: &str,
    datum: &Datum,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    match ty {
        Some(ty) => encode_type(ty, name, datum, out),
        None => Err(EncodeError::Unknown { field: name.to_owned(), known: Vec::new() }),
    }
}

impl Part {
    /// Appends the rest of the key after the family, and returns the value.
    fn bytes(
        &self,
        family: Family,
        types: &Types<'_>,
        rest: &mut Vec<u8>,
    ) -> Result<Vec<u8>, EncodeError> {
        match self {
            Self::Member { member } => {
                types.member(member, rest)?;
                Ok(Vec::new())
            }
            Self::Scored { score, member } => {
                let score = types.score(score)?;
                if family == Family::Member {
                    types.member(member, rest)?;
                    return Ok(score);
                }
                record::put_score(&score, types.width, rest);
                types.member(member, rest)?;
                Ok(Vec::new())
            }
            Self::Timed { at, member } => {
                rest.extend_from_slice(&at.to_be_bytes());
                types.member(member, rest)?;
                Ok(Vec::new())
            }
            Self::Number(number) => Ok(number.to_be_bytes().to_vec()),
            Self::Rank { level, from, children, members } => {
                rest.push(*level);
                rest.extend_from_slice(from);
                Ok([children.to_be_bytes(), members.to_be_bytes()].concat())
            }
            Self::Item { member, item } => {
                types.member(member, rest)?;
                let again = item.again.as_ref().map(|score| types.score(score)).transpose()?;
                let written = Item {
                    state: item.state,
                    attempts: item.attempts,
                    token: item.token,
                    score: types.score(&item.score)?.into(),
                    again: again.map(Into::into),
                };
                Ok(written.bytes(types.width))
            }
        }
    }

    /// Returns the member of the record.
    pub const fn member(&self) -> Option<&Datum> {
        match self {
            Self::Member { member }
            | Self::Scored { member, .. }
            | Self::Timed { member, .. }
            | Self::Item { member, .. } => Some(member),
            Self::Number(_) | Self::Rank { .. } => None,
        }
    }

    /// Returns the score of the record.
    pub const fn score(&self) -> Option<&Datum> {
        match self {
            Self::Scored { score, .. } => Some(score),
            Self::Item { item, .. } => Some(&item.score),
            Self::Member { .. } | Self::Timed { .. } | Self::Number(_) | Self::Rank { .. } => None,
        }
    }
}

/// Encodes the stored key of an entry. For a record of a structure, that of its member.
pub fn stored_key(layout: &Layout, entry: &Entry) -> Result<Vec<u8>, EncodeError> {
    let keyspace = layout.keyspace(entry.keyspace);
    let mut key = Vec::new();
    match &entry.body {
        Body::Row(_) => return row_key(layout, entry.keyspace, &entry.key),
        Body::Field { id, fields, .. } => {
            record::begin(Kind::Hash, &keyspace.encode(&entry.key)?, Family::Field, &mut key);
            encode_segments(&layout.keyspace(*id).key, fields, &mut key)?;
        }
        Body::Part { part, .. } => {
            let kind = record_kind(keyspace.kind);
            let family = if kind == Kind::Queue { Family::Item } else { Family::Member };
            record::begin(kind, &keyspace.encode(&entry.key)?, family, &mut key);
            if let Some(member) = part.member() {
                alone(keyspace.member.as_deref(), "member", member, &mut key)?;
            }
        }
    }
    Ok(key)
}
