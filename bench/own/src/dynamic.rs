//! Encoding and decoding with layouts that are read at run time.

use crate::Format;
use keyscape_codec::{Budget, Value};
use keyscape_layout::{
    Datum, Decoded, Decoder, Layout, Machine, NoImports, Record, Side, model::Keyspace, read,
};

/// A layout of one store and its automaton. Both are leaked.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    layout: &'static Layout,
    machine: &'static Machine,
}

impl Dynamic {
    /// Reads a layout.
    ///
    /// # Panics
    /// If the layout has errors.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let layout = match read("bench.keys", text, &mut NoImports) {
            Ok(layout) => Box::leak(Box::new(layout)),
            Err(rejected) => panic!("the layout has mistakes: {:?}", rejected.diagnostics),
        };
        let keyspaces = &layout.spaces[0].keyspaces;
        match Machine::build(layout, keyspaces, Side::Over, Budget::default()) {
            Ok(machine) => Self { layout, machine: Box::leak(Box::new(machine)) },
            Err(error) => panic!("the layout is too large: {error}"),
        }
    }

    /// Returns the keyspace with a name.
    ///
    /// # Panics
    /// If the layout has no such keyspace.
    #[must_use]
    pub fn keyspace(&self, name: &str) -> &'static Keyspace {
        let found = self.layout.keyspaces.iter().find(|keyspace| keyspace.name == name);
        found.unwrap_or_else(|| panic!("there is no keyspace `{name}`"))
    }

    /// Creates a decoder for the keys of the layout.
    #[must_use]
    pub fn decoder(&self) -> Decoder<'static> {
        Decoder::new(self.layout, self.machine)
    }
}

/// Returns values with the names of their fields.
pub fn record<'n>(fields: impl IntoIterator<Item = (&'n str, Value)>) -> Record {
    let fields = fields.into_iter();
    Record(fields.map(|(name, value)| (name.to_owned(), Datum::Leaf(value))).collect())
}

/// The keys of one keyspace of a layout that is read at run time.
#[derive(Debug)]
pub struct ByLayout {
    keyspace: &'static Keyspace,
    decoder: Decoder<'static>,
}

impl ByLayout {
    /// Reads the declaration of a keyspace.
    #[must_use]
    pub fn new(keyspace: &str) -> Self {
        let dynamic = Dynamic::new(&format!("store bench\n{keyspace}\n"));
        Self { keyspace: &dynamic.layout.keyspaces[0], decoder: dynamic.decoder() }
    }
}

/// The readings of a key.
#[derive(Debug)]
pub struct Readings(Decoded);

impl PartialEq<Record> for Readings {
    fn eq(&self, record: &Record) -> bool {
        matches!(&self.0.readings[..], [reading] if reading.fields == *record)
    }
}

impl Format for ByLayout {
    type Value = Record;
    type Read<'a> = Readings;
    const NAME: &'static str = "Keyscape, by layout";
    const ENCODE_NOTE: &'static str = "a new vector; fields are found by name";
    const DECODE_NOTE: &'static str = "owned values with the names of their fields";

    fn encode(&mut self, value: &Record, _: &mut Vec<u8>, mut emit: impl FnMut(&[u8])) {
        if let Ok(key) = self.keyspace.encode(value) {
            emit(&key);
        }
    }

    fn decode(&mut self, key: &[u8]) -> Option<Readings> {
        Some(Readings(self.decoder.decode(key)))
    }
}
