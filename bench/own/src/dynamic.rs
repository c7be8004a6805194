//! Encoding and decoding with layouts that are read at run time.

use keyscape_codec::Budget;
use keyscape_layout::{Decoder, Layout, Machine, NoImports, Side, model::Keyspace, read};

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
