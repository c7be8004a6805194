//! The picture of the prefix space: one square for each byte, sixteen by sixteen.

use super::text::{anchor, escape};
use crate::output::{
    bytes::hex,
    document::facts::{NamespaceFacts, RangeFacts},
};
use keyscape_layout::prefix_map::{Cell, PrefixMap, Status};
use std::{collections::BTreeMap, fmt::Write};

/// Hatches that all pictures of the page share.
pub(super) const PATTERNS: &str = "\
<svg width=\"0\" height=\"0\" class=\"defs\" aria-hidden=\"true\"><defs>\
<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\"/></pattern>\
<pattern id=\"dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">\
<circle class=\"dots\" cx=\"2.5\" cy=\"2.5\" r=\"1.1\"/></pattern></defs></svg>\n";

/// From the left or top of one square to that of the next.
const PITCH: usize = 24;
/// The side of a square.
const SIDE: usize = 22;
/// The room for the digits at the left and at the top.
const MARGIN: usize = 22;

/// The picture of a map; `namespace` is the one whose next byte it shows.
pub(super) fn render(store: &str, map: &PrefixMap, namespace: Option<&NamespaceFacts>) -> String {
    let size = MARGIN + 16 * PITCH;
    let what = match namespace {
        Some(namespace) => format!("The byte after 0x{} in {}", hex(&map.prefix), namespace.name),
        None => "The first byte of keys".to_owned(),
    };
    let mut svg = format!(
        "<svg class=\"map\" viewBox=\"0 0 {size} {size}\" width=\"{size}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(&what)
    );
    for digit in 0..16 {
        let middle = MARGIN + digit * PITCH + SIDE / 2;
        let _ = write!(
            svg,
            "<text class=\"axis\" x=\"{middle}\" y=\"{y}\">{digit:x}</text>\
             <text class=\"axis\" x=\"{x}\" y=\"{}\">{digit:x}_</text>",
            middle + 4,
            x = MARGIN / 2,
            y = MARGIN - 8,
        );
    }
    svg.push('\n');
    for cell in &map.cells {
        svg.push_str(&square(store, map, namespace, cell));
    }
    svg.push_str("</svg>\n");
    svg
}

fn square(store: &str, map: &PrefixMap, namespace: Option<&NamespaceFacts>, cell: &Cell) -> String {
    let (row, column) = (usize::from(cell.byte >> 4), usize::from(cell.byte & 15));
    let (x, y) = (MARGIN + column * PITCH, MARGIN + row * PITCH);
    let range = cell.range.map(|range| format!(" r{}", range % 4)).unwrap_or_default();
    let many = if cell.keyspaces.len() > 1 { " many" } else { "" };
    let mut text = format!(
        "<g class=\"cell {}{range}{many}\"><title>{}</title>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" rx=\"3\"/>",
        cell.status.word(),
        escape(&title(map, namespace, cell)),
    );
    if matches!(cell.status, Status::Used | Status::Conflict) {
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\">{:02x}</text>",
            x + SIDE / 2,
            y + SIDE / 2 + 4,
            cell.byte
        );
    }
    text.push_str("</g>");
    let target = match (cell.namespaces.first(), cell.keyspaces.as_slice()) {
        (Some(name), _) => Some(anchor(store, &format!("namespace-{name}"))),
        (None, [name, ..]) => Some(anchor(store, name)),
        (None, []) => None,
    };
    match target {
        Some(id) => format!("<a href=\"#{id}\">{text}</a>\n"),
        None => format!("{text}\n"),
    }
}

/// Returns the tooltip of a square.
fn title(map: &PrefixMap, namespace: Option<&NamespaceFacts>, cell: &Cell) -> String {
    let mut text = format!("0x{}", hex(&[map.prefix.as_slice(), &[cell.byte]].concat()));
    if cell.byte.is_ascii_graphic() {
        let _ = write!(text, " ({})", char::from(cell.byte));
    }
    let uses = cell.keyspaces.join(", ");
    let _ = match cell.status {
        Status::Used => write!(text, ": {uses}"),
        Status::ThroughField => write!(text, ": {uses}, as a byte of a field"),
        Status::Conflict => write!(text, ": {uses}, although it may not be used"),
        Status::Reserved => write!(text, ": reserved"),
        Status::Deprecated => write!(text, ": deprecated"),
        Status::Allocated | Status::Free => write!(text, ": free"),
    };
    if !cell.namespaces.is_empty() {
        let _ = write!(text, "; namespace {}", cell.namespaces.join(", "));
    }
    if let Some(range) = cell.range.and_then(|range| namespace?.ranges.get(range)) {
        let _ = write!(text, "; range {}", range.name);
    }
    for entry in cell.retired.iter().filter_map(|&index| namespace?.retired.get(index)) {
        let word = if entry.deprecated { "deprecated" } else { "reserved" };
        let _ = write!(text, "; 0x{} is {word}: {}", hex(&entry.prefix), entry.reason);
    }
    text
}

/// Returns the legend of the squares, with the number of each kind.
pub(super) fn legend(map: &PrefixMap, ranges: &[RangeFacts]) -> String {
    let entries = [
        (Status::Used, "used"),
        (Status::ThroughField, "through a field"),
        (Status::Conflict, "used although retired"),
        (Status::Reserved, "reserved"),
        (Status::Deprecated, "deprecated"),
        (Status::Allocated, "allocated, free"),
        (Status::Free, "free"),
    ];
    let mut items = String::new();
    for (status, words) in entries {
        // Each range has a colour for what is free of it.
        let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        for cell in map.cells.iter().filter(|cell| cell.status == status) {
            *counts.entry(cell.range.filter(|_| status == Status::Allocated)).or_default() += 1;
        }
        for (range, count) in counts {
            let name = range.and_then(|range| ranges.get(range));
            let name = name.map(|range| format!(": {}", escape(&range.name))).unwrap_or_default();
            items.push_str(&format!(
                "<li><svg class=\"swatch\" width=\"14\" height=\"14\" viewBox=\"0 0 14 14\">\
                 <g class=\"cell {} r{}\"><rect x=\"1\" y=\"1\" width=\"12\" height=\"12\" rx=\"2\"/>\
                 </g></svg>{count} {words}{name}</li>",
                status.word(),
                range.unwrap_or(0) % 4,
            ));
        }
    }
    format!("<ul class=\"legend\">{items}</ul>\n")
}
