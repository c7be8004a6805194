//! Rows in aligned columns, no wider than the terminal.

use super::{
    stdout,
    style::{self, paint},
};
use std::io::{IsTerminal, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of rows that determine the widths of the columns; later rows may be wider.
const SAMPLE_ROWS: usize = 256;
const GAP: &str = "  ";

/// A table that is printed to stdout row by row.
#[derive(Debug)]
pub(crate) struct Grid {
    head: Vec<String>,
    /// Columns of numbers, which are aligned to the right.
    numbers: usize,
    widths: Option<Vec<usize>>,
    buffered: Vec<Vec<String>>,
    /// The width of the terminal, if there is one.
    max_width: Option<usize>,
}

impl Grid {
    /// Makes a grid with these columns.
    pub(crate) fn new(head: Vec<String>) -> Self {
        let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size);
        let max_width = terminal.flatten().map(|(width, _)| usize::from(width.0).max(20));
        Self { head, numbers: 0, widths: None, buffered: Vec::new(), max_width }
    }

    /// Makes a grid with numbers in all columns but the first.
    pub(crate) fn of_numbers(mut self) -> Self {
        self.numbers = self.head.len().saturating_sub(1);
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) -> std::io::Result<()> {
        self.buffered.push(cells);
        if self.widths.is_some() || self.buffered.len() >= SAMPLE_ROWS {
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
        let has_head = self.widths.is_some() || self.head.is_empty();
        if has_head { self.flush() } else { self.write() }
    }

    fn write(&mut self) -> std::io::Result<()> {
        let mut out = stdout::coloured();
        let buffered = std::mem::take(&mut self.buffered);
        if self.widths.is_none() {
            let column = |at: usize| {
                let cells = buffered.iter().filter_map(|cells| cells.get(at));
                cells.chain(self.head.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
            };
            let widths: Vec<usize> = (0..self.head.len()).map(column).collect();
            self.widths = Some(match self.max_width {
                Some(max) => fitted(&widths, max),
                None => widths,
            });
            let head = self.line(&self.head);
            writeln!(out, "{}", paint(style::FAINT, head))?;
        }
        for cells in &buffered {
            writeln!(out, "{}", self.line(cells))?;
        }
        out.flush()
    }

    fn line(&self, cells: &[String]) -> String {
        let widths = self.widths.as_deref().unwrap_or_default();
        let mut line = String::new();
        let first_number = self.head.len() - self.numbers;
        for (at, cell) in cells.iter().enumerate() {
            let width = widths.get(at).copied().unwrap_or(0);
            let is_too_wide = self.max_width.is_some() && cell.width() > width;
            let truncated = is_too_wide.then(|| truncate(cell, width));
            let cell = truncated.as_ref().unwrap_or(cell);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            if at > 0 {
                line.push_str(GAP);
            }
            let parts = if at >= first_number { [&padding, cell] } else { [cell, &padding] };
            parts.into_iter().for_each(|part| line.push_str(part));
        }
        let line = line.trim_end();
        match self.max_width {
            Some(max) if line.width() > max => truncate(line, max),
            _ => line.to_owned(),
        }
    }
}

/// Returns the widths of columns that fit into a line. The widest columns shrink first.
fn fitted(widths: &[usize], max: usize) -> Vec<usize> {
    /// The smallest width at which a cell is readable.
    const MIN: usize = 4;
    let gaps = GAP.len() * widths.len().saturating_sub(1);
    let capped = |cap: usize| widths.iter().map(move |&width| width.min(cap));
    let total = |cap: usize| capped(cap).sum::<usize>() + gaps;
    let widest = widths.iter().copied().max().unwrap_or(0);
    let cap = (MIN..=widest).rev().find(|&cap| total(cap) <= max).unwrap_or(MIN);
    // The remainder goes to the last columns, which hold values.
    let mut rest = max.saturating_sub(total(cap));
    let mut fitted: Vec<usize> = capped(cap).collect();
    for (fitted, &width) in fitted.iter_mut().zip(widths).rev() {
        let more = rest.min(width - *fitted);
        *fitted += more;
        rest -= more;
    }
    fitted
}

/// Cuts a text to a width on the terminal, including the `…` at its end.
fn truncate(text: &str, max: usize) -> String {
    let mut width = 1;
    let fits = |char: &char| {
        width += char.width().unwrap_or(0);
        width <= max
    };
    let start: String = text.chars().take_while(fits).collect();
    start + "…"
}

#[cfg(test)]
mod tests {
    use super::{Grid, fitted, truncate};

    #[test]
    fn every_column_is_visible_on_a_narrow_terminal() {
        let head = ["owner", "denom", "value"].map(str::to_owned).to_vec();
        let row = ["cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu", &"x".repeat(60), "1234567"];
        let mut grid = Grid { max_width: Some(60), ..Grid::new(head) };
        grid.widths = Some(fitted(&[45, 60, 7], 60));
        let line = grid.line(&row.map(str::to_owned));
        assert_eq!(line, "cosmos1qypqxpq9qcrsszg2…  xxxxxxxxxxxxxxxxxxxxxxxx…  1234567");
        assert_eq!(fitted(&[10, 3, 7], 60), [10, 3, 7]);
        assert_eq!(fitted(&[50, 50, 50, 50], 20), [4, 4, 4, 4]);
    }

    #[test]
    fn a_line_is_truncated_by_its_width_on_the_terminal() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("漢字漢字", 6), "漢字…");
    }
}
