//! Numbers of rows and bytes: lower bounds from the first rows, until a run has counted all.

use crate::{job::CountJob, shared::Shared};
use keyscape_inspect::database::{Body, OpenDatabase, space_name};
use keyscape_layout::model::KeyspaceId;
use keyscape_store::{KeyRange, Read, StoreError, StoreId};
use serde::Serialize;
use std::{collections::BTreeMap, ops::ControlFlow, time::Instant};

/// The number of rows of a keyspace that a sample reads.
const SAMPLE: u64 = 100;

/// Rows and bytes of a keyspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Size {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// Whether all rows are counted. Otherwise the numbers are lower bounds.
    pub(crate) is_exact: bool,
}

impl Size {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
    }
}

/// The sizes of keyspaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) sizes: BTreeMap<KeyspaceId, Size>,
    /// Rows that belong to no keyspace.
    pub(crate) unknown: u64,
}

/// Counts the first rows of each keyspace, until the deadline.
pub(crate) fn sample(base: &OpenDatabase<'_>, deadline: Instant) -> Result<Counts, StoreError> {
    let mut counts = Counts::default();
    let state = base.db.read()?;
    for id in base.layout.keyspace_ids() {
        // The rows of a hash are those of its fields.
        if base.layout.keyspace(id).hash.is_some() {
            continue;
        }
        let fields = || {
            let ids = base.layout.keyspace_ids();
            ids.filter(move |&field| base.layout.keyspace(field).hash == Some(id))
        };
        counts.sizes.extend(fields().map(|field| (field, Size::default())));
        let Ok(prefix) = base.prefix(id) else { continue };
        let space = space_name(base.layout, id);
        let mut size = Size { is_exact: true, ..Size::default() };
        let mut read = 0;
        let range = KeyRange::prefix(&prefix).expecting(SAMPLE as usize);
        let mut rows = state.rows(StoreId::of(&space), range)?;
        while let Some(row) = rows.next()? {
            read += 1;
            if read > SAMPLE || Instant::now() >= deadline {
                size.is_exact = false;
                break;
            }
            let entry = base.reader.read(&space, row.key, row.value);
            let Some(entry) = entry.ok().filter(|entry| entry.keyspace == id) else { continue };
            size.add(row.key, row.value);
            if let Body::Field { id, .. } = entry.body {
                counts.sizes.entry(id).or_default().add(row.key, row.value);
            }
        }
        for field in fields() {
            counts.sizes.entry(field).or_default().is_exact = size.is_exact;
        }
        counts.sizes.insert(id, size);
    }
    Ok(counts)
}

/// Counts all rows.
pub(crate) fn count_all(shared: &Shared, on_row: &mut dyn FnMut() -> ControlFlow<()>) -> CountJob {
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
            let Ok(entry) = base.reader.read(space, row.key, row.value) else {
                counts.unknown += 1;
                continue;
            };
            let mut add = |id| counts.sizes.entry(id).or_default().add(row.key, row.value);
            add(entry.keyspace);
            if let Body::Field { id, .. } = entry.body {
                add(id);
            }
        }
    }
    Ok(counts)
}
