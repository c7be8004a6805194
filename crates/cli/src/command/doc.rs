//! `keyscape doc`

use crate::{
    exit::Exit,
    failure::Failure,
    output::{
        document::{Document, html, json, markdown},
        talk,
    },
};
use clap::{Args, ValueEnum};
use keyscape_prover::Config;
use keyscape_report::file::{self, FileError};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Write the document of a layout: every key byte by byte, with what is proved about it
///
/// For each store: its purpose, version and backend, counts, the prefixes that are used and those
/// that are left, and all keyspaces. For each keyspace: its key as a table or picture of bytes, an
/// example that has been encoded and decoded again, where it is safe to split at a separator, the
/// interval that each scan reads, and the verdict of every claim. Nothing is counted by hand.
///
/// A layout whose claims are refuted has a document as well, which says so.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Doc {
    /// The layout
    layout: PathBuf,
    /// How to write the document
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: Format,
    /// Where to write it, all or nothing, in the place of what is there [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape doc shop.keys > KEYS.md
  keyscape doc shop.keys --format html --output keys.html
  keyscape doc shop.keys --format json | jq '.stores[].keyspaces[] | {name, pattern}'";

const LONG: &str = "\
EXAMPLES
  keyscape doc shop.keys > KEYS.md
  keyscape doc shop.keys --format html --output keys.html
  keyscape doc shop.keys --format json | jq '.stores[].keyspaces[] | {name, pattern}'
  keyscape doc shop.keys --format json |
    jq -r '.stores[].keyspaces[].separators[] | select(.can_occur_before) | .literal'

EXIT STATUS
  0  the document is written, whatever its verdicts are; `keyscape check` judges them
  2  the layout cannot be read or has mistakes, or the document cannot be written

JSON
  One object. Bytes are hexadecimal digits; what does not apply is left out.
    layout, doc, claims {proved, refuted, unknown, accepted}, holds, idle_accepts
    stores[]
      name, doc, version, structures, backend {name, longest_key, empty_key}
      counts {keyspaces, kinds {map: 4, …}, hash_fields, namespaces, families, scans, ordered_scans}
      claims {proved, refuted, unknown, accepted}
      first_bytes[]    {family, used, free, bytes: [{byte, status, keyspaces, namespaces}]}
      namespaces[]     {name, doc, prefix, keyspaces, used, reserved, deprecated, free, bytes,
                        ranges: [{name, low, high, allocated, used, reserved, deprecated, free}],
                        retired: [{prefix, deprecated, reason}]}
      keyspaces[]
        name, kind, doc, family, namespace, range, of, hash, unique, counted, ranked
        pattern, value, also_reads, member, score, shortest, longest
        segments[]     each {type, shortest, longest, at or after {path, plus}, example} and
          literal        {bytes, text}
          leaf           {path, name, codec, allowed, shown_as, integers {low, high}, from_value}
          enum           {path, name, texts}
          composite      {path, name, segments}
          variant        {path, name, arms: [{name, segments}]}
          list           {path, name, min, max, element}
          option         {guard, segments}
        example        {key, fields, readings, comes_back}; fields as `decode` has them
        separators[]   {literal, bytes, after, can_occur_before, certain, example}
        scans[]        {name, leading, by, also, begins, ends, start, end, rows, order}
                       for the example, it reads from `start` to below `end`
        claims[]       {rule, name, says, scan, field, verdict, accepted, because}";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a repository or a wiki
    Markdown,
    /// One page that needs nothing else
    Html,
    /// The layout as data
    Json,
}

impl Doc {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        let document = Document::new(&layout, Config::default());
        let text = match self.format {
            Format::Markdown => markdown::render(&document),
            Format::Html => html::render(&document),
            Format::Json => json::render(&document),
        };
        match &self.output {
            None => {
                let mut out = std::io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
            Some(path) => {
                replace(path, &text)
                    .map_err(|source| FileError::Write { path: path.clone(), source })?;
                talk::print(&format!("wrote {}\n", path.display()));
            }
        }
        Ok(Exit::Fine)
    }
}

/// Puts the text in the place of a file or makes one, all or nothing. A link stays a link, and a
/// file that is there keeps its permissions.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    // What is no file, such as a pipe, cannot be replaced, only written to.
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(&target, text);
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(std::io::Error::other(format!(
            "there is no directory `{}`",
            directory.display()
        )));
    }
    let mut file = new_file().tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

/// A temporary file with the permissions that a new file gets.
fn new_file<'a>() -> tempfile::Builder<'a, 'a> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".keyscape-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
