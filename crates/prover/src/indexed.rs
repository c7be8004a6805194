//! KS009: an index tells all rows of its map apart.
//!
//! Its key carries every field of the map's key, with a codec that loses nothing, or it is `unique`
//! and holds that key as its value.

use crate::{
    context::Context,
    scan_trial::{sample_rows, sample_type},
    verdict::{Counterexample, Fault, Row, Verdict},
};
use keyscape_codec::Loss;
use keyscape_layout::{
    Datum, Record, fields,
    model::{Field, Keyspace, KeyspaceId, Type},
};

/// `None` if the keyspace is no index.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Verdict> {
    let index = context.layout.keyspace(id);
    let map = index.of?;
    if index.unique {
        return Some(Verdict::Proved);
    }
    let carried = fields(&index.key);
    let missing = fields(&context.layout.keyspace(map).key).into_iter().find(|field| {
        !carried
            .iter()
            .any(|other| other.name == field.name && !other.from_value && is_lossless(&other.ty))
    });
    Some(match missing {
        Some(field) => two_rows(context, index, map, field),
        None => Verdict::Proved,
    })
}

fn is_lossless(ty: &Type) -> bool {
    match ty {
        Type::Leaf(leaf) => matches!(leaf.codec.lossless(), Loss::None),
        Type::Enum(_) => true,
        Type::List(list) => is_lossless(&list.element),
        Type::Composite(segments) => fields(segments).iter().all(|field| is_lossless(&field.ty)),
        Type::Variant(arms) => {
            arms.iter().all(|arm| fields(&arm.segments).iter().all(|field| is_lossless(&field.ty)))
        }
    }
}

/// Two rows of the map that differ in one field and have one entry in the index. A field with one
/// value needs no carrying.
fn two_rows(context: &Context<'_>, index: &Keyspace, map: KeyspaceId, field: &Field) -> Verdict {
    let map_keyspace = context.layout.keyspace(map);
    for Row { fields: record, .. } in sample_rows(context, map, &[]) {
        let mut rows: Vec<(Row, Vec<u8>)> = Vec::new();
        for datum in sample_type(&field.ty, 1024) {
            let mut changed = record.clone();
            changed.set(field.name.clone(), datum);
            let (Ok(key), Some(entry)) = (map_keyspace.encode(&changed), entry(index, &changed))
            else {
                continue;
            };
            let row = Row { key, keyspace: map, fields: changed };
            let same = rows.iter().find(|(other, known)| *known == entry && other.key != row.key);
            if let Some((other, _)) = same {
                let fault =
                    Fault::Indexed { missing: field.name.clone(), a: other.clone(), b: row, entry };
                let fixes = Vec::new();
                let counterexample = Counterexample { fault, minimal: false, fixes };
                return Verdict::Refuted(Box::new(counterexample));
            }
            rows.push((row, entry));
        }
    }
    Verdict::Proved
}

/// The entry of a row: fields of the map's key by name, fields of its value at their simplest.
fn entry(index: &Keyspace, row: &Record) -> Option<Vec<u8>> {
    let mut record = Record::default();
    for field in fields(&index.key) {
        let own: Option<Datum> = row.get(&field.name).filter(|_| !field.from_value).cloned();
        if let Some(datum) = own.or_else(|| sample_type(&field.ty, 1).into_iter().next()) {
            record.set(field.name.clone(), datum);
        }
    }
    index.encode(&record).ok()
}
