//! Entries: decoded rows of keyspaces, fields of hashes, and records of other structures.

use super::filter::{MEMBER, SCORE};
use keyscape_layout::{
    Datum, EncodeError, EncodeReason, Layout, Record, RowDatum, encode_segments, encode_type,
    encode_value,
    model::{Keyspace, KeyspaceId, Type},
    record_kind,
};
use keyscape_runtime::record::{self, Family, Item, Kind, State};
use std::borrow::Cow;

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
    /// Returns the keyspace that declares the value: the field of a hash, otherwise the keyspace.
    pub const fn value_keyspace(&self) -> KeyspaceId {
        match self.body {
            Body::Field { id, .. } => id,
            Body::Row(_) | Body::Part { .. } => self.keyspace,
        }
    }

    /// Returns the value; `None` for a record of a set, zset or queue.
    pub const fn value(&self) -> Option<&Stored> {
        match &self.body {
            Body::Row(value) | Body::Field { value, .. } => Some(value),
            Body::Part { .. } => None,
        }
    }

    /// Encodes the stored key and value. `width` is the length of all encoded scores of the
    /// keyspace, if they have the same length.
    pub(super) fn bytes(
        &self,
        layout: &Layout,
        width: Option<usize>,
    ) -> Result<(Vec<u8>, Vec<u8>), EncodeError> {
        let keyspace = layout.keyspace(self.keyspace);
        match &self.body {
            Body::Row(value) | Body::Field { value, .. } => {
                Ok((stored_key(layout, self)?, value.bytes(layout, self.value_keyspace())?))
            }
            Body::Part { family, part } => {
                let mut key = Vec::new();
                let structure = keyspace.encode(&self.key)?;
                record::begin(record_kind(keyspace.kind), &structure, *family, &mut key);
                let value = part.bytes(*family, keyspace, width, &mut key)?;
                Ok((key, value))
            }
        }
    }
}

/// Encodes a member of a structure.
pub(super) fn encode_member(
    keyspace: &Keyspace,
    member: Option<&Datum>,
) -> Result<Vec<u8>, EncodeError> {
    encoded(keyspace.member.as_deref(), MEMBER, member)
}

/// Encodes a score of a structure.
pub(super) fn encode_score(
    keyspace: &Keyspace,
    score: Option<&Datum>,
) -> Result<Vec<u8>, EncodeError> {
    encoded(keyspace.score.as_deref(), SCORE, score)
}

fn encoded(ty: Option<&Type>, name: &str, datum: Option<&Datum>) -> Result<Vec<u8>, EncodeError> {
    let unknown = || EncodeError::new(name, EncodeReason::Unknown);
    let missing = || EncodeError::new(name, EncodeReason::Missing);
    let mut out = Vec::new();
    encode_type(ty.ok_or_else(unknown)?, name, datum.ok_or_else(missing)?, &mut out)?;
    Ok(out)
}

impl QueueItem {
    /// Encodes the scores of the item.
    pub(super) fn encoded(&self, keyspace: &Keyspace) -> Result<Item<'static>, EncodeError> {
        let score = |score: &Datum| encode_score(keyspace, Some(score)).map(Cow::Owned);
        Ok(Item {
            state: self.state,
            attempts: self.attempts,
            token: self.token,
            score: score(&self.score)?,
            again: self.again.as_ref().map(score).transpose()?,
        })
    }
}

impl Part {
    /// Appends the rest of the key after the family, and returns the value. `width` is the length
    /// of all encoded scores, if they have the same length.
    fn bytes(
        &self,
        family: Family,
        keyspace: &Keyspace,
        width: Option<usize>,
        rest: &mut Vec<u8>,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut value = Vec::new();
        match self {
            Self::Number(number) => return Ok(number.to_be_bytes().to_vec()),
            Self::Rank { level, from, children, members } => {
                rest.push(*level);
                rest.extend_from_slice(from);
                return Ok([children.to_be_bytes(), members.to_be_bytes()].concat());
            }
            Self::Member { .. } => {}
            Self::Scored { score, .. } => {
                let score = encode_score(keyspace, Some(score))?;
                match family {
                    Family::Member => value = score,
                    _ => record::put_score(&score, width, rest),
                }
            }
            Self::Timed { at, .. } => rest.extend_from_slice(&at.to_be_bytes()),
            Self::Item { item, .. } => value = item.encoded(keyspace)?.bytes(width),
        }
        rest.extend_from_slice(&encode_member(keyspace, self.member())?);
        Ok(value)
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
                key.extend_from_slice(&encode_member(keyspace, Some(member))?);
            }
        }
    }
    Ok(key)
}
