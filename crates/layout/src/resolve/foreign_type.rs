//! Names that other languages give to types.

/// Returns the codec for a name that other languages give to a type, or for an integer of a width
/// that does not exist: the next wider one.
pub(super) fn codec_for(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "string" | "str" | "varchar" | "char" => return Some("text".to_owned()),
        "blob" | "binary" | "buffer" => return Some("bytes".to_owned()),
        "float" | "double" => return Some("f64".to_owned()),
        "boolean" => return Some("bool".to_owned()),
        _ => {}
    }
    let width = lower.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let signed = match lower.strip_suffix(width)? {
        "u" | "uint" => false,
        "i" | "int" => true,
        _ => return None,
    };
    let bits: u32 = if width.is_empty() { 64 } else { width.parse().ok()? };
    let bits = [8, 16, 32, 64, 128, 256].into_iter().find(|known| bits <= *known)?;
    match (signed, bits) {
        (true, 256) => None,
        (true, 8) => Some("i8".to_owned()),
        (false, 8) => Some("u8".to_owned()),
        (true, _) => Some(format!("i{bits}be")),
        (false, _) => Some(format!("u{bits}be")),
    }
}
