//! A package outside the workspace, in a temporary folder.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The root of the workspace.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The result of a test.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Returns everything that a program printed.
pub(crate) fn printed(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}\n{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// A package in a folder that is deleted when the value is dropped.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    target: PathBuf,
}

impl Project {
    /// Creates a package with this `Cargo.toml`, the `Cargo.lock` and the target folder of the
    /// workspace.
    pub(crate) fn new(manifest: &str) -> Result<Project, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.path().join("Cargo.lock"))?;
        // A test is at TARGET/PROFILE/deps/NAME.
        let test = std::env::current_exe()?;
        let target = test.ancestors().nth(3).ok_or("no folder of targets")?.to_owned();
        let project = Project { folder, target };
        // The crates are built without optimisation: proving a small layout takes little time.
        project.write("Cargo.toml", &format!("{manifest}\n[profile.dev]\ndebug = false\n"))?;
        Ok(project)
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), Box<dyn Error>> {
        let path = self.folder.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(fs::write(path, text)?)
    }

    /// Runs cargo in the folder.
    pub(crate) fn cargo(&self, args: &[&str]) -> Result<Output, Box<dyn Error>> {
        let mut command = Command::new(env!("CARGO"));
        command.args(args).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.target);
        command.env("CARGO_TERM_COLOR", "never").env_remove("RUSTC_WRAPPER");
        Ok(command.output()?)
    }
}
