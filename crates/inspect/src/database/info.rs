//! Layouts as databases save them.

use keyscape_layout::{Bundle, Layout, kind_name, model::KeyspaceId};
use keyscape_store::{IndexInfo, KeyspaceInfo, SavedText};

/// Joins the texts of several layouts of one database.
pub fn joined(texts: &[SavedText]) -> Bundle {
    let bundles: Vec<Bundle> = texts.iter().map(|saved| Bundle::parse(&saved.text)).collect();
    Bundle::join(bundles.iter().zip(texts).map(|(bundle, saved)| (bundle, Some(&saved.stores[..]))))
}

/// Returns the space of a keyspace: its store, or `store/family`.
pub fn space_name(layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    let store = &layout.store(keyspace.store).name;
    match &keyspace.family {
        Some(family) => format!("{store}/{family}"),
        None => store.clone(),
    }
}

/// A layout in the form that a database saves. Generated code contains the same data as a constant.
#[derive(Debug)]
pub struct SavedLayout<'l> {
    layout: &'l Layout,
    text: String,
    spaces: Vec<String>,
}

impl<'l> SavedLayout<'l> {
    /// Computes the saved form of a layout.
    pub fn of(layout: &'l Layout) -> Self {
        let mut spaces: Vec<String> =
            layout.keyspace_ids().map(|id| space_name(layout, id)).collect();
        spaces.sort();
        spaces.dedup();
        Self { layout, text: layout.bundle().text(), spaces }
    }

    /// Returns the spaces, sorted by name.
    pub fn spaces(&self) -> &[String] {
        &self.spaces
    }

    /// Returns all files of the layout as one text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Removes the text. Saving the layout then keeps the text in the database.
    pub fn remove_text(&mut self) {
        self.text.clear();
    }

    /// Passes the layout to `run` in the borrowed form of the store.
    pub fn lend<T>(
        &self,
        indexes: &[IndexInfo<'_>],
        run: impl FnOnce(&keyscape_store::Layout<'_>) -> T,
    ) -> T {
        let layout = self.layout;
        let spaces: Vec<&str> = self.spaces.iter().map(String::as_str).collect();
        let texts: Vec<(KeyspaceId, String, String)> = layout
            .keyspace_ids()
            .map(|id| (id, space_name(layout, id), layout.canonical(id)))
            .collect();
        let keyspaces: Vec<KeyspaceInfo<'_>> = texts
            .iter()
            .map(|(id, space, text)| {
                let keyspace = layout.keyspace(*id);
                KeyspaceInfo {
                    space,
                    name: &keyspace.name,
                    kind: if keyspace.hash.is_some() { "field" } else { kind_name(keyspace.kind) },
                    text,
                    fingerprint: layout.fingerprint(*id),
                    version: layout.store(keyspace.store).version.unwrap_or_default(),
                }
            })
            .collect();
        run(&keyscape_store::Layout {
            name: layout.stores.first().map_or("", |store| &store.name),
            text: &self.text,
            spaces: &spaces,
            keyspaces: &keyspaces,
            indexes,
        })
    }
}
