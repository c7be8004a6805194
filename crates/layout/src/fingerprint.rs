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
            text += &format!("/{family}");
        }
        text += &format!(" {}", kind_name(keyspace.kind));
        for (word, other) in [("of", keyspace.of), ("in", keyspace.hash)] {
            if let Some(other) = other {
                text += &format!(" {word} {}", self.keyspace(other).name);
            }
        }
        text + " =" + &list(&keyspace.key) + &clauses(keyspace)
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

fn clauses(keyspace: &Keyspace) -> String {
    let mut text = String::new();
    for (word, value) in [("->", &keyspace.value), ("reads", &keyspace.reads)] {
        if let Some(value) = value {
            text += &format!(" {word} {}", row_value(value));
        }
    }
    for (word, ty) in [("member", &keyspace.member), ("score", &keyspace.score)] {
        if let Some(ty) = ty {
            text += &format!(" {word} {}", type_text(ty));
        }
    }
    let words =
        [("unique", keyspace.unique), ("counted", keyspace.counted), ("ranked", keyspace.ranked)];
    for (word, _) in words.into_iter().filter(|(_, set)| *set) {
        text += &format!(" {word}");
    }
    text
}

fn row_value(value: &RowValue) -> String {
    match value {
        RowValue::Empty => "empty".to_owned(),
        RowValue::Const(bytes) => format!("const 0x{}", digits(bytes)),
        RowValue::Json(None) => "json".to_owned(),
        RowValue::Json(Some(name)) => format!("json {name}"),
        // A descriptor changes no byte.
        RowValue::Proto(message) => format!("proto {}", message.name),
        RowValue::Typed(typed) => match typed.wrapper {
            Some(wrapper) => format!("proto {}", wrapper.name()),
            None => type_text(&typed.ty),
        },
        RowValue::Own(name) => format!("own {name}"),
    }
}

/// Returns the text of a list of segments, which is a scope of field names.
fn list(segments: &[Segment]) -> String {
    let names: Vec<&str> = fields(segments).iter().map(|field| field.name.as_str()).collect();
    segments_text(segments, &names)
}

/// Returns the text of segments. Joins adjacent literals, because they have the same bytes. Guards
/// and derived bytes refer to fields by their index in `names`.
fn segments_text(segments: &[Segment], names: &[&str]) -> String {
    let mut text = String::new();
    let mut is_joined = false;
    for segment in segments {
        text += &match segment {
            Segment::Literal(literal) => {
                let start = if is_joined { "" } else { " 0x" };
                format!("{start}{}", digits(&literal.bytes))
            }
            Segment::Field(field) => {
                // A plain `from value` is omitted: databases store hashes of older lines.
                let changes_entries =
                    |from: &&FromValue| from.take != Take::One || !from.path.is_empty();
                let from = field.from_value.as_ref().filter(changes_entries);
                let from = from.map(|from| format!(" {from}")).unwrap_or_default();
                format!(" {{{}{from}}}", type_text(&field.ty))
            }
            Segment::Derived(derived) => {
                let inputs = derived.inputs.iter().map(|input| number(&input.name, names));
                let inputs: Vec<String> = inputs.collect();
                let (function, codec) = (derived.function.name(), derived.leaf.codec.text());
                format!(" {{= {function}({})[{}]: {codec}}}", inputs.join(", "), derived.length)
            }
            Segment::Option(option) => {
                let guard = option.guard.as_ref().map(|guard| guard_text(guard, names));
                let guard = guard.map(|guard| format!(" if {guard}")).unwrap_or_default();
                format!(" [{}{guard} ]", segments_text(&option.segments, names))
            }
        };
        is_joined = matches!(segment, Segment::Literal(_));
    }
    text
}

/// Returns the number of a field in its list.
fn number(field: &str, names: &[&str]) -> String {
    format!("#{}", names.iter().position(|name| *name == field).unwrap_or_default())
}

fn guard_text(guard: &Guard, names: &[&str]) -> String {
    let joined = |parts: &[Guard], word: &str| {
        let parts: Vec<String> = parts.iter().map(|part| guard_text(part, names)).collect();
        format!("({})", parts.join(word))
    };
    match guard {
        Guard::Is { field, choices } => format!("{} is {choices:?}", number(field, names)),
        Guard::In { field, range } => format!("{} in {range}", number(field, names)),
        Guard::All(parts) => joined(parts, " and "),
        Guard::Any(parts) => joined(parts, " or "),
    }
}

fn type_text(ty: &Type) -> String {
    match ty {
        Type::Leaf(leaf) => leaf.codec.text(),
        Type::Enum(of) => {
            let texts = of.bytes.iter().map(|bytes| match std::str::from_utf8(bytes) {
                Ok(name) => format!("{name:?}"),
                Err(_) => format!("0x{}", digits(bytes)),
            });
            texts.collect::<Vec<_>>().join(" | ")
        }
        Type::Composite(segments) => format!("({} )", list(segments)),
        Type::Variant(arms) => {
            arms.iter().map(|arm| format!(" |{}", list(&arm.segments))).collect()
        }
        Type::List(of) => format!("list({})[{}..={}]", type_text(&of.element), of.min, of.max),
    }
}
