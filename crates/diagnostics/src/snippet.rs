//! Source lines with marks below them.

use super::{
    escape::{escaped, is_command},
    message::Label,
    style::{self, paint},
};
use anstyle::Style;
use keyscape_layout::{FileId, Source, Sources, Span};
use std::{collections::BTreeMap, fmt::Write};
use unicode_width::UnicodeWidthChar;

/// The width of a tab in columns.
const TAB: usize = 4;
/// The highest number of shown columns of a line. In a longer line, about `BEFORE` columns precede
/// the first mark.
const LONG: usize = 160;
const BEFORE: usize = 60;

/// Appends snippets for some labels. The header names the place of the first label.
pub(super) fn render(labels: &[Label], sources: &Sources, main: Style, out: &mut String) {
    let mut files: Vec<FileId> = Vec::new();
    for label in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let ends = labels.iter().map(|label| Span { start: label.span.end, ..label.span });
    let last = ends.map(|end| sources.start(end).line).max().unwrap_or(1);
    let gutter = last.to_string().len();
    for (index, &file) in files.iter().enumerate() {
        let Some(source) = sources.get(file) else { continue };
        let here: Vec<&Label> = labels.iter().filter(|label| label.span.file == file).collect();
        let at = here.first().map_or_else(Span::default, |label| label.span);
        let place = sources.start(at);
        let arrow = if index == 0 { "-->" } else { ":::" };
        let (line, column) = (place.line, place.column);
        let arrow = paint(style::FRAME, arrow);
        let _ = writeln!(out, "{:gutter$}{arrow} {}:{line}:{column}", "", escaped(&source.path));
        File { source, sources, gutter, main }.lines(&here, out);
    }
}

struct File<'a> {
    source: &'a Source,
    sources: &'a Sources,
    gutter: usize,
    main: Style,
}

/// A label on one line, with its displayed columns, counted from zero.
struct Mark<'a> {
    from: usize,
    to: usize,
    label: &'a Label,
    /// The text of the label, on its last line.
    text: &'a str,
}

impl File<'_> {
    fn lines(&self, labels: &[&Label], out: &mut String) {
        let mut by_line: BTreeMap<usize, Vec<Mark<'_>>> = BTreeMap::new();
        for &label in labels {
            let (first, last) = self.range(label);
            // The first and the last line of a place show its extent.
            let lines = [first].into_iter().chain((first != last).then_some(last));
            for line in lines {
                by_line.entry(line).or_default().push(self.mark(line, label));
            }
        }
        let mut before: Option<usize> = None;
        for (line, mut marks) in by_line {
            match before.map(|before| line - before) {
                Some(2) => self.line(line - 1, 0, out),
                Some(gap) if gap > 2 => {
                    let _ = writeln!(out, "{}", paint(style::FRAME, "..."));
                }
                _ => {}
            }
            marks.sort_by_key(|mark| (mark.from, mark.to));
            let cut = self.cut(line, &mut marks);
            self.line(line, cut, out);
            self.marks(&marks, out);
            before = Some(line);
        }
    }

    fn mark<'l>(&self, line: usize, label: &'l Label) -> Mark<'l> {
        let (start, text) = self.source.line(line);
        let column = |offset: u32| {
            let end = (offset as usize).saturating_sub(start).min(text.len());
            width(text.get(..floor(text, end)).unwrap_or(text))
        };
        let (first, last) = self.range(label);
        let indentation = width(text) - width(text.trim_start());
        let from = if line == first { column(label.span.start) } else { indentation };
        let to = column(label.span.end);
        let text = if line == last { label.text.as_str() } else { "" };
        Mark { from, to: to.max(from + 1), label, text }
    }

    /// Returns the first and the last line of a label.
    fn range(&self, label: &Label) -> (usize, usize) {
        let Span { start, end, .. } = label.span;
        let last = Span { start: end.saturating_sub(1).max(start), ..label.span };
        (self.sources.start(label.span).line, self.sources.start(last).line)
    }

    /// Returns the number of omitted characters at the start of a very long line, and shifts the
    /// marks.
    fn cut(&self, line: usize, marks: &mut [Mark<'_>]) -> usize {
        let text = self.source.line(line).1;
        if width(text) <= LONG {
            return 0;
        }
        let first = marks.first().map_or(0, |mark| mark.from);
        let mut omitted = 0;
        let is_omitted = |char: &char| {
            let is_before = omitted < first.saturating_sub(BEFORE);
            omitted += if is_before { char_width(*char) } else { 0 };
            is_before
        };
        let cut = text.chars().take_while(is_omitted).count();
        // The ellipsis takes one column.
        let moved = omitted.saturating_sub(1);
        for mark in marks {
            mark.from = mark.from.saturating_sub(moved).min(LONG);
            mark.to = mark.to.saturating_sub(moved).clamp(mark.from + 1, LONG + 1);
        }
        cut
    }

    /// Appends a line without its first `cut` characters, and truncates a very long one.
    fn line(&self, line: usize, cut: usize, out: &mut String) {
        let gutter = self.gutter;
        let number = paint(style::FRAME, format_args!("{line:gutter$} |"));
        let mut columns = 0;
        let is_shown = |char: &char| {
            columns += char_width(*char);
            columns <= LONG
        };
        let mut shown = expand(self.source.line(line).1.chars().skip(cut).take_while(is_shown));
        if cut > 0 {
            shown.insert(0, '…');
        }
        if columns > LONG {
            shown.push('…');
        }
        let space = if shown.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{number}{space}{shown}");
    }

    /// Appends the marks below a line: all marks with the text of the last, then the other texts.
    fn marks(&self, marks: &[Mark<'_>], out: &mut String) {
        let mut row = MarkLine::default();
        for mark in marks {
            let (sign, style) =
                if mark.label.primary { ("^", self.main) } else { ("-", style::FRAME) };
            let from = mark.from.max(row.width);
            row.put(from, &sign.repeat(mark.to.saturating_sub(from).max(1)), style);
        }
        if let Some(last) = marks.last() {
            row.put(row.width + 1, last.text, self.style(last.label));
        }
        self.row(&row, out);
        for (index, mark) in marks.iter().enumerate().rev().skip(1) {
            if mark.text.is_empty() {
                continue;
            }
            let mut row = MarkLine::default();
            for other in marks.iter().take(index).filter(|m| !m.text.is_empty()) {
                row.put(other.from, "|", self.style(other.label));
            }
            row.put(mark.from.max(row.width), mark.text, self.style(mark.label));
            self.row(&row, out);
        }
    }

    fn style(&self, label: &Label) -> Style {
        if label.primary { self.main } else { style::FRAME }
    }

    fn row(&self, row: &MarkLine, out: &mut String) {
        let frame = paint(style::FRAME, format_args!("{:1$} |", "", self.gutter));
        let _ = writeln!(out, "{frame} {}", row.text.trim_end());
    }
}

/// A line that is filled from left to right.
#[derive(Default)]
struct MarkLine {
    text: String,
    width: usize,
}

impl MarkLine {
    fn put(&mut self, column: usize, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        let gap = column.saturating_sub(self.width);
        self.text.push_str(&" ".repeat(gap));
        let text = escaped(text);
        self.text.push_str(&paint(style, &text));
        self.width += gap + width(&text);
    }
}

/// Returns the last offset at or before `at` at which a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn char_width(char: char) -> usize {
    match char {
        '\t' => TAB,
        char if is_command(char) => 1,
        char => char.width().unwrap_or(1),
    }
}

/// Returns the number of columns of a text.
fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Replaces tabs by blanks, and characters that a terminal would obey by a dot.
fn expand(text: impl Iterator<Item = char>) -> String {
    let mut shown = String::new();
    for char in text {
        match char {
            '\t' => shown.push_str(&" ".repeat(TAB)),
            char if is_command(char) => shown.push('·'),
            char => shown.push(char),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plain, rejected};
    use keyscape_layout::{Diagnostic, Rejected};
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn marks_of_long_lines_are_below_the_marked_text() {
        for before in ["\t".repeat(60), "漢".repeat(100), "a".repeat(200), "\t".repeat(30)] {
            for after in ["", "b".repeat(300).as_str(), "\t".repeat(60).as_str()] {
                let text = format!("{before}!{after}");
                let start = before.len() as u32;
                let span = Span { start, end: start + 1, ..Span::default() };
                let error = Diagnostic::error(span, "wrong");
                let shown = plain(&rejected(&Rejected::of_file("l.keys", &text, vec![error])));
                let column = |mark: char| {
                    let line = shown.lines().rfind(|line| line.contains(mark))?;
                    line.split(mark).next().map(UnicodeWidthStr::width)
                };
                assert!(column('!').is_some() && column('!') == column('^'), "{shown}");
            }
        }
    }
}
