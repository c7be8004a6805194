//! Decoding the bytes of a file.

use crate::{Diagnostic, FileId, Span};

/// Decodes the bytes of a file, which must be UTF-8.
///
/// # Errors
/// Returns a diagnostic that names the first invalid byte.
///
/// ```
/// use keyscape_layout::{FileId, syntax::decode_utf8};
///
/// assert_eq!(decode_utf8(b"store bank", FileId(0)), Ok("store bank"));
/// let error = decode_utf8(b"store \xff", FileId(0)).unwrap_err();
/// assert_eq!(error.message, "the file is not UTF-8: byte `0xff` at offset 6");
/// ```
pub fn decode_utf8(bytes: &[u8], file: FileId) -> Result<&str, Diagnostic> {
    core::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let length = error.error_len().unwrap_or(bytes.len() - at);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file, start: offset(at), end: offset(at + length) };
        Diagnostic::error(span, format!("the file is not UTF-8: byte `{byte:#04x}` at offset {at}"))
            .label("expected UTF-8 text")
            .help("inside a text, write such a byte as `\\xHH`; elsewhere, as a hex literal")
    })
}
