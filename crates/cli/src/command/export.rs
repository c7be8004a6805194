//! `keyscape export`

use crate::{
    database::{Opened, Verification, open},
    exit::Exit,
    failure::Failure,
    input::{layout::DatabaseArgument, name},
    output::dump::Dump,
};
use clap::Args;
use keyscape_layout::model::KeyspaceId;
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
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Export {
    #[command(flatten)]
    database: DatabaseArgument,
    /// Export only these keyspaces: `name`, `store/name` or `hash.field`
    #[arg(value_name = "KEYSPACE")]
    keyspaces: Vec<String>,
    #[command(flatten)]
    verification: Verification,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape export shop.redb > shop.jsonl
  keyscape export shop.redb orders | jq .value";

const LONG: &str = "\
EXAMPLES
  keyscape export shop.redb > shop.jsonl
  keyscape export shop.redb orders | jq .value

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
        let base = open(&layout, &self.database.db, Opened::ToRead(self.verification))?;
        let mut out = std::io::stdout().lock();
        Dump { base: &base, only: &only, without: &[], between: b"\n" }.write(&mut out)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}
