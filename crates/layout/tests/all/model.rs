//! Tests of resolving, encoding and decoding, one theme per file.

mod combinators;
mod examples;
mod imports;
mod keys;
mod mistakes;
mod values;

use keyscape_automata::Budget;
use keyscape_codec::Value;
use keyscape_layout::{
    Datum, Layout, Loader, Machine, NoImports, Record, Rejected, Side, model::KeyspaceId, read,
};

fn layout(text: &str) -> Layout {
    read("test.keys", text, &mut NoImports).unwrap_or_else(|rejected| {
        let first = &rejected.diagnostics[0];
        panic!("{}: `{}`", first.message, rejected.sources.text(first.span))
    })
}

fn machine(layout: &Layout, keyspaces: &[KeyspaceId]) -> Machine {
    Machine::build(layout, keyspaces, Side::Over, Budget::default()).unwrap()
}

/// Returns the automaton of all keyspaces.
fn whole_machine(layout: &Layout) -> Machine {
    machine(layout, &layout.keyspace_ids().collect::<Vec<_>>())
}

fn record<const N: usize>(fields: [(&str, Datum); N]) -> Record {
    Record(fields.into_iter().map(|(name, datum)| (name.to_owned(), datum)).collect())
}

fn uint(n: u128) -> Datum {
    Datum::Leaf(Value::uint(n))
}

fn bytes(bytes: &[u8]) -> Datum {
    Datum::Leaf(Value::Bytes(bytes.to_vec()))
}

/// Returns the errors of a layout, one per line: message, place, help.
fn mistakes(text: &str) -> String {
    mistakes_with(text, &mut NoImports)
}

fn mistakes_with(text: &str, loader: &mut dyn Loader) -> String {
    match read("test.keys", text, loader) {
        Ok(_) => "none".to_owned(),
        Err(rejected) => lines(&rejected),
    }
}

fn lines(rejected: &Rejected) -> String {
    let lines = rejected.diagnostics.iter().map(|diagnostic| {
        let place = rejected.sources.text(diagnostic.span);
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{} @ {place}{help}", diagnostic.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}
