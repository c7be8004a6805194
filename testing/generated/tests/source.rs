//! Properties of the generated source.

use keyscape_codegen::{Options, source};
use keyscape_layout::{NoImports, read};
use keyscape_prover::Config;

#[test]
fn the_source_of_keys_alone_names_no_store() {
    let text = include_str!("../../../layouts/bank/sound.keys");
    let layout = read("bank.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config::default());
    let text = source(&layout, &report, Options { access: false }).unwrap();
    for word in ["rt::Map", "rt::Read", "rt::Layout", "super::Metadata"] {
        assert!(!text.contains(word), "{word}");
    }
    assert!(text.contains("impl rt::Keyspace for Balances"));
}

/// If the key and the scan have different types for a field, no parameter fits both.
#[test]
fn a_scan_without_a_function_is_documented() {
    let text = "store shop
map orders = \"o\" {user: dec(u32)} \"/\" {order: u8} -> empty
    scan user as \"o\" {user: dec(u16)} \"/\"
    accept KS003 scan user \"users that may be asked for are below 65536\"
    scan all
";
    let layout = read("shop.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config::default());
    assert!(report.holds());
    let source = source(&layout, &report, Options { access: true }).unwrap();
    let line = "/// The scan `user` has no function: \
                its `as` gives `user` another Rust type than the key does.";
    assert!(source.contains(line), "{source}");
    assert!(source.contains("fn scan_all") && !source.contains("fn scan_user"), "{source}");
}

/// The part of an absent field has no value, so no parameter of its type fits.
#[test]
fn a_scan_of_a_part_of_an_optional_field_is_documented() {
    let text = "store shop
type Stop = \"s\" {at: u16be}
map trips = 0x01 [\"!\" {from: Stop}] \"/\" {n: u8} -> empty
    scan from.at
";
    let layout = read("shop.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config::default());
    assert!(report.holds());
    let source = source(&layout, &report, Options { access: true }).unwrap();
    let line = "/// The scan `from.at` has no function: `from.at` is a part of an optional field.";
    assert!(source.contains(line), "{source}");
    assert!(!source.contains("fn scan_from_at"), "{source}");
}

/// The name of a keyspace follows from the names in the layout, not from their order.
#[test]
fn names_do_not_depend_on_the_order_of_declarations() {
    let declared = [
        "type OrdersKey = u8",
        "map orders = 0x01 {n: OrdersKey} -> u8\n    scan all",
        "map ordersKey = 0x02 {n: u8} -> u8",
        "map orders_all = 0x03 {n: u8} -> u8",
        "map layout = 0x04 {n: u8} -> u8",
        "map someThing = 0x05 {n: u8} -> u8",
        "map some_thing = 0x06 {n: u8} -> u8",
    ];
    let names = |declared: &[&str]| {
        let text = format!("store s\n{}\n", declared.join("\n"));
        let layout = read("s.keys", &text, &mut NoImports).unwrap();
        let report = keyscape_prover::check(&layout, Config::default());
        let source = source(&layout, &report, Options { access: true }).unwrap();
        let is_item = |line: &&str| {
            ["    pub const ", "    pub struct "].iter().any(|start| line.starts_with(start))
        };
        let mut items: Vec<String> = source.lines().filter(is_item).map(str::to_owned).collect();
        items.sort();
        items
    };
    let mut reversed = declared;
    reversed.reverse();
    let items = names(&declared);
    assert_eq!(items, names(&reversed));
    for item in [
        "    pub const LAYOUT: rt::Layout<'static> = rt::Layout {",
        "    pub const LAYOUT_SPACE: Layout = Layout;",
        "    pub const ORDERS_KEY: OrdersKeySpace = OrdersKeySpace;",
        "    pub const SOME_THING: SomeThing = SomeThing;",
        "    pub const SOME_THING_SPACE: SomeThingSpace = SomeThingSpace;",
    ] {
        assert!(items.iter().any(|found| found == item), "{item}\n{items:#?}");
    }
}
