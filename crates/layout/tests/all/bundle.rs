//! Bundles: the text of all files of a layout.

use keyscape_layout::{Built, Bundle, Layout, Loader, NoImports};

struct Disk;

impl Loader for Disk {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        let text = match path {
            "a/common.keys" => "import \"../b/common.keys\" as deep\ntype Id = deep.Number\n",
            "../b/common.keys" => "type   Number = u64be",
            _ => return Err("no such file".to_owned()),
        };
        Ok((path.to_owned(), text.into()))
    }
}

fn read(text: &str) -> Layout {
    Bundle::parse(text).read(&Built::default(), "shop.keys", &mut Disk).unwrap()
}

const SHOP: &str = "import \"a/common.keys\"\nstore shop\nmap orders = \"o\" {id: Id} -> text\n\
    //@ file not a file\nstore log\nitem last = \"l\" -> text\n";

#[test]
fn a_bundle_contains_imports_and_needs_no_files() {
    // A comment that would be a separator in a bundle.
    let text = SHOP.replace("//@ file not a file", "//  @ file not a file");
    let layout = read(&text);
    let bundle = layout.bundle().text();
    let again = Bundle::parse(&bundle).read(&Built::default(), "db", &mut NoImports).unwrap();
    let fingerprints = |layout: &Layout| {
        layout.keyspace_ids().map(|id| layout.fingerprint(id)).collect::<Vec<_>>()
    };
    assert_eq!(fingerprints(&again), fingerprints(&layout));
    assert_eq!(again.bundle().text(), bundle, "a bundle is canonical");
    assert_eq!(bundle.matches("//@ file").count(), 2, "{bundle}");
}

#[test]
fn only_the_named_stores_of_a_part_count() {
    let both = Bundle::parse("store a\nitem x = \"x\" -> text\nstore b\nitem y = \"y\" -> text\n");
    let new = Bundle::parse("store b\ntype T = u8\nitem y = \"y\" -> text\nitem z = \"z\" -> T\n");
    let joined = Bundle::join([(&both, Some(&["a".to_owned()][..])), (&new, None)]);
    let layout = joined.read(&Built::default(), "db", &mut NoImports).unwrap();
    let names: Vec<&str> = layout.keyspaces.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z"]);
    let again = Bundle::parse(&layout.bundle().text());
    let again = again.read(&Built::default(), "db", &mut NoImports).unwrap();
    assert_eq!(again.keyspaces.len(), 3);
}

#[test]
fn the_comment_of_each_main_file_is_about_its_first_store() {
    let one = Bundle::parse("//! One.\n/// A.\nstore a\nitem x = \"x\" -> text\n");
    let two = Bundle::parse("//! Two.\nstore b\nitem y = \"y\" -> text\n");
    let alone = one.read(&Built::default(), "db", &mut NoImports).unwrap();
    assert_eq!(alone.doc.concat().trim(), "One.");
    let joined = Bundle::join([(&one, None), (&two, None)]);
    let layout = joined.read(&Built::default(), "db", &mut NoImports).unwrap();
    assert!(layout.doc.is_empty(), "{:?}", layout.doc);
    let docs: Vec<String> =
        layout.stores.iter().map(|store| store.doc.join("|").replace(' ', "")).collect();
    assert_eq!(docs, ["One.||A.", "Two."]);
}

#[test]
fn every_part_begins_with_a_store_of_its_own() {
    let text = "//@ layout a stores a\nstore a\n//@ layout b stores b\nitem y = \"y\" -> text\n";
    let rejected = Bundle::parse(text).read(&Built::default(), "db", &mut NoImports);
    assert!(rejected.unwrap_err().diagnostics[0].message.contains("precedes every `store`"));
}
