//! `keyscape decode`

use crate::{
    failure::{Exit, Failure},
    input::{
        key::{KeyError, KeyForm, Selection},
        layout,
    },
    output::{
        bytes::put_hex,
        expected,
        json::{put_record, put_text},
        message::Message,
        stderr, stdout,
    },
};
use clap::Args;
use keyscape_diagnostics::file;
use keyscape_layout::{
    Decoder, Layout, Reading,
    model::{Keyspace, KeyspaceId},
};
use std::{
    io::{BufRead, BufReader, IsTerminal, Write},
    path::PathBuf,
};

/// Decode keys to JSON, one object per line
///
/// Keys are arguments or lines of stdin. Empty lines are skipped; give the empty key as an
/// argument. Each key prints {"key", "readings": [{"store", "keyspace", "fields"}]}. Bytes are
/// "0x…" or in the display form of the layout; integers above 2^53 are strings; a variant is
/// {"arm": {…}}; absent parts are omitted. `encode` accepts these values. A key that belongs to no
/// keyspace has no readings but "nearest": [{"store", "keyspace", "offset", "expected"}], the
/// keyspaces that match the longest part of it. A key that would take too much work has no readings
/// but "too_ambiguous": true.
///
/// Exit status: 1 if a key is unknown, 2 if a line is not a key.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape decode shop.keys 6f2f312f37
  keyscape decode bank.keys --input base64 < keys.txt | jq .readings[0].fields
  keyscape decode txo.keys --fields-of output 6d73")]
pub(crate) struct Decode {
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    layout: PathBuf,
    /// Keys, as for `explain` [default: the lines of stdin]
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Input format of the keys
    #[arg(long, value_name = "FORMAT", default_value = "hex")]
    input: KeyForm,
    #[command(flatten)]
    selection: Selection,
}

/// The size of the input and output buffers, in bytes.
const BUFFER: usize = 1 << 18;
/// The maximum number of nearest keyspaces that are printed.
const NEAREST: usize = 3;

impl Decode {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if self.keys.is_empty() && file::is_stdin(&self.layout) {
            return Err(layout::stdin_twice("the keys"));
        }
        let layout = layout::load(&self.layout)?;
        let machine = self.selection.machine(&layout)?;
        let mut printer = Printer {
            layout: &layout,
            decoder: Decoder::new(&layout, &machine),
            heads: heads(&layout),
            key: Vec::new(),
            buffer: Vec::with_capacity(2 * BUFFER),
            out: stdout::plain(),
            form: self.input,
            exit: Exit::Fine,
        };
        if self.keys.is_empty() {
            printer.lines()?;
        } else {
            printer.arguments(&self.keys)?;
        }
        printer.flush()?;
        Ok(printer.exit)
    }
}

/// Returns the members of each keyspace that name it: the start of each reading.
fn heads(layout: &Layout) -> Vec<Vec<u8>> {
    let head = |keyspace: &Keyspace| {
        let mut head = b"{\"store\":".to_vec();
        put_text(&layout.store(keyspace.store).name, &mut head);
        head.extend_from_slice(b",\"keyspace\":");
        put_text(&keyspace.name, &mut head);
        head
    };
    layout.keyspaces.iter().map(head).collect()
}

/// Decodes keys one after the other, and reuses its memory.
struct Printer<'a, W> {
    layout: &'a Layout,
    decoder: Decoder<'a>,
    heads: Vec<Vec<u8>>,
    key: Vec<u8>,
    buffer: Vec<u8>,
    out: W,
    form: KeyForm,
    exit: Exit,
}

impl<W: Write> Printer<'_, W> {
    fn arguments(&mut self, keys: &[String]) -> Result<(), Failure> {
        for (index, key) in keys.iter().enumerate() {
            match self.form.read(key.trim().as_bytes(), &mut self.key) {
                Ok(()) => self.key()?,
                Err(error) => self.malformed("key", index + 1, &error)?,
            }
        }
        Ok(())
    }

    fn lines(&mut self) -> Result<(), Failure> {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            stderr::line("reading keys from the terminal, one per line");
        }
        let mut input = BufReader::with_capacity(BUFFER, stdin.lock());
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line).map_err(Failure::Stdin)? == 0 {
                return Ok(());
            }
            number += 1;
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            match self.form.read(text, &mut self.key) {
                Ok(()) => self.key()?,
                Err(error) => self.malformed("line", number, &error)?,
            }
            // Flush when no input is buffered, so that an interactive user sees the result of each
            // line.
            if input.buffer().is_empty() {
                self.flush()?;
            }
            // Nobody reads the output, and the exit status cannot get worse. The input may be
            // endless.
            if self.exit != Exit::Fine && stdout::is_gone() {
                return Ok(());
            }
        }
    }

    fn malformed(&mut self, what: &str, number: usize, error: &KeyError) -> Result<(), Failure> {
        self.exit = self.exit.max(Exit::Input);
        // Keeps the order if stdout and stderr are the same terminal.
        self.flush()?;
        stderr::say(&Message::error(format!("{what} {number}: {error}")));
        Ok(())
    }

    fn key(&mut self) -> Result<(), Failure> {
        let decoded = self.decoder.decode(&self.key);
        self.buffer.extend_from_slice(b"{\"key\":\"");
        put_hex(&self.key, &mut self.buffer);
        self.buffer.extend_from_slice(b"\",\"readings\":[");
        for (index, reading) in decoded.readings.iter().enumerate() {
            if index > 0 {
                self.buffer.push(b',');
            }
            self.reading(reading);
        }
        self.buffer.push(b']');
        if decoded.more {
            self.buffer.extend_from_slice(b",\"more\":true");
        }
        if decoded.too_ambiguous {
            self.buffer.extend_from_slice(b",\"too_ambiguous\":true");
        }
        if decoded.readings.is_empty() {
            self.exit = self.exit.max(Exit::Refuted);
            if !decoded.too_ambiguous {
                self.nearest();
            }
        }
        self.buffer.extend_from_slice(b"}\n");
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn head(&mut self, id: KeyspaceId) {
        let head = self.heads.get(id.0 as usize).map_or(&[][..], Vec::as_slice);
        self.buffer.extend_from_slice(head);
    }

    fn reading(&mut self, reading: &Reading) {
        self.head(reading.keyspace);
        self.buffer.extend_from_slice(b",\"fields\":");
        let key = &self.layout.keyspace(reading.keyspace).key;
        put_record(key, &reading.fields, &mut self.buffer);
        self.buffer.push(b'}');
    }

    fn nearest(&mut self) {
        self.buffer.extend_from_slice(b",\"nearest\":[");
        for (index, miss) in self.decoder.near_misses(&self.key, NEAREST).iter().enumerate() {
            if index > 0 {
                self.buffer.push(b',');
            }
            self.head(miss.keyspace);
            let _ = write!(self.buffer, ",\"offset\":{},\"expected\":", miss.offset);
            put_text(&expected::words(&miss.expected), &mut self.buffer);
            self.buffer.push(b'}');
        }
        self.buffer.push(b']');
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()?;
        Ok(())
    }
}
