//! An example key: encoded, and decoded again.

use super::json::hex_text;
use crate::claim_json::record_json;
use keyscape_diagnostics::datum::{Extent, line};
use keyscape_layout::{Record, model::Keyspace};
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
    /// Describes an example of a keyspace.
    pub(super) fn new(keyspace: &Keyspace, found: keyscape_layout::Example) -> Self {
        let keyscape_layout::Example { fields: record, key, readings, parts } = found;
        Self {
            line: line(&keyspace.key, &record, Extent::Whole),
            fields: record_json(&keyspace.key, &record),
            comes_back: parts.is_some(),
            readings,
            pieces: parts.into_iter().flatten().map(|part| (part.bytes, part.field)).collect(),
            key,
            record,
        }
    }

    /// Returns the bytes of a field.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let (range, _) = self.pieces.iter().find(|(_, found)| found.as_deref() == Some(path))?;
        self.key.get(range.clone()).map(<[u8]>::to_vec)
    }
}
