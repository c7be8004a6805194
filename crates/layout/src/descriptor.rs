//! Descriptor sets of protobuf. A layout imports them to show messages by their fields.
//!
//! The text of such a file in [`Sources`](crate::Sources) and in a [`Bundle`](crate::Bundle) is
//! base64, because both contain text only.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::sync::Arc;

/// The end of the name of a descriptor set.
const EXTENSION: &str = ".binpb";

/// The first line of the text. A set in binary form begins with another byte.
const HEAD: &str = "// A protobuf descriptor set in base64.\n";

/// The length of the lines of the text.
const WIDTH: usize = 96;

/// A protobuf message as the value of a row.
#[derive(Clone, Debug)]
pub struct Message {
    /// The name in the layout, which is that of the Rust type.
    pub name: String,
    /// The fields, if the layout imports a descriptor set that contains the message.
    pub descriptor: Option<Arc<Descriptor>>,
}

/// A message in a descriptor set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The name with its package: `shop.v1.Order`.
    pub full_name: String,
    /// The encoded `google.protobuf.FileDescriptorSet`.
    pub set: Arc<[u8]>,
}

/// A descriptor set that a layout imports.
#[derive(Clone, Debug)]
pub(crate) struct DescriptorSet {
    bytes: Arc<[u8]>,
    /// The full names of all messages.
    names: Vec<String>,
}

impl DescriptorSet {
    /// Whether the name of an imported file is that of a descriptor set.
    pub(crate) fn has_name(path: &str) -> bool {
        path.ends_with(EXTENSION)
    }

    /// Reads a set in binary form, or its text. `None` if it is not a descriptor set.
    pub(crate) fn read(file: &[u8]) -> Option<Self> {
        let bytes: Arc<[u8]> = match file.strip_prefix(HEAD.as_bytes()) {
            None => file.into(),
            Some(text) => {
                let is_digit = |byte: &u8| !byte.is_ascii_whitespace();
                let digits: Vec<u8> = text.iter().copied().filter(is_digit).collect();
                STANDARD.decode(digits).ok()?.into()
            }
        };
        let mut names = Vec::new();
        for (number, file) in Fields(&bytes) {
            match (number, file?) {
                (FILE, Field::Bytes(file)) => read_file(file, &mut names)?,
                _ => return None,
            }
        }
        (!names.is_empty()).then_some(Self { bytes, names })
    }

    /// Returns the text of the set.
    pub(crate) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for line in STANDARD.encode(&self.bytes).as_bytes().chunks(WIDTH) {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        text
    }

    /// Returns the messages with a name, which may lack its package.
    pub(crate) fn find(&self, name: &str) -> impl Iterator<Item = Descriptor> {
        let is_named = move |full: &&String| {
            full.strip_suffix(name)
                .is_some_and(|package| package.is_empty() || package.ends_with('.'))
        };
        let found = self.names.iter().filter(is_named);
        found.map(|full| Descriptor { full_name: full.clone(), set: Arc::clone(&self.bytes) })
    }
}

/// `FileDescriptorSet.file`.
const FILE: u64 = 1;
/// `FileDescriptorProto.package` and `message_type`.
const PACKAGE: u64 = 2;
const MESSAGE: u64 = 4;
/// `DescriptorProto.name` and `nested_type`.
const NAME: u64 = 1;
const NESTED: u64 = 3;

/// Deeper messages are not listed.
const DEPTH: u32 = 64;

fn read_file(file: &[u8], names: &mut Vec<String>) -> Option<()> {
    let package = text_field(file, PACKAGE)?.unwrap_or_default();
    for (number, field) in Fields(file) {
        if let (MESSAGE, Field::Bytes(message)) = (number, field?) {
            read_message(message, package, DEPTH, names)?;
        }
    }
    Some(())
}

fn read_message(message: &[u8], parent: &str, depth: u32, names: &mut Vec<String>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let name = text_field(message, NAME)??;
    let full = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
    for (number, field) in Fields(message) {
        if let (NESTED, Field::Bytes(nested)) = (number, field?) {
            read_message(nested, &full, depth, names)?;
        }
    }
    names.push(full);
    Some(())
}

/// Returns the last text field with a number. The outer `None` is malformed input.
fn text_field(message: &[u8], wanted: u64) -> Option<Option<&str>> {
    let mut found = None;
    for (number, field) in Fields(message) {
        if let (true, Field::Bytes(text)) = (number == wanted, field?) {
            found = Some(std::str::from_utf8(text).ok()?);
        }
    }
    Some(found)
}

/// A field of an encoded message.
enum Field<'m> {
    Bytes(&'m [u8]),
    Other,
}

/// The fields of an encoded message. Malformed input ends with a `None` as the field.
struct Fields<'m>(&'m [u8]);

impl<'m> Iterator for Fields<'m> {
    type Item = (u64, Option<Field<'m>>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let read = self.read();
        if read.is_none() {
            self.0 = &[];
        }
        Some(read.map_or((0, None), |(number, field)| (number, Some(field))))
    }
}

impl<'m> Fields<'m> {
    fn read(&mut self) -> Option<(u64, Field<'m>)> {
        let tag = self.varint()?;
        let skipped = match tag & 7 {
            0 => {
                self.varint()?;
                return Some((tag >> 3, Field::Other));
            }
            1 => 8,
            5 => 4,
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                return Some((tag >> 3, Field::Bytes(bytes)));
            }
            _ => return None,
        };
        self.0 = self.0.get(skipped..)?;
        Some((tag >> 3, Field::Other))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for (index, &byte) in self.0.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f).checked_shl(7 * index as u32)?;
            if byte < 0x80 {
                self.0 = self.0.get(index + 1..)?;
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let set = DescriptorSet::read(&set()).unwrap();
        let find = |name| set.find(name).map(|found| found.full_name).collect::<Vec<_>>();
        assert_eq!(find("Order"), ["shop.v1.Order"]);
        assert_eq!(find("Line"), ["shop.v1.Order.Line"]);
        assert_eq!(find("shop.v1.Note"), ["shop.v1.Note"]);
        assert_eq!(find("ote"), [""; 0]);
    }

    #[test]
    fn the_text_of_a_set_is_read_back() {
        let bytes = set();
        let text = DescriptorSet::read(&bytes).unwrap().text();
        let again = DescriptorSet::read(text.as_bytes()).unwrap();
        assert_eq!(*again.bytes, bytes);
        assert_eq!(again.text(), text);
    }

    #[test]
    fn other_files_are_rejected() {
        let whole = set();
        for end in 0..whole.len() {
            assert!(DescriptorSet::read(&whole[..end]).is_none(), "{end}");
        }
        for file in [&b"store shop\n"[..], b"\xff\xff", HEAD.as_bytes(), b"\x0a\x00"] {
            assert!(DescriptorSet::read(file).is_none(), "{file:?}");
        }
        let deep = (0..80).fold(Vec::new(), |inner: Vec<u8>, _| {
            let nested =
                if inner.is_empty() { inner } else { field(3, &inner[..inner.len().min(120)]) };
            [field(1, b"M"), nested].concat()
        });
        assert!(DescriptorSet::read(&field(1, &field(4, &deep[..deep.len().min(120)]))).is_none());
    }
}
