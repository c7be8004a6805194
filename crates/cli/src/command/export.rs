//! `keyscape export`

use crate::{
    database::{Base, Body, Entry, Opened, space_name},
    exit::Exit,
    failure::Failure,
    input::name,
    output::{
        entry_json,
        message::{Level, Message},
        progress::Progress,
        talk::{self, many},
    },
};
use clap::Args;
use keyscape_layout::model::KeyspaceId;
use keyscape_report::file;
use keyscape_store::{KeyRange, Read, StoreId};
use std::{io::Write, path::PathBuf};

/// Print all rows of a database, one JSON object per line
///
/// `import` writes them again, byte for byte: what the layout does not have is printed as bytes, and
/// entries of indexes and records of structures are lines as well. All lines are of one state of the
/// database. Nothing of the file changes.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Export {
    /// The layout
    layout: PathBuf,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
    /// Only these keyspaces: `name`, `store/name` or `hash.field`
    #[arg(value_name = "KEYSPACE")]
    keyspaces: Vec<String>,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape export shop.keys shop.redb > shop.jsonl
  keyscape export shop.keys shop.redb orders | jq .value";

const LONG: &str = "\
EXAMPLES
  keyscape export shop.keys shop.redb > shop.jsonl
  keyscape export shop.keys shop.redb orders | jq .value

LINES
  a row                {store, keyspace, fields, value}
  a field of a hash    {store, keyspace: \"hash.field\", hash, fields, value}
  a record of a set, zset or queue
                       {store, keyspace, fields, family, …}: `member`, `score` and what else it says
  what fits nothing    {store, key, value}
  Fields are as `decode` prints them. `value` is in the form that the layout writes; a value in
  the form that it only `reads` is `reads`, and one that is in neither is `raw`. Protobuf messages
  and types of the program are \"0x…\", and so are `key` and `value` of what fits nothing.";

/// How much is written at once.
const BUFFER: usize = 1 << 18;

impl Export {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        let ids = self.keyspaces.iter().map(|given| name::keyspace(&layout, given));
        let only = ids.collect::<Result<Vec<KeyspaceId>, _>>()?;
        let base = Base::open(&layout, &self.db, Opened::ToRead)?;
        let state = base.db.read()?;
        let mut progress = Progress::beside_output("exporting");
        let mut out = std::io::stdout().lock();
        let mut buffer = Vec::with_capacity(2 * BUFFER);
        let mut unknown = 0_u64;
        for (_, space) in base.db.spaces().iter().skip(1) {
            let wanted = only.is_empty() || only.iter().any(|&id| space_name(&layout, id) == space);
            if !wanted || base.others.iter().any(|other| other == space) {
                continue;
            }
            let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
            while let Some(row) = rows.next()? {
                progress.row();
                match base.reader.read_exactly(space, row.key, row.value) {
                    Ok(entry) if is_meant(&only, &entry) => {
                        entry_json::put_line(&layout, &entry, &mut buffer);
                    }
                    Ok(_) => {}
                    Err(_) if only.is_empty() => {
                        unknown += 1;
                        entry_json::put_unknown(space, row.key, row.value, &mut buffer);
                    }
                    Err(_) => {}
                }
                if buffer.len() >= BUFFER {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
            }
        }
        out.write_all(&buffer)?;
        out.flush()?;
        drop(progress);
        tell(&base, &only, unknown);
        Ok(Exit::Fine)
    }
}

fn is_meant(only: &[KeyspaceId], entry: &Entry) -> bool {
    let field = match entry.body {
        Body::Field { id, .. } => Some(id),
        Body::Row(_) | Body::Part { .. } => None,
    };
    only.is_empty() || only.iter().any(|&id| id == entry.keyspace || Some(id) == field)
}

fn tell(base: &Base<'_>, only: &[KeyspaceId], unknown: u64) {
    let warn = |title: String| talk::say(&Message::new(Level::Warning, title));
    if unknown > 0 {
        warn(format!("exported as bytes, because no keyspace has them: {}", many(unknown, "row")));
    }
    for other in base.others.iter().filter(|_| only.is_empty()) {
        warn(format!("store `{other}` is not in the layout and is not exported"));
    }
}
