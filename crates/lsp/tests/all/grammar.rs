//! Tests that the grammar for highlighting contains all keywords of the language.

use keyscape_layout::syntax::{clause_words, declaration_words};

#[test]
fn the_grammar_contains_every_word_that_starts_a_line() {
    let grammar = include_str!("../../../../editors/vscode/syntaxes/keyscape.tmLanguage.json");
    for word in declaration_words().chain(clause_words()) {
        let is_listed = ["(", "|"].iter().any(|before| {
            [")", "|"].iter().any(|after| grammar.contains(&format!("{before}{word}{after}")))
        });
        assert!(is_listed, "`{word}` is missing in keyscape.tmLanguage.json");
    }
}
