//! The machine and the time of a measurement.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

/// The conditions of a measurement.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The date of the run.
    pub date: String,
    /// The commit, followed by `-changed` if tracked files differ from it.
    pub commit: String,
    /// The model of the processor.
    pub processor: String,
    /// The number of cores that the program may use.
    pub cores: usize,
    /// The load average of one minute before the run.
    pub load: String,
    /// The version of the compiler.
    pub compiler: String,
    /// The type of the filesystem that contains the database files.
    pub filesystem: String,
    /// The median time to sync one written page on this filesystem.
    pub sync: Duration,
}

impl Machine {
    /// Describes this machine now.
    #[must_use]
    pub fn now(folder: &Path) -> Self {
        let git = |args: &[&str]| said(Command::new("git").current_dir(folder).args(args));
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
        let mark = if changed.is_some_and(|text| !text.is_empty()) { "-changed" } else { "" };
        let commit = git(&["rev-parse", "--short=10", "HEAD"]).unwrap_or_else(unknown);
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
        let model = model.map(|line| line.trim_start_matches([' ', '\t', ':']).to_owned());
        let load = fs::read_to_string("/proc/loadavg").ok();
        let load = load.and_then(|text| text.split(' ').next().map(str::to_owned));
        Self {
            date: jiff::Zoned::now().date().to_string(),
            commit: format!("{commit}{mark}"),
            processor: model.unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            load: load.unwrap_or_else(unknown),
            compiler: said(Command::new("rustc").arg("--version")).unwrap_or_else(unknown),
            filesystem: filesystem(&std::env::temp_dir()).unwrap_or_else(unknown),
            sync: sync_latency().unwrap_or_default(),
        }
    }

    /// Returns the heading of a report.
    #[must_use]
    pub fn heading(&self) -> String {
        let Self { date, commit, processor, cores, load, compiler, .. } = self;
        format!(
            "# {date} at {commit}\n\n{processor}, {cores} cores, load {load} when it began; \
             {compiler}."
        )
    }
}

/// Returns the type of the filesystem that contains a folder, if the system provides it.
fn filesystem(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    let kind = |line: &str| {
        let mut parts = line.split(' ').skip(1);
        let (place, kind) = (parts.next()?, parts.next()?);
        folder.starts_with(place).then(|| (place.len(), kind.to_owned()))
    };
    // `max_by_key` returns the last maximum, and the last mount at a place hides the others.
    mounts.lines().filter_map(kind).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

fn sync_latency() -> io::Result<Duration> {
    let mut file = tempfile::tempfile()?;
    let mut times = Vec::new();
    for _ in 0..21 {
        file.write_all(&[1; 4096])?;
        let start = Instant::now();
        file.sync_data()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
