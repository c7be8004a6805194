//! All layout files, and what holds for each of them.

use crate::repository::{layout, path, text};
use keyscape_layout::{Layout, syntax};
use keyscape_prover::{Config, Report, Verdict, check};
use std::fs;

/// The layout files of a system such as `bank`, as `bank/deployed.keys`.
pub(crate) fn of_system(system: &str) -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir(path("layouts").join(system))
        .unwrap()
        .map(|entry| format!("{system}/{}", entry.unwrap().file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".keys"))
        .collect();
    found.sort();
    found
}

/// All layout files.
pub(crate) fn all() -> Vec<String> {
    let mut systems: Vec<String> = fs::read_dir(path("layouts"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    systems.sort();
    systems.iter().flat_map(|system| of_system(system)).collect()
}

/// A layout file by its path under `layouts`.
pub(crate) fn open(file: &str) -> Layout {
    let file = format!("layouts/{file}");
    layout(&file, &text(&file))
}

/// What the prover says about a layout.
pub(crate) fn prove(layout: &Layout) -> Report {
    check(layout, Config::default())
}

#[test]
fn every_layout_file_is_formatted() {
    for file in all() {
        let source = text(&format!("layouts/{file}"));
        assert_eq!(syntax::format(&source).as_deref(), Ok(&*source), "{file}");
    }
}

#[test]
fn every_keyspace_of_every_layout_file_says_what_it_is_for() {
    for file in all() {
        let layout = open(&file);
        assert!(!layout.doc.is_empty(), "{file}");
        for keyspace in &layout.keyspaces {
            // A lookup hash with a single field is described as a whole.
            let of_one_field = keyspace.hash.is_some_and(|hash| {
                layout.keyspaces.iter().filter(|other| other.hash == Some(hash)).count() == 1
            });
            assert!(of_one_field || !keyspace.doc.is_empty(), "{file}: {}", keyspace.name);
        }
    }
}

#[test]
fn every_layout_file_is_listed_with_what_the_prover_says_of_it() {
    let readme = text("layouts/README.md");
    let systems = readme.split("\n## ").skip(1);
    let mut listed = Vec::new();
    for section in systems {
        let system = section.split(':').next().unwrap();
        for row in section.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let file = format!("{system}/{}", cells[1].trim_matches('`'));
            assert_eq!(prove(&open(&file)).holds(), cells[3].starts_with("yes"), "{file}");
            listed.push(file);
        }
    }
    listed.sort();
    assert_eq!(listed, all());
}

#[test]
fn the_layouts_that_our_modules_run_on_are_proved_without_exception() {
    let sound: Vec<String> =
        all().into_iter().filter(|file| file.ends_with("/sound.keys")).collect();
    assert!(!sound.is_empty());
    for file in sound {
        let layout = open(&file);
        assert!(layout.keyspaces.iter().all(|k| k.accepts.is_empty()), "{file} accepts a claim");
        for claim in prove(&layout).claims {
            let keyspace = &layout.keyspace(claim.keyspace).name;
            let proved = matches!(claim.verdict, Verdict::Proved);
            assert!(proved, "{file}: {} {keyspace} {:?}", claim.rule.code(), claim.verdict);
        }
    }
}
