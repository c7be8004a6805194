//! Resolves names of a layout.

use super::InputError;
use keyscape_diagnostics::suggestion;
use keyscape_layout::{
    Layout, kind_name,
    model::{Keyspace, KeyspaceId, KeyspaceKind, Scan},
};

/// Checks that a layout has a store.
pub fn known_store(layout: &Layout, name: &str) -> Result<(), InputError> {
    if layout.stores.iter().any(|store| store.name == name) {
        return Ok(());
    }
    let known: Vec<String> = layout.stores.iter().map(|store| store.name.clone()).collect();
    Err(InputError::unknown("store", name, &known))
}

/// Finds a keyspace by `name`, `store/name` or `hash.field`.
pub fn keyspace(layout: &Layout, name: &str) -> Result<KeyspaceId, InputError> {
    match layout.find(name).as_slice() {
        [id] => Ok(*id),
        [] => {
            let with_store = name.contains('/');
            let name_of = |id| {
                if with_store { layout.full_name(id) } else { layout.keyspace(id).name.clone() }
            };
            let known: Vec<String> = layout.keyspace_ids().map(name_of).collect();
            Err(InputError::unknown("keyspace", name, &known))
        }
        ids => {
            let candidates: Vec<String> = ids.iter().map(|&id| layout.full_name(id)).collect();
            Err(InputError::new(
                format!("several stores have a keyspace `{name}`"),
                format!("choose one of {}", suggestion::list(&candidates)),
            ))
        }
    }
}

/// Finds a keyspace by name, and checks its kind.
pub fn keyspace_of_kind(
    layout: &Layout,
    name: &str,
    kind: KeyspaceKind,
) -> Result<KeyspaceId, InputError> {
    let id = keyspace(layout, name)?;
    let found = layout.keyspace(id).kind;
    if found == kind {
        return Ok(id);
    }
    let known = layout.keyspaces.iter().filter(|keyspace| keyspace.kind == kind);
    let known: Vec<&str> = known.map(|keyspace| keyspace.name.as_str()).collect();
    let expected = kind_name(kind);
    let help = match known.is_empty() {
        true => format!("the layout has no keyspace of kind `{expected}`"),
        false => format!("keyspaces of kind `{expected}`: {}", suggestion::list(&known)),
    };
    let found = kind_name(found);
    Err(InputError::new(format!("`{name}` is of kind `{found}`, not `{expected}`"), help))
}

/// Finds a scan of a keyspace.
pub fn scan<'k>(keyspace: &'k Keyspace, name: &str) -> Result<&'k Scan, InputError> {
    keyspace.scans.iter().find(|scan| scan.name == name).ok_or_else(|| {
        let known: Vec<String> = keyspace.scans.iter().map(|scan| scan.name.clone()).collect();
        InputError::unknown("scan", name, &known)
    })
}
