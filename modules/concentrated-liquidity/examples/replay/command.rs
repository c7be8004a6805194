//! The command line of `replay`.

use super::engine::Replay;
use flate2::read::GzDecoder;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
};

/// The exit status if there is no difference.
pub(crate) const SAME: u8 = 0;
/// The exit status if there is a difference.
pub(crate) const DIFFERENT: u8 = 1;
/// The exit status if a file cannot be read.
pub(crate) const UNUSABLE: u8 = 2;

const USAGE: &str = "\
Run traces and vectors of the Osmosis code, and print the differences of the module.

Usage: replay FILE…

Each file contains JSON lines, plain or compressed with gzip (`.gz`). A line with `f` is a vector,
any other line is a step of a trace. A line that cannot be run counts as a difference.

Exit status: 0 without a difference, 1 with one, 2 if a file cannot be read.
";

/// Runs the command. Returns its exit status.
pub(crate) fn run(
    arguments: &[String],
    out: &mut dyn Write,
    messages: &mut dyn Write,
) -> io::Result<u8> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        write!(out, "{USAGE}")?;
        return Ok(SAME);
    }
    if arguments.is_empty() {
        write!(messages, "{USAGE}")?;
        return Ok(UNUSABLE);
    }
    let mut replay = Replay::default();
    for path in arguments {
        if let Err(error) = file(&mut replay, path, out) {
            writeln!(messages, "error: `{path}` cannot be read: {error}")?;
            return Ok(UNUSABLE);
        }
    }
    writeln!(out, "{}", replay.summary())?;
    Ok(if replay.differences == 0 { SAME } else { DIFFERENT })
}

fn file(replay: &mut Replay, path: &str, out: &mut dyn Write) -> io::Result<()> {
    let file = File::open(path)?;
    let reader: Box<dyn Read> =
        if path.ends_with(".gz") { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    for (index, line) in BufReader::new(reader).split(b'\n').enumerate() {
        for difference in replay.line(&line?) {
            writeln!(out, "{path}:{}: {difference}", index + 1)?;
        }
    }
    Ok(())
}
