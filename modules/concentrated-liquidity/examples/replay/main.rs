//! Runs traces of the Osmosis keeper, and prints how the module differs.
//!
//! `cargo run --release -p keyscape-concentrated-liquidity --example replay -- FILE…` takes files of JSON
//! lines, plain or packed with gzip. The exit status is 1 if there is a difference.

mod class;
mod dump;
mod engine;
mod operations;

use engine::{Fault, Replay};
use flate2::read::GzDecoder;
use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    process::ExitCode,
};

fn main() -> Result<ExitCode, Fault> {
    let mut replay = Replay::default();
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        let file = File::open(&path)?;
        let reader: Box<dyn Read> =
            if path.ends_with(".gz") { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
        for line in BufReader::new(reader).lines() {
            for difference in replay.step(&serde_json::from_str(&line?)?)? {
                writeln!(out, "{difference}")?;
            }
        }
    }
    writeln!(out, "{}", replay.summary())?;
    Ok(if replay.differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
