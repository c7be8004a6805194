//! Keys, types and values as a layout could write them, in one line.

use keyscape_codec::Shown;
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    direct_field,
    guard::Guard,
    model::{Arm, Keyspace, Leaf, Literal, RowValue, Segment, Type},
};

/// The detail of fields in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Its name.
    Names,
    /// Its name and its type.
    Types,
}

/// Renders segments: `0x02 {owner} {denom}`.
pub(super) fn segments(list: &[Segment], detail: Detail) -> String {
    scoped(list, list, detail)
}

/// Renders segments. `scope` is the list that contains the fields of guards.
fn scoped(list: &[Segment], scope: &[Segment], detail: Detail) -> String {
    let texts: Vec<String> = list
        .iter()
        .map(|segment| match segment {
            Segment::Literal(Literal { call: Some(call), .. }) => call.clone(),
            Segment::Literal(Literal { bytes, is_text, .. }) => literal(bytes, *is_text),
            Segment::Derived(derived) => format!("{{{}}}", derived.text()),
            Segment::Field(field) => match detail {
                Detail::Names => format!("{{{}}}", field.name),
                Detail::Types => format!("{{{}: {}}}", field.name, type_text(&field.ty)),
            },
            Segment::Option(option) => {
                let inside = scoped(&option.segments, scope, detail);
                match option.guard.as_ref().filter(|_| detail == Detail::Types) {
                    Some(guard) => format!("[{inside} if {}]", guard_text(guard, scope)),
                    None => format!("[{inside}]"),
                }
            }
        })
        .collect();
    texts.join(" ")
}

/// Renders fixed bytes: `"accum/"` if they were written as text and are readable, else `0x02`.
pub fn literal(bytes: &[u8], is_text: bool) -> String {
    let plain = |&byte: &u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if is_text && bytes.iter().all(plain) {
        format!("\"{}\"", String::from_utf8_lossy(bytes))
    } else {
        format!("0x{}", hex(bytes))
    }
}

/// Returns a type as layouts write it, without the names of types.
pub fn type_text(ty: &Type) -> String {
    match ty {
        Type::Leaf(leaf) => match &leaf.shown {
            Some(shown) => format!("{} shown as {}", written(leaf), shown_text(shown)),
            None => written(leaf),
        },
        Type::Enum(of) => {
            let texts: Vec<String> =
                of.texts.iter().map(|text| literal(text.as_bytes(), true)).collect();
            texts.join(" | ")
        }
        Type::Composite(list) => segments(list, Detail::Types),
        Type::Variant(arms) => {
            let arm =
                |arm: &Arm| format!("| {} {}", arm.name, segments(&arm.segments, Detail::Types));
            arms.iter().map(arm).collect::<Vec<_>>().join(" ")
        }
        Type::List(list) => {
            format!("list({})[{}..={}]", type_text(&list.element), list.min, list.max)
        }
    }
}

/// Renders the value of a keyspace, or the parts of a structure, in few words.
pub(super) fn brief(keyspace: &Keyspace) -> String {
    let member = keyspace.member.as_ref().map(|ty| brief_type(ty));
    let score = keyspace.score.as_ref().map(|ty| format!("by {}", brief_type(ty)));
    let value = keyspace.value.as_ref().map(value);
    [value, member, score].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns the codec of a leaf as the layout writes it, without the wraps around it.
fn written(leaf: &Leaf) -> String {
    leaf.codec.describe().written().to_string()
}

/// Renders a type without the types inside it.
fn brief_type(ty: &Type) -> String {
    match ty {
        Type::Leaf(leaf) => written(leaf),
        Type::Enum(_) => type_text(ty),
        Type::Composite(list) => segments(list, Detail::Names),
        Type::Variant(arms) => {
            arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>().join(" | ")
        }
        Type::List(list) => {
            format!("list({})[{}..={}]", brief_type(&list.element), list.min, list.max)
        }
    }
}

/// Returns a display form as layouts write it.
pub fn shown_text(shown: &Shown) -> String {
    match shown {
        Shown::Bech32(prefix) => format!("bech32({:?})", prefix.as_str()),
        Shown::Base58Check => "base58check".to_owned(),
        Shown::Hex => "hex".to_owned(),
        Shown::ReversedHex => "reversed_hex".to_owned(),
        Shown::Utf8 => "utf8".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Renders the condition of an optional part: `level is not collection`.
pub(super) fn guard_text(guard: &Guard, scope: &[Segment]) -> String {
    match guard {
        Guard::Is { field, choices } => {
            let names =
                direct_field(scope, field).and_then(|field| field.ty.choices()).unwrap_or_default();
            let (chosen, others): (Vec<usize>, Vec<usize>) =
                (0..names.len()).partition(|index| choices.contains(index));
            let word = |indices: &[usize], join: &str| {
                let words = indices.iter().filter_map(|&index| names.get(index).copied());
                words.collect::<Vec<_>>().join(join)
            };
            if others.len() < chosen.len() {
                format!("{field} is not {}", word(&others, " or "))
            } else {
                format!("{field} is {}", word(&chosen, " or "))
            }
        }
        Guard::In { field, range } => format!("{field} in {range}"),
        Guard::All(parts) => joined(parts, scope, " and "),
        Guard::Any(parts) => joined(parts, scope, " or "),
    }
}

fn joined(parts: &[Guard], scope: &[Segment], join: &str) -> String {
    let texts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Guard::Any(_) | Guard::All(_) => format!("({})", guard_text(part, scope)),
            Guard::Is { .. } | Guard::In { .. } => guard_text(part, scope),
        })
        .collect();
    texts.join(join)
}

/// Returns the value of a row as layouts write it.
pub(super) fn value(value: &RowValue) -> String {
    match value {
        RowValue::Empty => "empty".to_owned(),
        RowValue::Const(bytes) => format!("const {}", literal(bytes, false)),
        RowValue::Json(None) => "json".to_owned(),
        RowValue::Json(Some(name)) => format!("json {name}"),
        RowValue::Proto(message) => format!("proto {}", message.name),
        RowValue::Typed(typed) => typed.text.clone(),
        RowValue::Own(name) => name.clone(),
    }
}
