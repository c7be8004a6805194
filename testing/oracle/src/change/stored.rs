//! The stored rows of a layout: keys with their values, members and scores.

use crate::{Oracle, Row};
use keyscape_evolution::migration::{Image, ImageValue, OldRow, OldValue};
use keyscape_layout::{
    Datum, Layout, Record, RowDatum, encode_type, fields,
    model::{Keyspace, KeyspaceId, RowValue, Segment, Type},
};
use std::collections::BTreeSet;

/// The highest number of rows to list, with all their values.
const MAX_STORED: usize = 20_000;

/// A row with a value, or a member of a structure with a score.
pub(super) struct Stored {
    /// The row as migrations describe it.
    pub(super) row: OldRow,
    /// The key, and the member or the field of a hash.
    pub(super) place: Place,
    /// The bytes of the value or the score, if the layout describes them.
    pub(super) content: Option<Vec<u8>>,
}

/// The key of a row, and its member or the key of a field of a hash.
pub(super) type Place = (Vec<u8>, Vec<u8>);

/// Lists the stored rows of a keyspace. Returns `None` if there are too many.
pub(super) fn list(oracle: &Oracle<'_>, id: KeyspaceId) -> Option<Vec<Stored>> {
    let keyspace = oracle.layout.keyspace(id);
    let none = [None];
    let some = |rows: &'_ [Row]| -> Vec<Option<Row>> {
        if rows.is_empty() { none.to_vec() } else { rows.iter().cloned().map(Some).collect() }
    };
    let outer = some(keyspace.hash.map_or(&[], |hash| oracle.rows(hash)));
    let members = some(oracle.members(id));
    let scores = some(oracle.scores(id));
    let contents = contents(oracle, id);
    let rows = oracle.rows(id);
    let count = [rows.len(), outer.len(), members.len(), scores.len(), contents.len()];
    if count.iter().product::<usize>() > MAX_STORED {
        return None;
    }
    let mut all = Vec::new();
    for row in rows {
        for outer in &outer {
            for member in &members {
                for score in &scores {
                    let parts = [outer.as_ref(), Some(row), member.as_ref(), score.as_ref()];
                    let parts = parts.into_iter().flatten();
                    let record = Record(parts.flat_map(|part| part.fields.0.clone()).collect());
                    let key = |row: &Option<Row>| row.as_ref().map(|row| row.key.clone());
                    let place = match (key(outer), key(member)) {
                        (Some(hash), _) => (hash, row.key.clone()),
                        (None, member) => (row.key.clone(), member.unwrap_or_default()),
                    };
                    for (value, bytes) in &contents {
                        let (fields, value) = (record.clone(), value.clone());
                        let content = bytes.clone().or_else(|| key(score));
                        let row = OldRow { keyspace: id, fields, value };
                        all.push(Stored { row, place: place.clone(), content });
                    }
                }
            }
        }
    }
    Some(all)
}

/// Whether two parts of a row have one name. Such rows do not move.
pub(super) fn has_repeated_names(layout: &Layout) -> bool {
    layout.keyspaces.iter().any(|keyspace| {
        let outer = keyspace.hash.map(|hash| fields(&layout.keyspace(hash).key));
        let keys = outer.into_iter().flatten().chain(fields(&keyspace.key));
        let mut names: Vec<&str> = keys.map(|field| &*field.name).collect();
        names.extend(keyspace.member.as_ref().map(|_| "member"));
        names.extend(keyspace.score.as_ref().map(|_| "score"));
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        distinct.len() < names.len()
    })
}

/// Returns the values of the rows of a keyspace with their bytes. Bytes of both forms are read in
/// the declared one.
fn contents(oracle: &Oracle<'_>, id: KeyspaceId) -> Vec<(OldValue, Option<Vec<u8>>)> {
    let (declared, older) = (oracle.values(id), oracle.older_values(id));
    let datum = |row: &Row| RowDatum::Datum(row.fields.0[0].1.clone());
    let mut all: Vec<(OldValue, Option<Vec<u8>>)> = declared
        .iter()
        .map(|row| (OldValue::Declared(datum(row)), Some(row.key.clone())))
        .collect();
    let is_declared = |row: &Row| declared.iter().any(|other| other.key == row.key);
    let older = older.iter().filter(|row| !is_declared(row));
    all.extend(older.map(|row| (OldValue::Reads(datum(row)), Some(row.key.clone()))));
    if all.is_empty() { vec![(OldValue::Unread, None)] } else { all }
}

/// Returns the readings of the value of a new row.
pub(super) fn read_values(
    oracle: &Oracle<'_>,
    id: KeyspaceId,
    bytes: Option<&[u8]>,
) -> Vec<OldValue> {
    let all = contents(oracle, id).into_iter();
    let found = all.filter(|(_, other)| bytes.is_some() && other.as_deref() == bytes);
    let found: Vec<OldValue> = found.map(|(value, _)| value).collect();
    if found.is_empty() { vec![OldValue::Unread] } else { found }
}

/// Encodes the place of a new row.
pub(super) fn place(layout: &Layout, id: KeyspaceId, row: &Record) -> Option<Place> {
    let keyspace = layout.keyspace(id);
    let key = encode_key(keyspace, row)?;
    if let Some(hash) = keyspace.hash {
        return Some((encode_key(layout.keyspace(hash), row)?, key));
    }
    let member = match &keyspace.member {
        Some(ty) => encode_part(ty, row.get("member")?)?,
        None => Vec::new(),
    };
    Some((key, member))
}

/// Encodes the value or the score of a new row. Returns `None` if the bytes are not known.
pub(super) fn content(layout: &Layout, image: &Image, old: &Stored) -> Option<Vec<u8>> {
    let keyspace = layout.keyspace(image.keyspace);
    if let Some(ty) = &keyspace.score {
        return encode_part(ty, image.fields.get("score")?);
    }
    match (&image.value, &keyspace.value) {
        (ImageValue::Same, _) => old.content.clone(),
        (ImageValue::Datum(RowDatum::Datum(datum)), Some(RowValue::Typed(typed))) => {
            encode_part(&typed.ty, datum)
        }
        _ => None,
    }
}

fn encode_key(keyspace: &Keyspace, row: &Record) -> Option<Vec<u8>> {
    let names = |key: &[Segment]| -> Vec<String> {
        fields(key).iter().map(|field| field.name.clone()).collect()
    };
    let own = names(&keyspace.key);
    let mut record = row.clone();
    record.0.retain(|(name, _)| own.contains(name));
    keyspace.encode(&record).ok()
}

fn encode_part(ty: &Type, datum: &Datum) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    encode_type(ty, "part", datum, &mut bytes).ok()?;
    Some(bytes)
}
