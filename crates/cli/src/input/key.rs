//! Keys on the command line: their text formats, and the keyspaces that they are decoded with.

use super::{InputError, name};
use crate::{database::DatabaseError, failure::Failure, output::bytes::hex};
use base64::{Engine, engine::general_purpose::STANDARD};
use clap::{Args, ValueEnum};
use keyscape_automata::Budget;
use keyscape_layout::{
    Layout, Machine, Side,
    model::{KeyspaceId, KeyspaceKind, SpaceKind},
};

pub(crate) use keyscape_inspect::input::key::{KeyError, read_base64, read_hex};

/// A text format of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyForm {
    /// Hexadecimal digits, with or without 0x
    Hex,
    /// Base64 with padding
    Base64,
}

impl KeyForm {
    /// Decodes a key into `out`, which is cleared first.
    pub(crate) fn read(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
        out.clear();
        match self {
            Self::Hex => read_hex(text, out),
            Self::Base64 => read_base64(text, out),
        }
    }

    /// Encodes a key in this format.
    pub(crate) fn write(self, key: &[u8]) -> String {
        match self {
            Self::Hex => hex(key),
            Self::Base64 => STANDARD.encode(key),
        }
    }
}

/// A selection of keyspaces to decode keys with.
#[derive(Args, Debug)]
pub(crate) struct Selection {
    /// Decode only keys of this store
    #[arg(long, value_name = "NAME")]
    store: Option<String>,
    /// Decode fields of this hash instead of keys
    #[arg(long, value_name = "HASH")]
    fields_of: Option<String>,
}

impl Selection {
    /// Builds the automaton of the selected keyspaces.
    pub(crate) fn machine(&self, layout: &Layout) -> Result<Machine, Failure> {
        let keyspaces = self.keyspaces(layout)?;
        let machine = Machine::build(layout, &keyspaces, Side::Over, Budget::default());
        Ok(machine.map_err(DatabaseError::TooLarge)?)
    }

    /// Returns the selected keyspaces.
    fn keyspaces(&self, layout: &Layout) -> Result<Vec<KeyspaceId>, InputError> {
        if let Some(name) = &self.store {
            name::known_store(layout, name)?;
        }
        let in_store = |id: KeyspaceId| {
            let store = layout.store(layout.keyspace(id).store);
            self.store.as_ref().is_none_or(|name| store.name == *name)
        };
        let hash = self.fields_of.as_ref().map(|name| self.hash(layout, name)).transpose()?;
        let is_selected = |id: KeyspaceId| {
            let fields_of = match layout.space(layout.keyspace(id).space).kind {
                SpaceKind::HashFields { hash } => Some(hash),
                _ => None,
            };
            in_store(id) && fields_of == hash
        };
        Ok(layout.keyspace_ids().filter(|&id| is_selected(id)).collect())
    }

    fn hash(&self, layout: &Layout, name: &str) -> Result<KeyspaceId, InputError> {
        let full = match &self.store {
            Some(store) if !name.contains('/') => format!("{store}/{name}"),
            _ => name.to_owned(),
        };
        name::keyspace_of_kind(layout, &full, KeyspaceKind::Hash)
    }
}
