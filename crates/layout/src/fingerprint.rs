//! The part of a keyspace that determines its bytes, as one line of text and as a hash of this
//! line.
//!
//! Names of fields, types and arms, documentation and scans change no byte, so they are omitted. A
//! field is identified by its number in its list. Two keyspaces with equal lines have the same rows
//! for the same values.

use crate::{
    guard::Guard,
    model::{
        FromValue, Keyspace, KeyspaceId, KeyspaceKind, Layout, RowValue, Segment, Take, Type,
        fields,
    },
};
use keyscape_codec::hex::digits;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl Layout {
    /// Returns the part of a keyspace that determines its bytes, on one line.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn canonical(&self, id: KeyspaceId) -> String {
        let keyspace = self.keyspace(id);
        let mut text = self.store(keyspace.store).name.clone();
        if let Some(family) = &keyspace.family {
            let _ = write!(text, "/{family}");
        }
        let _ = write!(text, " {}", kind_name(keyspace.kind));
        for (word, other) in [("of", keyspace.of), ("in", keyspace.hash)] {
            if let Some(other) = other {
                let _ = write!(text, " {word} {}", self.keyspace(other).name);
            }
        }
        text.push_str(" =");
        list(&keyspace.key, &mut text);
        clauses(keyspace, &mut text);
        text
    }

    /// Returns the SHA-256 of [`Layout::canonical`].
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn fingerprint(&self, id: KeyspaceId) -> [u8; 32] {
        Sha256::digest(self.canonical(id)).into()
    }
}

/// Returns the keyword of a kind.
#[must_use]
pub const fn kind_name(kind: KeyspaceKind) -> &'static str {
    match kind {
        KeyspaceKind::Item => "item",
        KeyspaceKind::Map => "map",
        KeyspaceKind::Index => "index",
        KeyspaceKind::Sequence => "sequence",
        KeyspaceKind::Hash => "hash",
        KeyspaceKind::Set => "set",
        KeyspaceKind::Zset => "zset",
        KeyspaceKind::Queue => "queue",
    }
}

fn clauses(keyspace: &Keyspace, text: &mut String) {
    for (word, value) in [("->", &keyspace.value), ("reads", &keyspace.reads)] {
        if let Some(value) = value {
            let _ = write!(text, " {word} ");
            row_value(value, text);
        }
    }
    for (word, ty) in [("member", &keyspace.member), ("score", &keyspace.score)] {
        if let Some(ty) = ty {
            let _ = write!(text, " {word} ");
            type_text(ty, text);
        }
    }
    let words =
        [("unique", keyspace.unique), ("counted", keyspace.counted), ("ranked", keyspace.ranked)];
    for (word, _) in words.into_iter().filter(|(_, set)| *set) {
        let _ = write!(text, " {word}");
    }
}

fn row_value(value: &RowValue, text: &mut String) {
    match value {
        RowValue::Empty => text.push_str("empty"),
        RowValue::Const(bytes) => {
            let _ = write!(text, "const 0x{}", digits(bytes));
        }
        RowValue::Json(None) => text.push_str("json"),
        RowValue::Json(Some(name)) => {
            let _ = write!(text, "json {name}");
        }
        // A descriptor changes no byte.
        RowValue::Proto(message) => {
            let _ = write!(text, "proto {}", message.name);
        }
        RowValue::Typed(typed) => match typed.wrapper {
            Some(wrapper) => {
                let _ = write!(text, "proto {}", wrapper.name());
            }
            None => type_text(&typed.ty, text),
        },
        RowValue::Own(name) => {
            let _ = write!(text, "own {name}");
        }
    }
}

/// Appends a list of segments. Joins adjacent literals, because they have the same bytes.
fn list(segments: &[Segment], text: &mut String) {
    let mut fields = 0;
    let numbers = numbers(segments);
    walk(segments, &numbers, &mut fields, text);
}

fn walk(segments: &[Segment], numbers: &[&str], fields: &mut usize, text: &mut String) {
    let mut joined = false;
    for segment in segments {
        match segment {
            Segment::Literal(literal) => {
                text.push_str(if joined { "" } else { " 0x" });
                text.push_str(&digits(&literal.bytes));
            }
            Segment::Field(field) => {
                text.push_str(" {");
                type_text(&field.ty, text);
                // A plain `from value` is omitted: databases store hashes of older lines.
                let changes_entries =
                    |from: &&FromValue| from.take != Take::One || !from.path.is_empty();
                if let Some(from) = field.from_value.as_ref().filter(changes_entries) {
                    let _ = write!(text, " {from}");
                }
                text.push('}');
                *fields += 1;
            }
            Segment::Derived(derived) => {
                let _ = write!(text, " {{= {}(", derived.function.name());
                for (index, input) in derived.inputs.iter().enumerate() {
                    let number = numbers.iter().position(|name| *name == input.name);
                    let comma = if index == 0 { "" } else { ", " };
                    let _ = write!(text, "{comma}#{}", number.unwrap_or_default());
                }
                let _ = write!(text, ")[{}]: {}}}", derived.length, derived.leaf.codec.text());
            }
            Segment::Option(option) => {
                text.push_str(" [");
                walk(&option.segments, numbers, fields, text);
                if let Some(guard) = &option.guard {
                    text.push_str(" if ");
                    guard_text(guard, numbers, text);
                }
                text.push_str(" ]");
            }
        }
        joined = matches!(segment, Segment::Literal(_));
    }
}

/// Returns the names of the fields of a list in order. Guards refer to their numbers.
fn numbers(segments: &[Segment]) -> Vec<&str> {
    fields(segments).into_iter().map(|field| field.name.as_str()).collect()
}

fn guard_text(guard: &Guard, numbers: &[&str], text: &mut String) {
    let number = |field: &str| numbers.iter().position(|name| *name == field).unwrap_or_default();
    match guard {
        Guard::Is { field, choices } => {
            let _ = write!(text, "#{} is {choices:?}", number(field));
        }
        Guard::In { field, range } => {
            let _ = write!(text, "#{} in {range}", number(field));
        }
        Guard::All(parts) | Guard::Any(parts) => {
            let word = if matches!(guard, Guard::All(_)) { "and" } else { "or" };
            text.push('(');
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    let _ = write!(text, " {word} ");
                }
                guard_text(part, numbers, text);
            }
            text.push(')');
        }
    }
}

fn type_text(ty: &Type, text: &mut String) {
    match ty {
        Type::Leaf(leaf) => text.push_str(&leaf.codec.text()),
        Type::Enum(of) => {
            for (index, bytes) in of.bytes.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { " | " });
                match std::str::from_utf8(bytes) {
                    Ok(name) => {
                        let _ = write!(text, "{name:?}");
                    }
                    Err(_) => {
                        let _ = write!(text, "0x{}", digits(bytes));
                    }
                }
            }
        }
        Type::Composite(segments) => {
            text.push('(');
            list(segments, text);
            text.push_str(" )");
        }
        Type::Variant(arms) => {
            for arm in arms {
                text.push_str(" |");
                list(&arm.segments, text);
            }
        }
        Type::List(of) => {
            text.push_str("list(");
            type_text(&of.element, text);
            let _ = write!(text, ")[{}..={}]", of.min, of.max);
        }
    }
}
