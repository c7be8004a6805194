//! Proving: the layouts of the project, and generated ones of growing size.
//!
//! Each measurement runs in a process of its own, so that its memory is its own.

use keyscape_layout::{Built, Loader, read_beside};
use keyscape_prover::{Claim, Config, Memory, Verdict, check_with};
use std::{
    fmt::Write,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// A kind of generated layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every keyspace begins with bytes of its own.
    Prefixes,
    /// Every keyspace begins with the same text; what follows it tells them apart.
    SameText,
    /// Every keyspace begins with the same text, which can hold what follows it.
    OpenText,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Self; 3] = [Self::Prefixes, Self::SameText, Self::OpenText];

    /// Its name on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prefixes => "prefixes",
            Self::SameText => "same-text",
            Self::OpenText => "open-text",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Prefixes => "distinct prefixes",
            Self::SameText => "the same text first",
            Self::OpenText => "any text first",
        }
    }

    /// A layout of so many keyspaces, each with a scan in order, unless none would be exact.
    #[must_use]
    pub fn layout(self, keyspaces: usize) -> String {
        let mut text = "store generated\n".to_owned();
        for index in 0..keyspaces {
            // Writing to a string does not fail.
            let _ = match self {
                Self::Prefixes => {
                    write!(text, "map k{index} = 0x{index:08x} {{owner: len8(text[1..=64])}}")
                }
                Self::SameText => {
                    write!(
                        text,
                        r#"map k{index} = {{owner: text(r"[a-z0-9]{{1,64}}")}} "/{index}/""#
                    )
                }
                Self::OpenText => {
                    write!(text, r#"map k{index} = {{owner: text[1..]}} "/{index}/""#)
                }
            };
            let scan = if self == Self::OpenText { "" } else { " scan owner by id" };
            let _ = writeln!(text, " {{id: u64be}} -> u64be{scan}");
        }
        text
    }
}

/// How many keyspaces the generated layouts have.
pub const SIZES: [usize; 6] = [100, 200, 500, 1000, 2000, 5000];

/// What reading and proving took.
#[derive(Clone, Copy, Debug)]
pub struct Proved {
    /// The time, reading included.
    pub time: Duration,
    /// How many claims there are.
    pub claims: usize,
    /// How many of them are proved.
    pub proved: usize,
}

/// Reads and proves a generated layout, fixes looked for as usual.
///
/// # Errors
/// A sentence, if it is no layout.
pub fn generated(shape: Shape, keyspaces: usize) -> Result<Proved, String> {
    let text = shape.layout(keyspaces);
    timed(&[("generated.keys".into(), text)])
}

/// Reads and proves the layouts of the project together: the sound ones, or all. Those
/// of others have refuted claims, for which fixes are looked for.
///
/// # Errors
/// A sentence, if one cannot be read.
pub fn project(only_sound: bool) -> Result<Proved, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../layouts");
    let mut files = Vec::new();
    for system in entries(&root)? {
        files.extend(entries(&system).unwrap_or_default());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "keys"));
    files.retain(|file| !only_sound || file.ends_with("sound.keys"));
    let texts: Result<Vec<_>, String> = files.into_iter().map(opened).collect();
    timed(&texts?)
}

fn timed(layouts: &[(PathBuf, String)]) -> Result<Proved, String> {
    let start = Instant::now();
    // As the program does with layouts that are checked together: on all cores, the largest first.
    let (built, memory) = (Built::default(), Memory::default());
    let mut order: Vec<_> = layouts.iter().collect();
    order.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    let begun = AtomicUsize::new(0);
    let work = || {
        let (mut claims, mut proved) = (0, 0);
        while let Some((path, text)) = order.get(begun.fetch_add(1, Ordering::Relaxed)) {
            let path = path.display().to_string();
            let layout = read_beside(&built, &path, text, &mut Beside);
            let layout = layout.map_err(|_| format!("{path} is no layout"))?;
            let report = check_with(&layout, Config::default(), &memory);
            claims += report.claims.len();
            let is_proved = |claim: &&Claim| matches!(claim.verdict, Verdict::Proved);
            proved += report.claims.iter().filter(is_proved).count();
        }
        Ok::<_, String>((claims, proved))
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(layouts.len());
    let done: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let joined = others.into_iter().map(|other| other.join());
        joined.map(|done| done.map_err(|_| "a thread panicked".to_owned())?).chain([mine]).collect()
    });
    let (mut claims, mut proved) = (0, 0);
    for part in done {
        let part = part?;
        (claims, proved) = (claims + part.0, proved + part.1);
    }
    Ok(Proved { time: start.elapsed(), claims, proved })
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn opened(path: PathBuf) -> Result<(PathBuf, String), String> {
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((path, text))
}

/// Imports stand beside the file that names them.
struct Beside;

impl Loader for Beside {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let bytes = fs::read(&found).map_err(|error| error.to_string())?;
        Ok((found.display().to_string(), bytes))
    }
}
