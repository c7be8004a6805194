//! Rows in aligned columns, no wider than the terminal.

use super::{
    columns::Columns,
    stdout,
    style::{self, paint},
};
use std::io::{IsTerminal, Write};

/// The number of rows that determine the widths of the columns; later rows may be wider.
const SAMPLE_ROWS: usize = 256;

/// A table that is printed to stdout row by row.
#[derive(Debug)]
pub(crate) struct Grid {
    head: Vec<String>,
    /// The number of columns at the end that hold numbers.
    numbers: usize,
    /// `None` until the first rows are printed.
    columns: Option<Columns>,
    buffered: Vec<Vec<String>>,
}

impl Grid {
    /// Makes a grid with these columns.
    pub(crate) fn new(head: Vec<String>) -> Self {
        Self { head, numbers: 0, columns: None, buffered: Vec::new() }
    }

    /// Makes a grid with numbers in all columns but the first.
    pub(crate) fn of_numbers(mut self) -> Self {
        self.numbers = self.head.len().saturating_sub(1);
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) -> std::io::Result<()> {
        self.buffered.push(cells);
        if self.columns.is_some() || self.buffered.len() >= SAMPLE_ROWS {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the buffered rows. A grid without rows has no head.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        if self.buffered.is_empty() { Ok(()) } else { self.write() }
    }

    /// Writes the buffered rows, and the head even if there was no row.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        let has_head = self.columns.is_some() || self.head.is_empty();
        if has_head { self.flush() } else { self.write() }
    }

    fn write(&mut self) -> std::io::Result<()> {
        let mut out = stdout::coloured();
        let buffered = std::mem::take(&mut self.buffered);
        let columns = match self.columns.take() {
            Some(columns) => columns,
            None => {
                let columns = Columns::new(&self.head, &buffered, self.numbers, max_width());
                writeln!(out, "{}", paint(style::FAINT, columns.line(&self.head)))?;
                columns
            }
        };
        let columns = self.columns.insert(columns);
        for cells in &buffered {
            writeln!(out, "{}", columns.line(cells))?;
        }
        out.flush()
    }
}

/// Returns the width of the terminal, if stdout is one.
fn max_width() -> Option<usize> {
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size);
    terminal.flatten().map(|(width, _)| usize::from(width.0).max(20))
}
