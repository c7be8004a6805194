//! `keyscape encode`

use crate::{
    failure::{Exit, Failure},
    input::{
        InputError,
        argument::{self, Parts},
        key::KeyForm,
        layout, name, value,
    },
    output::{
        datum::{Extent, scalar},
        message::Message,
        stderr, stdout,
    },
};
use clap::Args;
use keyscape_diagnostics::{file, suggestion};
use keyscape_layout::{
    Layout, fields,
    model::{Keyspace, KeyspaceId, Scan, Segment, Type},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::{Interval, scan_interval};
use std::{
    io::{BufRead as _, Write},
    path::PathBuf,
};

/// Encode values as a key
///
/// Give values as `field=value`, as JSON, or both. Integers are decimal; text is plain; bytes are
/// `0x…` or in the display form of the layout. A part of a field is `outpoint.txid=…`, a field of
/// an arm `name.spread.pool=…`. The output of `decode` is accepted.
///
/// `--json -` reads one object per line from stdin, and prints one key per line.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape encode shop.keys orders user=1 order=7
  keyscape encode shop.keys orders --json '{\"user\": 1, \"order\": 7}'
  keyscape encode shop.keys orders --scan user user=1
  keyscape export shop.redb orders | jq -c .fields | keyscape encode shop.keys orders --json -")]
pub(crate) struct Encode {
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    layout: PathBuf,
    /// The keyspace: `name`, `store/name` or `hash.field`
    keyspace: String,
    /// The values of the fields
    #[arg(value_name = "FIELD=VALUE")]
    fields: Vec<String>,
    /// Values as a JSON object, or `-` for one object per line of stdin
    #[arg(long, value_name = "OBJECT")]
    json: Option<String>,
    /// Print the interval that a scan reads, given its leading fields: a prefix, or START..END with
    /// END excluded
    #[arg(long, value_name = "NAME")]
    scan: Option<String>,
    /// Output format of the key
    #[arg(long, value_name = "FORMAT", default_value = "hex")]
    format: KeyForm,
}

impl Encode {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        let id = name::keyspace(&layout, &self.keyspace)?;
        let mut out = stdout::plain();
        if self.json.as_deref() != Some("-") {
            writeln!(out, "{}", self.text(&layout, id, self.json.as_deref())?)?;
            return Ok(Exit::Fine);
        }
        if file::is_stdin(&self.layout) {
            return Err(layout::stdin_twice("the values"));
        }
        let mut out = std::io::BufWriter::new(out);
        for (index, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.map_err(Failure::Stdin)?;
            if line.trim().is_empty() {
                continue;
            }
            match self.text(&layout, id, Some(&line)) {
                Ok(key) => writeln!(out, "{key}")?,
                Err(error) => {
                    out.flush()?;
                    let title = format!("stdin:{}: {error}", index + 1);
                    stderr::say(&Message::error(title).with_help(error.help()));
                    return Ok(Exit::Input);
                }
            }
        }
        out.flush()?;
        Ok(Exit::Fine)
    }

    fn text(
        &self,
        layout: &Layout,
        id: KeyspaceId,
        json: Option<&str>,
    ) -> Result<String, InputError> {
        let keyspace = layout.keyspace(id);
        let parts = argument::collect(&self.fields, json, &example(&keyspace.key))?;
        let scan = self.scan.as_ref().map(|name| name::scan(keyspace, name)).transpose()?;
        if let Some(scan) = scan {
            only_leading(scan, &parts, keyspace)?;
        }
        let record = value::record(&keyspace.key, parts, "")?;
        let text = match scan {
            Some(scan) => {
                scan_interval(layout, id, scan, &record).map(|interval| self.interval(&interval))
            }
            None => keyspace.encode(&record).map(|key| self.format.write(&key)),
        };
        text.map_err(|source| {
            let leading = |scan: &Scan| scan.leading.iter().map(|path| path.join(".")).collect();
            let fields: Vec<String> = scan.map_or_else(|| paths(&keyspace.key), leading);
            InputError::encode(&source, &fields)
        })
    }

    /// Formats an interval as a prefix if it is one, otherwise as both ends.
    fn interval(&self, interval: &Interval) -> String {
        let low = self.format.write(&interval.low);
        if *interval == Interval::starting_with(&interval.low) {
            return low;
        }
        let high = interval.high.as_deref().map(|high| self.format.write(high));
        format!("{low}..{}", high.unwrap_or_default())
    }
}

/// Returns an example of a `field=value` pair for a key.
pub(super) fn example(key: &[Segment]) -> String {
    let Some(field) = fields(key).into_iter().next() else { return "field=value".to_owned() };
    let value = match &*field.ty {
        Type::Leaf(_) | Type::Enum(_) => field.ty.example_of(&field.name),
        Type::Composite(_) | Type::Variant(_) | Type::List(_) => None,
    };
    let value = value.map_or("…".to_owned(), |v| scalar(Some(&field.ty), &v, Extent::Whole));
    format!("{}={value}", field.name)
}

/// Returns the paths of the fields of a key, those inside of composites included.
pub(super) fn paths(segments: &[Segment]) -> Vec<String> {
    let fields = traverse(segments).filter(|item| match item.kind {
        ItemKind::Field(field) => item.path.is_plain() && !matches!(*field.ty, Type::Composite(_)),
        _ => false,
    });
    fields.map(|item| item.path.text()).collect()
}

/// Rejects fields that are not leading fields of the scan, because they would have no effect.
fn only_leading(scan: &Scan, parts: &Parts, keyspace: &Keyspace) -> Result<(), InputError> {
    let is_leading = |name: &str| scan.leading.iter().any(|p| p.first().is_some_and(|f| f == name));
    let known = fields(&keyspace.key);
    let later = parts
        .iter()
        .find(|(name, _)| !is_leading(name) && known.iter().any(|field| field.name == *name));
    match later {
        None => Ok(()),
        Some((field, _)) => {
            let leading: Vec<String> = scan.leading.iter().map(|path| path.join(".")).collect();
            let help = match leading.is_empty() {
                true => "this scan takes no fields".to_owned(),
                false => format!("this scan takes {}", suggestion::list(&leading)),
            };
            let message = format!("`{field}` is not a leading field of scan `{}`", scan.name);
            Err(InputError::new(message, help))
        }
    }
}
