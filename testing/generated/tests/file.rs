//! Files that `keyscape generate rust` wrote: they compile, work, and are up to date. They are the
//! golden files of the generator, with and without access to a store.

use keyscape::store::{Db, Layout, Memory};
use keyscape_codegen::Options;
use keyscape_layout::{NoImports, read};

const ORDERS: &str = r#"store shop version 1
map orders = "o/" {user: u64be} {order: u32be} -> text
"#;

include!("file/shop.rs");

mod keys {
    include!("file/orders.rs");
}

#[test]
fn the_files_are_up_to_date() {
    let source = |name: &str, text: &str, access: bool| {
        let layout = read(name, text, &mut NoImports).unwrap();
        let report = keyscape_prover::check(&layout, keyscape_prover::Config::default());
        keyscape_codegen::source(&layout, &report, Options { access }).unwrap()
    };
    let shop = |access| source("shop.keys", include_str!("file/shop.keys"), access);
    assert_eq!(shop(true), include_str!("file/shop.rs"));
    assert_eq!(source("orders.keys", ORDERS, false), include_str!("file/orders.rs"));

    let (with, alone) = (shop(true), shop(false));
    let mut lines = with.lines();
    let missing = alone.lines().find(|line| !lines.any(|other| other == *line));
    assert_eq!(missing, None, "access to rows only adds lines to the keys");
    assert!(alone.len() < with.len());
}

#[test]
fn the_file_reads_and_writes_rows() -> Result<(), Box<dyn std::error::Error>> {
    let db = Db::new(Memory::new(Layout::spaces_of(&[&shop::LAYOUT])?));
    db.admit(&[&shop::LAYOUT])?;
    db.write(|tx| shop::ORDERS.put(tx, (7, 1), "ink"))?;
    assert_eq!(shop::BY_ORDER.prefix_order(1).count(&db.read()?)?, 1);
    Ok(())
}

#[test]
fn keys_alone_are_the_same_bytes() {
    use keyscape::traits::Keyspace;
    let (mut with, mut alone) = (Vec::new(), Vec::new());
    shop::Orders::encode(&(7, 1).into(), &mut with).unwrap();
    keys::shop::Orders::encode(&(7, 1).into(), &mut alone).unwrap();
    assert_eq!(with, alone);
}
