//! Snapshots.

use crate::{KeyRange, Meter, Read, Revision, Rows, StoreError, StoreId, view::View};
use std::{fmt, sync::Arc};

/// One fixed state of a database for reading.
///
/// Later commits do not change it. Engines keep its rows until it is dropped.
///
/// ```
/// use keyscape_store::{Db, Memory, ReadExt, Snapshot, Spaces, StoreId};
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let state: Snapshot<'_> = db.read()?;
/// assert_eq!(state.get(StoreId::of("shop"), b"ink")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Snapshot<'db> {
    view: View<'db>,
}

impl<'db> Snapshot<'db> {
    pub(crate) fn new(view: View<'db>) -> Snapshot<'db> {
        Snapshot { view }
    }

    /// Sets the meter that is charged for reads.
    pub fn set_meter(&mut self, meter: Option<Arc<dyn Meter>>) {
        self.view.meter = meter;
    }
}

impl Read for Snapshot<'_> {
    fn revision(&self) -> Revision {
        self.view.session.revision()
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        self.view.read(None, store, key, found)
    }

    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        self.view.read_many(None, store, keys, found)
    }

    fn rows(&self, store: StoreId, range: KeyRange<'_>) -> Result<Rows<'_>, StoreError> {
        self.view.rows(None, store, range)
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("revision", &self.revision()).finish_non_exhaustive()
    }
}
