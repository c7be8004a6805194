//! `keyscape export`

use crate::{
    database::{Base, Opened, Verification},
    exit::Exit,
    failure::Failure,
    input::name,
    output::dump::Dump,
};
use clap::Args;
use keyscape_layout::model::KeyspaceId;
use keyscape_report::file;
use std::{io::Write, path::PathBuf};

/// Print all rows of a database, one JSON object per line
///
/// `import` writes them again, byte for byte: what the layout does not have is printed as bytes, and
/// entries of indexes and records of structures are lines as well. All lines are of one state of the
/// database. Nothing of the file changes.
///
/// The checksums of the whole file are verified before the first line is printed. Exit status: 2 if the
/// file is damaged.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Export {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
    /// Only these keyspaces: `name`, `store/name` or `hash.field`
    #[arg(value_name = "KEYSPACE")]
    keyspaces: Vec<String>,
    #[command(flatten)]
    verification: Verification,
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

impl Export {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        let ids = self.keyspaces.iter().map(|given| name::keyspace(&layout, given));
        let only = ids.collect::<Result<Vec<KeyspaceId>, _>>()?;
        let base = Base::open(&layout, &self.db, Opened::ToRead(self.verification))?;
        let mut out = std::io::stdout().lock();
        Dump { base: &base, only: &only, without: &[], between: b"\n" }.write(&mut out)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}
