//! Text formats of keys.

use crate::output::bytes::hex;
use base64::{Engine, engine::general_purpose::STANDARD};
use clap::ValueEnum;

pub(crate) use keyscape_inspect::input::key::{KeyError, read_base64, read_hex};

/// A text format of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyForm {
    /// Hexadecimal digits, with or without 0x
    Hex,
    /// Base64 with padding
    Base64,
}

impl KeyForm {
    /// Decodes a key into `out`, which is cleared first.
    pub(crate) fn read(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
        out.clear();
        match self {
            Self::Hex => read_hex(text, out),
            Self::Base64 => read_base64(text, out),
        }
    }

    /// Encodes a key in this format.
    pub(crate) fn write(self, key: &[u8]) -> String {
        match self {
            Self::Hex => hex(key),
            Self::Base64 => STANDARD.encode(key),
        }
    }
}
