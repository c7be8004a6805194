//! `keyscape check` as text. The layouts in `check` and `mistakes` have their messages beside them.

use crate::harness::{BANK, Folder, check, printed, refuted, without_times};
use insta::{Settings, assert_snapshot};
use std::path::Path;

/// Checks all layouts of a directory in one run, which prints to one stream only. Compares the
/// messages of each layout with its snapshot. `end` recognises the last line of a layout. Returns
/// the exit status.
fn check_all(directory: &str, stream: fn(&[String; 2]) -> &str, end: fn(&str) -> bool) -> i32 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/commands").join(directory);
    let files = path.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let names = files.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".keys")).collect();
    names.sort_unstable();
    let args: Vec<&str> = ["check"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let output = Folder::new().command(&args).current_dir(path).output().unwrap();
    let streams = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let text = without_times(stream(&streams));
    let mut sections = vec![String::new()];
    for line in text.lines() {
        sections.last_mut().unwrap().push_str(&format!("{line}\n"));
        if end(line) {
            sections.push(String::new());
        }
    }
    assert_eq!(sections.pop().as_deref(), Some(""), "{text}");
    assert_eq!(sections.len(), names.len(), "{text}");
    assert_eq!(streams.iter().filter(|text| !text.is_empty()).count(), 1, "{streams:?}");
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(directory);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, section) in names.iter().zip(sections) {
            assert_snapshot!(name.trim_end_matches(".keys"), section);
        }
    });
    output.status.code().unwrap()
}

#[test]
fn claims_are_shown_with_their_counterexamples() {
    let is_end = |line: &str| line.contains(" (N ms");
    assert_eq!(check_all("check", |[stdout, _]| stdout, is_end), 1);
}

#[test]
fn mistakes_are_shown_with_their_places() {
    let is_end = |line: &str| line.ends_with(" mistake") || line.ends_with(" mistakes");
    assert_eq!(check_all("mistakes", |[_, stderr]| stderr, is_end), 2);
}

#[test]
fn an_unknown_claim_is_not_proved_unless_it_is_accepted() {
    let unknown = "check/a_scan_with_another_codec_that_shows_no_fault_stays_unknown.keys";
    let accepted = "check/an_unknown_claim_can_be_accepted.keys";
    let [unknown, accepted] = [unknown, accepted].map(|file| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/commands");
        std::fs::read_to_string(directory.join(file)).unwrap()
    });
    assert!(refuted(check(&unknown)).contains("0 refuted, 1 unknown"));
    assert!(printed(check(&accepted)).contains("0 unknown, 1 accepted"));
}

#[test]
fn a_sound_layout_is_proved() {
    assert_snapshot!(printed(check(BANK)), @"bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)");
}

#[test]
fn quiet_leaves_out_the_summary_and_what_is_accepted() {
    let layout = include_str!("check/accepted_claims_are_shown_with_their_reason.keys");
    let folder = Folder::new().file("layout.keys", layout);
    assert_snapshot!(folder.run(&["check", "--quiet", "layout.keys"]), @"--- exit 0");
}

#[test]
fn every_file_is_checked_and_the_worst_status_counts() {
    let folder = Folder::new()
        .file("sound.keys", "store a\nmap m = 0x01 {id: u8} -> text\n")
        .file("broken.keys", "store b\nmap m = 0x01 {id: nope} -> text\n")
        .file("refuted.keys", "store c\nmap m = {id: u8} -> text\nmap n = {id: u8} -> text\n");
    assert_snapshot!(folder.run(&["check", "broken.keys", "refuted.keys", "sound.keys"]), @"
    --- stdout
    error[KS001]: keyspaces `m` and `n` share keys
     --> refuted.keys:2:5
      |
    2 | map m = {id: u8} -> text
      |     ^ a key of `m` …
    3 | map n = {id: u8} -> text
      |     - … can be a key of `n`
      key          00   ·
      m     id=0   00
      n     id=0   00
      in practice: writing `m` id=0 replaces `n` id=0, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   map m = 0x00 {id: u8} -> text
      fix, proved, bytes are added to stored keys:   map n = 0x00 {id: u8} -> text
    refuted.keys: c: 2 keyspaces, 0 scans: 4 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    sound.keys: a: 1 keyspace, 0 scans: 3 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- stderr
    error: there is no type or codec `nope`
     --> broken.keys:2:19
      |
    2 | map m = 0x01 {id: nope} -> text
      |                   ^^^^
      help: declare it with `type NAME = …`, or use a codec

    broken.keys: 1 mistake
    --- exit 2
    ");
}
