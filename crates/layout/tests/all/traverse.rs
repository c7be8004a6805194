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

#[test]
fn items_have_the_places_of_the_key_in_source_order() {
    let layout = read("s.keys", LAYOUT, &mut NoImports).unwrap();
    let items = traverse(&layout.keyspaces[0].key).map(|item| {
        let kind = format!("{:?}", item.kind);
        let kind = kind.split([' ', '(']).next().unwrap();
        format!("{}-{} {kind} {}", item.place.0, item.end.0, item.path.joined("0"))
    });
    let expected = "0-2 Literal |2-10 Field target|2-10 Variant target|3-5 Arm target.one\
        |3-4 Literal target.one|4-5 Field target.one.n|4-5 Leaf target.one.n|5-10 Arm target.many\
        |5-6 Literal target.many|6-10 Field target.many.pairs|6-10 List target.many.pairs\
        |7-8 Field target.many.pairs.0.x|7-8 Leaf target.many.pairs.0.x\
        |8-9 Literal target.many.pairs.0|9-10 Field target.many.pairs.0.y\
        |9-10 Leaf target.many.pairs.0.y|10-15 Option |11-12 Literal |12-15 Field p|12-13 Field p.x\
        |12-13 Leaf p.x|13-14 Literal p|14-15 Field p.y|14-15 Leaf p.y|15-16 Derived \
        |16-17 Field q|16-17 Leaf q";
    assert_eq!(items.collect::<Vec<_>>().join("|"), expected);
    assert_eq!(places(&layout.keyspaces[0].key), 17);
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
