//! Tables of keys: a label and fields, the bytes in hexadecimal, and the bytes as text.

use super::{
    bytes::printable,
    style::{self, paint},
};
use anstyle::Style;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// A table of keys, one per row.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<KeyRow>,
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct KeyRow {
    label: String,
    fields: String,
    key: Option<Vec<u8>>,
    /// The start offsets of the pieces of the key, if they are shown.
    cuts: Vec<usize>,
    has_text: bool,
}

/// A mark below a row.
#[derive(Debug)]
struct Mark {
    row: usize,
    place: Place,
    text: String,
}

#[derive(Debug)]
enum Place {
    /// Bytes of the key.
    Bytes(Range<usize>),
    /// Columns of the fields.
    Fields(Range<usize>),
}

impl Table {
    /// Adds a key with its text.
    pub fn key(&mut self, label: &str, fields: impl Into<String>, key: &[u8]) {
        let (label, fields, key) = (label.to_owned(), fields.into(), Some(key.to_vec()));
        self.rows.push(KeyRow { label, fields, key, cuts: Vec::new(), has_text: true });
    }

    /// Adds a row without a key.
    pub fn note(&mut self, label: &str, fields: &str) {
        let (label, fields) = (label.to_owned(), fields.to_owned());
        self.rows.push(KeyRow { label, fields, key: None, cuts: Vec::new(), has_text: false });
    }

    /// Adds a reading of a key, with a bar at the start of each piece.
    pub fn reading(&mut self, label: &str, fields: String, key: &[u8], cuts: Vec<usize>) {
        let (label, key) = (label.to_owned(), Some(key.to_vec()));
        self.rows.push(KeyRow { label, fields, key, cuts, has_text: false });
    }

    /// Marks bytes of the last row. The offset after its end is valid too.
    pub fn mark(&mut self, bytes: Range<usize>, text: impl Into<String>) {
        self.add_mark(Place::Bytes(bytes), text.into());
    }

    /// Marks characters of the fields of the last row.
    pub fn mark_fields(&mut self, columns: Range<usize>, text: impl Into<String>) {
        self.add_mark(Place::Fields(columns), text.into());
    }

    fn add_mark(&mut self, place: Place, text: String) {
        let row = self.rows.len().saturating_sub(1);
        self.marks.push(Mark { row, place, text });
    }

    /// Renders the lines with colours. `main` is the colour of the marks.
    pub fn lines(&self, main: Style) -> Vec<String> {
        let slots = self.slots();
        let widest =
            |part: &dyn Fn(&KeyRow) -> usize| self.rows.iter().map(part).max().unwrap_or(0);
        let label = widest(&|row| row.label.width());
        let fields = widest(&|row| row.fields.width());
        let hex = widest(&|row| row.hex(&slots).width());
        let gap = |width: usize| if width == 0 { 0 } else { width + 3 };
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = format!(
                "{}{}{}",
                paint(style::TITLE, pad(&row.label, gap(label))),
                pad(&row.fields, gap(fields)),
                pad(&row.hex(&slots), gap(hex)),
            );
            let text = row.text(&slots);
            if row.has_text && !text.is_empty() {
                line.push_str(&paint(style::FAINT, text));
            }
            lines.push(line.trim_end().to_owned());
            for Mark { place, text, .. } in self.marks.iter().filter(|mark| mark.row == index) {
                let (start, columns) = match place {
                    Place::Fields(columns) => (gap(label), columns.clone()),
                    Place::Bytes(bytes) => (gap(label) + gap(fields), columns_of(bytes, &slots)),
                };
                let carets = "^".repeat(columns.len());
                let pointer = paint(main, format_args!("{carets} {text}"));
                lines.push(format!("{}{pointer}", " ".repeat(start + columns.start)));
            }
        }
        lines
    }

    /// Selects the bytes to show. A short key is shown completely. Of a long key, these are the
    /// ends, the marked bytes, and the bytes at which readings are cut differently or the key
    /// differs from the previous one.
    fn slots(&self) -> Vec<Slot> {
        const MAX_SHOWN: usize = 24;
        const HEAD: usize = 6;
        const AROUND: usize = 3;
        const TAIL: usize = 4;
        let longest = self.rows.iter().map(|row| row.bytes().len()).max().unwrap_or(0);
        if longest <= MAX_SHOWN {
            return (0..longest).map(Slot::Byte).collect();
        }
        let ends =
            self.rows.iter().map(|row| row.bytes().len().saturating_sub(TAIL)..row.bytes().len());
        let around = |at: usize| at.saturating_sub(AROUND)..(at + AROUND).min(longest);
        let marked = self.marks.iter().filter_map(|mark| match &mark.place {
            Place::Bytes(bytes) => Some([around(bytes.start), around(bytes.end)]),
            Place::Fields(_) => None,
        });
        let cut = self.other_cuts().into_iter().map(around);
        let differs = self.differences().into_iter().map(around);
        let shown: Vec<Range<usize>> =
            ends.chain(marked.flatten()).chain(cut).chain(differs).collect();
        let is_shown = |at: usize| at < HEAD || shown.iter().any(|range| range.contains(&at));
        let mut slots = Vec::new();
        let mut at = 0;
        while at < longest {
            let hidden = (at..longest).take_while(|&at| !is_shown(at)).count();
            match hidden {
                0..=2 => {
                    slots.push(Slot::Byte(at));
                    at += 1;
                }
                _ => {
                    slots.push(Slot::Gap(at..at + hidden));
                    at += hidden;
                }
            }
        }
        slots
    }

    /// Returns the first offsets at which only some readings of a key are cut.
    fn other_cuts(&self) -> Vec<usize> {
        const SHOWN: usize = 2;
        let readings: Vec<&KeyRow> = self.rows.iter().filter(|row| !row.cuts.is_empty()).collect();
        let is_shared = |at: usize| readings.iter().all(|row| row.cuts.contains(&at));
        let own = |row: &&KeyRow| {
            row.cuts.iter().copied().filter(|&at| !is_shared(at)).take(SHOWN).collect::<Vec<_>>()
        };
        readings.iter().flat_map(own).collect()
    }

    /// Returns the first offset at which each key differs from the previous one.
    fn differences(&self) -> Vec<usize> {
        let keys: Vec<&[u8]> = self.rows.iter().filter_map(|row| row.key.as_deref()).collect();
        let first = |pair: &[&[u8]]| match pair {
            [a, b] if a != b => Some(a.iter().zip(*b).take_while(|(a, b)| a == b).count()),
            _ => None,
        };
        keys.windows(2).filter_map(first).collect()
    }
}

/// One cell of the column of bytes.
#[derive(Debug)]
enum Slot {
    Byte(usize),
    /// Omitted bytes.
    Gap(Range<usize>),
}

impl Slot {
    fn width(&self) -> usize {
        match self {
            Self::Byte(_) => 2,
            Self::Gap(_) => 1,
        }
    }
}

impl KeyRow {
    fn bytes(&self) -> &[u8] {
        self.key.as_deref().unwrap_or_default()
    }

    fn hex(&self, slots: &[Slot]) -> String {
        if self.key.as_ref().is_some_and(Vec::is_empty) {
            return "(empty)".to_owned();
        }
        let mut text = String::new();
        for slot in slots {
            let (at, shown) = match slot {
                Slot::Byte(at) => {
                    let Some(byte) = self.bytes().get(*at) else { break };
                    (*at, format!("{byte:02x}"))
                }
                Slot::Gap(hidden) if hidden.start < self.bytes().len() => {
                    (hidden.start, "…".to_owned())
                }
                Slot::Gap(_) => break,
            };
            if !text.is_empty() {
                text.push(if self.cuts.contains(&at) { '|' } else { ' ' });
            }
            text.push_str(&shown);
        }
        // An empty last part.
        if self.cuts.contains(&self.bytes().len()) {
            text.push('|');
        }
        text
    }

    fn text(&self, slots: &[Slot]) -> String {
        let shown = slots.iter().map_while(|slot| match slot {
            Slot::Byte(at) => self.bytes().get(*at).map(|&byte| printable(byte)),
            Slot::Gap(hidden) => (hidden.start < self.bytes().len()).then_some('…'),
        });
        shown.collect()
    }
}

/// Returns the columns of some bytes within the column of bytes.
fn columns_of(bytes: &Range<usize>, slots: &[Slot]) -> Range<usize> {
    let (mut column, mut from, mut to) = (0, None, None);
    for slot in slots {
        let is_inside = match slot {
            Slot::Byte(at) => bytes.contains(at) || bytes.start == *at,
            Slot::Gap(hidden) => hidden.start < bytes.end && bytes.start < hidden.end,
        };
        if is_inside {
            from = from.or(Some(column));
            to = Some(column + slot.width());
        }
        column += slot.width() + 1;
    }
    let from = from.unwrap_or(column);
    from..to.unwrap_or(from + 2)
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}
