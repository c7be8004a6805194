//! `keyscape doc`

use crate::{
    failure::{Exit, Failure},
    input::layout,
    output::{
        destination,
        document::{Document, json},
        markdown,
    },
};
use clap::{Args, ValueEnum};
use keyscape_prover::Config;
use std::path::PathBuf;

/// Document a layout: every key byte by byte, with its verdicts
///
/// For each store: its purpose, version and backend, counts, used and free prefixes, all keyspaces
/// and all declared types. For each keyspace: its key as a table or picture of bytes, an example
/// that was encoded and decoded, the separators at which a split is safe, the interval of each
/// scan, and the verdict of every claim.
///
/// A layout with refuted claims is documented as well, with its verdicts.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{DETAILS}"))]
pub(crate) struct Doc {
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    layout: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: Format,
    /// Output file, replaced atomically [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape doc shop.keys > KEYS.md
  keyscape doc shop.keys --format html --output keys.html
  keyscape doc shop.keys --format json | jq '.stores[].keyspaces[] | {name, pattern}'
  keyscape doc shop.keys --format json |
    jq -r '.stores[].keyspaces[].separators[] | select(.can_occur_before) | .literal'";

const DETAILS: &str = "\
EXIT STATUS
  0  the document was written, even if claims are refuted
  2  the layout cannot be read or has errors, or the document cannot be written

JSON
  One object. Bytes are hexadecimal digits; members that do not apply are omitted.
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
        name, kind, doc, deprecated, family, namespace, range, of, hash, unique, counted, ranked
        pattern, value, also_reads, member, score, shortest, longest
        segments[]     each {type, shortest, longest, at or after {path, plus}, example} and
          literal        {bytes, text}
          leaf           {path, name, codec, allowed, shown_as, integers {low, high}, from_value,
                          take, value_path}
          enum           {path, name, texts}
          composite      {path, name, segments}
          variant        {path, name, arms: [{name, segments}]}
          list           {path, name, min, max, element}
          option         {guard, segments}
        example        {key, fields, readings, comes_back}; fields as in `decode`
        separators[]   {literal, bytes, after, can_occur_before, certain, example}
        scans[]        {name, leading, by, also, begins, ends, start, end, rows, order}
                       `start` and `end` are the interval for the example
        claims[]       {rule, name, says, scan, field, verdict, accepted, because}
    types[]            {name, doc, is}: the declared types, as the layout writes them";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a repository or a wiki
    Markdown,
    /// One self-contained page
    Html,
    /// The layout as data
    Json,
}

impl Doc {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        destination::check(self.output.as_deref(), &self.layout, &layout)?;
        // Only the page shows fixes.
        let config = Config { fixes: self.format == Format::Html, ..Config::default() };
        let document = Document::new(&layout, config);
        let text = match self.format {
            Format::Markdown => markdown::render(&document),
            Format::Html => keyscape_explorer::document::render(&document),
            Format::Json => json::render(&document),
        };
        destination::write(self.output.as_deref(), &text)?;
        Ok(Exit::Fine)
    }
}
