//! Selects rows of a keyspace by their fields.

use super::{
    Body, Entry, Part, Stored,
    range::{self, FieldRange},
};
use crate::input::{
    InputError,
    argument::{Argument, Parts},
    value::{self, field_names},
};
use keyscape_layout::{
    Datum, EncodeError, EncodeReason, Layout, Record, encode_segments,
    model::{Keyspace, KeyspaceId, KeyspaceKind, Place, Segment, Type},
    record_kind,
};
use keyscape_runtime::record::{self, Family};
use std::sync::Arc;

/// The names of members and scores among the fields.
pub(super) const MEMBER: &str = "member";
pub(super) const SCORE: &str = "score";

/// A filter for the rows of a keyspace by the given fields.
#[derive(Clone, Debug)]
pub struct RowFilter {
    /// The keyspace; for fields of a hash, the hash.
    pub keyspace: KeyspaceId,
    /// The field of the hash, if one is named.
    pub field: Option<KeyspaceId>,
    /// The fields of the key.
    pub key: Record,
    /// The fields of the field's own key.
    pub fields: Record,
    pub member: Option<Datum>,
    pub score: Option<Datum>,
    /// Ranges of numeric fields.
    pub ranges: Vec<FieldRange>,
}

impl RowFilter {
    /// Creates a filter from named parts. A numeric field may have a range, such as `100..200`.
    ///
    /// # Errors
    /// If a part is not a field, or its value is outside the domain of the field.
    pub fn with_ranges(
        layout: &Layout,
        id: KeyspaceId,
        mut parts: Parts,
    ) -> Result<Self, InputError> {
        let ranges = FieldRange::take(layout, id, &mut parts)?;
        Ok(Self { ranges, ..Self::new(layout, id, parts)? })
    }

    /// Returns an interval of stored keys that contains the keys of all rows, and begins with a
    /// [`prefix`](Self::prefix) of them. Its end is excluded.
    #[must_use]
    pub fn interval(&self, layout: &Layout, prefix: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
        range::interval(layout, self.keyspace, &self.key, &self.ranges, prefix)
    }

    /// Creates a filter from named parts.
    pub fn new(layout: &Layout, id: KeyspaceId, parts: Parts) -> Result<Self, InputError> {
        let named = layout.keyspace(id);
        let keyspace = named.hash.unwrap_or(id);
        let owner = layout.keyspace(keyspace);
        let field = named.hash.map(|_| id);
        let has =
            |segments: &[Segment], name: &str| keyscape_layout::field(segments, name).is_some();
        let (mut of_key, mut of_field) = (Parts::new(), Parts::new());
        let (mut member, mut score) = (None, None);
        for (name, given) in parts {
            let in_field = field.is_some() && has(&named.key, &name);
            match name.as_str() {
                _ if has(&owner.key, &name) => {
                    if in_field {
                        let (hash, field) = (&owner.name, &named.name);
                        return Err(InputError::new(
                            format!("both `{hash}` and `{field}` have a field `{name}`"),
                            "use `import`, which has separate objects \"hash\" and \"fields\"",
                        ));
                    }
                    of_key.push((name, given));
                }
                _ if in_field => of_field.push((name, given)),
                MEMBER if owner.member.is_some() => member = typed(&owner.member, MEMBER, given)?,
                SCORE if owner.score.is_some() => score = typed(&owner.score, SCORE, given)?,
                _ => {
                    let known = names(owner, field.map(|_| named));
                    return Err(InputError::unknown_field(&name, &known));
                }
            }
        }
        let key = value::record(&owner.key, of_key, "")?;
        let fields = match field {
            Some(_) => value::record(&named.key, of_field, "")?,
            None => Record::default(),
        };
        Ok(Self { keyspace, field, key, fields, member, score, ranges: Vec::new() })
    }

    /// Selects all rows of a keyspace.
    pub fn all(keyspace: KeyspaceId) -> Self {
        let (key, fields) = Default::default();
        Self { keyspace, field: None, key, fields, member: None, score: None, ranges: Vec::new() }
    }

    /// Returns a prefix of the stored keys of these rows. Other keys may have the same prefix.
    pub fn prefix(&self, layout: &Layout) -> Result<Vec<u8>, EncodeError> {
        let keyspace = layout.keyspace(self.keyspace);
        let (bytes, whole) = leading(keyspace, &self.key)?;
        let kind = record_kind(keyspace.kind);
        if !layout.store(keyspace.store).structures {
            return Ok(bytes);
        }
        let Some(family) = listing_family(keyspace.kind) else { return Ok(record::row(&bytes)) };
        if !whole {
            return Ok(record::prefix(kind, &bytes));
        }
        let mut prefix = Vec::new();
        record::begin(kind, &bytes, family, &mut prefix);
        if let Some(field) = self.field {
            prefix.extend_from_slice(&leading(layout.keyspace(field), &self.fields)?.0);
        }
        Ok(prefix)
    }

    /// Whether the filter selects an entry.
    pub fn selects(&self, layout: &Layout, entry: &Entry) -> bool {
        if entry.keyspace != self.keyspace
            || !covers_record(&self.key, &entry.key)
            || !self.ranges.iter().all(|range| range.contains(entry))
        {
            return false;
        }
        match &entry.body {
            Body::Row(_) => true,
            Body::Field { id, fields, .. } => {
                self.field.is_none_or(|field| field == *id) && covers_record(&self.fields, fields)
            }
            Body::Part { family, part } => {
                let matches = |expected: &Option<Datum>, found: Option<&Datum>| match expected {
                    Some(expected) => found.is_some_and(|found| covers(expected, found)),
                    None => true,
                };
                listing_family(layout.keyspace(self.keyspace).kind) == Some(*family)
                    && matches(&self.member, part.member())
                    && matches(&self.score, part.score())
            }
        }
    }

    /// Returns the entry of the selected row. The score may be missing.
    ///
    /// # Errors
    /// [`EncodeReason::Missing`] if the member is missing. Encoding reports other missing fields.
    pub fn entry(&self, layout: &Layout, value: Stored) -> Result<Entry, EncodeError> {
        let keyspace = layout.keyspace(self.keyspace);
        let body = match (self.field, keyspace.kind) {
            (Some(id), _) => Body::Field { id, fields: self.fields.clone(), value },
            (None, KeyspaceKind::Set | KeyspaceKind::Zset | KeyspaceKind::Queue) => {
                let missing = || EncodeError::new(MEMBER, EncodeReason::Missing);
                let member = self.member.clone().ok_or_else(missing)?;
                let part = match &self.score {
                    Some(score) => Part::Scored { score: score.clone(), member },
                    None => Part::Member { member },
                };
                Body::Part { family: Family::Member, part }
            }
            (None, _) => Body::Row(value),
        };
        Ok(Entry { keyspace: self.keyspace, key: self.key.clone(), body })
    }
}

/// Returns the family that lists the contents of a structure in order; `None` for rows.
pub const fn listing_family(kind: KeyspaceKind) -> Option<Family> {
    match kind {
        KeyspaceKind::Hash => Some(Family::Field),
        KeyspaceKind::Set => Some(Family::Member),
        KeyspaceKind::Zset => Some(Family::Score),
        KeyspaceKind::Queue => Some(Family::Item),
        KeyspaceKind::Item | KeyspaceKind::Map | KeyspaceKind::Index | KeyspaceKind::Sequence => {
            None
        }
    }
}

fn typed(ty: &Option<Arc<Type>>, name: &str, given: Argument) -> Result<Option<Datum>, InputError> {
    ty.as_deref().map(|ty| value::datum(ty, given, name)).transpose()
}

fn names(owner: &Keyspace, field: Option<&Keyspace>) -> Vec<String> {
    let mut names = field_names(&owner.key);
    names.extend(field.iter().flat_map(|field| field_names(&field.key)));
    let more = [(MEMBER, owner.member.is_some()), (SCORE, owner.score.is_some())];
    names.extend(more.iter().filter(|(_, exists)| *exists).map(|(name, _)| (*name).to_owned()));
    names
}

/// Encodes a key up to the first field that is missing.
pub fn leading_bytes(keyspace: &Keyspace, record: &Record) -> Result<Vec<u8>, EncodeError> {
    leading(keyspace, record).map(|(bytes, _)| bytes)
}

/// Encodes a key up to the first field that is missing. Returns whether the key is complete.
fn leading(keyspace: &Keyspace, record: &Record) -> Result<(Vec<u8>, bool), EncodeError> {
    let (places, whole) = given_places(&keyspace.key, record);
    let bytes = if whole {
        let mut bytes = Vec::new();
        encode_segments(&keyspace.key, record, &mut bytes)?;
        bytes
    } else {
        keyspace.encode_until(record, Place(places))?
    };
    Ok((bytes, whole))
}

/// Counts the places of a key that the given fields determine from its start. Optional and derived
/// parts end the count, because the fields alone do not determine their bytes.
fn given_places(segments: &[Segment], record: &Record) -> (u32, bool) {
    let mut places = 0;
    for segment in segments {
        let Segment::Field(field) = segment else {
            if let Segment::Literal(literal) = segment {
                places += literal.bytes.len() as u32;
                continue;
            }
            return (places, false);
        };
        match (&*field.ty, record.get(&field.name)) {
            (_, None) => return (places, false),
            (Type::Composite(inner), Some(Datum::Record(given))) => {
                let (inside, whole) = given_places(inner, given);
                places += inside;
                if !whole {
                    return (places, false);
                }
            }
            (ty, Some(given)) if is_whole(ty, given) => places += ty.places(),
            (_, Some(_)) => return (places, false),
        }
    }
    (places, true)
}

/// Whether a value determines all its bytes.
fn is_whole(ty: &Type, datum: &Datum) -> bool {
    let mut bytes = Vec::new();
    keyscape_layout::encode_type(ty, "", datum, &mut bytes).is_ok()
}

fn covers_record(expected: &Record, found: &Record) -> bool {
    let mut fields = expected.0.iter();
    fields.all(|(name, datum)| found.get(name).is_some_and(|found| covers(datum, found)))
}

/// Whether a value matches. Composites and arms match by the expected fields.
fn covers(expected: &Datum, found: &Datum) -> bool {
    match (expected, found) {
        (Datum::Record(expected), Datum::Record(found)) => covers_record(expected, found),
        (Datum::Arm(name, expected), Datum::Arm(other, found)) => {
            name == other && covers_record(expected, found)
        }
        (expected, found) => expected == found,
    }
}
