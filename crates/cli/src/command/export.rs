//! `keyscape export`

use crate::{
    database::{Body, DatabaseArgument, Entry, OpenDatabase, space_name},
    failure::{Exit, Failure},
    input::name,
    output::{
        entry_json,
        progress::Progress,
        stderr::{many, warn},
    },
};
use clap::Args;
use keyscape_layout::model::KeyspaceId;
use keyscape_store::{KeyRange, Read, StoreId};
use std::io::Write;

/// Export all rows of a database, one JSON object per line
///
/// `import` restores them byte for byte. Rows that do not fit the layout are exported as bytes;
/// index entries and records of structures are lines as well. All lines come from one snapshot. The
/// file is not changed.
///
/// Verifies the checksums of the whole file before it prints the first line. Exit status: 2 if the
/// file is damaged.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct Export {
    #[command(flatten)]
    database: DatabaseArgument,
    /// Export only these keyspaces: `name`, `store/name` or `hash.field`
    #[arg(value_name = "KEYSPACE")]
    keyspaces: Vec<String>,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape export shop.redb > shop.jsonl
  keyscape export shop.redb orders | jq .value";

const DETAILS: &str = "\
LINES
  a row                {store, keyspace, fields, value}
  a field of a hash    {store, keyspace: \"hash.field\", hash, fields, value}
  a record of a set, zset or queue
                       {store, keyspace, fields, family, …}: `member`, `score` and its other members
  any other row        {store, key, value}
  Fields are as in `decode`. `value` has the declared form. A value in the form after `reads` is
  `reads`, and a value in neither form is `raw`. A protobuf message is an object if the layout
  imports its descriptor and the object gives the same bytes. Other messages, types of the program,
  and `key` and `value` of other rows are \"0x…\".";

impl Export {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let ids = self.keyspaces.iter().map(|given| name::keyspace(&layout, given));
        let only = ids.collect::<Result<Vec<KeyspaceId>, _>>()?;
        let base = self.database.open_read_only(&layout)?;
        let mut out = std::io::stdout().lock();
        Dump { base: &base, only: &only, without: &[], between: b"\n" }.write(&mut out)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}

/// The number of bytes that are written at once.
const BUFFER: usize = 1 << 18;

/// The selection of rows, and their form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dump<'a> {
    pub(super) base: &'a OpenDatabase<'a>,
    /// Keyspaces and fields of hashes; none for all, with what fits none.
    pub(super) only: &'a [KeyspaceId],
    /// Spaces of the file that are left out silently.
    pub(super) without: &'a [String],
    /// The text between two rows. The last row ends with a line break.
    pub(super) between: &'a [u8],
}

impl Dump<'_> {
    /// Writes all rows of one state of the database, and says what is not a row of the layout.
    pub(super) fn write(self, out: &mut impl Write) -> Result<(), Failure> {
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
