//! The parts of a key in source order.

use keyscape_layout::{
    NoImports,
    model::places,
    read,
    traverse::{ItemKind, traverse},
};

const LAYOUT: &str = r#"store s
type Pair = {x: u8} "," {y: text(r"[a-z]+")}
type Target = | one "1" {n: u8} | many "m" {pairs: list(Pair)[1..=2]}
map m = "ab" {target: Target} [":" {p: Pair}] {= sha256(q)[4]} {q: u16be} -> empty
"#;

fn items(skipped: &str) -> Vec<String> {
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    let mut found = Vec::new();
    let mut traversal = traverse(&layout.keyspaces[0].key);
    while let Some(item) = traversal.next() {
        let kind = format!("{:?}", item.kind);
        let kind = kind.split([' ', '(']).next().unwrap();
        found.push(format!("{} {kind} {}", item.place.0, item.path.joined("0")));
        if item.path.text() == skipped {
            traversal.skip_contents(&item);
        }
    }
    found
}

#[test]
fn items_have_the_places_of_the_key_in_source_order() {
    let expected = "0 Literal |2 Field target|2 Variant target|3 Arm target.one\
        |3 Literal target.one|4 Field target.one.n|4 Leaf target.one.n|5 Arm target.many\
        |5 Literal target.many|6 Field target.many.pairs|6 List target.many.pairs\
        |7 Field target.many.pairs.0.x|7 Leaf target.many.pairs.0.x\
        |8 Literal target.many.pairs.0|9 Field target.many.pairs.0.y\
        |9 Leaf target.many.pairs.0.y|10 Option |11 Literal |12 Field p|12 Field p.x\
        |12 Leaf p.x|13 Literal p|14 Field p.y|14 Leaf p.y|15 Derived |16 Field q|16 Leaf q";
    assert_eq!(items("-").join("|"), expected);
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    assert_eq!(places(&layout.keyspaces[0].key), 17);
}

#[test]
fn skipping_contents_keeps_the_places_of_the_rest() {
    let short = items("target");
    assert_eq!(short[..3], ["0 Literal ", "2 Field target", "10 Option "]);
    assert_eq!(short.last().unwrap(), "16 Leaf q");
}

#[test]
fn literals_of_one_choice_share_it() {
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    let literals = traverse(&layout.keyspaces[0].key).filter_map(|item| match item.kind {
        ItemKind::Literal { .. } => Some(item.choice.map(|place| place.0)),
        _ => None,
    });
    let expected = [None, Some(3), Some(5), Some(7), Some(11), Some(11)];
    assert_eq!(literals.collect::<Vec<_>>(), expected);
}
