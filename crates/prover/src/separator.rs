//! Separators of a key: literals after parts of varying length, and whether such a part can contain
//! the literal that follows it.
//!
//! A program that searches for the end of such a part stops at the first occurrence of the literal.
//! This is correct if no word of the part, followed by the literal, contains an earlier occurrence.
//! This is the question of KS010 for `first`, about one part instead of the whole key.

use crate::{
    check::Config,
    occurrence::{Sought, stray},
    reader::KeyReader,
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Layout, Length, Side, fields,
    machine::{Machine, State},
    model::{Cut, KeyspaceId, Place, Segment, places},
    traverse::{Item, ItemKind, join, traverse},
};

/// A literal after a part of varying length.
#[derive(Clone, Debug)]
pub struct Separator {
    /// The bytes of the literal.
    pub bytes: Vec<u8>,
    /// Whether the layout writes the bytes as text.
    pub is_text: bool,
    /// The paths of the fields directly before the literal.
    pub after: Vec<String>,
    /// The start of the part before the literal.
    pub start: Place,
    /// The place of the literal.
    pub place: Place,
    /// Whether the bytes can occur before this place.
    pub occurrence: Occurrence,
}

/// Whether a separator can occur before its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// No: the first occurrence after the start of the part ends the part.
    Never,
    /// This word, which is a shortest one, contains the separator.
    Inside(Vec<u8>),
    /// An occurrence begins inside this word and ends in the separator.
    Across(Vec<u8>),
    /// Unknown: the automaton of the part is not exact, or too large.
    Perhaps,
}

impl Occurrence {
    /// Whether splitting is safe.
    #[must_use]
    pub fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// Returns the separators of a key in source order, including those inside composites, arms and
/// lists.
#[must_use]
pub fn separators(layout: &Layout, id: KeyspaceId) -> Vec<Separator> {
    let found: Vec<Separator> =
        traverse(&layout.keyspace(id).key).filter_map(|item| candidate(&item)).collect();
    if found.is_empty() {
        return found;
    }
    let config = Config::default();
    let total = config.total(layout);
    let reader = KeyReader::new(layout, Budget { total: Some(&total), ..config.budget });
    let is_exact = reader.inexact(&[id]).is_empty();
    let decide = |part: Separator| {
        let word = |side| early(&*reader.machine(&[id], side)?, id, &part, reader.budget);
        let occurrence = match word(Side::Over) {
            Ok(None) => Occurrence::Never,
            Ok(Some(found)) if is_exact => found,
            Ok(Some(_)) => word(Side::Under).ok().flatten().unwrap_or(Occurrence::Perhaps),
            Err(_) => Occurrence::Perhaps,
        };
        Separator { occurrence, ..part }
    };
    found.into_iter().map(decide).collect()
}

/// Returns a literal and those after it, if a part of varying length directly precedes it. Whether
/// they can occur in that part is not decided yet.
fn candidate(item: &Item<'_>) -> Option<Separator> {
    let ItemKind::Literal { list, index, .. } = item.kind else { return None };
    let mut first = index.checked_sub(1)?;
    // If an option is absent, the part before it directly precedes the literal.
    while let (Some(Segment::Option(_)), Some(before)) = (list.get(first), first.checked_sub(1)) {
        if matches!(list.get(before), Some(Segment::Literal(_))) {
            break;
        }
        first = before;
    }
    let before = list.get(first..index)?;
    if Length::of(before).is_fixed() || before.iter().any(|s| matches!(s, Segment::Literal(_))) {
        return None;
    }
    let literals = list.iter().skip(index).map_while(|segment| match segment {
        Segment::Literal(literal) => Some(literal),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    let (mut bytes, mut is_text) = (Vec::new(), true);
    for literal in literals {
        bytes.extend_from_slice(&literal.bytes);
        is_text &= literal.is_text;
    }
    let outer = item.path.joined("0");
    let after = fields(before).into_iter().map(|field| join(&outer, &field.name)).collect();
    let (start, place) = (Place(item.place.0 - places(before)), item.place);
    let occurrence = Occurrence::Perhaps;
    Some(Separator { bytes, is_text, after, start, place, occurrence })
}

/// Returns a shortest word of the part before a separator in which, or at the end of which, the
/// separator begins too early.
fn early(
    machine: &Machine,
    id: KeyspaceId,
    part: &Separator,
    budget: Budget<'_>,
) -> Result<Option<Occurrence>, OverBudget> {
    let Some(track) = machine.track(id) else { return Ok(None) };
    let nodes = machine.nodes_at(track, part.start).iter();
    let starts: Vec<State> = nodes.map(|&node| machine.state_at(node)).collect();
    let sought = Sought {
        bytes: &part.bytes,
        cut: Cut::First,
        ends: Vec::new(),
        prefix: 0,
        until: Some(part.place),
    };
    let word = stray(machine, track, &starts, &sought, budget)?;
    Ok(word.map(|word| match word.windows(part.bytes.len()).any(|w| w == part.bytes) {
        true => Occurrence::Inside(word),
        false => Occurrence::Across(word),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_layout::{NoImports, read};

    fn all(key: &str) -> Vec<(String, String, Occurrence)> {
        let text = format!("store s map m = {key} -> empty");
        let layout = read("test.keys", &text, &mut NoImports).unwrap();
        let found = separators(&layout, KeyspaceId(0));
        let literal = |s: &Separator| String::from_utf8_lossy(&s.bytes).into_owned();
        found.into_iter().map(|s| (literal(&s), s.after.join("+"), s.occurrence)).collect()
    }

    fn one(key: &str) -> Occurrence {
        let [(_, _, occurrence)]: [_; 1] = all(key).try_into().unwrap();
        occurrence
    }

    #[test]
    fn a_separator_that_the_field_cannot_hold_is_safe() {
        assert_eq!(one(r#"{a: dec(u64)} "/" {b: u8}"#), Occurrence::Never);
        assert_eq!(one(r#"{a: text(r"[a-z]+")} 0x00 {b: u8}"#), Occurrence::Never);
    }

    #[test]
    fn a_separator_that_the_field_can_hold_comes_with_a_shortest_word() {
        assert_eq!(
            one(r#"{a: text(r"[a-z/]{1,9}")} "/" {b: u8}"#),
            Occurrence::Inside(b"/".into())
        );
        let word = one(r#"{a: text(r"id-[0-9]+")} "-" {b: u8}"#);
        assert_eq!(word, Occurrence::Inside(b"id-0".into()));
    }

    #[test]
    fn a_field_that_ends_like_the_separator_begins_is_not_safe() {
        assert_eq!(one(r#"{a: text(r"x[a|]?")} "||" {b: u8}"#), Occurrence::Across(b"x|".into()));
        assert_eq!(one(r#"{a: text(r"x[ab]?")} "||" {b: u8}"#), Occurrence::Never);
        assert_eq!(one(r#"{a: text(r"x:?")} ":;" {b: u8}"#), Occurrence::Never);
    }

    #[test]
    fn a_field_of_one_length_needs_no_separator() {
        assert!(all(r#""p/" {a: u64be} "/" {b: u8}"#).is_empty());
    }

    #[test]
    fn an_option_belongs_to_the_part_before_the_separator() {
        let found = all(r#"{a: text(r"[a-]{1,2}")} [{b: text(r"[0-9]")}] "-" {c: u8}"#);
        let [(literal, after, occurrence)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((literal.as_str(), after.as_str()), ("-", "a+b"));
        assert_eq!(*occurrence, Occurrence::Inside(b"-".into()));
    }

    #[test]
    fn separators_inside_types_and_lists_are_found() {
        let text = r#"store s
            type Pair = {x: text(r"[a-z,]+")} "," {y: text(r"[a-z]+")} ";"
            map m = {pairs: list(Pair)[1..=3]} "!" -> empty"#;
        let layout = read("test.keys", text, &mut NoImports).unwrap();
        let found = separators(&layout, KeyspaceId(0));
        let found: Vec<(&[u8], String, bool)> = found
            .iter()
            .map(|s| (s.bytes.as_slice(), s.after.join("+"), s.occurrence.is_never()))
            .collect();
        let expected = [
            (&b","[..], "pairs.0.x".to_owned(), false),
            (&b";"[..], "pairs.0.y".to_owned(), true),
            (&b"!"[..], "pairs".to_owned(), true),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn checksummed_text_is_decided_where_its_letters_decide() {
        assert_eq!(one(r#"{a: bech32("x", bytes[1..=20])} "-" {b: u8}"#), Occurrence::Never);
        let Occurrence::Inside(word) = one(r#"{a: bech32("x", bytes[1..=20])} "1" {b: u8}"#) else {
            panic!("every such text begins with `x1`");
        };
        assert!(word.starts_with(b"x1"));
    }
}
