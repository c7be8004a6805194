//! Descriptor sets of protobuf that a layout imports.

use keyscape_layout::{Descriptor, Layout, Loader, Rejected, model::RowValue, read};
use std::sync::Arc;

/// A loader of one file.
struct File<'a>(&'a [u8]);

impl Loader for File<'_> {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        Ok((path.to_owned(), self.0.to_vec()))
    }
}

fn import(set: &[u8], message: &str) -> Result<Layout, Rejected> {
    let text = format!("import \"shop.binpb\" store s map m = {{x: u8}} -> proto {message}");
    read("test.keys", &text, &mut File(set))
}

fn descriptor(layout: &Layout) -> Option<&Arc<Descriptor>> {
    match &layout.keyspaces[0].value {
        Some(RowValue::Proto(message)) => message.descriptor.as_ref(),
        other => panic!("{other:?}"),
    }
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, bytes.len() as u8][..], bytes].concat()
}

/// `package shop.v1; message Order { message Line {} } message Note {}`
fn set() -> Vec<u8> {
    let line = field(3, &field(1, b"Line"));
    let order = field(4, &[field(1, b"Order"), line].concat());
    let note = field(4, &field(1, b"Note"));
    field(1, &[field(1, b"shop.proto"), field(2, b"shop.v1"), order, note].concat())
}

#[test]
fn messages_are_found_by_their_last_names() {
    for (message, expected) in [
        ("Order", Some("shop.v1.Order")),
        ("Line", Some("shop.v1.Order.Line")),
        ("Note", Some("shop.v1.Note")),
        ("ote", None),
    ] {
        let layout = import(&set(), message).unwrap();
        let found = descriptor(&layout).map(|descriptor| descriptor.full_name.as_str());
        assert_eq!(found, expected, "{message}");
    }
}

#[test]
fn the_text_of_a_set_is_read_back() {
    let layout = import(&set(), "Order").unwrap();
    let text = |layout: &Layout| layout.sources.files()[1].text.clone();
    let again = import(text(&layout).as_bytes(), "Order").unwrap();
    assert_eq!(descriptor(&again), descriptor(&layout));
    assert_eq!(*descriptor(&again).unwrap().set, set());
    assert_eq!(text(&again), text(&layout));
}

#[test]
fn other_files_are_rejected() {
    let is_rejected = |file: &[u8]| {
        let rejected = import(file, "Order").unwrap_err();
        rejected.diagnostics[0].message.ends_with("it is not a descriptor set of protobuf")
    };
    let whole = set();
    for end in 0..whole.len() {
        assert!(is_rejected(&whole[..end]), "{end}");
    }
    let layout = import(&whole, "Order").unwrap();
    let head = layout.sources.files()[1].text.lines().next().unwrap();
    for file in [&b"store shop\n"[..], b"\xff\xff", head.as_bytes(), b"\x0a\x00"] {
        assert!(is_rejected(file), "{file:?}");
    }
    let deep = (0..80).fold(Vec::new(), |inner: Vec<u8>, _| {
        let nested =
            if inner.is_empty() { inner } else { field(3, &inner[..inner.len().min(120)]) };
        [field(1, b"M"), nested].concat()
    });
    assert!(is_rejected(&field(1, &field(4, &deep[..deep.len().min(120)]))));
}
