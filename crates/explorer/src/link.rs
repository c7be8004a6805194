//! Addresses of pages. They are permanent: they contain names and keys, never positions.

use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{Layout, model::KeyspaceId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters of a segment or a query that stay as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Encodes a segment of a path, or a part of a query.
fn encode(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Decodes a segment of a path.
pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Decodes a query or a form to pairs.
pub(crate) fn pairs(text: &str) -> Vec<(String, String)> {
    let part = |text: &str| decode(&text.replace('+', " "));
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (part(name), part(value))
        })
        .collect()
}

/// Encodes pairs as a query, without pairs that have no value.
pub(crate) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(&format!("{}={}", encode(name), encode(value)));
    }
    text
}

/// Returns the address of a keyspace.
pub(crate) fn keyspace(base: &str, layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    named(base, &layout.store(keyspace.store).name, &keyspace.name)
}

/// Returns the address of a keyspace by its names.
pub(crate) fn named(base: &str, store: &str, keyspace: &str) -> String {
    format!("{base}/keyspace/{}/{}", encode(store), encode(keyspace))
}

/// Returns the address of the structures of a keyspace.
pub(crate) fn structures(base: &str, store: &str, keyspace: &str) -> String {
    format!("{base}/structures/{}/{}", encode(store), encode(keyspace))
}

/// Returns the address of a row.
pub(crate) fn row(base: &str, space: &str, key: &[u8]) -> String {
    format!("{base}/row/{}/{}", encode(space), hex(key))
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, pairs, query};

    #[test]
    fn names_survive_addresses() {
        for name in ["a/b", "ü <&>\"'", "%41", "", "a b+c"] {
            assert_eq!(decode(&encode(name)), name);
            let read = pairs(query([("n", name), ("m", "1")]).trim_start_matches('?'));
            let expected: &[_] =
                if name.is_empty() { &[("m", "1")] } else { &[("n", name), ("m", "1")] };
            let read: Vec<(&str, &str)> =
                read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            assert_eq!(read, expected);
        }
        assert_eq!(pairs("a=1+2&&b"), [("a".into(), "1 2".into()), ("b".into(), String::new())]);
    }
}
