//! All rows of a database, each as one JSON object.

use crate::{
    database::{Body, Entry, OpenDatabase, space_name},
    failure::Failure,
    output::{
        entry_json,
        progress::Progress,
        stderr::{many, warn},
    },
};
use keyscape_layout::model::KeyspaceId;
use keyscape_store::{KeyRange, Read, StoreId};
use std::io::Write;

/// The number of bytes that are written at once.
const BUFFER: usize = 1 << 18;

/// The selection of rows, and their form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dump<'a> {
    pub(crate) base: &'a OpenDatabase<'a>,
    /// Keyspaces and fields of hashes; none for all, with what fits none.
    pub(crate) only: &'a [KeyspaceId],
    /// Spaces of the file that are left out silently.
    pub(crate) without: &'a [String],
    /// The text between two rows. The last row ends with a line break.
    pub(crate) between: &'a [u8],
}

impl Dump<'_> {
    /// Writes all rows of one state of the database, and says what is not a row of the layout.
    pub(crate) fn write(self, out: &mut impl Write) -> Result<(), Failure> {
        let base = self.base;
        let state = base.db.read()?;
        let mut progress = Progress::beside_output("exporting");
        let mut buffer = Vec::with_capacity(2 * BUFFER);
        let (mut unknown, mut first) = (0_u64, true);
        for (_, space) in base.db.spaces().iter().skip(1) {
            if !self.has(space) {
                continue;
            }
            let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
            while let Some(row) = rows.next()? {
                progress.row();
                let read = base.reader.read_exactly(space, row.key, row.value);
                if !read.as_ref().map_or(self.only.is_empty(), |entry| self.means(entry)) {
                    continue;
                }
                if !first {
                    buffer.extend_from_slice(self.between);
                }
                first = false;
                if let Ok(entry) = read {
                    entry_json::put_line(base.layout, &entry, &mut buffer);
                } else {
                    unknown += 1;
                    entry_json::put_unknown(space, row.key, row.value, &mut buffer);
                }
                buffer.pop_if(|byte| *byte == b'\n');
                if buffer.len() >= BUFFER {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
            }
        }
        if !first {
            buffer.push(b'\n');
        }
        out.write_all(&buffer)?;
        drop(progress);
        self.warn_of(unknown);
        Ok(())
    }

    fn has(self, space: &str) -> bool {
        let Self { base, only, .. } = self;
        let wanted = only.is_empty() || only.iter().any(|&id| space_name(base.layout, id) == space);
        let mut left_out = base.others.iter().chain(self.without);
        wanted && !left_out.any(|other| other == space)
    }

    fn means(self, entry: &Entry) -> bool {
        let field = match entry.body {
            Body::Field { id, .. } => Some(id),
            Body::Row(_) | Body::Part { .. } => None,
        };
        let mut only = self.only.iter();
        self.only.is_empty() || only.any(|&id| id == entry.keyspace || Some(id) == field)
    }

    fn warn_of(self, unknown: u64) {
        if unknown > 0 {
            let rows = many(unknown, "row");
            warn(format!("exported as bytes, because no keyspace has them: {rows}"), None);
        }
        for other in self.base.others.iter().filter(|_| self.only.is_empty()) {
            warn(format!("store `{other}` is not in the layout and is not exported"), None);
        }
    }
}
