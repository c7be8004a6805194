//! Separators: literals behind parts whose length varies, and whether they can occur there earlier.
//!
//! Whoever splits a key at a separator is right only if the separator cannot begin before the end of
//! the part in front of it. That is decided on the automaton of the keyspace: some word of the part,
//! with the separator behind it, has the separator at an earlier place, or no word has.

use super::{
    part::{Length, segment_length},
    pattern,
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Layout, Machine, Side,
    machine::{State, TrackId, Walk},
    model::{KeyspaceId, Place, Segment, Type, places},
};
use std::collections::HashSet;

/// A literal behind a part whose length varies.
#[derive(Debug)]
pub(crate) struct Separator {
    pub(crate) bytes: Vec<u8>,
    /// As a layout writes it.
    pub(crate) literal: String,
    /// The paths of what stands directly before it.
    pub(crate) after: Vec<String>,
    pub(crate) occurrence: Occurrence,
}

/// Whether a separator can occur before its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// It cannot: the first one behind the beginning of the part ends it.
    Never,
    /// It can be a part of this word, which is a shortest one.
    Inside(Vec<u8>),
    /// It can begin at the end of this word: its last bytes and the separator read like one.
    Across(Vec<u8>),
    /// It is not known whether it can: the part holds less than its automaton, or too much.
    Perhaps,
}

impl Occurrence {
    /// Whether splitting is safe.
    pub(crate) fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// The separators of a key, also inside composites, arms and lists, in source order. `over` is the
/// machine of the keyspace alone.
pub(super) fn all(layout: &Layout, id: KeyspaceId, over: Option<&Machine>) -> Vec<Separator> {
    let mut found = Vec::new();
    collect(&layout.keyspace(id).key, Place(0), "", &mut found);
    // Only needed where encodings have no exact automaton.
    let is_exact =
        over.is_some_and(|machine| machine.tracks().all(|t| machine.inexact_codecs(t).is_empty()));
    let under = (!is_exact && !found.is_empty())
        .then(|| Machine::build(layout, &[id], Side::Under, Budget::default()).ok())
        .flatten();
    let decide = |place: Candidate| {
        let word = |machine: Option<&Machine>| match machine {
            Some(machine) => early(machine, id, &place),
            None => Err(OverBudget { what: "automaton nodes", limit: 0 }),
        };
        let occurrence = match (word(over), is_exact) {
            (Err(_), _) => Occurrence::Perhaps,
            (Ok(None), _) => Occurrence::Never,
            (Ok(Some(found)), true) => found,
            (Ok(Some(_)), false) => match word(under.as_ref()) {
                Ok(Some(found)) => found,
                _ => Occurrence::Perhaps,
            },
        };
        let literal = pattern::literal(&place.bytes, place.is_text);
        Separator { bytes: place.bytes, literal, after: place.after, occurrence }
    };
    found.into_iter().map(decide).collect()
}

/// A separator that is to be looked at.
struct Candidate {
    bytes: Vec<u8>,
    is_text: bool,
    after: Vec<String>,
    /// Where the part before it starts.
    start: Place,
    /// Where it stands itself.
    end: Place,
}

fn collect(list: &[Segment], first: Place, outer: &str, found: &mut Vec<Candidate>) {
    let mut place = first.0;
    let mut starts = Vec::new();
    for (index, segment) in list.iter().enumerate() {
        starts.push(place);
        match segment {
            Segment::Literal(_) => found.extend(candidate(list, index, &starts, outer)),
            Segment::Field(field) => {
                inside(&field.ty, Place(place), &join(outer, &field.name), found);
            }
            Segment::Option(option) => collect(&option.segments, Place(place + 1), outer, found),
            Segment::Derived(_) => {}
        }
        place += segment.places();
    }
}

fn inside(ty: &Type, place: Place, path: &str, found: &mut Vec<Candidate>) {
    match ty {
        Type::Leaf(_) | Type::Enum(_) => {}
        Type::Composite(segments) => collect(segments, place, path, found),
        Type::List(list) => inside(&list.element, Place(place.0 + 1), &join(path, "0"), found),
        Type::Variant(arms) => {
            let mut at = Place(place.0 + 1);
            for arm in arms {
                collect(&arm.segments, at, &join(path, &arm.name), found);
                at = Place(at.0 + places(&arm.segments));
            }
        }
    }
}

/// The literals from `index` on, if a part whose length varies stands directly before them.
fn candidate(list: &[Segment], index: usize, starts: &[u32], outer: &str) -> Option<Candidate> {
    let mut first = index.checked_sub(1)?;
    // Behind an option stands also what is before it, where it is absent.
    while let (Some(Segment::Option(_)), Some(before)) = (list.get(first), first.checked_sub(1)) {
        if matches!(list.get(before), Some(Segment::Literal(_))) {
            break;
        }
        first = before;
    }
    let before = list.get(first..index)?;
    let length = before.iter().map(segment_length).reduce(Length::then)?;
    if length.is_fixed() || before.iter().any(|s| matches!(s, Segment::Literal(_))) {
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
    let fields = keyscape_layout::fields(before);
    let after = fields.into_iter().map(|field| join(outer, &field.name)).collect();
    let (start, end) = (Place(*starts.get(first)?), Place(*starts.get(index)?));
    Some(Candidate { bytes, is_text, after, start, end })
}

fn join(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}

/// The most states of one search.
const MOST: usize = 1 << 18;

/// A shortest word of the part before a separator behind which the separator begins too early.
fn early(
    machine: &Machine,
    id: KeyspaceId,
    place: &Candidate,
) -> Result<Option<Occurrence>, OverBudget> {
    let Some(track) = machine.track(id) else { return Ok(None) };
    let mut search =
        Search { walk: Walk::new(machine), track, place, steps: Vec::new(), seen: HashSet::new() };
    for &node in machine.nodes_at(track, place.start) {
        let start = machine.state_at(node);
        if let Some(found) = search.arrive(start, 0, None)? {
            return Ok(Some(found));
        }
    }
    let mut at = 0;
    while let Some(&Step { state, matched, .. }) = search.steps.get(at) {
        for byte in search.bytes(state) {
            let Some(to) = machine.step(state, byte) else { continue };
            let matched = match matched {
                done if done == place.bytes.len() => done,
                matched => advance(&place.bytes, matched, byte),
            };
            if let Some(found) = search.arrive(to, matched, Some((at, byte)))? {
                return Ok(Some(found));
            }
        }
        if search.steps.len() > MOST {
            return Err(OverBudget { what: "states of a search", limit: MOST });
        }
        at += 1;
    }
    Ok(None)
}

/// A breadth-first search through the words of a part, with how much of the separator their last
/// bytes are.
struct Search<'a> {
    walk: Walk<'a>,
    track: TrackId,
    place: &'a Candidate,
    steps: Vec<Step>,
    seen: HashSet<(State, usize)>,
}

#[derive(Clone, Copy)]
struct Step {
    state: State,
    /// How many bytes of the separator have been read; all of them stays all of them.
    matched: usize,
    /// The step before, and the byte that led here.
    from: Option<(usize, u8)>,
}

impl Search<'_> {
    /// Goes on from a state in all ways; an answer if the part can end there and the separator has
    /// begun too early.
    fn arrive(
        &mut self,
        state: State,
        matched: usize,
        from: Option<(usize, u8)>,
    ) -> Result<Option<Occurrence>, OverBudget> {
        let separator = &self.place.bytes;
        for (_, to) in self.walk.settle_until(state, self.track, self.place.end)?.iter() {
            match to {
                Some(state) => {
                    let is_new = self.seen.insert((state, matched));
                    self.steps.extend(is_new.then_some(Step { state, matched, from }));
                }
                None if matched == separator.len() => {
                    return Ok(Some(Occurrence::Inside(self.word(from))));
                }
                None if reads_early(separator, matched) => {
                    return Ok(Some(Occurrence::Across(self.word(from))));
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// One byte for each way to go on, those of the separator among them.
    fn bytes(&mut self, state: State) -> Vec<u8> {
        let mut bytes = self.place.bytes.clone();
        bytes.extend(self.walk.next_bytes(state).iter());
        let mut seen = HashSet::new();
        bytes.retain(|byte| seen.insert(*byte));
        bytes
    }

    fn word(&self, mut from: Option<(usize, u8)>) -> Vec<u8> {
        let mut word = Vec::new();
        while let Some((step, byte)) = from {
            word.push(byte);
            from = self.steps.get(step).and_then(|step| step.from);
        }
        word.reverse();
        word
    }
}

/// How much of the separator the last bytes are after one more byte.
fn advance(separator: &[u8], matched: usize, byte: u8) -> usize {
    let mut read = separator.get(..matched).unwrap_or(separator).to_vec();
    read.push(byte);
    (0..=read.len())
        .rev()
        .find(|&length| length <= separator.len() && read.ends_with(&separator[..length]))
        .unwrap_or(0)
}

/// Whether the separator, read behind its first `matched` bytes, is complete before its own end.
fn reads_early(separator: &[u8], matched: usize) -> bool {
    let mut matched = matched;
    separator.iter().enumerate().any(|(index, &byte)| {
        matched = advance(separator, matched, byte);
        matched == separator.len() && index + 1 < separator.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_layout::{NoImports, read};

    fn separators(key: &str) -> Vec<(String, String, Occurrence)> {
        let text = format!("store s map m = {key} -> empty");
        let layout = read("test.keys", &text, &mut NoImports).unwrap();
        let machine = Machine::build(&layout, &[KeyspaceId(0)], Side::Over, Budget::default());
        let found = all(&layout, KeyspaceId(0), Some(&machine.unwrap()));
        found.into_iter().map(|s| (s.literal, s.after.join("+"), s.occurrence)).collect()
    }

    fn one(key: &str) -> Occurrence {
        let [(_, _, occurrence)]: [_; 1] = separators(key).try_into().unwrap();
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
        assert!(separators(r#""p/" {a: u64be} "/" {b: u8}"#).is_empty());
    }

    #[test]
    fn an_option_counts_with_what_stands_before_it() {
        let found = separators(r#"{a: text(r"[a-]{1,2}")} [{b: text(r"[0-9]")}] "-" {c: u8}"#);
        let [(literal, after, occurrence)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((literal.as_str(), after.as_str()), ("\"-\"", "a+b"));
        assert_eq!(*occurrence, Occurrence::Inside(b"-".into()));
    }

    #[test]
    fn separators_inside_types_and_lists_are_found() {
        let text = r#"store s
            type Pair = {x: text(r"[a-z,]+")} "," {y: text(r"[a-z]+")} ";"
            map m = {pairs: list(Pair)[1..=3]} "!" -> empty"#;
        let layout = read("test.keys", text, &mut NoImports).unwrap();
        let machine = Machine::build(&layout, &[KeyspaceId(0)], Side::Over, Budget::default());
        let found = all(&layout, KeyspaceId(0), Some(&machine.unwrap()));
        let found: Vec<(&str, String, bool)> = found
            .iter()
            .map(|s| (s.literal.as_str(), s.after.join("+"), s.occurrence.is_never()))
            .collect();
        let expected = [
            ("\",\"", "pairs.0.x".to_owned(), false),
            ("\";\"", "pairs.0.y".to_owned(), true),
            ("\"!\"", "pairs".to_owned(), true),
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
