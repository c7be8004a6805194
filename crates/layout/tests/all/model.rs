//! Tests of resolving, encoding and decoding, one theme per file.

mod combinators;
mod examples;
mod imports;
mod keys;
mod mistakes;
mod values;

use keyscape_layout::{Layout, Loader, NoImports, read};

fn layout(text: &str) -> Layout {
    read("test.keys", text, &mut NoImports).unwrap_or_else(|rejected| {
        let first = &rejected.diagnostics[0];
        panic!("{}: `{}`", first.message, rejected.sources.text(first.span))
    })
}

/// Returns the errors of a layout, one per line: message, place, help.
fn mistakes(text: &str) -> String {
    mistakes_with(text, &mut NoImports)
}

fn mistakes_with(text: &str, loader: &mut dyn Loader) -> String {
    let Err(rejected) = read("test.keys", text, loader) else { return "none".to_owned() };
    let lines = rejected.diagnostics.iter().map(|diagnostic| {
        let place = rejected.sources.text(diagnostic.span);
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{} @ {place}{help}", diagnostic.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}
