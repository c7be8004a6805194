//! `keyscape get`

use super::{
    scan::{Format, Printer},
    target::{Target, incomplete},
};
use crate::{
    database::{
        Body, DatabaseArgument, Entry, Faults, Listing, OpenDatabase, Part, RowFilter, Stored,
        space_name, stored_key,
    },
    failure::{Exit, Failure},
    output::{
        datum::{Extent, scalar},
        entry_cells, entry_json,
        message::Message,
        stderr, stdout,
    },
};
use clap::Args;
use keyscape_codec::Value;
use keyscape_layout::{Datum, Layout, RowDatum, model::KeyspaceKind};
use keyscape_store::{Direction, ReadExt, StoreId};
use std::{io::IsTerminal, ops::ControlFlow};

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
    pub(super) const fn database(&self) -> &DatabaseArgument {
        &self.target.database
    }

    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let wanted = self.target.row_filter(&layout)?;
        let keyspace = layout.keyspace(wanted.keyspace);
        let whole = match keyspace.kind {
            KeyspaceKind::Hash => wanted.field.is_none(),
            KeyspaceKind::Set | KeyspaceKind::Zset | KeyspaceKind::Queue => wanted.member.is_none(),
            _ => false,
        };
        let fits = |source| incomplete(&layout, &wanted, &source);
        if whole {
            keyspace.encode(&wanted.key).map_err(fits)?;
        }
        let base = self.target.database.open_read_only(&layout)?;
        base.refuse_unbuilt(wanted.keyspace)?;
        if whole {
            return self.structure(&base, &wanted);
        }
        let meant = wanted.entry(&layout, Stored::Raw(Vec::new())).map_err(fits)?;
        let key = stored_key(&layout, &meant).map_err(fits)?;
        let space = space_name(&layout, wanted.keyspace);
        let Some(value) = base.db.read()?.get(StoreId::of(&space), &key)? else {
            return Ok(nothing());
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
    fn structure(&self, base: &OpenDatabase<'_>, wanted: &RowFilter) -> Result<Exit, Failure> {
        let listing = Listing { filter: wanted, direction: Direction::Forward, after: None };
        let prefix = listing.prefix(base).map_err(|e| incomplete(base.layout, wanted, &e))?;
        let mut printer = Printer::new(base.layout, wanted, self.format);
        let mut found = 0;
        let faults = listing.each::<Failure>(base, &prefix, |_, entry| {
            found += 1;
            printer.entry(&entry)?;
            Ok(ControlFlow::Continue(()))
        })?;
        printer.finish(false)?;
        let exit = stderr::report_faults(faults, base);
        Ok(if found == 0 { nothing() } else { exit })
    }

    fn print(&self, layout: &Layout, entry: &Entry) -> Result<(), Failure> {
        let mut line = Vec::new();
        match (self.format, &entry.body) {
            (Format::Human, Body::Row(value)) => {
                line = plain(layout, entry.keyspace, value).into_bytes();
                line.push(b'\n');
            }
            (Format::Human, Body::Field { id, value, .. }) => {
                line = plain(layout, *id, value).into_bytes();
                line.push(b'\n');
            }
            (Format::Human, Body::Part { part: Part::Scored { score, .. }, .. }) => {
                let ty = layout.keyspace(entry.keyspace).score.as_deref();
                line = scalar(ty, score, Extent::Whole).into_bytes();
                line.push(b'\n');
            }
            _ => entry_json::put_listed(layout, entry, &mut line),
        }
        stdout::print_data(&line)?;
        Ok(())
    }
}

/// Prints text unquoted, unless it contains control characters that could affect a terminal.
fn plain(layout: &Layout, id: keyscape_layout::model::KeyspaceId, value: &Stored) -> String {
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

fn nothing() -> Exit {
    stderr::say(&Message::error("the row does not exist"));
    Exit::Refuted
}
