//! Fixes that are proved but useless. They are not offered.
//!
//! A fix is absurd if it does one of these:
//!
//! - it nests a codec in itself: `len8(len8(u8))`,
//! - it adds a literal next to an equal one: `0x00 0x00`,
//! - it leaves a field with fewer than a million integers, and less than a sixteenth of its
//!   previous integers: `dec(u64) in 0..=9`,
//! - it leaves a field with fewer than four texts or byte strings, and less than a quarter of its
//!   previous ones.
//!
//! [`excludes_used`](super::exclude) lists the exclusions that are absurd.

use keyscape_codec::{Codec, Description};
use keyscape_layout::{
    Layout,
    model::{Keyspace, KeyspaceId, Leaf, Segment},
    traverse::{ItemKind, traverse, traverse_type},
};
use std::collections::HashMap;

/// A field with fewer texts or byte strings than this has few.
const FEW: usize = 4;
/// A field with fewer integers than this has few.
const FEW_INTEGERS: u128 = 1_000_000;
/// The inverse of the fraction of its integers that a domain must retain.
const PARTS: u128 = 16;

/// Whether a change of some keyspaces is absurd.
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
pub(super) fn leaves(keyspace: &Keyspace) -> HashMap<String, &Leaf> {
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
    fn each_kind_is_recognised() {
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
