//! `keyscape explain`

use crate::{
    failure::{Exit, Failure},
    input::{
        key::{KeyForm, Selection},
        layout,
    },
    output::{
        bytes::printable,
        datum::{Extent, scalar},
        document::words,
        expected,
        message::Message,
        stderr, stdout,
        style::{self, paint},
        table::Table,
    },
};
use anstyle::Style;
use clap::Args;
use keyscape_diagnostics::escape::escaped;
use keyscape_layout::{Decoded, Decoder, Expected, Layout, NearMiss, Part, Reading, type_at};
use std::{fmt::Write, path::PathBuf};
use unicode_width::UnicodeWidthStr;

/// Explain each byte of a key
///
/// Prints all readings of a key. For a key that belongs to no keyspace, prints the nearest
/// keyspaces, and the byte at which each of them fails.
///
/// Exit status: 1 if a key is unknown, 2 if an argument is not a key.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape explain shop.keys 6f2f312f37
  keyscape explain shop.keys '6f 2f 31 2f 37'
  keyscape explain shop.keys --input base64 by8xLzc=")]
pub(crate) struct Explain {
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    layout: PathBuf,
    /// The keys to explain; spaces or colons may separate the bytes of a hexadecimal key
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
    /// Input format of the keys
    #[arg(long, value_name = "FORMAT", default_value = "hex")]
    input: KeyForm,
    #[command(flatten)]
    selection: Selection,
}

/// The maximum number of nearest keyspaces that are printed.
const NEAREST: usize = 5;

impl Explain {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        let machine = self.selection.machine(&layout)?;
        let mut decoder = Decoder::new(&layout, &machine);
        let mut exit = Exit::Fine;
        let mut key = Vec::new();
        let mut is_first = true;
        for (index, text) in self.keys.iter().enumerate() {
            if let Err(error) = self.input.read(text.trim().as_bytes(), &mut key) {
                stderr::say(&Message::error(format!("key {}: {error}", index + 1)));
                exit = exit.max(Exit::Input);
                continue;
            }
            let decoded = decoder.explain(&key);
            let mut text = if is_first { String::new() } else { "\n".to_owned() };
            is_first = false;
            if decoded.too_ambiguous {
                exit = exit.max(Exit::Refuted);
                text.push_str(&paint(style::UNKNOWN, "this key is too ambiguous to decode"));
                text.push('\n');
            } else if decoded.readings.is_empty() {
                exit = exit.max(Exit::Refuted);
                unknown(&layout, &key, &mut decoder, &mut text);
            } else {
                readings(&layout, &key, &decoded, &mut text);
            }
            stdout::print_text(&text)?;
        }
        Ok(exit)
    }
}

fn readings(layout: &Layout, key: &[u8], decoded: &Decoded, out: &mut String) {
    let count = decoded.readings.len();
    if count > 1 {
        let at_least = if decoded.more { "at least " } else { "" };
        let line = format!("this key has {at_least}{count} readings");
        out.push_str(&paint(style::UNKNOWN, line));
        out.push_str("\n\n");
    }
    for (index, reading) in decoded.readings.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        reading_text(layout, key, reading, out);
    }
}

fn unknown(layout: &Layout, key: &[u8], decoder: &mut Decoder<'_>, out: &mut String) {
    out.push_str(&paint(style::TITLE, "this key belongs to no keyspace"));
    let mut misses = decoder.near_misses(key, NEAREST);
    // If one keyspace matches at least one byte, omit those that match none.
    let began = |miss: &NearMiss| {
        miss.offset > 0
            || matches!(miss.expected, Expected::Derived { .. } | Expected::Mismatch { .. })
    };
    if misses.iter().any(began) {
        misses.retain(began);
    }
    out.push_str(if misses.is_empty() {
        "\n"
    } else {
        "; the nearest keyspaces match it this far:\n"
    });
    let mut table = Table::default();
    table.key("", "", key);
    for miss in &misses {
        let end = match miss.expected {
            Expected::Mismatch { end, .. } => end,
            _ => miss.offset + 1,
        };
        table.mark(miss.offset..end, expected::sentence(layout, key, miss));
    }
    for line in table.lines(style::ERROR) {
        out.push_str(&format!("  {line}\n"));
    }
}

/// The number of bytes on one line.
const LINE_BYTES: usize = 16;

/// Appends one reading of a key.
fn reading_text(layout: &Layout, key: &[u8], reading: &Reading, out: &mut String) {
    let keyspace = layout.keyspace(reading.keyspace);
    let store = &layout.store(keyspace.store).name;
    let name = paint(style::TITLE, format_args!("{store}/{}", keyspace.name));
    let doc =
        keyspace.doc.first().map_or(String::new(), |doc| format!("   {}", escaped(doc.trim())));
    let _ = writeln!(out, "{name}{}", paint(style::FAINT, doc));
    let colours = colours(&reading.parts);
    ruler(key, &reading.parts, &colours, out);
    parts(layout, key, reading, &colours, out);
}

/// Returns a colour for each part; literals stay faint.
fn colours(parts: &[Part]) -> Vec<Style> {
    let mut next = style::PARTS.iter().cycle();
    let colour = |part: &Part| match part.field {
        Some(_) => next.next().copied().unwrap_or(style::FAINT),
        None => style::FAINT,
    };
    parts.iter().map(colour).collect()
}

/// Renders the bytes line by line, with a bracket below each part.
fn ruler(key: &[u8], parts: &[Part], colours: &[Style], out: &mut String) {
    let last = key.len().saturating_sub(1) / LINE_BYTES * LINE_BYTES;
    let digits = last.to_string().len();
    for (row, bytes) in key.chunks(LINE_BYTES).enumerate() {
        let start = row * LINE_BYTES;
        let (mut line, mut text, mut below) = (String::new(), String::new(), String::new());
        for (index, &byte) in bytes.iter().enumerate() {
            let at = start + index;
            let found = parts.iter().zip(colours).find(|(part, _)| part.bytes.contains(&at));
            let Some((part, &colour)) = found else { continue };
            line.push_str(&paint(colour, format_args!("{byte:02x}")));
            text.push_str(&paint(colour, printable(byte)));
            let (first, last) = (part.bytes.start == at, part.bytes.end == at + 1);
            let left = if first { '└' } else { '─' };
            let right = if last { '┘' } else { '─' };
            below.push_str(&paint(colour, format_args!("{left}{right}")));
            if index + 1 < bytes.len() {
                line.push(' ');
                below.push_str(&paint(colour, if last { ' ' } else { '─' }));
            }
        }
        let pad = " ".repeat(if row == 0 { 0 } else { (LINE_BYTES - bytes.len()) * 3 });
        let offset = paint(style::FAINT, format_args!("{start:digits$}"));
        let _ = writeln!(out, "  {offset}  {line}{pad}   {text}");
        let _ = writeln!(out, "  {:digits$}  {below}", "");
    }
}

/// Renders a line for each part: its offset, bytes, name and value.
fn parts(layout: &Layout, key: &[u8], reading: &Reading, colours: &[Style], out: &mut String) {
    let segments = &layout.keyspace(reading.keyspace).key;
    let rows: Vec<[String; 4]> = reading
        .parts
        .iter()
        .map(|part| {
            let bytes = key.get(part.bytes.clone()).unwrap_or_default();
            let (name, value) = match (&part.field, &part.value) {
                (Some(path), Some(value)) => {
                    let names: Vec<&str> = path.split('.').collect();
                    let ty = type_at(segments, &names).map(|ty| &**ty);
                    (path.clone(), scalar(ty, value, Extent::Whole))
                }
                _ => {
                    let note = part.note.clone();
                    ("(literal)".to_owned(), note.unwrap_or_else(|| words::quoted(bytes)))
                }
            };
            let digits = match bytes {
                [] => "(empty)".to_owned(),
                bytes => words::spaced_short(bytes),
            };
            [format!("at {}", part.bytes.start), digits, name, value]
        })
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    for ([offset, bytes, name, value], &colour) in rows.iter().zip(colours) {
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()) + 3);
        let line = format!(
            "  {}{}{}{}{}{}{value}",
            paint(style::FAINT, offset),
            pad(offset, widths[0]),
            paint(colour, bytes),
            pad(bytes, widths[1]),
            paint(colour, name),
            pad(name, widths[2]),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
