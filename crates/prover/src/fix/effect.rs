//! The real effect of a fix on stored bytes and values.

use crate::{
    leaf_order::{all_values, encode},
    lossless::leaf_fields,
};
use keyscape_codec::{Codec, Description};
use keyscape_layout::{
    derived_places, fields,
    model::{Keyspace, KeyspaceKind, Leaf, RowValue, Segment, Type, same_except_fields},
    traverse::{ItemKind, traverse, traverse_type},
};
use std::collections::HashMap;

/// A keyspace before and after a fix.
pub(super) type Pair<'a> = (&'a Keyspace, &'a Keyspace);

/// Whether some keyspaces keep the bytes of all values that are allowed before and after. `false`
/// if unknown.
pub(super) fn keeps_bytes(changed: &[Pair<'_>]) -> bool {
    changed.iter().all(|&(old, new)| {
        same_bytes(&old.key, &new.key) && same_types_beside_key((old, new), same_bytes_of_type)
    })
}

/// Whether the members, the scores and the described values of a keyspace have the same types
/// before and after, by a comparison.
pub(super) fn same_types_beside_key(
    (old, new): Pair<'_>,
    same: impl Fn(&Type, &Type) -> bool,
) -> bool {
    let types = [
        (old.member.as_deref(), new.member.as_deref()),
        (old.score.as_deref(), new.score.as_deref()),
        (described_value(old), described_value(new)),
    ];
    types.into_iter().all(|types| match types {
        (Some(old), Some(new)) => same(old, new),
        (None, None) => true,
        _ => false,
    })
}

/// Returns the type of the values of a keyspace, if the layout describes them.
fn described_value(keyspace: &Keyspace) -> Option<&Type> {
    match &keyspace.value {
        Some(RowValue::Typed(typed)) => Some(&typed.ty),
        _ => None,
    }
}

/// Whether derived bytes of some keyspaces change, because their inputs change.
pub(super) fn changes_derived(changed: &[Pair<'_>]) -> bool {
    changed.iter().any(|(old, new)| {
        let (old, new) = (derived_places(&old.key), derived_places(&new.key));
        old.len() != new.len()
            || old.iter().zip(&new).any(|(old, new)| !old.derived.is_same(new.derived))
    })
}

/// Whether a field of an index comes from the value of the row only before or only after, or from
/// different parts of it.
pub(super) fn changes_source((old, new): Pair<'_>) -> bool {
    let known = fields(&old.key);
    fields(&new.key).iter().any(|field| {
        known.iter().any(|old| old.name == field.name && old.from_value != field.from_value)
    })
}

/// Whether some keyspaces reject values that they allowed. `false` if that is not known.
pub(super) fn rejects_values(changed: &[Pair<'_>]) -> bool {
    // An index whose fields get another source rejects no rows: its claim covers all of them.
    let changed = changed.iter().filter(|pair| !changes_source(**pair));
    changed.flat_map(leaves).any(|(old, new)| rejects_values_of(&old, &new))
}

/// Whether some keyspaces allow values that they rejected. `false` if that is not known. A fix may
/// add fields of the map to an index, so indexes are exempt.
pub(super) fn allows_more(changed: &[Pair<'_>]) -> bool {
    let changed = changed.iter().filter(|(old, _)| old.kind != KeyspaceKind::Index);
    changed.flat_map(leaves).any(|(old, new)| rejects_values_of(&new, &old))
}

/// Whether a field of some keyspaces sorts in the other direction. `desc` is declared on purpose.
pub(super) fn reverses_order(changed: &[Pair<'_>]) -> bool {
    let direction = |leaf: &Leaf| leaf.codec.describe().direction();
    changed.iter().flat_map(leaves).any(|(old, new)| direction(&old) != direction(&new))
}

/// Returns the leaves at the same path of the keys, members, scores and values of a keyspace before
/// and after.
fn leaves((old, new): &Pair<'_>) -> Vec<(Leaf, Leaf)> {
    let by_path = |keyspace: &Keyspace| {
        let fields = leaf_fields(keyspace).into_iter();
        let fields = fields.map(|field| ((field.part, field.path), field.leaf));
        let values = described_value(keyspace).into_iter().flat_map(traverse_type);
        let values = values.filter_map(|item| match item.kind {
            ItemKind::Leaf(leaf) => Some((("value", item.path.text()), leaf.clone())),
            _ => None,
        });
        fields.chain(values).collect::<Vec<_>>()
    };
    let mut old: HashMap<_, _> = by_path(old).into_iter().collect();
    let new = by_path(new).into_iter();
    new.filter_map(|(path, new)| Some((old.remove(&path)?, new))).collect()
}

/// Whether the second leaf rejects a value of the first one.
fn rejects_values_of(old: &Leaf, new: &Leaf) -> bool {
    let (described, changed) = (old.codec.describe(), new.codec.describe());
    if described == changed {
        return false;
    }
    match (old.codec.integers(), new.codec.integers()) {
        (Some(old), Some(new)) if old.is_signed() == new.is_signed() => !new.contains(&old),
        _ => all_values(old)
            .is_some_and(|values| values.iter().any(|value| encode(&*new.codec, value).is_none())),
    }
}

fn same_bytes(old: &[Segment], new: &[Segment]) -> bool {
    same_except_fields(old, new, &|old, new| {
        // Another source is another value.
        old.name == new.name
            && old.from_value == new.from_value
            && same_bytes_of_type(&old.ty, &new.ty)
    })
}

fn same_bytes_of_type(old: &Type, new: &Type) -> bool {
    match (old, new) {
        (Type::Leaf(old), Type::Leaf(new)) => same_bytes_of_leaf(old, new),
        (Type::Composite(old), Type::Composite(new)) => same_bytes(old, new),
        _ => old.is_same(new),
    }
}

/// Compares the encodings of all values of both leaves, if one of them has few values.
fn same_bytes_of_leaf(old: &Leaf, new: &Leaf) -> bool {
    if old.codec.describe() == new.codec.describe() {
        return true;
    }
    let Some(values) = all_values(old).or_else(|| all_values(new)) else { return false };
    values.iter().all(|value| match (encode(&*old.codec, value), encode(&*new.codec, value)) {
        (Some(old), Some(new)) => old == new,
        _ => true,
    })
}

/// A field with fewer texts or byte strings than this has few.
const FEW: usize = 4;
/// A field with fewer integers than this has few.
const FEW_INTEGERS: u128 = 1_000_000;
/// The inverse of the fraction of its integers that a domain must retain.
const PARTS: u128 = 16;

/// Whether a change of some keyspaces is proved but useless. Such a fix is not offered. It does one
/// of these:
///
/// - it nests a codec in itself: `len8(len8(u8))`,
/// - it adds a literal next to an equal one: `0x00 0x00`,
/// - it leaves a field with fewer than a million integers, and less than a sixteenth of its
///   previous integers: `dec(u64) in 0..=9`,
/// - it leaves a field with fewer than four texts or byte strings, and less than a quarter of its
///   previous ones.
///
/// [`exclude`](super::exclude) does not propose absurd exclusions.
pub(super) fn is_absurd(changed: &[Pair<'_>]) -> bool {
    let is_worse = |(old, new): &(Leaf, Leaf)| repeats_codec(old, new) || loses_values(old, new);
    changed.iter().any(|pair| {
        leaves(pair).iter().any(is_worse) || repeated_literals(pair.1) > repeated_literals(pair.0)
    })
}

/// Whether the fix nests a codec in itself.
fn repeats_codec(old: &Leaf, new: &Leaf) -> bool {
    let repeats = |leaf: &Leaf| {
        let described = leaf.codec.describe();
        let mut at: Option<&Description> = Some(&described);
        while let Some(outer) = at {
            at = outer.inner();
            if at.is_some_and(|inner| inner.name == outer.name) {
                return true;
            }
        }
        false
    };
    repeats(new) && !repeats(old)
}

/// Whether the fix leaves few values.
fn loses_values(old: &Leaf, new: &Leaf) -> bool {
    if let (Some(had), Some(left)) = (integers(&*old.codec), integers(&*new.codec)) {
        return left < FEW_INTEGERS && left.saturating_mul(PARTS) < had;
    }
    let count = |leaf: &Leaf| {
        let dfa = leaf.language.over();
        dfa.count_words(4 * FEW)
    };
    let left = count(new);
    left < FEW && 4 * left < count(old)
}

/// Returns the number of integers of a codec, at most `u128::MAX`.
fn integers(codec: &dyn Codec) -> Option<u128> {
    let last = u128::try_from(codec.integers()?.distance()).unwrap_or(u128::MAX);
    Some(last.saturating_add(1))
}

/// Returns the number of literals that follow an equal literal. A prefix may repeat the prefix of
/// its namespace.
fn repeated_literals(keyspace: &Keyspace) -> usize {
    let is_repeated = |kind: &ItemKind<'_>| match kind {
        ItemKind::Literal { literal, list, index } => {
            let before = index.checked_sub(1).and_then(|before| list.get(before));
            matches!(before, Some(Segment::Literal(before)) if before.bytes == literal.bytes)
        }
        _ => false,
    };
    let prefix = keyspace.literal_prefix().len() as u32;
    let items = traverse(&keyspace.key).filter(|item| item.place.0 >= prefix);
    items.filter(|item| is_repeated(&item.kind)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_layout::{Layout, NoImports, model::KeyspaceId, read};

    fn test(about: fn(&[Pair<'_>]) -> bool, old: &Layout, new: &Layout) -> bool {
        about(&[(old.keyspace(KeyspaceId(0)), new.keyspace(KeyspaceId(0)))])
    }

    #[test]
    fn bytes_are_compared_and_not_names() {
        let layout = |ty: &str| {
            let text = format!("store s map m = \"m\" {{x: {ty}}} -> empty");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let keeps = |old: &str, new: &str| test(keeps_bytes, &layout(old), &layout(new));
        assert!(keeps("truncate(bytes(br\"[a-c]{1,2}\"))[2]", "bytes(br\"[a-c]{1,2}\")"));
        assert!(keeps("u8 in 0..=9", "u8"));
        assert!(keeps("rev(u16le) in 0..=300", "u16be"));
        assert!(!keeps("u16le in 0..=300", "u16be"));
        assert!(!keeps("i8", "flip(i8)"));
        assert!(!keeps("u64be", "rev(u64le)"), "too many values to compare");
    }

    #[test]
    fn wider_domains_are_recognised() {
        let layout = |ty: &str| {
            let text = format!("store s map m = \"m\" {{x: {ty}}} -> empty");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let widens = |old: &str, new: &str| test(allows_more, &layout(old), &layout(new));
        assert!(widens("truncate(u32be)[3]", "u128be"));
        assert!(!widens("truncate(u32be)[3]", "u128be in 0..=4294967295"));
        assert!(widens("dec(i8) in -1..", "flip(i128) in -1.."));
        assert!(widens("text(r\"[a-c]\")", "text(r\"[a-d]\")"));
        assert!(!widens("text(r\"[a-c]\")", "len8(text(r\"[a-b]\"))"));
    }

    #[test]
    fn derived_bytes_change_with_their_fields() {
        let layout = |ty: &str| {
            let text = format!("store s map m = {{= sha256(x)[1]}} {{x: {ty}}} {{y: u8}} -> empty");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let changes = |old: &str, new: &str| test(changes_derived, &layout(old), &layout(new));
        assert!(changes("text(r\"a?\")", "nul(text(r\"a?\"))"));
        assert!(!changes("text(r\"a?\")", "text(r\"a?\")"));
    }

    #[test]
    fn absurd_fixes_are_recognised() {
        let layout = |key: &str| {
            let text = format!("store s namespace n = 0x02 {{ map m = {key} -> empty }}");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let absurd = |old: &str, new: &str| test(is_absurd, &layout(old), &layout(new));
        assert!(absurd("{x: hex(u8)}", "{x: hex(hex(u8))}"));
        assert!(!absurd("{x: hex(u8)}", "{x: len8(hex(u8))}"));
        assert!(!absurd("{x: hex(hex(u8))}", "{x: len8(hex(hex(u8)))}"));
        assert!(absurd("{x: bytes[1..=2]} 0x00", "{x: bytes[1..=2]} 0x00 0x00"));
        assert!(!absurd("{x: bytes[1..=2]} 0x00 0x00", "{x: bytes[1..=2]} 0x00 0x00 \"/\""));
        assert!(!absurd("0x01 {x: u8}", "0x02 {x: u8}"), "the prefix of the namespace");
        assert!(absurd("{x: text(r\"a*\")}", "{x: text(r\"a*\", not \"a\")}"));
        assert!(absurd("{x: u8}", "{x: u8 in 0..=14}"));
        assert!(!absurd("{x: u8}", "{x: u8 in 0..=15}"), "a sixteenth");
        assert!(!absurd("{x: i8 in -2..=2}", "{x: i8 in 0..=2}"));
        assert!(absurd("{x: dec(u64)}", "{x: dec(u64) in 0..=9}"));
        assert!(absurd("{x: i64le}", "{x: i64le in 0..=255}"));
        assert!(!absurd("{x: u64be}", "{x: u64be in 0..=999999}"), "a million");
    }
}
