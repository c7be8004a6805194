//! Records of the Osmosis code, from `testing/corpus/cl`.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// Reads the lines of a packed file.
pub(crate) fn lines(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/corpus/cl");
    let packed = File::open(folder.join(file)).unwrap();
    let lines = BufReader::new(GzDecoder::new(packed)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// Reads hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let byte = |place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}
