//! `keyscape explain`

use crate::{
    exit::Exit,
    failure::Failure,
    input::{address::Address, key::KeyForm, layout, name::Selection},
    output::{
        expected, explanation,
        message::Message,
        stderr, stdout,
        style::{self, paint},
        table::Table,
    },
};
use clap::Args;
use keyscape_automata::Budget;
use keyscape_layout::{Decoded, Decoder, Expected, Layout, Machine, NearMiss, Side};
use std::path::PathBuf;

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
    #[arg(value_parser = Address)]
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
        let keyspaces = self.selection.keyspaces(&layout)?;
        let machine = Machine::build(&layout, &keyspaces, Side::Over, Budget::default())?;
        let mut decoder = Decoder::new(&layout, &machine);
        let mut exit = Exit::Fine;
        let mut key = Vec::new();
        let mut said = false;
        for (index, text) in self.keys.iter().enumerate() {
            if let Err(error) = self.input.read(text.trim().as_bytes(), &mut key) {
                stderr::say(&Message::error(format!("key {}: {error}", index + 1)));
                exit = exit.worst(Exit::Input);
                continue;
            }
            let decoded = decoder.explain(&key);
            let mut text = if said { "\n".to_owned() } else { String::new() };
            said = true;
            if decoded.too_ambiguous {
                exit = exit.worst(Exit::Refuted);
                text.push_str(&paint(style::UNKNOWN, "this key is too ambiguous to decode"));
                text.push('\n');
            } else if decoded.readings.is_empty() {
                exit = exit.worst(Exit::Refuted);
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
        let least = if decoded.more { "at least " } else { "" };
        let line = format!("this key has {least}{count} readings");
        out.push_str(&paint(style::UNKNOWN, line));
        out.push_str("\n\n");
    }
    for (index, reading) in decoded.readings.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        explanation::reading(layout, key, reading, out);
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
