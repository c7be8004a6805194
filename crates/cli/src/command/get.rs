//! `keyscape get`

use super::{
    scan::Printer,
    target::{Target, incomplete},
};
use crate::{
    database::{
        Body, Entry, Faults, Listing, OpenDatabase, Part, RowFilter, Stored, space_name, stored_key,
    },
    failure::{Exit, Failure},
    output::{
        Format,
        datum::{Extent, scalar},
        entry_cells, entry_json, stderr, stdout,
    },
};
use clap::Args;
use keyscape_codec::Value;
use keyscape_layout::{
    Datum, Layout, RowDatum,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_store::{Direction, ReadExt, StoreId};
use std::{
    io::{IsTerminal, Write},
    ops::ControlFlow,
};

/// Print the value of a row
///
/// Takes all fields of the key. A field of a hash is `hash.field` with the fields of both keys. For
/// a member of a zset the command prints its score, for a member of a set or queue its record.
/// Without a field or member, it lists the whole structure. A protobuf message is printed as JSON
/// if the layout imports its descriptor. Other messages and types of the program are printed as
/// `0x…`.
///
/// Verifies the checksums of the whole file first. The file is not changed. Exit status: 1 if the
/// row does not exist; 2 if the file is damaged.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape get shop.redb orders user=1 order=7
  keyscape get bank.redb balances owner=cosmos1… denom=uatom --format json
  keyscape get node.redb balances owner=cosmos1… denom=uatom --layout bank.keys")]
pub(crate) struct Get {
    #[command(flatten)]
    target: Target,
    /// Output format: the value alone, or the row as `scan` prints it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

impl Get {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let filter = self.target.row_filter(&layout)?;
        let keyspace = layout.keyspace(filter.keyspace);
        let whole = match keyspace.kind {
            KeyspaceKind::Hash => filter.field.is_none(),
            KeyspaceKind::Set | KeyspaceKind::Zset | KeyspaceKind::Queue => filter.member.is_none(),
            _ => false,
        };
        let fits = |source| incomplete(&layout, &filter, &source);
        if whole {
            keyspace.encode(&filter.key).map_err(fits)?;
        }
        let base = self.target.database.open_read_only(&layout)?;
        base.refuse_unbuilt(filter.keyspace)?;
        if whole {
            return self.structure(&base, &filter);
        }
        let meant = filter.entry(&layout, Stored::Raw(Vec::new())).map_err(fits)?;
        let key = stored_key(&layout, &meant).map_err(fits)?;
        let space = space_name(&layout, filter.keyspace);
        let Some(value) = base.db.read()?.get(StoreId::of(&space), &key)? else {
            return Err(missing());
        };
        let Ok(entry) = base.reader.read(&space, &key, &value) else {
            return Ok(stderr::report_faults(Faults { unknown: 1, ..Faults::default() }, &base));
        };
        let mut faults = Faults::default();
        faults.note(&entry);
        self.print(&layout, &entry)?;
        Ok(stderr::report_faults(faults, &base))
    }

    /// Prints all entries of a structure.
    fn structure(&self, base: &OpenDatabase<'_>, filter: &RowFilter) -> Result<Exit, Failure> {
        let listing = Listing { filter, direction: Direction::Forward, after: None };
        let prefix = filter.prefix(base.layout).map_err(|e| incomplete(base.layout, filter, &e))?;
        let mut printer = Printer::new(base.layout, filter, self.format);
        let mut found = 0;
        let faults = listing.each::<Failure>(base, &prefix, |_, entry| {
            found += 1;
            printer.entry(&entry)?;
            Ok(ControlFlow::Continue(()))
        })?;
        printer.finish(false)?;
        let exit = stderr::report_faults(faults, base);
        if found == 0 { Err(missing()) } else { Ok(exit) }
    }

    fn print(&self, layout: &Layout, entry: &Entry) -> Result<(), Failure> {
        let mut line = Vec::new();
        let text = match (&entry.body, entry.value()) {
            _ if self.format == Format::Json => None,
            (_, Some(value)) => Some(plain(layout, entry.value_keyspace(), value)),
            (Body::Part { part: Part::Scored { score, .. }, .. }, _) => {
                let ty = layout.keyspace(entry.keyspace).score.as_deref();
                Some(scalar(ty, score, Extent::Whole))
            }
            _ => None,
        };
        match text {
            Some(text) => writeln!(line, "{text}")?,
            None => entry_json::put_listed(layout, entry, &mut line),
        }
        stdout::print_data(&line)?;
        Ok(())
    }
}

/// Formats a value. Text is unquoted, unless it contains control characters that could affect a
/// terminal.
fn plain(layout: &Layout, id: KeyspaceId, value: &Stored) -> String {
    let (Stored::Value(datum) | Stored::Reads(datum)) = value else {
        return entry_cells::stored(layout, id, value);
    };
    let harmless =
        |text: &str| !std::io::stdout().is_terminal() || !text.contains(char::is_control);
    match datum {
        RowDatum::Datum(Datum::Leaf(Value::Text(text))) | RowDatum::Json(text)
            if harmless(text) =>
        {
            text.clone()
        }
        _ => entry_cells::stored(layout, id, value),
    }
}

fn missing() -> Failure {
    Failure::refuted("the row does not exist")
}
