//! An example key: encoded, and decoded again.

use super::json::hex_text;
use keyscape_diagnostics::{
    datum::{Extent, line},
    json::put_record,
};
use keyscape_layout::{Decoder, Layout, Machine, Record, model::KeyspaceId};
use serde::Serialize;
use serde_json::value::RawValue;
use std::ops::Range;

/// A key that the keyspace may have.
#[derive(Debug, Serialize)]
pub struct Example {
    #[serde(serialize_with = "hex_text")]
    pub key: Vec<u8>,
    /// Its values as JSON.
    pub fields: Box<RawValue>,
    /// The number of its readings in its space; `None` if it could not be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readings: Option<usize>,
    /// Whether one of the readings has the encoded values.
    pub comes_back: bool,
    /// Its values, as `encode` takes them.
    #[serde(skip)]
    pub line: String,
    /// The path of the field that some bytes are, or `None` for a literal. They cover the key.
    #[serde(skip)]
    pub pieces: Vec<(Range<usize>, Option<String>)>,
    #[serde(skip)]
    pub(super) record: Record,
}

impl Example {
    /// Makes an example of a keyspace; `machine` is that of its space.
    pub(super) fn new(
        layout: &Layout,
        id: KeyspaceId,
        machine: Option<&Machine>,
    ) -> Result<Self, String> {
        let keyspace = layout.keyspace(id);
        let (record, key) = keyspace.example()?;
        let decoded = machine.map(|machine| Decoder::new(layout, machine).explain(&key));
        let is_it =
            |found: &&keyscape_layout::Reading| found.keyspace == id && found.fields == record;
        let found = decoded.as_ref().and_then(|decoded| decoded.readings.iter().find(is_it));
        let pieces = found.map_or_else(Vec::new, |reading| {
            let parts = reading.parts.iter();
            parts.map(|part| (part.bytes.clone(), part.field.clone())).collect()
        });
        let mut json = Vec::new();
        put_record(&keyspace.key, &record, &mut json);
        let json = String::from_utf8_lossy(&json).into_owned();
        Ok(Self {
            line: line(&keyspace.key, &record, Extent::Whole),
            fields: RawValue::from_string(json).map_err(|error| error.to_string())?,
            comes_back: found.is_some(),
            readings: decoded.as_ref().map(|decoded| decoded.readings.len()),
            pieces,
            key,
            record,
        })
    }

    /// Returns the bytes of a field.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let (range, _) = self.pieces.iter().find(|(_, found)| found.as_deref() == Some(path))?;
        self.key.get(range.clone()).map(<[u8]>::to_vec)
    }
}
