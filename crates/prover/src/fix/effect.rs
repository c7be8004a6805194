//! The real effect of a fix on stored bytes and values.

use crate::leaf_order::all_values;
use keyscape_codec::{Codec, Description};
use keyscape_layout::{
    Layout, derived_places, fields,
    model::{
        FromValue, Keyspace, KeyspaceId, KeyspaceKind, Leaf, Segment, Type, same_except_fields,
    },
    traverse::{ItemKind, traverse, traverse_type},
};
use std::collections::HashMap;

/// Whether some keyspaces of a changed layout keep the bytes of all values that both layouts allow.
/// `false` if unknown.
pub(super) fn keeps_bytes(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    changed.iter().all(|&id| {
        let (old, new) = (before.keyspace(id), after.keyspace(id));
        let of_members = [(&old.member, &new.member), (&old.score, &new.score)];
        same_bytes(&old.key, &new.key)
            && of_members.iter().all(|(old, new)| match (old, new) {
                (Some(old), Some(new)) => same_bytes_of_type(old, new),
                (None, None) => true,
                _ => false,
            })
    })
}

/// Whether derived bytes of some keyspaces change, because their inputs change.
pub(super) fn changes_derived(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    changed.iter().any(|&id| {
        let (old, new) = (&before.keyspace(id).key, &after.keyspace(id).key);
        let (old, new) = (derived_places(old), derived_places(new));
        old.len() != new.len()
            || old.iter().zip(&new).any(|(old, new)| !old.derived.is_same(new.derived))
    })
}

/// Whether a field of an index comes from the value of the row in one layout only, or from
/// different parts of it.
pub(super) fn changes_source(before: &Layout, after: &Layout, id: KeyspaceId) -> bool {
    let sources = |layout: &Layout| -> Vec<(String, Option<FromValue>)> {
        let fields = fields(&layout.keyspace(id).key).into_iter();
        fields.map(|field| (field.name.clone(), field.from_value.clone())).collect()
    };
    let known = sources(before);
    sources(after).iter().any(|(name, source)| {
        known.iter().any(|(known, old_source)| known == name && old_source != source)
    })
}

/// Whether some keyspaces of a changed layout reject values that they allowed. `false` if that is
/// not known.
pub(super) fn rejects_values(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    // An index whose fields get another source rejects no rows: its claim covers all of them.
    let changed = changed.iter().copied().filter(|&id| !changes_source(before, after, id));
    any_leaf(before, after, changed, rejects_values_of)
}

/// Whether some keyspaces of a changed layout allow values that they rejected. `false` if that is
/// not known. A fix may add fields of the map to an index, so indexes are exempt.
pub(super) fn allows_more(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    let is_index = |id: KeyspaceId| before.keyspace(id).kind == KeyspaceKind::Index;
    let changed = changed.iter().copied().filter(|&id| !is_index(id));
    any_leaf(before, after, changed, |old, new| rejects_values_of(new, old))
}

/// Whether a field of some keyspaces of a changed layout sorts in the other direction. `desc` is
/// declared on purpose.
pub(super) fn reverses_order(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    let direction = |leaf: &Leaf| leaf.codec.describe().direction();
    any_leaf(before, after, changed.iter().copied(), |old, new| direction(old) != direction(new))
}

/// Whether a test holds for the old and the new leaf at some path of some keyspaces.
fn any_leaf(
    before: &Layout,
    after: &Layout,
    mut keyspaces: impl Iterator<Item = KeyspaceId>,
    test: impl Fn(&Leaf, &Leaf) -> bool,
) -> bool {
    keyspaces.any(|id| {
        let known = leaves(before.keyspace(id));
        let new = leaves(after.keyspace(id));
        new.iter().any(|(path, new)| known.get(path).is_some_and(|old| test(old, new)))
    })
}

/// Whether the second leaf rejects a value of the first one.
fn rejects_values_of(old: &Leaf, new: &Leaf) -> bool {
    let (described, changed) = (old.codec.describe(), new.codec.describe());
    if described == changed {
        return false;
    }
    match (old.codec.integers(), new.codec.integers()) {
        (Some(old), Some(new)) if old.is_signed() == new.is_signed() => !new.contains(&old),
        _ => all_values(old).is_some_and(|values| {
            values.iter().any(|value| new.codec.encode(value, &mut Vec::new()).is_err())
        }),
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
    values.iter().all(|value| {
        let encoded = |leaf: &Leaf| {
            let mut bytes = Vec::new();
            leaf.codec.encode(value, &mut bytes).ok().map(|()| bytes)
        };
        match (encoded(old), encoded(new)) {
            (Some(old), Some(new)) => old == new,
            _ => true,
        }
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
pub(super) fn is_absurd(before: &Layout, after: &Layout, changed: &[KeyspaceId]) -> bool {
    changed.iter().any(|&id| {
        let (old, new) = (before.keyspace(id), after.keyspace(id));
        let known = leaves(old);
        let is_worse = |(path, leaf): (&String, &&Leaf)| {
            known.get(path).is_some_and(|old| repeats_codec(old, leaf) || loses_values(old, leaf))
        };
        leaves(new).iter().any(is_worse) || repeated_literals(new) > repeated_literals(old)
    })
}

/// Returns the leaves of a keyspace by path; members and scores by their kind.
fn leaves(keyspace: &Keyspace) -> HashMap<String, &Leaf> {
    let key = traverse(&keyspace.key).map(|item| ("", item));
    let member = keyspace.member.iter().flat_map(|ty| traverse_type(ty));
    let score = keyspace.score.iter().flat_map(|ty| traverse_type(ty));
    let items = key.chain(member.map(|item| ("member ", item)));
    let items = items.chain(score.map(|item| ("score ", item)));
    let leaves = items.filter_map(|(of, item)| match item.kind {
        ItemKind::Leaf(leaf) => Some((format!("{of}{}", item.path.text()), leaf)),
        _ => None,
    });
    leaves.collect()
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
    use keyscape_layout::{NoImports, read};

    #[test]
    fn bytes_are_compared_and_not_names() {
        let layout = |ty: &str| {
            let text = format!("store s map m = \"m\" {{x: {ty}}} -> empty");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let keeps =
            |old: &str, new: &str| keeps_bytes(&layout(old), &layout(new), &[KeyspaceId(0)]);
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
        let widens =
            |old: &str, new: &str| allows_more(&layout(old), &layout(new), &[KeyspaceId(0)]);
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
        let changes =
            |old: &str, new: &str| changes_derived(&layout(old), &layout(new), &[KeyspaceId(0)]);
        assert!(changes("text(r\"a?\")", "nul(text(r\"a?\"))"));
        assert!(!changes("text(r\"a?\")", "text(r\"a?\")"));
    }

    #[test]
    fn absurd_fixes_are_recognised() {
        let layout = |key: &str| {
            let text = format!("store s namespace n = 0x02 {{ map m = {key} -> empty }}");
            read("l.keys", &text, &mut NoImports).unwrap()
        };
        let absurd = |old: &str, new: &str| is_absurd(&layout(old), &layout(new), &[KeyspaceId(0)]);
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
