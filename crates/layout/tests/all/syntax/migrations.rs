//! The syntax of migrations.

use keyscape_layout::{
    FileId,
    syntax::{ast::Statement, parse_migration},
};

#[test]
fn all_parts_of_a_statement_are_read() {
    let text = "//! Moves.\nfrom \"a.keys\" to \"b.keys\"\n\
        move shop.orders where kind is gift and day in 0..=5 to gifts {\n\
        user.id = number(customer), region = \"eu\" shard = 7 tag = 0x01\n} else drop \"old\"\n\
        drop carts where kind is not \"a b\" \"gone\"";
    let (file, diagnostics) = parse_migration(text, FileId(0));
    assert_eq!(diagnostics, Vec::new());
    assert_eq!(file.doc, ["Moves."]);
    let paths = file.layouts.map(|of| (of.from, of.to));
    assert_eq!(paths, Some(("a.keys".into(), "b.keys".into())));
    let Statement::Move(first) = &file.statements[0] else { panic!("{:?}", file.statements) };
    assert_eq!((first.from.text.as_str(), first.assigns.len()), ("shop.orders", 4));
    assert_eq!(first.otherwise.as_deref(), Some("old"));
    assert!(matches!(&file.statements[1], Statement::Drop { reason, .. } if reason == "gone"));
}

#[test]
fn every_mistake_is_reported_once_and_the_next_statement_is_read() {
    let text = "mvoe orders\nmove to\nmove a { b 7 }\ndrop c\nmove d";
    let (_, diagnostics) = parse_migration(text, FileId(0));
    let messages: Vec<&str> = diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "expected `move`, `drop` or `ambiguous`, found `mvoe`",
            "missing `=` in the field `b`",
            "expected the reason in quotes, found `move`",
        ]
    );
    assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `move`?"));
}
