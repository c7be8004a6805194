//! All layout files, and properties of each of them.

use crate::repository::{layout, path, text};
use keyscape_layout::{Layout, syntax};
use keyscape_prover::{Config, Report, Verdict, check};
use std::{fs, sync::LazyLock};

/// A layout file with its report.
pub(crate) struct Checked {
    /// The path under `layouts`, such as `bank/deployed.keys`.
    pub(crate) file: String,
    pub(crate) layout: Layout,
    pub(crate) report: Report,
}

/// Returns all layout files by name, read and checked once.
pub(crate) fn all() -> &'static [Checked] {
    static ALL: LazyLock<Vec<Checked>> = LazyLock::new(|| {
        let mut files: Vec<String> = folder("").iter().flat_map(|system| folder(system)).collect();
        files.retain(|file| file.ends_with(".keys"));
        files.into_iter().map(checked).collect()
    });
    &ALL
}

/// Returns the files of a folder under `layouts`, or nothing for a file.
fn folder(name: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path("layouts").join(name)) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let outer = if name.is_empty() { String::new() } else { format!("{name}/") };
    let mut found: Vec<String> = names.map(|inner| format!("{outer}{inner}")).collect();
    found.sort();
    found
}

fn checked(file: String) -> Checked {
    let name = format!("layouts/{file}");
    let layout = layout(&name, &text(&name));
    let report = prove(&layout);
    Checked { file, layout, report }
}

/// Returns a layout file by its path under `layouts`.
pub(crate) fn open(file: &str) -> &'static Layout {
    let found = all().iter().find(|checked| checked.file == file);
    &found.unwrap_or_else(|| panic!("there is no {file}")).layout
}

/// Checks a layout.
pub(crate) fn prove(layout: &Layout) -> Report {
    check(layout, Config::default())
}

#[test]
fn every_layout_file_is_formatted() {
    for Checked { file, .. } in all() {
        let source = text(&format!("layouts/{file}"));
        assert_eq!(syntax::format(&source).as_deref(), Ok(&*source), "{file}");
    }
}

#[test]
fn every_keyspace_of_every_layout_file_is_documented() {
    for Checked { file, layout, .. } in all() {
        assert!(!layout.doc.is_empty(), "{file}");
        for keyspace in &layout.keyspaces {
            // A hash with a single field needs only documentation of the hash.
            let of_one_field = keyspace.hash.is_some_and(|hash| {
                layout.keyspaces.iter().filter(|other| other.hash == Some(hash)).count() == 1
            });
            assert!(of_one_field || !keyspace.doc.is_empty(), "{file}: {}", keyspace.name);
        }
    }
}

#[test]
fn every_layout_file_is_listed_with_its_verdict() {
    let readme = text("layouts/README.md");
    let systems = readme.split("\n## ").skip(1);
    let mut listed = Vec::new();
    for section in systems {
        let system = section.split(':').next().unwrap();
        for row in section.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let file = format!("{system}/{}", cells[1].trim_matches('`'));
            listed.push((file, cells[3].starts_with("yes")));
        }
    }
    listed.sort();
    let found: Vec<(String, bool)> =
        all().iter().map(|checked| (checked.file.clone(), checked.report.holds())).collect();
    assert_eq!(listed, found);
}

#[test]
fn the_layouts_that_our_modules_run_on_are_proved_without_exception() {
    let sound: Vec<_> = all().iter().filter(|c| c.file.ends_with("/sound.keys")).collect();
    assert!(!sound.is_empty());
    for Checked { file, layout, report } in sound {
        assert!(layout.keyspaces.iter().all(|k| k.accepts.is_empty()), "{file} accepts a claim");
        for claim in &report.claims {
            let keyspace = &layout.keyspace(claim.keyspace).name;
            let proved = matches!(claim.verdict, Verdict::Proved);
            assert!(proved, "{file}: {} {keyspace} {:?}", claim.rule.code(), claim.verdict);
        }
    }
}
