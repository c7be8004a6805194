//! Tests that output without colours contains the same information.

use crate::harness::{BANK, Folder};
use insta::assert_snapshot;

fn escaped(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

#[test]
fn bytes_have_the_colour_of_their_part() {
    let folder = Folder::new().file("l.keys", BANK);
    let args = ["--color", "always", "explain", "l.keys", "020161756174"];
    assert_snapshot!(escaped(&folder.run(&args)), @"
    --- stdout
    ␛[1mbank/balances␛[0m␛[2m   One balance per account and denomination.␛[0m
      ␛[2m0␛[0m  ␛[2m02␛[0m ␛[36m01␛[0m ␛[36m61␛[0m ␛[33m75␛[0m ␛[33m61␛[0m ␛[33m74␛[0m   ␛[2m·␛[0m␛[36m·␛[0m␛[36ma␛[0m␛[33mu␛[0m␛[33ma␛[0m␛[33mt␛[0m
         ␛[2m└┘␛[0m␛[2m ␛[0m␛[36m└─␛[0m␛[36m─␛[0m␛[36m─┘␛[0m␛[36m ␛[0m␛[33m└─␛[0m␛[33m─␛[0m␛[33m──␛[0m␛[33m─␛[0m␛[33m─┘␛[0m
      ␛[2mat 0␛[0m   ␛[2m02␛[0m         ␛[2m(literal)␛[0m
      ␛[2mat 1␛[0m   ␛[36m01 61␛[0m      ␛[36mowner␛[0m       cosmos1vyl8dkts
      ␛[2mat 3␛[0m   ␛[33m75 61 74␛[0m   ␛[33mdenom␛[0m       uat
    --- exit 0
    ");
}

#[test]
fn without_colours_the_text_is_the_same() {
    let layout = "store s\nmap m = {a: u8} -> text\nmap n = {b: u8} -> text\n";
    let folder = Folder::new().file("l.keys", layout);
    let coloured = folder.run(&["check", "--color", "always", "l.keys"]);
    let plain = folder.run(&["check", "--color", "never", "l.keys"]);
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(plain, folder.run(&["check", "l.keys"]));
    let mut stripped = String::new();
    for (index, piece) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if index == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, plain);
}
