//! Sample rows of a keyspace.

use crate::correspondence::{ELEMENT, Fields, last_name};
use keyscape_layout::{
    Datum, Record, Side,
    machine::Walk,
    model::{KeyspaceId, Type},
    traverse::{ItemKind, join, traverse},
};
use keyscape_prover::KeyReader;

/// The number of values to try for each field.
const VALUES: usize = 10;
/// The number of rows to try for a keyspace.
const ROWS: usize = 256;

/// Returns rows of a keyspace that differ in the values of one or two fields, but not in the fields
/// `except`.
pub(crate) fn records(
    reader: &KeyReader<'_>,
    id: KeyspaceId,
    except: &[Vec<String>],
) -> Vec<Record> {
    let Ok(machine) = reader.machine(&[id], Side::Over) else { return Vec::new() };
    let shortest = Walk::new(&machine).shortest(machine.start());
    let Some(first) = reader.rows(&shortest, id).into_iter().next() else { return Vec::new() };
    let alternatives = alternatives(reader, id, except);
    let mut rows = vec![first.fields.clone()];
    for (at, (path, values)) in alternatives.iter().enumerate() {
        for value in values {
            let Some(changed) = with(&first.fields, path, value) else { continue };
            rows.push(changed.clone());
            for (other, values) in alternatives.get(at + 1..).unwrap_or_default() {
                for value in values.iter().take(2) {
                    rows.extend(with(&changed, other, value));
                }
            }
            if rows.len() >= ROWS {
                return rows;
            }
        }
    }
    rows
}

type Alternatives = Vec<(Vec<String>, Vec<Datum>)>;

/// Returns sample values of each field outside variants and lists.
fn alternatives(reader: &KeyReader<'_>, id: KeyspaceId, except: &[Vec<String>]) -> Alternatives {
    let mut found = Vec::new();
    for item in traverse(&reader.keyspace(id).key) {
        let ItemKind::Field(field) = item.kind else { continue };
        let path: Vec<String> = item.path.names().into_iter().map(str::to_owned).collect();
        if !item.path.is_plain() || except.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let values: Vec<Datum> = match &*field.ty {
            Type::Leaf(leaf) => {
                let samples = leaf.codec.samples();
                let step = (samples.len() / VALUES).max(1);
                let (few, spread) = (samples.iter().take(3), samples.iter().step_by(step));
                let mut values: Vec<Datum> = few.chain(spread).cloned().map(Datum::Leaf).collect();
                values.dedup();
                values
            }
            Type::Enum(of) => of.texts.iter().take(VALUES).cloned().map(Datum::Name).collect(),
            Type::Composite(_) | Type::Variant(_) | Type::List(_) => continue,
        };
        found.push((path, values));
    }
    found
}

/// Returns a record with another value at a path; `None` if the record has no composite there.
fn with(record: &Record, path: &[String], value: &Datum) -> Option<Record> {
    let (first, rest) = path.split_first()?;
    let datum = match (record.get(first), rest) {
        (_, []) => value.clone(),
        (Some(Datum::Record(inner)), rest) => Datum::Record(with(inner, rest, value)?),
        _ => return None,
    };
    let mut changed = record.clone();
    changed.set(first.clone(), datum);
    Some(changed)
}

/// Returns an old record with the names of the new fields. Removed fields keep their names.
pub(crate) fn renamed(record: &Record, fields: &Fields) -> Record {
    rename(record, fields, "")
}

fn rename(record: &Record, fields: &Fields, at: &str) -> Record {
    let renamed = record.0.iter().map(|(name, datum)| {
        let path = join(at, name);
        let new = last_name(fields.new_path(&path).unwrap_or(&path));
        (new.to_owned(), rename_datum(datum, fields, &path))
    });
    Record(renamed.collect())
}

fn rename_datum(datum: &Datum, fields: &Fields, at: &str) -> Datum {
    match datum {
        Datum::Record(inner) => Datum::Record(rename(inner, fields, at)),
        Datum::Arm(arm, inner) => Datum::Arm(arm.clone(), rename(inner, fields, &join(at, arm))),
        Datum::List(elements) => {
            let path = join(at, ELEMENT);
            let elements = elements.iter().map(|datum| rename_datum(datum, fields, &path));
            Datum::List(elements.collect())
        }
        datum => datum.clone(),
    }
}
