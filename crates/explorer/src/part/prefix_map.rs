//! The picture of the prefix space: one square for each byte, sixteen by sixteen.

use super::text::{clean, code};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::document::facts::{NamespaceFacts, RangeFacts};
use keyscape_layout::prefix_map::{Cell, PrefixMap, Status};
use maud::{Markup, html};
use std::{collections::BTreeMap, fmt::Write};

/// Renders the hatches that all pictures of the page share.
pub(crate) fn patterns() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" {
            defs {
                pattern #hatch width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    line.hatch x1="0" y1="0" x2="0" y2="5" {}
                }
                pattern #dots width="5" height="5" patternUnits="userSpaceOnUse" {
                    circle.dots cx="2.5" cy="2.5" r="1.1" {}
                }
            }
        }
    }
}

/// The distance between the left sides of two squares.
const PITCH: usize = 24;
/// The side of a square.
const SIDE: usize = 22;
/// The space for the digits at the left and at the top.
const MARGIN: usize = 22;

/// Renders a map of prefixes. `namespace` is the namespace whose next byte it shows. `target`
/// returns the address that a square links to.
pub(crate) fn render(
    map: &PrefixMap,
    namespace: Option<&NamespaceFacts>,
    target: &dyn Fn(&Cell) -> Option<String>,
) -> Markup {
    let size = MARGIN + 16 * PITCH;
    let what = match namespace {
        Some(namespace) => format!("The byte after 0x{} in {}", hex(&map.prefix), namespace.name),
        None => "The first byte of keys".to_owned(),
    };
    html! {
        svg.map viewBox=(format!("0 0 {size} {size}")) width=(size) role="img" aria-label=(clean(&what)) {
            @for digit in 0..16 {
                @let middle = MARGIN + digit * PITCH + SIDE / 2;
                text.axis x=(middle) y=(MARGIN - 8) { (format!("{digit:x}")) }
                text.axis x=(MARGIN / 2) y=(middle + 4) { (format!("{digit:x}_")) }
            }
            @for cell in &map.cells {
                @match target(cell) {
                    Some(address) => { a href=(address) { (square(map, namespace, cell)) } },
                    None => { (square(map, namespace, cell)) },
                }
            }
        }
    }
}

fn square(map: &PrefixMap, namespace: Option<&NamespaceFacts>, cell: &Cell) -> Markup {
    let (row, column) = (usize::from(cell.byte >> 4), usize::from(cell.byte & 15));
    let (x, y) = (MARGIN + column * PITCH, MARGIN + row * PITCH);
    let range = cell.range.map(|range| format!(" r{}", range % 4)).unwrap_or_default();
    let many = if cell.keyspaces.len() > 1 { " many" } else { "" };
    html! {
        g class=(format!("cell {}{range}{many}", cell.status.word())) {
            title { (clean(&title(map, namespace, cell))) }
            rect x=(x) y=(y) width=(SIDE) height=(SIDE) rx="3" {}
            @if matches!(cell.status, Status::Used | Status::Conflict) {
                text x=(x + SIDE / 2) y=(y + SIDE / 2 + 4) { (format!("{:02x}", cell.byte)) }
            }
        }
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
        let _ = write!(text, "; 0x{} is {}: {}", hex(&entry.prefix), entry.word(), entry.reason);
    }
    text
}

/// Renders the picture of the first byte of keys, with its caption.
pub(crate) fn first_bytes(map: &PrefixMap, target: &dyn Fn(&Cell) -> Option<String>) -> Markup {
    html! {
        figure {
            (render(map, None, target))
            figcaption {
                "The first byte of keys"
                @if let Some(family) = &map.family { ", family " (code(family)) }
                (legend(map, &[]))
            }
        }
    }
}

/// Returns the legend of the squares, with the number of each kind.
pub(crate) fn legend(map: &PrefixMap, ranges: &[RangeFacts]) -> Markup {
    let entries = [
        (Status::Used, "used"),
        (Status::ThroughField, "through a field"),
        (Status::Conflict, "used although retired"),
        (Status::Reserved, "reserved"),
        (Status::Deprecated, "deprecated"),
        (Status::Allocated, "allocated, free"),
        (Status::Free, "free"),
    ];
    let mut items = Vec::new();
    for (status, words) in entries {
        // Each range has a colour for its free bytes.
        let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        for cell in map.cells.iter().filter(|cell| cell.status == status) {
            *counts.entry(cell.range.filter(|_| status == Status::Allocated)).or_default() += 1;
        }
        for (range, count) in counts {
            let name = range.and_then(|range| ranges.get(range));
            let class = format!("cell {} r{}", status.word(), range.unwrap_or(0) % 4);
            items.push(html! {
                li {
                    svg.swatch width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" {
                        g class=(class) { rect x="1" y="1" width="12" height="12" rx="2" {} }
                    }
                    (count) " " (words)
                    @if let Some(range) = name { ": " (clean(&range.name)) }
                }
            });
        }
    }
    html! { ul.legend { @for item in &items { (item) } } }
}
