//! `keyscape put`

use super::target::{Target, incomplete, not_written};
use crate::{
    database::{Additions, Stored, warn_unbuilt, writer},
    failure::{Exit, Failure},
    input::{
        InputError,
        argument::Argument,
        line::{row_value, takes_no_value},
        value,
    },
};
use clap::Args;
use keyscape_layout::model::KeyspaceKind;

/// Write a row and its index entries
///
/// Takes the fields of the key as `encode` does, and the value after `--` in the form that the
/// layout declares: an integer, text or JSON; bytes, protobuf messages and types of the program as
/// `0x…`. A message whose descriptor the layout imports can be given as JSON. Rows with empty
/// values take no value. An existing row is replaced. The same commit updates the indexes of a map.
/// An index with fields `from value` needs a value that the layout describes, or the path of the
/// field in JSON or in a protobuf message (`from value each tags`). If only the program can take
/// the field, the row is rejected.
///
/// A member of a set, zset or queue is `member=…`, with the score of a zset or queue after `--`;
/// counts and ranks are updated. `put` pushes to a queue, and `keyscape queue` works on its
/// members.
///
/// Proves the layout first, and verifies the checksums of the whole file: a commit computes new
/// checksums for the pages that it touches, which would hide damage. The commit is on disk when the
/// command ends. The file must exist; `create` creates it. Exit status: 1 if the layout is not
/// sound, if the entry of a unique index belongs to another row, or if a member is dead.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape put shop.redb orders user=1 order=7 -- ink
  keyscape put txo.redb output.events outpoint.txid=… outpoint.vout=0 -- '[\"p2pkh\"]'
  keyscape put game.redb board game=1 member=ann -- 250")]
pub(crate) struct Put {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    additions: Additions,
    /// The value, after `--`
    #[arg(last = true, allow_hyphen_values = true)]
    value: Option<String>,
}

impl Put {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let mut filter = self.target.row_filter(&layout).map_err(without_dashes)?;
        let id = filter.field.unwrap_or(filter.keyspace);
        let keyspace = layout.keyspace(id);
        let given = self.value.clone().map(Argument::Text);
        let stored = match (keyspace.kind, &keyspace.score) {
            (KeyspaceKind::Zset | KeyspaceKind::Queue, Some(score)) => {
                match (&filter.score, given) {
                    (None, Some(given)) => {
                        filter.score = Some(value::datum(score, given, "score")?);
                    }
                    (Some(_), Some(_)) => {
                        let message = "field `score` is given twice";
                        return Err(InputError::without_help(message).into());
                    }
                    (_, None) => {}
                }
                Stored::Raw(Vec::new())
            }
            (KeyspaceKind::Set, _) if self.value.is_some() => {
                let what = format!("a member of set `{}`", keyspace.name);
                let given = self.value.unwrap_or_default();
                return Err(takes_no_value(&what, &given).into());
            }
            (KeyspaceKind::Set | KeyspaceKind::Hash | KeyspaceKind::Index, _) => {
                Stored::Raw(Vec::new())
            }
            _ => Stored::Value(row_value(keyspace.value.as_ref(), &keyspace.name, given)?),
        };
        let entry = filter.entry(&layout, stored);
        let entry = entry.map_err(|source| incomplete(&layout, &filter, &source))?;
        let base = self.target.database.open(&layout, self.additions)?;
        warn_unbuilt(&base);
        base.db
            .write(|tx| writer(&base).put(tx, &entry))
            .map_err(|error| not_written(&layout, &filter, error))?;
        Ok(Exit::Fine)
    }
}

/// If an argument is not of the form `field=value`, it is probably the value.
fn without_dashes(failure: Failure) -> Failure {
    match failure {
        Failure::Input(InputError::NotPair { given, example }) => {
            let example = format!("{example} … -- VALUE");
            InputError::NotPair { given, example }.into()
        }
        failure => failure,
    }
}
