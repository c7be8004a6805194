//! Resolves names of a layout.

use super::InputError;
use keyscape_layout::{
    Layout,
    model::{Keyspace, KeyspaceId, Scan},
};

/// Checks that a layout has a store.
pub fn known_store(layout: &Layout, name: &str) -> Result<(), InputError> {
    if layout.stores.iter().any(|store| store.name == name) {
        return Ok(());
    }
    let known = layout.stores.iter().map(|store| store.name.clone()).collect();
    Err(InputError::Unknown { what: "store", given: name.to_owned(), kinds: "stores", known })
}

/// Finds a keyspace by `name`, `store/name` or `hash.field`.
pub fn keyspace(layout: &Layout, name: &str) -> Result<KeyspaceId, InputError> {
    match layout.find(name).as_slice() {
        [id] => Ok(*id),
        [] => {
            let with_store = name.contains('/');
            let ids = layout.keyspace_ids();
            let name_of = |id| {
                if with_store { layout.full_name(id) } else { layout.keyspace(id).name.clone() }
            };
            Err(InputError::Unknown {
                what: "keyspace",
                given: name.to_owned(),
                kinds: "keyspaces",
                known: ids.map(name_of).collect(),
            })
        }
        ids => {
            let candidates = ids.iter().map(|&id| layout.full_name(id)).collect();
            Err(InputError::Ambiguous { given: name.to_owned(), candidates })
        }
    }
}

/// Finds a scan of a keyspace.
pub fn scan<'k>(keyspace: &'k Keyspace, name: &str) -> Result<&'k Scan, InputError> {
    keyspace.scans.iter().find(|scan| scan.name == name).ok_or_else(|| InputError::Unknown {
        what: "scan",
        given: name.to_owned(),
        kinds: "scans",
        known: keyspace.scans.iter().map(|scan| scan.name.clone()).collect(),
    })
}
