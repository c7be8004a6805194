//! Documents about layouts, and their doc comments.

use crate::layout;
use keyscape_inspect::document::{
    Document,
    facts::{Outcome, Part, PartKind},
    prose::{Run, clean, paragraphs, runs},
};

#[test]
fn backquotes_delimit_code_and_a_single_one_is_a_character() {
    let text = |text: &str| Run::Text(text.to_owned());
    let code = |text: &str| Run::Code(text.to_owned());
    assert_eq!(runs("a `b` c"), [text("a "), code("b"), text(" c")]);
    assert_eq!(runs("`b` and `"), [code("b"), text(" and `")]);
    assert_eq!(runs("``"), [text("``")]);
}

#[test]
fn blank_lines_separate_paragraphs() {
    let lines = ["one", "two", "", "", "three"].map(str::to_owned);
    let text = |text: &str| vec![Run::Text(text.to_owned())];
    assert_eq!(paragraphs(&lines), [text("one two"), text("three")]);
}

#[test]
fn characters_that_change_the_direction_of_text_are_replaced() {
    assert_eq!(clean("a\u{202e}b\u{1b}[2J\u{0}"), "a\u{fffd}b\u{fffd}[2J\u{fffd}");
}

/// Returns the names and colours of the values in parts.
fn colours<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<(&'a str, usize)> {
    let of_part = |part: &'a Part| {
        let own = part.colour.map(|colour| (part.name.as_str(), colour));
        own.into_iter().chain(colours(part.inside()))
    };
    parts.into_iter().flat_map(of_part).collect()
}

#[test]
fn a_field_keeps_its_colour_across_arms() {
    let layout = layout(
        "store s\ntype Place = | near 0x00 {owner: u8} {at: u8} | far 0x01 {zone: u16be} {owner: u8}\n\
         map m = {id: u8} {place: Place} {owner: u8} -> empty",
    );
    let document = Document::new(&layout, Default::default());
    let parts = &document.stores[0].keyspaces[0].parts;
    let expected = [("id", 0), ("owner", 1), ("at", 2), ("zone", 3), ("owner", 1), ("owner", 4)];
    assert_eq!(colours(parts), expected);
    assert!(matches!(parts[1].shape, PartKind::Variant { .. }));
}

/// The claims were once refuted in the document, and unknown in its counts and in `check`.
#[test]
fn a_claim_whose_counterexamples_are_accepted_is_unknown_if_a_pair_is_undecided() {
    let layout = layout(
        r#"store s
map k0 = {x: u16be in 0..=999} {= blake2_128(x)[1]} "-"
    accept KS001 with k2 "known"
map k1 = {x: u16be in 0..=999} "a-"
map k2 = {x: u16be in 0..=999} {= blake2_128(x)[1]} "-"
    accept KS001 with k0 "known"
"#,
    );
    let document = Document::new(&layout, Default::default());
    let claims = document.stores[0].keyspaces.iter().flat_map(|keyspace| &keyspace.claims);
    let disjoint = claims.filter(|claim| claim.rule == "KS001");
    let outcomes: Vec<Outcome> = disjoint.map(|claim| claim.outcome).collect();
    assert_eq!(outcomes, [Outcome::Unknown; 3]);
    assert_eq!((document.tally.unknown, document.tally.refuted), (3, 0));
}
