//! Proving: the layouts of the project, and generated ones of growing size.
//!
//! Each measurement runs in a separate process, which makes its peak memory measurable.

use keyscape_layout::{Built, Loader, read_beside};
use keyscape_prover::{Cache, Claim, Config, Verdict, check_with};
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
    /// Every keyspace has its own prefix.
    Prefixes,
    /// Every keyspace begins with the same field. The literal after the field distinguishes them.
    SameText,
    /// Every keyspace begins with the same field, whose values can contain the literal after it.
    OpenText,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Self; 3] = [Self::Prefixes, Self::SameText, Self::OpenText];

    /// Returns the name of the shape on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prefixes => "prefixes",
            Self::SameText => "same-text",
            Self::OpenText => "open-text",
        }
    }

    /// Returns the name of the shape in reports.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Prefixes => "distinct prefixes",
            Self::SameText => "the same text first",
            Self::OpenText => "any text first",
        }
    }

    /// Generates a layout of `keyspaces` keyspaces. Each has an ordered scan, except in
    /// [`Self::OpenText`], where no scan would be exact.
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

/// The numbers of keyspaces in generated layouts.
pub const SIZES: [usize; 6] = [100, 200, 500, 1000, 2000, 5000];

/// The cost of reading and proving, with the number of claims.
#[derive(Clone, Copy, Debug)]
pub struct Proved {
    /// The time of reading and proving.
    pub time: Duration,
    /// The number of claims.
    pub claims: usize,
    /// The number of proved claims.
    pub proved: usize,
}

/// Reads and proves a generated layout, and searches for fixes.
///
/// # Errors
/// Returns a message if the layout has errors.
pub fn generated(shape: Shape, keyspaces: usize) -> Result<Proved, String> {
    let text = shape.layout(keyspaces);
    timed(&[("generated.keys".into(), text)])
}

/// Reads and proves the sound layouts of the project, or all of them. The unsound layouts have
/// refuted claims, and proving searches for fixes.
///
/// # Errors
/// Returns a message if a file cannot be read or a layout has errors.
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
    // Like `keyscape check` with several layouts: on all cores, the largest first.
    let (built, memory) = (Built::default(), Cache::default());
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

/// Loads imports relative to the importing file.
struct Beside;

impl Loader for Beside {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let bytes = fs::read(&found).map_err(|error| error.to_string())?;
        Ok((found.display().to_string(), bytes))
    }
}
