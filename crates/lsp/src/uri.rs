//! Addresses of documents, and paths.

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::{Path, PathBuf};

/// The characters that a path in an address has to escape.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns the path of a document. A document that is not a file has its address as its path.
pub(crate) fn to_path(uri: &Uri) -> PathBuf {
    let Some(path) = uri.as_str().strip_prefix("file://") else {
        return PathBuf::from(uri.as_str());
    };
    let path = percent_decode_str(path).decode_utf8_lossy();
    // `/C:/layouts` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    PathBuf::from(if is_drive { path.trim_start_matches('/') } else { &path })
}

/// Returns the address of a document.
pub(crate) fn of_path(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if !path.is_absolute() {
        return text.parse().ok();
    }
    let text = text.replace('\\', "/");
    let root = if text.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", utf8_percent_encode(&text, ESCAPED)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_to_an_address_and_back() {
        for path in ["/a/b.keys", "/with space/100%.keys", "/ß/#?.keys", "untitled:x"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(to_path(&uri), Path::new(path), "{}", uri.as_str());
        }
    }
}
