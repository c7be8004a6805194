//! Runs the program.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

/// A layout in the directory of these tests.
pub(crate) const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/doc/module.keys");
/// The layout of a real system.
pub(crate) const BANK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/bank/sound.keys");

/// Runs the program.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_keyscape")).args(arguments).output().unwrap()
}

/// Returns the stdout of a successful run.
pub(crate) fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.is_empty(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the document of a layout.
pub(crate) fn doc(layout: &str, format: &str) -> String {
    stdout(&["doc", layout, "--format", format])
}

/// Writes a layout to a temporary directory, which is deleted when the first result is dropped.
pub(crate) fn layout(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}
