//! `keyscape scan`

use super::target::{Target, incomplete};
use crate::{
    database::{Condition, Entry, Listing, RowFilter, space_name},
    failure::{Exit, Failure},
    input::InputError,
    output::{Format, entry_cells, entry_json, grid::Grid, stderr, stdout},
};
use clap::Args;
use keyscape_layout::Layout;
use keyscape_runtime::PageCursor;
use keyscape_store::{Direction, KeyRange};
use std::ops::ControlFlow;

/// List rows of a keyspace, decoded
///
/// Lists only the rows that match all given fields. Leading fields of the key bound the scan; other
/// fields filter its rows. A numeric field takes a range: `order=5..10` without 10, `order=5..=10`,
/// `order=5..`. `--where` filters by decoded values. Rows are in byte order. For a hash, the
/// command lists its fields; for a zset, its members in order of score.
///
/// After a limited page, the cursor of the next page is printed to stderr. Use a cursor only with
/// the same scan. The file is not changed. The layout need not be sound; a key with several
/// readings is reported. Verifies the checksums of the whole file first. Exit status: 1 if rows do
/// not fit the layout or have several readings; 2 if the file is damaged.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape scan shop.redb orders user=1
  keyscape scan shop.redb orders --reverse --limit 10
  keyscape scan shop.redb orders user=1 order=5..10
  keyscape scan shop.redb orders --where 'value=ink'
  keyscape scan shop.redb orders --limit 10 --after 'shop/orders>6f2f312f37'
  keyscape scan txo.redb events event.own.owner=1BvBM… --format json")]
pub(crate) struct Scan {
    #[command(flatten)]
    target: Target,
    /// List only rows that fulfil a condition, such as `value.status=open` or `amount>=100`: a path
    /// in the row's JSON, an operator (`=`, `!=`, `<`, `<=`, `>`, `>=`) and a value; may be
    /// repeated
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
    /// List rows from last to first
    #[arg(long)]
    reverse: bool,
    /// Print at most this many rows
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Start after this cursor, printed by the previous page
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Output format: columns, or JSON objects; members of structures are printed without the
    /// family of their record
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

impl Scan {
    pub(crate) fn run(mut self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let filter = self.target.row_filter_with_ranges(&layout)?;
        Condition::check(&mut self.conditions, &layout, &filter)?;
        let base = self.target.database.open_read_only(&layout)?;
        let direction = if self.reverse { Direction::Backward } else { Direction::Forward };
        let mut listing = Listing { filter: &filter, direction, after: None };
        let prefix = filter.prefix(&layout).map_err(|e| incomplete(&layout, &filter, &e))?;
        let space = space_name(&layout, filter.keyspace);
        let name = &layout.keyspace(self.target.id(&layout)?).name;
        let cursor = self.cursor(&space, name, direction, &prefix)?;
        listing.after = cursor.as_ref().map(PageCursor::key);
        let mut printer = Printer::new(&layout, &filter, self.format);
        let (mut printed, mut last, mut more) = (0, Vec::new(), false);
        let faults = listing.each::<Failure>(&base, &prefix, |key, entry| {
            if !Condition::all_hold(&self.conditions, &layout, &entry) {
                return Ok(ControlFlow::Continue(()));
            }
            if self.limit == Some(printed) {
                more = true;
                return Ok(ControlFlow::Break(()));
            }
            printed += 1;
            key.clone_into(&mut last);
            printer.entry(&entry)?;
            // Stop scanning when nobody reads the output.
            Ok(if stdout::is_gone() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        printer.finish(true)?;
        if more && printed > 0 {
            let next = PageCursor::of(&space, name, direction, last);
            stderr::line(&format!("more: --after '{next}'"));
        }
        Ok(stderr::report_faults(faults, &base))
    }

    fn cursor(
        &self,
        space: &str,
        name: &str,
        direction: Direction,
        prefix: &[u8],
    ) -> Result<Option<PageCursor>, InputError> {
        let Some(text) = &self.after else { return Ok(None) };
        let wrong = |why: String| {
            let help = "use a cursor printed by the same scan, with the same fields";
            InputError::new(format!("cursor `{text}`: {why}"), help)
        };
        let cursor: PageCursor = text.parse().map_err(|error| wrong(format!("{error}")))?;
        if !cursor.is_of(space, name, direction) {
            let why = "it belongs to another keyspace, or to the other direction";
            return Err(wrong(why.to_owned()));
        }
        if !KeyRange::prefix(prefix).contains(cursor.key()) {
            return Err(wrong("its key is outside this scan".to_owned()));
        }
        Ok(Some(cursor))
    }
}

/// Prints rows one after the other.
pub(super) struct Printer<'a> {
    layout: &'a Layout,
    filter: &'a RowFilter,
    grid: Option<Grid>,
    buffer: Vec<u8>,
}

/// The size of the output buffer, in bytes.
const BUFFER: usize = 1 << 16;

impl<'a> Printer<'a> {
    pub(super) fn new(layout: &'a Layout, filter: &'a RowFilter, format: Format) -> Self {
        let grid = (format == Format::Human).then(|| Grid::new(entry_cells::head(layout, filter)));
        Self { layout, filter, grid, buffer: Vec::new() }
    }

    pub(super) fn entry(&mut self, entry: &Entry) -> Result<(), Failure> {
        if let Some(grid) = &mut self.grid {
            return Ok(grid.row(entry_cells::cells(self.layout, self.filter, entry))?);
        }
        entry_json::put_listed(self.layout, entry, &mut self.buffer);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        stdout::print_data(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the buffered rows. Prints the head of an empty table only if `head` is set.
    pub(super) fn finish(mut self, head: bool) -> Result<(), Failure> {
        match self.grid.take() {
            Some(grid) if head => Ok(grid.finish()?),
            Some(mut grid) => Ok(grid.flush()?),
            None => self.flush(),
        }
    }
}
