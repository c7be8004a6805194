//! Going through the rows of a keyspace.

use super::{Base, Body, Entry, Stored, Wanted, space_name};
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

/// The rows that are wanted, in one direction, from one place on.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) wanted: &'a Wanted,
    pub(crate) direction: Direction,
    /// The stored key behind which it begins.
    pub(crate) after: Option<&'a [u8]>,
}

/// What was met that is not as the layout says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Rows that no keyspace has.
    pub(crate) unknown: u64,
    /// Values of another form than the layout's.
    pub(crate) values: u64,
}

impl Listing<'_> {
    /// Gives each row with its stored key to `visit`.
    pub(crate) fn each(
        &self,
        base: &Base<'_>,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], Entry) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<Faults, Failure> {
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

    /// What the stored keys of the rows begin with.
    pub(crate) fn prefix(&self, base: &Base<'_>) -> Result<Vec<u8>, EncodeError> {
        self.wanted.prefix(base.layout)
    }
}

impl Faults {
    /// Looks at the value of an entry.
    pub(crate) fn note(&mut self, entry: &Entry) {
        let (Body::Row(value) | Body::Field { value, .. }) = &entry.body else { return };
        self.values += u64::from(matches!(value, Stored::Raw(_)));
    }

    /// Says what was met; that is the status of what was done.
    pub(crate) fn report(self, base: &Base<'_>) -> Exit {
        if self.unknown > 0 {
            let title = format!("{} fit no keyspace: passed over", many(self.unknown, "row"));
            warn(title, "`keyscape stat` counts them, `keyscape export` prints them");
        }
        let rest = Self { unknown: 0, ..self }.report_counted(base);
        if self.unknown > 0 { Exit::Refuted } else { rest }
    }

    /// The same where rows that fit nothing have been shown already.
    pub(crate) fn report_counted(self, base: &Base<'_>) -> Exit {
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
    talk::say(&Message::new(Level::Warning, title).help_maybe(Some(help.to_owned())));
}
