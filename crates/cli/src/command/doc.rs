//! `keyscape doc`

use crate::{
    exit::Exit,
    failure::Failure,
    output::{
        destination,
        document::{Document, html, json, markdown},
    },
};
use clap::{Args, ValueEnum};
use keyscape_prover::Config;
use keyscape_report::file;
use std::path::PathBuf;

/// Write the document of a layout: every key byte by byte, with what is proved about it
///
/// For each store: its purpose, version and backend, counts, the prefixes that are used and those
/// that are left, and all keyspaces; and all declared types. For each keyspace: its key as a table or picture of bytes, an
/// example that has been encoded and decoded again, where it is safe to split at a separator, the
/// interval that each scan reads, and the verdict of every claim. Nothing is counted by hand.
///
/// A layout whose claims are refuted has a document as well, which says so.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct Doc {
    /// The layout; `-` is stdin
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
        claims[]       {rule, name, says, scan, field, verdict, accepted, because}
    types[]            {name, doc, is}: the declared types, as the layout writes them";

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
        destination::write(self.output.as_deref(), &text)?;
        Ok(Exit::Fine)
    }
}
