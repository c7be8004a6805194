//! The pages of the specification.

use crate::spec::{markdown::blocks, runner::problems};
use keyscape_prover::Rule;
use std::{fs, path::PathBuf};

/// Returns every page with its file name.
fn pages() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let mut pages: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| name.ends_with(".md"))
        .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    pages
}

/// Returns the text of all layouts of the specification.
fn layouts() -> String {
    let blocks = pages().into_iter().flat_map(|(_, page)| blocks(&page));
    blocks
        .filter(|block| block.info.first().is_some_and(|kind| kind == "keys"))
        .map(|b| b.text)
        .collect()
}

#[test]
fn every_block_of_the_specification_meets_its_expectations() {
    let problems: Vec<String> =
        pages().iter().flat_map(|(name, page)| problems(name, page)).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_codec_and_every_form_of_display_is_used_in_the_specification() {
    let layouts = layouts();
    for name in keyscape_codec::names() {
        assert!(
            layouts.contains(&format!(": {name}")) || layouts.contains(&format!("= {name}")),
            "{name}"
        );
    }
    for name in keyscape_codec::shown_names() {
        assert!(layouts.contains(&format!("shown as {name}")), "{name}");
    }
}

#[test]
fn every_rule_is_refuted_somewhere_in_the_specification() {
    let layouts = layouts();
    for rule in Rule::ALL {
        assert!(layouts.contains(&format!("refuted {}", rule.code())), "{}", rule.code());
    }
}
