//! A key in detail: its bytes in colours, brackets below them, and the value of each part.

use super::{
    bytes::{hex, printable},
    datum::{Extent, scalar},
    style::{self, paint},
};
use anstyle::Style;
use keyscape_diagnostics::escape::escaped;
use keyscape_layout::{Layout, Part, Reading, type_at};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The number of bytes on one line.
const WIDTH: usize = 16;

/// Appends one reading of a key.
pub(crate) fn reading(layout: &Layout, key: &[u8], reading: &Reading, out: &mut String) {
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
    let last = key.len().saturating_sub(1) / WIDTH * WIDTH;
    let digits = last.to_string().len();
    for (row, bytes) in key.chunks(WIDTH).enumerate() {
        let start = row * WIDTH;
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
        let pad = " ".repeat(if row == 0 { 0 } else { (WIDTH - bytes.len()) * 3 });
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
                    ("(literal)".to_owned(), note.unwrap_or_else(|| quoted(bytes)))
                }
            };
            [format!("at {}", part.bytes.start), short_hex(bytes), name, value]
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

/// Returns a literal as text, if it is printable.
fn quoted(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| *byte == b' ' || byte.is_ascii_graphic());
    if is_text { format!("{:?}", String::from_utf8_lossy(bytes)) } else { String::new() }
}

/// Returns some bytes, or both ends of many.
fn short_hex(bytes: &[u8]) -> String {
    const MOST: usize = 8;
    let spaced =
        |bytes: &[u8]| bytes.iter().map(|&byte| hex(&[byte])).collect::<Vec<_>>().join(" ");
    match bytes {
        [] => "(empty)".to_owned(),
        bytes if bytes.len() <= MOST => spaced(bytes),
        [head @ .., last] => {
            format!("{} … {}", spaced(head.get(..MOST - 2).unwrap_or(head)), spaced(&[*last]))
        }
    }
}
