//! Resolves names of a layout on the command line.

use super::InputError;
use clap::Args;
use keyscape_inspect::input::name::known_store;
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind, SpaceKind},
};

pub(crate) use keyscape_inspect::input::name::{keyspace, scan};

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
            known_store(layout, name)?;
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
        let id = keyspace(layout, &full)?;
        if layout.keyspace(id).kind == KeyspaceKind::Hash {
            return Ok(id);
        }
        let hashes = layout.keyspaces.iter().filter(|k| k.kind == KeyspaceKind::Hash);
        let hashes = hashes.map(|hash| hash.name.clone()).collect();
        Err(InputError::NotHash { given: name.to_owned(), hashes })
    }
}
