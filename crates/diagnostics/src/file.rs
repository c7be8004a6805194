//! Layouts in files, with their imports.

use keyscape_layout::{
    Built, Bundle, Diagnostic, FileId, Layout, Loader, MAX_BYTES, NoImports, Rejected, Span,
    syntax::decode_utf8,
};
use std::{
    collections::HashMap,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// The error for a file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {}", path.display(), why(path, source))]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`: {}", path.display(), why(path, source))]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
}

/// The error for a layout that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The file of the layout, or of an import, cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The layout has errors.
    #[error("the layout has {} mistakes", .0.mistakes())]
    Rejected(Box<Rejected>),
}

impl FileError {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Read { path, .. } | Self::Write { path, .. } => path,
        }
    }
}

/// Describes why a file cannot be used.
#[must_use]
pub fn why(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => match missing_directory(path) {
            Some(directory) => format!("there is no directory `{}`", directory.display()),
            None => "there is no such file".to_owned(),
        },
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is not a directory".to_owned(),
        io::ErrorKind::StorageFull => "no space left on device".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is exceeded".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        io::ErrorKind::FileTooLarge => {
            format!("it has more than {} MiB", MAX_FILE_BYTES >> 20)
        }
        _ => error.to_string(),
    }
}

/// Returns the directory of a file, if it does not exist.
#[must_use]
pub fn missing_directory(path: &Path) -> Option<&Path> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists())
}

/// The maximum size of a file, in bytes. The limit of layouts is lower and has a better message;
/// this one bounds the memory for files that are not layouts.
const MAX_FILE_BYTES: u64 = 8 * MAX_BYTES as u64;

/// Reads a file of a layout.
///
/// # Errors
/// [`FileError`] if it cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    read_limited(path).map_err(|source| FileError::Read { path: path.to_owned(), source })
}

fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    read_all_limited(fs::File::open(path)?)
}

fn read_all_limited(input: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Decodes the text of a layout. A byte that is not UTF-8 is an error of the layout.
///
/// # Errors
/// [`Rejected`] if it is not UTF-8.
pub fn text_of(path: &str, bytes: &[u8]) -> Result<String, Box<Rejected>> {
    decode_utf8(bytes, FileId::default()).map(str::to_owned).map_err(|diagnostic| {
        // The text equals the file up to the invalid byte, which becomes one character.
        let text = String::from_utf8_lossy(bytes);
        let start = diagnostic.span.start;
        let wrong = char::REPLACEMENT_CHARACTER.len_utf8() as u32;
        let span = Span { end: start + wrong, ..diagnostic.span };
        Box::new(Rejected::of_file(path, &text, vec![Diagnostic { span, ..diagnostic }]))
    })
}

/// Reads a layout and its imports. `-` is stdin, whose imports are relative to the current
/// directory.
///
/// # Errors
/// [`LayoutError`] if the file cannot be read, or if the layout has errors.
pub fn open(path: &Path) -> Result<Layout, LayoutError> {
    open_beside(&Built::default(), path)
}

/// Like [`open`], but shares codecs and automata with other layouts.
///
/// # Errors
/// [`LayoutError`] if the file cannot be read, or if the layout has errors.
pub fn open_beside(built: &Built, path: &Path) -> Result<Layout, LayoutError> {
    let folder = Path::new("");
    if is_stdin(path) {
        let text = text_of(STDIN, &stdin_bytes()?).map_err(LayoutError::Rejected)?;
        return read_files(built, folder, Path::new(STDIN), &text);
    }
    read_files(built, folder, path, &text_in(folder, path)?)
}

/// The name of stdin in messages.
pub const STDIN: &str = "stdin";

/// Whether a path means stdin.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads all of stdin, which is possible only once.
///
/// # Errors
/// [`FileError`] if it cannot be read, or was read before.
pub fn stdin_bytes() -> Result<Vec<u8>, FileError> {
    static READ: AtomicBool = AtomicBool::new(false);
    let read = match READ.swap(true, Ordering::Relaxed) {
        true => Err(io::Error::other("`-` can be given once")),
        false => read_all_limited(io::stdin()),
    };
    read.map_err(|source| FileError::Read { path: STDIN.into(), source })
}

/// Reads a layout and its imports. The path is relative to `folder`, which messages do not contain.
///
/// # Errors
/// [`LayoutError`] if the file cannot be read, or if the layout has errors.
pub fn open_in(folder: &Path, path: &Path) -> Result<Layout, LayoutError> {
    read_text(folder, path, &text_in(folder, path)?)
}

fn text_in(folder: &Path, path: &Path) -> Result<String, LayoutError> {
    let bytes = read_limited(&folder.join(path))
        .map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    text_of(&path.display().to_string(), &bytes).map_err(LayoutError::Rejected)
}

/// Reads a layout from text as if the file at this path contained it.
///
/// # Errors
/// [`LayoutError::Rejected`] if the layout has errors.
pub fn read_text(folder: &Path, path: &Path, text: &str) -> Result<Layout, LayoutError> {
    read_files(&Built::default(), folder, path, text)
}

fn read_files(
    built: &Built,
    folder: &Path,
    path: &Path,
    text: &str,
) -> Result<Layout, LayoutError> {
    let shown = path.display().to_string();
    let mut files = Files { folder: folder.to_owned(), names: HashMap::new() };
    files.name(path);
    Bundle::parse(text)
        .read(built, &shown, &mut files)
        .map_err(|rejected| LayoutError::Rejected(Box::new(rejected)))
}

/// Reads a layout that is stored with its imports in the file at this path.
///
/// # Errors
/// [`LayoutError::Rejected`] if the layout has errors.
pub fn read_bundle(built: &Built, path: &Path, bundle: &Bundle) -> Result<Layout, LayoutError> {
    bundle
        .read(built, &path.display().to_string(), &mut NoImports)
        .map_err(|rejected| LayoutError::Rejected(Box::new(rejected)))
}

/// The files that a layout imports. The canonical path identifies a file. Messages name it by the
/// first path under which it was imported, relative to the folder.
struct Files {
    folder: PathBuf,
    names: HashMap<PathBuf, String>,
}

impl Files {
    /// Returns the name of a file in messages.
    fn name(&mut self, path: &Path) -> String {
        let full = self.folder.join(path);
        let canonical = full.canonicalize().unwrap_or(full);
        self.names.entry(canonical).or_insert_with(|| path.display().to_string()).clone()
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let found = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let full = self.folder.join(&found);
        let bytes = read_limited(&full).map_err(|error| match missing_directory(&full) {
            Some(_) if error.kind() == io::ErrorKind::NotFound => {
                let directory = found.parent().unwrap_or(Path::new(""));
                format!("there is no directory `{}`", directory.display())
            }
            _ => why(&full, &error),
        })?;
        Ok((self.name(&found), bytes))
    }
}
