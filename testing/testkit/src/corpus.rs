//! Rows that other programs stored, from `testing/corpus`.

use flate2::read::GzDecoder;
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error};
use serde_json::Value as Json;
use std::{fs::File, io::Read, path::Path};

/// A row as another program stored it.
#[derive(Clone, Debug, Deserialize)]
pub struct StoredRow {
    /// The name of the store in a node.
    pub store: String,
    /// The name of the keyspace in our layouts.
    pub keyspace: String,
    /// The values of the key's fields.
    pub fields: Json,
    /// The bytes of the key.
    #[serde(deserialize_with = "bytes")]
    pub key: Vec<u8>,
    /// The bytes of the value.
    #[serde(deserialize_with = "bytes")]
    pub bytes: Vec<u8>,
    /// The value, unless it is a message or empty.
    pub value: Option<Json>,
}

/// Reads a file of gzip-compressed JSON lines, by its path under `testing/corpus`.
///
/// # Panics
/// If the file is missing or a line does not fit the type.
#[must_use]
pub fn lines<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let file = File::open(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = Vec::new();
    GzDecoder::new(file).read_to_end(&mut text).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::Deserializer::from_slice(&text)
        .into_iter()
        .enumerate()
        .map(|(at, line)| line.unwrap_or_else(|error| panic!("{path}, row {}: {error}", at + 1)))
        .collect()
}

/// Deserialises bytes from hexadecimal digits.
///
/// # Errors
/// If the text is not an even number of digits.
pub fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let digits = String::deserialize(from)?;
    unhex(&digits).ok_or_else(|| D::Error::custom("not hexadecimal digits"))
}

/// Parses hexadecimal digits; `None` if the text is not an even number of them.
#[must_use]
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let even = digits.len().is_multiple_of(2);
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    if even { (0..digits.len()).step_by(2).map(byte).collect() } else { None }
}
