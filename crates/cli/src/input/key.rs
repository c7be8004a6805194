//! Keys on the command line: their text formats, and the keyspaces that they are decoded with.

use super::{InputError, name};
use crate::output::bytes::hex;
use base64::{Engine, engine::general_purpose::STANDARD};
use clap::{Args, ValueEnum};
use keyscape_diagnostics::suggestion;
use keyscape_layout::{
    Layout,
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
    /// Only keys of this store
    #[arg(long, value_name = "NAME")]
    store: Option<String>,
    /// Fields of this hash instead of keys
    #[arg(long, value_name = "HASH")]
    fields_of: Option<String>,
}

impl Selection {
    /// Returns the selected keyspaces.
    pub(crate) fn keyspaces(&self, layout: &Layout) -> Result<Vec<KeyspaceId>, InputError> {
        if let Some(name) = &self.store {
            name::known_store(layout, name)?;
        }
        let in_store = |id: KeyspaceId| {
            let store = layout.store(layout.keyspace(id).store);
            self.store.as_ref().is_none_or(|name| store.name == *name)
        };
        let hash = match &self.fields_of {
            Some(name) => Some(self.hash(layout, name)?),
            None => None,
        };
        let wanted = |kind: &SpaceKind| match (kind, hash) {
            (SpaceKind::HashFields { hash: of }, Some(hash)) => *of == hash,
            (SpaceKind::HashFields { .. }, None) => false,
            (_, hash) => hash.is_none(),
        };
        let ids = layout.keyspace_ids();
        Ok(ids
            .filter(|&id| in_store(id) && wanted(&layout.space(layout.keyspace(id).space).kind))
            .collect())
    }

    fn hash(&self, layout: &Layout, name: &str) -> Result<KeyspaceId, InputError> {
        let full = match &self.store {
            Some(store) if !name.contains('/') => format!("{store}/{name}"),
            _ => name.to_owned(),
        };
        let id = name::keyspace(layout, &full)?;
        if layout.keyspace(id).kind == KeyspaceKind::Hash {
            return Ok(id);
        }
        let hashes = layout.keyspaces.iter().filter(|k| k.kind == KeyspaceKind::Hash);
        let hashes: Vec<&str> = hashes.map(|hash| hash.name.as_str()).collect();
        Err(InputError::new(
            format!("`{name}` is not a hash, so it has no fields to decode"),
            suggestion::help(name, "hashes", &hashes),
        ))
    }
}
