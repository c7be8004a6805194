//! `keyscape export`

use crate::{
    database::{DatabaseArgument, Entry, OpenDatabase, space_name},
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
  Fields are as in `decode`. `value` has the declared form. In the form after `reads`, the member is
  `reads` instead of `value`; in neither form, it is `raw`. A protobuf message is an object if the
  layout imports its descriptor and the object gives the same bytes. Other messages, types of the
  program, and `key` and `value` of other rows are \"0x…\".";

impl Export {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let ids = self.keyspaces.iter().map(|given| name::keyspace(&layout, given));
        let only = ids.collect::<Result<Vec<KeyspaceId>, _>>()?;
        let base = self.database.open_read_only(&layout)?;
        let mut out = std::io::stdout().lock();
        Dump { base: &base, only: &only, warns_of_others: only.is_empty(), between: b"\n" }
            .write(&mut out)?;
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
    /// The keyspaces and fields of hashes. If empty, all rows are written, including those that fit
    /// no keyspace.
    pub(super) only: &'a [KeyspaceId],
    /// Whether to warn about stores that the layout does not have.
    pub(super) warns_of_others: bool,
    /// The text between two rows. The last row ends with a line break.
    pub(super) between: &'a [u8],
}

impl Dump<'_> {
    /// Writes all rows of one snapshot, and warns about rows and stores outside the layout.
    pub(super) fn write(self, out: &mut impl Write) -> Result<(), Failure> {
        let base = self.base;
        let state = base.db.read()?;
        let mut progress = Progress::beside_output("exporting");
        let mut buffer = Vec::with_capacity(2 * BUFFER);
        let (mut unknown, mut first) = (0_u64, true);
        for (_, space) in base.db.spaces().iter().skip(1) {
            if !self.selects_space(space) {
                continue;
            }
            let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
            while let Some(row) = rows.next()? {
                progress.row();
                let read = base.reader.read_exactly(space, row.key, row.value);
                if !read.as_ref().map_or(self.only.is_empty(), |entry| self.selects(entry)) {
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
        self.warn(unknown);
        Ok(())
    }

    fn selects_space(self, space: &str) -> bool {
        let Self { base, only, .. } = self;
        let is_other = base.others.iter().any(|other| other == space);
        let mut spaces = only.iter().map(|&id| space_name(base.layout, id));
        !is_other && (only.is_empty() || spaces.any(|name| name == space))
    }

    fn selects(self, entry: &Entry) -> bool {
        let ids = [entry.keyspace, entry.value_keyspace()];
        self.only.is_empty() || self.only.iter().any(|id| ids.contains(id))
    }

    fn warn(self, unknown: u64) {
        if unknown > 0 {
            let rows = many(unknown, "row");
            warn(format!("exported as bytes, because they fit no keyspace: {rows}"), None);
        }
        for other in self.base.others.iter().filter(|_| self.warns_of_others) {
            warn(format!("store `{other}` is not in the layout and is not exported"), None);
        }
    }
}
