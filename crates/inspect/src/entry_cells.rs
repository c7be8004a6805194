//! Stored rows as table cells: one for each field, and the value.

use crate::{
    database::{Body, Entry, Part, RowFilter, Stored},
    entry_json::state_name,
    input::value::field_names,
    message,
};
use keyscape_diagnostics::{
    bytes::hex,
    datum::{Extent, line, scalar},
};
use keyscape_layout::{
    Datum, Layout, Record, RowDatum, fields,
    model::{KeyspaceId, KeyspaceKind, RowValue, Segment, Type},
};

/// Returns the columns of the selected rows.
pub fn head(layout: &Layout, filter: &RowFilter) -> Vec<String> {
    let keyspace = layout.keyspace(filter.keyspace);
    let mut head = field_names(&keyspace.key);
    match (keyspace.kind, filter.field) {
        (_, Some(field)) => {
            head.extend(field_names(&layout.keyspace(field).key));
            if has_open_value(layout, field) {
                head.push("value".to_owned());
            }
        }
        (KeyspaceKind::Hash, None) => head.extend(["field", "value"].map(str::to_owned)),
        (KeyspaceKind::Set, _) => head.push("member".to_owned()),
        (KeyspaceKind::Zset, _) => head.extend(["score", "member"].map(str::to_owned)),
        (KeyspaceKind::Queue, _) => {
            head.extend(["score", "member", "state", "attempts"].map(str::to_owned));
        }
        _ if has_open_value(layout, filter.keyspace) => head.push("value".to_owned()),
        _ => {}
    }
    head
}

/// Whether the values of a keyspace are not all the same.
fn has_open_value(layout: &Layout, id: KeyspaceId) -> bool {
    let keyspace = layout.keyspace(id);
    let fixed = matches!(keyspace.value, Some(RowValue::Empty | RowValue::Const(_)));
    !fixed || keyspace.reads.is_some()
}

/// Returns the cells of an entry below the columns of [`head`].
pub fn cells(layout: &Layout, filter: &RowFilter, entry: &Entry) -> Vec<String> {
    let keyspace = layout.keyspace(entry.keyspace);
    let mut cells = of_record(&keyspace.key, &entry.key);
    match &entry.body {
        Body::Row(value) if has_open_value(layout, entry.keyspace) => {
            cells.push(stored(layout, entry.keyspace, value));
        }
        Body::Row(_) => {}
        Body::Field { id, fields, value } => {
            let field = layout.keyspace(*id);
            if filter.field.is_some() {
                cells.extend(of_record(&field.key, fields));
            } else {
                let own = field.name.rsplit('.').next().unwrap_or(&field.name);
                cells.push(match fields.0.as_slice() {
                    [] => own.to_owned(),
                    _ => format!("{own} {}", line(&field.key, fields, Extent::Whole)),
                });
            }
            if filter.field.is_none() || has_open_value(layout, *id) {
                cells.push(stored(layout, *id, value));
            }
        }
        Body::Part { part, .. } => {
            let typed = |ty: &Option<std::sync::Arc<Type>>, datum: Option<&Datum>| {
                datum.map(|datum| of_datum(ty.as_deref(), datum)).unwrap_or_default()
            };
            if keyspace.score.is_some() {
                cells.push(typed(&keyspace.score, part.score()));
            }
            cells.push(typed(&keyspace.member, part.member()));
            if let Part::Item { item, .. } = part {
                cells.push(state_name(item.state).to_owned());
                cells.push(item.attempts.to_string());
            }
        }
    }
    cells
}

fn of_record(segments: &[Segment], record: &Record) -> Vec<String> {
    let cell = |field: &keyscape_layout::model::Field| {
        let datum = record.get(&field.name);
        datum.map(|datum| of_datum(Some(&field.ty), datum)).unwrap_or_default()
    };
    fields(segments).into_iter().map(cell).collect()
}

/// Returns one value; an arm with its fields.
fn of_datum(ty: Option<&Type>, datum: &Datum) -> String {
    match (ty, datum) {
        (Some(Type::Variant(arms)), Datum::Arm(name, record)) if !record.0.is_empty() => {
            let arm = arms.iter().find(|arm| arm.name == *name);
            let inner = arm.map_or(&[][..], |arm| &arm.segments);
            format!("{name} {}", line(inner, record, Extent::Whole))
        }
        (ty, datum) => scalar(ty, datum, Extent::Whole),
    }
}

/// Returns the value of a row in a few words.
pub fn stored(layout: &Layout, id: KeyspaceId, value: &Stored) -> String {
    let keyspace = layout.keyspace(id);
    match value {
        Stored::Value(datum) => row_datum(keyspace.value.as_ref(), datum),
        Stored::Reads(datum) => row_datum(keyspace.reads.as_ref(), datum),
        Stored::Raw(bytes) => format!("0x{}", hex(bytes)),
    }
}

fn row_datum(form: Option<&RowValue>, datum: &RowDatum) -> String {
    match (form, datum) {
        (Some(RowValue::Const(bytes)), RowDatum::Nothing) => format!("0x{}", hex(bytes)),
        (form, RowDatum::Bytes(bytes)) => {
            message::to_json(form, bytes).unwrap_or_else(|| format!("0x{}", hex(bytes)))
        }
        (_, RowDatum::Nothing) => String::new(),
        (Some(RowValue::Typed(typed)), RowDatum::Datum(datum)) => of_datum(Some(&typed.ty), datum),
        (_, RowDatum::Datum(datum)) => of_datum(None, datum),
        (_, RowDatum::Json(text)) => {
            text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
        }
    }
}
