//! The generated source: read as a snapshot, and which keys are read by trying.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use keyscape_codegen::{Options, source, unplanned};
use keyscape_layout::{Layout, NoImports, read};
use keyscape_prover::Config;

fn layout(path: &str) -> Layout {
    let full = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    read(path, &std::fs::read_to_string(full).unwrap(), &mut NoImports).unwrap()
}

#[test]
fn the_source_of_the_bank_reads_like_code_by_hand() {
    let layout = layout("layouts/bank/sound.keys");
    let report = keyscape_prover::check(&layout, Config::default());
    insta::assert_snapshot!(source(&layout, &report, Options { access: true }).unwrap());
}

#[test]
fn the_source_of_keys_alone_names_no_store() {
    let layout = layout("layouts/bank/sound.keys");
    let report = keyscape_prover::check(&layout, Config::default());
    let text = source(&layout, &report, Options { access: false }).unwrap();
    for word in ["rt::Map", "rt::Read", "rt::Layout", "super::Metadata"] {
        assert!(!text.contains(word), "{word}");
    }
    assert!(text.contains("impl rt::Keyspace for Balances"));
}

/// What the key writes as one type and the scan as another has no parameter that is both.
#[test]
fn a_scan_that_no_function_can_ask_for_says_so() {
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
    let line = "/// No function asks for the scan `user`: \
                its `as` gives `user` another Rust type than the key does.";
    assert!(source.contains(line), "{source}");
    assert!(source.contains("fn scan_all") && !source.contains("fn scan_user"), "{source}");
}

#[test]
fn every_key_of_the_systems_has_a_plan() {
    for system in ["bank", "bitbadges", "onesat", "osmosis-cl", "paw"] {
        let layout = layout(&format!("layouts/{system}/sound.keys"));
        let tried: Vec<&str> =
            unplanned(&layout).into_iter().map(|id| layout.keyspace(id).name.as_str()).collect();
        assert_eq!(tried, [""; 0], "{system}");
    }
}
