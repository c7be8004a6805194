//! Descriptor sets of protobuf. A layout imports them to show messages by their fields.
//!
//! [`Sources`](crate::Sources) and [`Bundle`](crate::Bundle) contain only text, so they contain
//! such a file in base64.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::sync::Arc;

/// The extension of the file name of a descriptor set.
const EXTENSION: &str = ".binpb";

/// The first line of the text. A set in binary form begins with another byte.
const HEAD: &str = "// A protobuf descriptor set in base64.\n";

/// The length of the lines of base64.
const WIDTH: usize = 96;

/// A protobuf message as the value of a row.
#[derive(Clone, Debug)]
pub struct Message {
    /// The name in the layout, which is the name of the Rust type.
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

    /// Reads a set in binary form or in base64. Returns `None` if the file is not a descriptor set.
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
        for field in fields(&bytes)? {
            let (FILE, Some(file)) = field else { return None };
            read_file(file, &mut names)?;
        }
        (!names.is_empty()).then_some(Self { bytes, names })
    }

    /// Returns the set in base64.
    pub(crate) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for line in STANDARD.encode(&self.bytes).as_bytes().chunks(WIDTH) {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        text
    }

    /// Returns the messages with a name. The name may omit the package.
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

/// The maximum depth of listed messages.
const DEPTH: u32 = 64;

fn read_file(file: &[u8], names: &mut Vec<String>) -> Option<()> {
    let fields = fields(file)?;
    let package = last_text(&fields, PACKAGE)?.unwrap_or_default();
    for message in all_bytes(&fields, MESSAGE) {
        read_message(message, package, DEPTH, names)?;
    }
    Some(())
}

fn read_message(message: &[u8], parent: &str, depth: u32, names: &mut Vec<String>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let fields = fields(message)?;
    let name = last_text(&fields, NAME)??;
    let full = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
    for nested in all_bytes(&fields, NESTED) {
        read_message(nested, &full, depth, names)?;
    }
    names.push(full);
    Some(())
}

/// A field of an encoded message: its number, and its bytes if it is length-delimited.
type Field<'m> = (u64, Option<&'m [u8]>);

/// Returns the last text field with a number. The outer `None` means malformed input.
fn last_text<'m>(fields: &[Field<'m>], number: u64) -> Option<Option<&'m str>> {
    let texts = all_bytes(fields, number).map(|bytes| std::str::from_utf8(bytes).ok());
    Some(texts.collect::<Option<Vec<_>>>()?.pop())
}

fn all_bytes<'m>(fields: &[Field<'m>], number: u64) -> impl Iterator<Item = &'m [u8]> {
    fields.iter().filter(move |(found, _)| *found == number).filter_map(|(_, bytes)| *bytes)
}

/// Returns the fields of an encoded message, or `None` if it is malformed.
fn fields(mut rest: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let length = match tag & 7 {
            0 => varint(&mut rest).map(|_| 0)?,
            1 => 8,
            2 => usize::try_from(varint(&mut rest)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (bytes, after) = rest.split_at_checked(length)?;
        fields.push((tag >> 3, (tag & 7 == 2).then_some(bytes)));
        rest = after;
    }
    Some(fields)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (index, &byte) in rest.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(7 * index as u32)?;
        if byte < 0x80 {
            *rest = rest.get(index + 1..)?;
            return Some(value);
        }
    }
    None
}
