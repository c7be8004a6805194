//! KS105: an index is new or changed and must be built, or it is gone and its entries remain.
//!
//! An index is unchanged if every existing row has the same entry under both layouts. The new
//! layout must read each old entry as an entry with the same fields, and rows without an entry must
//! not need one. The counts and ranks of structures are derived from their members, as an index is
//! derived from its map.

use crate::{
    compare::Direction::{Backward, Forward},
    correspondence::Fields,
    diff::{Context, finding, is_index, undecided},
    report::{Fault, Finding, IndexChange, IndexFault, Rule, Unknown},
    value::is_read_by,
};
use keyscape_layout::{
    direct_field, fields,
    model::{
        EntryValue, Field, Keyspace, KeyspaceId, Layout, PathPart, RowValue, Segment, same_segments,
    },
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |ids, fault, minimal| {
        findings.push(finding(Rule::Index, ids, Fault::Index(fault), minimal));
    };
    let mut unknown = Vec::new();
    for id in context.old.keyspace_ids().filter(|&id| is_index(context.old, id)) {
        match context.correspondence.new_keyspace(id) {
            None => add((Some(id), None), IndexFault::Removed, false),
            Some(new) => match change(context, id, new) {
                Ok(None) => {}
                Ok(Some((change, minimal))) => {
                    add((Some(id), Some(new)), IndexFault::Changed(change), minimal);
                }
                Err(reason) => unknown.push(undecided(Rule::Index, (Some(id), Some(new)), reason)),
            },
        }
    }
    for id in context.new.keyspace_ids() {
        let old = context.correspondence.old_keyspace(id);
        if is_index(context.new, id) && old.is_none() {
            add((None, Some(id)), IndexFault::Added, false);
        }
        let Some(old) = old else { continue };
        let (a, b) = (context.old.keyspace(old), context.new.keyspace(id));
        for (word, was, is) in [("counted", a.counted, b.counted), ("ranked", a.ranked, b.ranked)] {
            let fault = match (was, is) {
                (false, true) => IndexFault::RecordsAdded(word),
                (true, false) => IndexFault::RecordsRemoved(word),
                _ => continue,
            };
            add((Some(old), Some(id)), fault, false);
        }
    }
    findings.extend(unknown);
    findings
}

/// Returns the change of an index, and whether no shorter entry shows the change.
fn change(
    context: &Context<'_>,
    old: KeyspaceId,
    new: KeyspaceId,
) -> Result<Option<(IndexChange, bool)>, Unknown> {
    let (a, b) = (context.old.keyspace(old), context.new.keyspace(new));
    let maps = a.of.zip(b.of);
    let is_same = |maps: &(_, _)| context.correspondence.new_keyspace(maps.0) == Some(maps.1);
    let Some(maps) = maps.filter(is_same) else {
        return Ok(Some((IndexChange::Map, false)));
    };
    if let Some(field) = other_field(context, (old, new), maps) {
        return Ok(Some((IndexChange::Field(field), false)));
    }
    if b.unique && !a.unique {
        return Ok(Some((IndexChange::Unique, false)));
    }
    if !has_same_value(context, a, b) {
        return Ok(Some((IndexChange::Value, false)));
    }
    if !context.is_changed(Backward, old) {
        return Ok(None);
    }
    let question = context.question(Backward, old);
    if let Some(found) = context.comparison.unread(&question, &[new], &[])? {
        return Ok(Some((IndexChange::Lost(found.of), found.minimal)));
    }
    if let Some(found) = context.comparison.first_misread(&question, &[new])? {
        return Ok(Some((IndexChange::Reread(Box::new(found.of)), found.minimal)));
    }
    wider(context, old, new).map(|field| Some((IndexChange::Wider(field?), false)))
}

/// Returns a field that only one of two indexes has, or whose values the indexes take from
/// different sources.
fn other_field(
    context: &Context<'_>,
    (old, new): (KeyspaceId, KeyspaceId),
    (old_map, new_map): (KeyspaceId, KeyspaceId),
) -> Option<String> {
    let (pairs, in_maps) = (context.fields(old, new), context.fields(old_map, new_map));
    let in_values = value_fields(context.old.keyspace(old_map), context.new.keyspace(new_map));
    let (olds, news) =
        (fields(&context.old.keyspace(old).key), fields(&context.new.keyspace(new).key));
    let same_source = |old: &Field, new: &Field| match &new.from_value {
        // The two maps must have this field in common.
        None => !in_maps.moves(&old.name, &new.name),
        Some(from) => {
            let own_name = [PathPart::Name(new.name.clone())];
            let path = if from.path.is_empty() { &own_name } else { from.path.as_slice() };
            let path = path.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
            !in_values.moves(&path, &path)
        }
    };
    let added = news.iter().find(|field| match pairs.old_path(&field.name) {
        None => true,
        Some(path) => {
            let counterpart = olds.iter().find(|old| old.name == path);
            counterpart
                .is_none_or(|old| old.from_value != field.from_value || !same_source(old, field))
        }
    });
    let removed = || olds.iter().find(|field| pairs.new_path(&field.name).is_none());
    added.or_else(removed).map(|field| field.name.clone())
}

/// Matches the parts of the values of two maps.
fn value_fields(old: &Keyspace, new: &Keyspace) -> Fields {
    match (&old.value, &new.value) {
        (Some(RowValue::Typed(old)), Some(RowValue::Typed(new))) => {
            Fields::of_types(&old.ty, &new.ty)
        }
        _ => Fields::default(),
    }
}

/// Whether entries of existing rows have the same value.
fn has_same_value(context: &Context<'_>, a: &Keyspace, b: &Keyspace) -> bool {
    match (a.entry_value(), b.entry_value()) {
        // The entry contains the key of the row without its leading literals, and their number may
        // differ.
        (Some(EntryValue::OwnerKey), Some(EntryValue::OwnerKey)) => {
            let literals = |map: Option<KeyspaceId>, layout: &Layout| {
                map.map(|map| layout.keyspace(map).literal_prefix().len())
            };
            literals(a.of, context.old) == literals(b.of, context.new)
        }
        (Some(a), Some(b)) => a == b,
        (None, None) => match (&a.value, &b.value) {
            (Some(a), Some(b)) => is_read_by(Backward, a, b),
            (None, None) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Returns a field for which the new index accepts more values of the map's key than the old index
/// did.
fn wider(
    context: &Context<'_>,
    old: KeyspaceId,
    new: KeyspaceId,
) -> Result<Option<String>, Unknown> {
    let keyspace = context.old.keyspace(old);
    let Some(map) = keyspace.of else { return Ok(None) };
    let map = &context.old.keyspace(map).key;
    let in_map = fields(map);
    let own = fields(&keyspace.key);
    let is_required = |key: &[Segment], name: &str| direct_field(key, name).is_some();
    // A field with the same type as in the map accepts all values of the map, unless the index
    // requires the field and rows may lack it.
    let partial = own.iter().find(|field| {
        let of_map = in_map.iter().find(|other| other.name == field.name);
        of_map.is_some_and(|other| {
            !other.declared.is_same(&field.declared)
                || is_required(&keyspace.key, &field.name) && !is_required(map, &field.name)
        })
    });
    let partial = partial.map(|field| field.name.clone());
    let Some(partial) = partial.or_else(|| partial_option(&keyspace.key, map)) else {
        return Ok(None);
    };
    let question = context.question(Forward, new);
    // A row without an old entry can have a new entry with the key of another entry.
    let is_wider = context.comparison.unread(&question, &[old], &[])?.is_some()
        || context.comparison.first_misread(&question, &[old])?.is_some();
    Ok(is_wider.then_some(partial))
}

/// Returns a field of an optional part of an index that may be absent although the row has the
/// field. Such a part has several fields or a guard, and the key of the map does not have the same
/// part.
fn partial_option(key: &[Segment], map: &[Segment]) -> Option<String> {
    let options = key.iter().filter(|segment| matches!(segment, Segment::Option(_)));
    for part in options.filter(|part| !contains(map, part)) {
        let Segment::Option(option) = part else { continue };
        let inside = fields(&option.segments);
        if inside.len() > 1 || option.guard.is_some() {
            return inside.first().map(|field| field.name.clone());
        }
    }
    None
}

/// Whether a key contains an optional part, at any depth.
fn contains(key: &[Segment], part: &Segment) -> bool {
    key.iter().any(|segment| match segment {
        Segment::Option(option) => {
            same_segments(std::slice::from_ref(segment), std::slice::from_ref(part))
                || contains(&option.segments, part)
        }
        Segment::Literal(_) | Segment::Field(_) | Segment::Derived(_) => false,
    })
}
