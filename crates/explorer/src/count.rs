//! Numbers of rows and bytes: lower bounds from the first rows, until a run has counted all.

use crate::shared::Shared;
use keyscape_inspect::database::{Body, Entry, OpenDatabase, space_name};
use keyscape_layout::model::KeyspaceId;
use keyscape_store::{KeyRange, Read, Row, StoreError, StoreId};
use std::{collections::BTreeMap, ops::ControlFlow, time::Instant};

/// The number of rows of a keyspace that a sample reads.
const SAMPLE: u64 = 100;

/// Rows and bytes of a keyspace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// Whether all rows are counted. Otherwise the numbers are lower bounds.
    pub(crate) is_exact: bool,
}

/// The sizes of keyspaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) sizes: BTreeMap<KeyspaceId, Size>,
    /// Rows that belong to no keyspace.
    pub(crate) unknown: u64,
}

impl Counts {
    /// Counts a row for its keyspace; a field of a hash for the hash as well.
    fn add(&mut self, entry: &Entry, row: Row<'_>) {
        let mut count = |id| {
            let size = self.sizes.entry(id).or_default();
            size.rows += 1;
            size.bytes += (row.key.len() + row.value.len()) as u64;
        };
        count(entry.keyspace);
        if let Body::Field { id, .. } = entry.body {
            count(id);
        }
    }
}

/// Counts the first rows of each keyspace, until the deadline.
pub(crate) fn sample(base: &OpenDatabase<'_>, deadline: Instant) -> Result<Counts, StoreError> {
    let layout = base.layout;
    let mut counts = Counts::default();
    let state = base.db.read()?;
    // The rows of a hash are those of its fields.
    for id in layout.keyspace_ids().filter(|&id| layout.keyspace(id).hash.is_none()) {
        let Ok(prefix) = base.prefix(id) else { continue };
        let space = space_name(layout, id);
        let range = KeyRange::prefix(&prefix).expecting(SAMPLE as usize);
        let mut rows = state.rows(StoreId::of(&space), range)?;
        let (mut read, mut is_exact) = (0, true);
        while let Some(row) = rows.next()? {
            read += 1;
            if read > SAMPLE || Instant::now() >= deadline {
                is_exact = false;
                break;
            }
            if let Ok(entry) = base.reader.read(&space, row.key, row.value)
                && entry.keyspace == id
            {
                counts.add(&entry, row);
            }
        }
        let is_counted =
            |other: &KeyspaceId| *other == id || layout.keyspace(*other).hash == Some(id);
        for id in layout.keyspace_ids().filter(is_counted) {
            counts.sizes.entry(id).or_default().is_exact = is_exact;
        }
    }
    Ok(counts)
}

/// Counts all rows.
pub(crate) fn count_all(
    shared: &Shared,
    on_row: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Counts, String> {
    let base = shared.base();
    let mut counts = Counts::default();
    for id in base.layout.keyspace_ids() {
        counts.sizes.insert(id, Size { is_exact: true, ..Size::default() });
    }
    let text = |error: StoreError| error.to_string();
    let state = base.db.read().map_err(text)?;
    for (_, space) in base.db.spaces().iter().skip(1) {
        let mut rows = state.rows(StoreId::of(space), KeyRange::all()).map_err(text)?;
        while let Some(row) = rows.next().map_err(text)? {
            if on_row().is_break() {
                return Err("cancelled".to_owned());
            }
            match base.reader.read(space, row.key, row.value) {
                Ok(entry) => counts.add(&entry, row),
                Err(_) => counts.unknown += 1,
            }
        }
    }
    Ok(counts)
}
