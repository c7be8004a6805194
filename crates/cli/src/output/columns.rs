//! The columns of a table: aligned, and no wider than a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const GAP: &str = "  ";

/// The widths of columns.
#[derive(Debug)]
pub(crate) struct Columns {
    widths: Vec<usize>,
    /// The number of columns at the end that are aligned to the right.
    numbers: usize,
    /// The width of the terminal, if there is one.
    max_width: Option<usize>,
}

impl Columns {
    /// Makes columns for a head and its first rows.
    pub(crate) fn new(
        head: &[String],
        rows: &[Vec<String>],
        numbers: usize,
        max_width: Option<usize>,
    ) -> Self {
        let width = |at: usize| {
            let cells = rows.iter().filter_map(|cells| cells.get(at));
            cells.chain(head.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let widths = match max_width {
            Some(max) => fitted(&widths, max),
            None => widths,
        };
        Self { widths, numbers, max_width }
    }

    /// Formats a row. Later rows may be wider than the columns, unless there is a terminal.
    pub(crate) fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        let first_number = self.widths.len() - self.numbers;
        for (at, cell) in cells.iter().enumerate() {
            let width = self.widths.get(at).copied().unwrap_or(0);
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
