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

/// A layout as a database saves it. Generated code has the same as a constant.
#[derive(Debug)]
pub struct SavedLayout {
    name: String,
    text: String,
    spaces: Vec<String>,
    keyspaces: Vec<Saved>,
}

#[derive(Debug)]
struct Saved {
    space: String,
    name: String,
    kind: &'static str,
    text: String,
    fingerprint: [u8; 32],
    version: u64,
}

impl SavedLayout {
    /// Computes the saved form of a layout.
    pub fn of(layout: &Layout) -> Self {
        let keyspaces: Vec<Saved> = layout.keyspace_ids().map(|id| saved(layout, id)).collect();
        let mut spaces: Vec<String> = keyspaces.iter().map(|saved| saved.space.clone()).collect();
        spaces.sort();
        spaces.dedup();
        let name = layout.stores.first().map_or_else(String::new, |store| store.name.clone());
        Self { name, text: layout.bundle().text(), spaces, keyspaces }
    }

    /// Returns the spaces, sorted by name.
    pub fn spaces(&self) -> &[String] {
        &self.spaces
    }

    /// Returns all files of the layout as one text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Forgets the text, so that the text in the database stays as it is.
    pub fn forget_text(&mut self) {
        self.text.clear();
    }

    /// Passes the layout to `run` in the borrowed form of the store.
    pub fn lend<T>(
        &self,
        indexes: &[IndexInfo<'_>],
        run: impl FnOnce(&keyscape_store::Layout<'_>) -> T,
    ) -> T {
        let spaces: Vec<&str> = self.spaces.iter().map(String::as_str).collect();
        let keyspaces: Vec<KeyspaceInfo<'_>> = self.keyspaces.iter().map(Saved::lent).collect();
        run(&keyscape_store::Layout {
            name: &self.name,
            text: &self.text,
            spaces: &spaces,
            keyspaces: &keyspaces,
            indexes,
        })
    }
}

impl Saved {
    fn lent(&self) -> KeyspaceInfo<'_> {
        KeyspaceInfo {
            space: &self.space,
            name: &self.name,
            kind: self.kind,
            text: &self.text,
            fingerprint: self.fingerprint,
            version: self.version,
        }
    }
}

fn saved(layout: &Layout, id: KeyspaceId) -> Saved {
    let keyspace = layout.keyspace(id);
    Saved {
        space: space_name(layout, id),
        name: keyspace.name.clone(),
        kind: if keyspace.hash.is_some() { "field" } else { kind_name(keyspace.kind) },
        text: layout.canonical(id),
        fingerprint: layout.fingerprint(id),
        version: layout.store(keyspace.store).version.unwrap_or_default(),
    }
}
