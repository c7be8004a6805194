//! Rows in aligned columns, no wider than the terminal.

use super::{
    stdout,
    style::{self, paint},
};
use std::io::{IsTerminal, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of rows that determine the widths of the columns; later rows may be wider.
const LOOKED_AT: usize = 256;
const GAP: &str = "  ";

/// A table that is printed to stdout row by row.
#[derive(Debug)]
pub(crate) struct Grid {
    head: Vec<String>,
    /// Columns of numbers, which are aligned to the right.
    numbers: usize,
    widths: Option<Vec<usize>>,
    waiting: Vec<Vec<String>>,
    most: Option<usize>,
}

impl Grid {
    /// Makes a grid with these columns.
    pub(crate) fn new(head: Vec<String>) -> Self {
        let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size);
        let most = terminal.flatten().map(|(width, _)| usize::from(width.0).max(20));
        Self { head, numbers: 0, widths: None, waiting: Vec::new(), most }
    }

    /// Makes a grid with numbers in all columns but the first.
    pub(crate) fn of_numbers(mut self) -> Self {
        self.numbers = self.head.len().saturating_sub(1);
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) -> std::io::Result<()> {
        self.waiting.push(cells);
        if self.widths.is_some() || self.waiting.len() >= LOOKED_AT { self.flush() } else { Ok(()) }
    }

    /// Writes what waits. A grid without rows has no head.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        if self.waiting.is_empty() { Ok(()) } else { self.write() }
    }

    /// Writes what waits, and the head also if there was no row.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        let headed = self.widths.is_some() || self.head.is_empty();
        if headed { self.flush() } else { self.write() }
    }

    fn write(&mut self) -> std::io::Result<()> {
        let mut out = stdout::coloured();
        let waiting = std::mem::take(&mut self.waiting);
        if self.widths.is_none() {
            let column = |at: usize| {
                let cells = waiting.iter().filter_map(|cells| cells.get(at));
                cells.chain(self.head.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
            };
            let widths: Vec<usize> = (0..self.head.len()).map(column).collect();
            self.widths = Some(match self.most {
                Some(most) => fitted(&widths, most),
                None => widths,
            });
            let head = self.line(&self.head);
            writeln!(out, "{}", paint(style::FAINT, head))?;
        }
        for cells in &waiting {
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
            let cut_cell = self.most.filter(|_| cell.width() > width).map(|_| cut(cell, width));
            let cell = cut_cell.as_ref().unwrap_or(cell);
            let room = " ".repeat(width.saturating_sub(cell.width()));
            if at > 0 {
                line.push_str(GAP);
            }
            let parts = if at >= first_number { [&room, cell] } else { [cell, &room] };
            parts.into_iter().for_each(|part| line.push_str(part));
        }
        let line = line.trim_end();
        match self.most {
            Some(most) if line.width() > most => cut(line, most),
            _ => line.to_owned(),
        }
    }
}

/// Returns the widths of columns that fit into a line. The widest columns shrink first.
fn fitted(widths: &[usize], most: usize) -> Vec<usize> {
    /// The smallest width at which a cell is readable.
    const LEAST: usize = 4;
    let gaps = GAP.len() * widths.len().saturating_sub(1);
    let fits =
        |cap: usize| widths.iter().map(|&width| width.min(cap)).sum::<usize>() + gaps <= most;
    let widest = widths.iter().copied().max().unwrap_or(0);
    let cap = (LEAST..=widest).rev().find(|&cap| fits(cap)).unwrap_or(LEAST);
    // The remainder goes to the last columns, which hold values.
    let mut left = most.saturating_sub(gaps + widths.iter().map(|&w| w.min(cap)).sum::<usize>());
    let mut fitted: Vec<usize> = widths.iter().map(|&width| width.min(cap)).collect();
    for (now, &width) in fitted.iter_mut().zip(widths).rev() {
        let more = left.min(width - *now);
        *now += more;
        left -= more;
    }
    fitted
}

fn cut(line: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut width = 1;
    for char in line.chars() {
        width += char.width().unwrap_or(0);
        if width > most {
            break;
        }
        kept.push(char);
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::{Grid, cut, fitted};

    /// The balance of a long denomination is what is looked for.
    #[test]
    fn every_column_is_seen_on_a_narrow_terminal() {
        let head = ["owner", "denom", "value"].map(str::to_owned).to_vec();
        let row = ["cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu", &"x".repeat(60), "1234567"];
        let mut grid = Grid { most: Some(60), ..Grid::new(head) };
        grid.widths = Some(fitted(&[45, 60, 7], 60));
        let line = grid.line(&row.map(str::to_owned));
        assert_eq!(line, "cosmos1qypqxpq9qcrsszg2…  xxxxxxxxxxxxxxxxxxxxxxxx…  1234567");
        assert_eq!(fitted(&[10, 3, 7], 60), [10, 3, 7]);
        assert_eq!(fitted(&[50, 50, 50, 50], 20), [4, 4, 4, 4]);
    }

    #[test]
    fn a_line_is_cut_by_what_it_takes_on_the_terminal() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("漢字漢字", 6), "漢字…");
    }
}
