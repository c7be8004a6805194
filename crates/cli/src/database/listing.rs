//! Lists the rows of a keyspace.

use super::{Body, Entry, OpenDatabase, RowFilter, Stored, space_name};
use crate::{
    exit::Exit,
    failure::Failure,
    output::{
        message::{Level, Message},
        talk::{self, many},
    },
};
use keyscape_layout::EncodeError;
use keyscape_store::{Direction, KeyRange, Read, StoreId};
use std::ops::ControlFlow;

/// A listing of selected rows, in one direction, after a key.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) wanted: &'a RowFilter,
    pub(crate) direction: Direction,
    /// The stored key after which the listing begins.
    pub(crate) after: Option<&'a [u8]>,
}

/// The number of rows that contradict the layout.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Rows that belong to no keyspace.
    pub(crate) unknown: u64,
    /// Values that do not have the form of the layout.
    pub(crate) values: u64,
}

impl Listing<'_> {
    /// Passes each row with its stored key to `visit`.
    pub(crate) fn each(
        &self,
        base: &OpenDatabase<'_>,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], Entry) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Faults, Failure> {
        base.refuse_unbuilt(self.wanted.keyspace)?;
        let space = space_name(base.layout, self.wanted.keyspace);
        let state = base.db.read()?;
        let range = KeyRange::prefix(prefix).with_direction(self.direction);
        let range = match self.after {
            Some(key) => range.after(key),
            None => range,
        };
        let mut faults = Faults::default();
        let mut rows = state.rows(StoreId::of(&space), range)?;
        while let Some(row) = rows.next()? {
            let Ok(entry) = base.reader.read(&space, row.key, row.value) else {
                faults.unknown += 1;
                continue;
            };
            if !self.wanted.has(base.layout, &entry) {
                continue;
            }
            faults.note(&entry);
            if visit(row.key, entry)?.is_break() {
                break;
            }
        }
        Ok(faults)
    }

    /// Returns the prefix of the stored keys of the rows.
    pub(crate) fn prefix(&self, base: &OpenDatabase<'_>) -> Result<Vec<u8>, EncodeError> {
        self.wanted.prefix(base.layout)
    }
}

impl Faults {
    /// Counts the value of an entry if it does not have the form of the layout.
    pub(crate) fn note(&mut self, entry: &Entry) {
        let (Body::Row(value) | Body::Field { value, .. }) = &entry.body else { return };
        self.values += u64::from(matches!(value, Stored::Raw(_)));
    }

    /// Prints the faults, and returns the exit status.
    pub(crate) fn report(self, base: &OpenDatabase<'_>) -> Exit {
        if self.unknown > 0 {
            let title = format!("{} fit no keyspace: passed over", many(self.unknown, "row"));
            warn(title, "`keyscape stat` counts them, `keyscape export` prints them");
        }
        let rest = Self { unknown: 0, ..self }.report_counted(base);
        if self.unknown > 0 { Exit::Refuted } else { rest }
    }

    /// Prints the faults except unknown rows, which have been printed before.
    pub(crate) fn report_counted(self, base: &OpenDatabase<'_>) -> Exit {
        if self.values > 0 {
            let title =
                format!("not of the form that the layout says: {}", many(self.values, "value"));
            warn(title, "`keyscape export` prints them as `raw`");
        }
        let ambiguous = base.reader.ambiguous();
        if ambiguous > 0 {
            let title =
                format!("several readings, of which the first is used: {}", many(ambiguous, "key"));
            warn(title, "`keyscape check` shows why");
        }
        let clean = self.unknown + self.values + ambiguous == 0;
        if clean { Exit::Fine } else { Exit::Refuted }
    }
}

fn warn(title: String, help: &str) {
    talk::say(&Message::new(Level::Warning, title).with_help(Some(help.to_owned())));
}
