//! The output file of the document, and errors of writing it.

use super::harness::{MODULE, doc, layout, run, stdout};
use std::fs;

#[test]
fn a_file_is_replaced_and_nothing_is_left_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KEYS.md");
    fs::write(&path, "old").unwrap();
    let shown = path.to_str().unwrap();
    let output = run(&["doc", MODULE, "--output", shown]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("wrote {shown}\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), doc(MODULE, "markdown"));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_new_file_can_be_read_by_others_as_usual() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let (plain, path) = (directory.path().join("plain"), directory.path().join("KEYS.md"));
    fs::write(&plain, "").unwrap();
    run(&["doc", MODULE, "-o", path.to_str().unwrap()]);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

#[test]
fn a_path_that_cannot_be_written_is_an_error_of_the_input() {
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("none").join("KEYS.md");
    for (path, reason) in [
        (inside.to_str().unwrap(), "there is no directory"),
        (directory.path().to_str().unwrap(), "it is a directory"),
    ] {
        let output = run(&["doc", MODULE, "--output", path]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(&format!("cannot write `{path}`")), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    }
}

#[test]
fn a_layout_with_mistakes_has_no_document() {
    let (_directory, path) = layout("wrong.keys", "store s map m = {x: nothing} -> empty");
    let output = run(&["doc", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_document_shows_refuted_claims() {
    let text = "store s map m = {a: dec(u8)} {b: dec(u8)} -> empty";
    let (_directory, path) = layout("refuted.keys", text);
    assert!(doc(&path, "markdown").contains("**Not every claim holds:**"));
}

#[test]
fn an_acceptance_that_matches_nothing_is_reported() {
    let text = "store s item m = 0x01 -> empty accept KS002 \"no need\"";
    let (_directory, path) = layout("idle.keys", text);
    let text = doc(&path, "markdown");
    assert!(text.contains("**An acceptance in m matches no claim that fails:**"), "{text}");
}

#[test]
fn help_shows_examples_and_the_json() {
    let help = stdout(&["doc", "--help"]);
    for text in ["EXAMPLES", "--format html --output keys.html", "can_occur_before", "EXIT STATUS"]
    {
        assert!(help.contains(text), "{text}\n{help}");
    }
}
