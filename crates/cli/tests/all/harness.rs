//! Runs the program in a temporary directory and returns its complete output.

use keyscape_store::{Db, Spaces, StoreError, Tx};
use keyscape_store_redb::Options;
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    sync::OnceLock,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// A temporary directory with files.
pub(super) struct Folder {
    dir: TempDir,
}

impl Folder {
    pub(super) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(super) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(super) fn copy(&self, from: &str, to: &str) {
        fs::copy(self.path().join(from), self.path().join(to)).unwrap();
    }

    /// Writes to the stores of a redb file without a layout. Creates a missing file.
    pub(super) fn write(
        &self,
        file: &str,
        stores: &[&str],
        change: impl FnMut(&mut Tx<'_>) -> Result<(), StoreError>,
    ) {
        let (path, spaces) = (self.path().join(file), Spaces::new(stores).unwrap());
        let opened = match path.exists() {
            true => Options::new().open(path, spaces),
            false => Options::new().create(path, spaces),
        };
        Db::new(opened.unwrap()).write(change).unwrap();
    }

    /// Returns the program with these arguments. It runs in this directory.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyscape"));
        command.args(args).current_dir(self.path());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Starts the program and kills it after a time. Returns whether the program succeeded before
    /// the kill. The program must not fail.
    pub(super) fn kill_after(&self, args: &[&str], time: Duration) -> bool {
        let mut command = self.command(args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(time);
        let _ = child.kill();
        let status = child.wait().unwrap();
        assert!(status.code().is_none_or(|code| code == 0), "{args:?}: {status}");
        status.success()
    }

    /// Runs the program with these arguments.
    pub(super) fn output(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let input = stdin.to_vec();
        // The program may stop reading early.
        let writer = thread::spawn(move || drop(pipe.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// Returns the complete output.
    pub(super) fn run(&self, args: &[&str]) -> String {
        shown(&self.output(args, b""))
    }

    /// Creates the database `NAME.redb` with the layout `NAME.keys`.
    pub(super) fn database(self, name: &str, layout: &str) -> Self {
        let (keys, db) = (format!("{name}.keys"), format!("{name}.redb"));
        let folder = self.file(&keys, layout);
        folder.quiet(&["create", &db, "--layout", &keys]);
        folder
    }

    /// Creates the database `NAME.redb` with the layout `NAME.keys`, and imports these rows.
    pub(super) fn filled(self, name: &str, layout: &str, rows: &str) -> Self {
        let (keys, db) = (format!("{name}.keys"), format!("{name}.redb"));
        let folder = self.file(&keys, layout);
        folder.stdout_with(&["import", &db, "--create", "--layout", &keys], rows.as_bytes());
        folder
    }

    /// Runs a command that prints nothing.
    pub(super) fn quiet(&self, args: &[&str]) {
        assert_eq!(self.run(args), "--- exit 0\n", "{args:?}");
    }

    /// Returns the stdout of a command that succeeds.
    pub(super) fn stdout(&self, args: &[&str]) -> String {
        self.stdout_with(args, b"")
    }

    /// Returns the stdout of a command that succeeds with the given stdin.
    pub(super) fn stdout_with(&self, args: &[&str], stdin: &[u8]) -> String {
        let output = self.output(args, stdin);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the complete output with the given stdin.
    pub(super) fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> String {
        shown(&self.output(args, stdin.as_ref()))
    }
}

/// The systems of `keyscape sim`, each with the number of blocks and the result of [`simulated`].
static SIMULATIONS: [(&str, &str, OnceLock<Simulation>); 6] = [
    ("bank", "20", OnceLock::new()),
    ("cl", "20", OnceLock::new()),
    ("txo", "20", OnceLock::new()),
    ("badges", "20", OnceLock::new()),
    ("paw", "20", OnceLock::new()),
    ("chain", "20", OnceLock::new()),
];

/// The result of a simulation.
pub(super) struct Simulation {
    /// The arguments without the database.
    pub(super) args: [&'static str; 6],
    pub(super) output: String,
    file: Vec<u8>,
}

/// Returns a directory with `a.redb`, which a simulation of a system has filled. All tests share
/// one run.
pub(super) fn simulated(system: &str) -> (Folder, &'static Simulation) {
    let (system, blocks, run) = SIMULATIONS.iter().find(|(name, ..)| *name == system).unwrap();
    let folder = Folder::new();
    let run = run.get_or_init(|| {
        let args = ["sim", system, "--blocks", blocks, "--seed", "9"];
        let output = folder.run(&[&args[..], &["--db", "a.redb"]].concat());
        assert!(output.ends_with("--- exit 0\n"), "{output}");
        let file = fs::read(folder.path().join("a.redb")).unwrap();
        Simulation { args, output, file }
    });
    (folder.file("a.redb", &run.file), run)
}

/// Returns the complete output of `keyscape check` on a layout.
pub(super) fn check(layout: &str) -> String {
    Folder::new().file("layout.keys", layout).run(&["check", "layout.keys"])
}

/// Returns the stdout of a command that must succeed without a message.
pub(super) fn printed(output: impl AsRef<str>) -> String {
    only(output.as_ref(), "stdout", 0)
}

/// Returns the stderr of a command that must reject its input and print no result.
pub(super) fn rejected(output: impl AsRef<str>) -> String {
    only(output.as_ref(), "stderr", 2)
}

/// Returns the stdout of a command that must exit with 1, because a claim is refuted or something
/// differs.
pub(super) fn refuted(output: impl AsRef<str>) -> String {
    only(output.as_ref(), "stdout", 1)
}

/// Returns the text of a complete output that has only this stream and this exit status.
fn only(output: &str, stream: &str, exit: u8) -> String {
    let text = output.strip_prefix(&format!("--- {stream}\n"));
    let text = text.and_then(|text| text.trim_end().strip_suffix(&format!("--- exit {exit}")));
    assert!(text.is_some_and(|text| !text.contains("\n--- stderr\n")), "{output}");
    text.unwrap_or_default().to_owned()
}

fn shown(output: &Output) -> String {
    let mut text = String::new();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            text.push_str(&format!("--- {name}\n{}", String::from_utf8_lossy(bytes)));
        }
    }
    text.push_str(&format!("--- exit {}\n", output.status.code().unwrap()));
    without_times(&text)
}

/// Replaces numbers that differ from run to run.
pub(super) fn without_times(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        match (line.rfind(" ("), line.find(" ms")) {
            (Some(from), Some(to)) if from < to => {
                lines.push(format!("{} (N{}", &line[..from], &line[to..]));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// The layout of most tests, with one field of each kind.
pub(super) const BANK: &str = r#"//! Balances of accounts.
store bank version 1

type Address = len8(bytes[1..=255]) shown as bech32("cosmos")
type Denom = text(r"[a-zA-Z][a-zA-Z0-9/:._-]{2,127}")

/// One balance per account and denomination.
map balances = 0x02 {owner: Address} {denom: Denom} -> dec
    scan owner by denom

/// The owners of each denomination.
index holders of balances = 0x03 {denom} 0x00 {owner} -> empty
    scan denom
"#;

/// Composites, variants, options, enums and numbers of all sizes.
pub(super) const VARIED: &str = r#"store varied
type Level = "low" | "high"
type Outpoint = {txid: bytes[4] shown as reversed_hex} "_" {vout: dec(u32)}
type Accum = | spread 0x0B "/" {pool: dec(u64)} | none 0x0C
map shares = 0x01 {name: Accum} "|" {level: Level} [":" {note: text(r"[a-z]+")}] -> empty
    scan name
map outputs = 0x02 {outpoint: Outpoint} -> empty
    scan outpoint.txid
map numbers = 0x03 {small: u8} {big: u64be} {signed: flip(i64)} {ratio: f64} -> empty
    scan all
map blobs = 0x04 {raw: bytes[0..=8] shown as utf8} -> empty
"#;
