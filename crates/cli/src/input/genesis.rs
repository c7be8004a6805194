//! Reads a genesis document, `{"genesis": SYSTEM, "rows": [ROW, …]}`, row by row.

use crate::failure::Failure;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use std::{fmt, io};

/// The member that names the system.
pub(crate) const SYSTEM: &str = "genesis";
/// The member that contains the rows.
pub(crate) const ROWS: &str = "rows";

/// The advice for a document that is not a genesis.
pub(crate) const EXPORT: &str = "`keyscape genesis export` writes one";

/// Passes each row of a genesis document to `row`. Messages refer to the document as `place`.
pub(crate) fn read(
    input: impl io::Read,
    place: &str,
    system: &'static str,
    row: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut document = Document { place, system, row, failure: None };
    let mut json = serde_json::Deserializer::from_reader(input);
    let read = document.deserialize(&mut json).and_then(|()| json.end());
    match (document.failure, read) {
        (Some(failure), _) => Err(failure),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => {
            Err(Failure::input(format!("{place} is not a genesis: {error}"), EXPORT))
        }
    }
}

struct Document<'a, F> {
    place: &'a str,
    system: &'static str,
    row: F,
    /// The failure that ended reading. serde returns only its own errors.
    failure: Option<Failure>,
}

impl<F> Document<'_, F> {
    fn stop<E: serde::de::Error>(&mut self, failure: Failure) -> E {
        self.failure = Some(failure);
        E::custom("stopped")
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> DeserializeSeed<'de> for &mut Document<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> Visitor<'de> for &mut Document<'_, F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an object with `{SYSTEM}`, then `{ROWS}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // The system must come first: the rows of another system would be rejected with misleading
        // errors.
        if map.next_key::<String>()?.as_deref() != Some(SYSTEM) {
            return Err(A::Error::custom(format_args!("`{SYSTEM}` must be its first member")));
        }
        let (place, system, found) = (self.place, self.system, map.next_value::<String>()?);
        if found != system {
            let title = format!("{place} is a genesis of `{found}`, not of `{system}`");
            let help = format!("`keyscape genesis import {found} …`");
            return Err(self.stop(Failure::input(title, help)));
        }
        if map.next_key::<String>()?.as_deref() != Some(ROWS) {
            return Err(A::Error::custom(format_args!("`{ROWS}` must follow `{SYSTEM}`")));
        }
        map.next_value_seed(Rows(self))?;
        if let Some(other) = map.next_key::<String>()? {
            map.next_value::<IgnoredAny>()?;
            return Err(A::Error::custom(format_args!("`{other}` is not allowed after `{ROWS}`")));
        }
        Ok(())
    }
}

struct Rows<'a, 'd, F>(&'a mut Document<'d, F>);

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> DeserializeSeed<'de> for Rows<'_, '_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&[u8]) -> Result<(), Failure>> Visitor<'de> for Rows<'_, '_, F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("rows in the format of `export`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element::<Box<RawValue>>()? {
            if let Err(failure) = (self.0.row)(row.get().as_bytes()) {
                return Err(self.0.stop(failure));
            }
        }
        Ok(())
    }
}
