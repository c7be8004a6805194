//! Offered fixes, applied to the text of the layout and checked with the oracle only.

use super::{ensure, ensure_true, same};
use crate::{
    leaf::Word,
    oracle::Oracle,
    rows::{Row, What},
};
use keyscape_codec::{Uint, Value};
use keyscape_layout::{
    Backend, Datum, Layout, Record, Span, encode_type,
    model::{KeyspaceId, KeyspaceKind, RowValue, Segment, Type},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::{Claim, Config, Effect, Fix, Report, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// A layout before and after a fix.
pub(crate) struct Fixed<'o> {
    pub(crate) before: &'o Oracle<'o>,
    pub(crate) after: &'o Oracle<'o>,
    pub(crate) fix: &'o Fix,
    /// The claim that the fix is for.
    pub(crate) claim: &'o Claim,
    pub(crate) backend: Option<&'static Backend>,
}

/// Returns the text of a layout with the edit of a fix.
pub(crate) fn apply(text: &str, fix: &Fix) -> String {
    let mut text = text.to_owned();
    text.replace_range(fix.replaces.start as usize..fix.replaces.end as usize, &fix.edit);
    text
}

/// Whether the oracle refutes a claim with the listed rows.
pub(crate) fn refutes(oracle: &Oracle<'_>, claim: &Claim, given: Option<&'static Backend>) -> bool {
    let id = claim.keyspace;
    match (claim.rule, claim.scan) {
        (Rule::Disjoint, _) => !oracle.collisions(id).is_empty(),
        (Rule::Unambiguous, _) => oracle.shortest_ambiguous(id).is_some(),
        (Rule::ScanExact, Some(scan)) => oracle.scan(id, scan).is_wrong(),
        (Rule::Ordered, Some(scan)) => oracle.least_disorder(id, scan).is_some(),
        (Rule::Lossless, _) => oracle.singles(id).iter().any(|single| {
            Some(&single.path) == claim.field.as_ref() && single.shortest_shared().is_some()
        }),
        (Rule::Bounded, _) => {
            let backend = given.or(oracle.layout.store(claim.store).backend);
            backend.is_some_and(|backend| oracle.shortest_refused(id, backend).is_some())
        }
        (Rule::Allocated, _) => oracle.allocation(id).is_some_and(|found| !found.holds()),
        (Rule::StructureTyped, _) => !oracle.mistyped(id).is_empty(),
        (Rule::Indexed, _) => {
            oracle.without_entry(id).is_some()
                || oracle.with_several_entries(id).is_some()
                || oracle.confused(id).is_some()
                || oracle.has_ambiguous_value(id)
        }
        (Rule::Splittable, _) => {
            claim.split.is_some_and(|split| oracle.shortest_missplit(id, split).is_some())
        }
        (Rule::ScanExact | Rule::Ordered, None) => false,
    }
}

/// Returns a message about a proved claim that the oracle refutes in the layout with a fix.
pub(crate) fn lost_claim(
    after: &Oracle<'_>,
    report: &Report,
    backend: Option<&'static Backend>,
) -> Option<String> {
    let mut proved = report.claims.iter().filter(|claim| super::is_proved(claim));
    let lost = proved.find(|claim| refutes(after, claim, backend))?;
    let keyspace = &after.layout.keyspace(lost.keyspace).name;
    Some(format!("it loses {} of `{keyspace}`", lost.rule.code()))
}

impl Fixed<'_> {
    /// Checks everything that a fix promises and must preserve, except the proved claims.
    ///
    /// # Errors
    /// Returns the first broken promise.
    pub(crate) fn check(&self, report: &Report) -> Result<(), String> {
        let (old, new) = (self.before.layout, self.after.layout);
        ensure_true(names(old) == names(new), "it changes the keyspaces")?;
        ensure_true(!refutes(self.after, self.claim, self.backend), "the claim is still refuted")?;
        for id in old.keyspace_ids() {
            self.values(id)?;
            self.bytes(id)?;
            self.directions(id)?;
            let [before, after] =
                [old, new].map(|layout| declared_orders(&layout.keyspace(id).key));
            for (path, names) in &after {
                let known = before.get(path).unwrap_or(names);
                same(&format!("the declared order of `{path}`"), names, known)?;
            }
        }
        self.idle_accepts(report)?;
        match self.fix.effect {
            Effect::NothingStored => {}
            Effect::BytesAdded | Effect::TypeChanged => {
                ensure_true(!self.is_identical(), "stored keys are said to change, and do not")?;
            }
            Effect::Narrowed => {
                let sees_all = old.keyspace_ids().all(|id| self.before.is_complete(id));
                ensure_true(
                    !sees_all || !self.is_identical(),
                    "values are said to be rejected, and are not",
                )?;
            }
        }
        self.weakest()
    }

    /// Checks that the fix names every acceptance that it makes idle, and no other.
    fn idle_accepts(&self, report: &Report) -> Result<(), String> {
        let layout = self.after.layout;
        if layout.keyspaces.iter().all(|keyspace| keyspace.accepts.is_empty()) {
            return Ok(());
        }
        let config = Config { backend: self.backend, fixes: false, ..Config::default() };
        let [old, new] = [
            idle(self.before.layout, &report.idle_accepts),
            idle(layout, &keyscape_prover::check(layout, config).idle_accepts),
        ];
        let made: Vec<&String> = new.iter().filter(|accept| !old.contains(accept)).collect();
        let named = &self.fix.idle_accepts;
        let same = made.len() == named.len() && made.iter().all(|accept| named.contains(accept));
        ensure(same, || format!("it makes {made:?} idle, and names {named:?}"))
    }

    /// Checks that the fix allows no new values. Indexes are exempt, because a fix may add fields
    /// of the map to them.
    fn values(&self, id: KeyspaceId) -> Result<(), String> {
        if self.before.layout.keyspace(id).kind == KeyspaceKind::Index {
            return Ok(());
        }
        let old = self.before.layout.keyspace(id);
        for row in self.after.rows(id) {
            let allowed = old.encode(&fields_for(&old.key, &row.fields));
            ensure(allowed.is_ok(), || format!("{:?} was not allowed before", row.fields))?;
        }
        Ok(())
    }

    /// Checks that only a narrowing fix rejects rows.
    fn rejects(&self, row: &Row) -> Result<(), String> {
        ensure(self.fix.effect == Effect::Narrowed, || {
            format!("it rejects {:?}, and does not say so", row.fields)
        })
    }

    /// Checks that the bytes of values in both layouts change as the fix declares.
    fn bytes(&self, id: KeyspaceId) -> Result<(), String> {
        let new = self.after.layout.keyspace(id);
        if new.kind == KeyspaceKind::Index {
            return self.entries(id);
        }
        for row in self.before.rows(id) {
            match new.encode(&fields_for(&new.key, &row.fields)) {
                Ok(key) => self.becomes(row, &key)?,
                Err(_) => self.rejects(row)?,
            }
        }
        let Some(RowValue::Typed(typed)) = &new.value else { return Ok(()) };
        for row in self.before.values(id) {
            let value = row.fields.get("value").map(|value| datum_for(&typed.ty, value));
            let mut bytes = Vec::new();
            match value.map(|value| encode_type(&typed.ty, "value", &value, &mut bytes)) {
                Some(Ok(())) => self.becomes(row, &bytes)?,
                _ => self.rejects(row)?,
            }
        }
        Ok(())
    }

    /// Checks that the entries of rows in an index change as the fix declares. A row that the map
    /// rejects after the fix has no entries.
    fn entries(&self, id: KeyspaceId) -> Result<(), String> {
        let new = self.after.layout.keyspace(id);
        let Some(map) = new.of.map(|map| self.after.layout.keyspace(map)) else { return Ok(()) };
        for (row, entries) in self.before.indexed(id) {
            if map.encode(&fields_for(&map.key, &row.fields)).is_err() {
                continue;
            }
            for entry in entries {
                let mut record = Record::default();
                for field in keyscape_layout::fields(&new.key) {
                    let source = if field.is_from_value() { entry } else { row };
                    if let Some(datum) = source.fields.get(&field.name) {
                        record.set(field.name.clone(), datum.clone());
                    }
                }
                match new.encode(&fields_for(&new.key, &record)) {
                    Ok(key) => self.becomes(entry, &key)?,
                    Err(_) => self.rejects(entry)?,
                }
            }
        }
        Ok(())
    }

    /// Checks that a key changes as the fix declares.
    fn becomes(&self, row: &Row, key: &[u8]) -> Result<(), String> {
        let is_declared = match self.fix.effect {
            Effect::NothingStored | Effect::Narrowed => key == row.key,
            Effect::BytesAdded => is_inside(&row.key, key),
            Effect::TypeChanged => true,
        };
        ensure(is_declared, || format!("{:?} becomes {key:?}", row.key))
    }

    /// Checks that no field reverses its order.
    fn directions(&self, id: KeyspaceId) -> Result<(), String> {
        let after = self.after.singles(id);
        for old in self.before.singles(id) {
            let new = after.iter().find(|new| new.path == old.path);
            let kept = new.is_none_or(|new| new.descends == old.descends);
            ensure(kept, || format!("it turns the order of `{}` round", old.path))?;
        }
        Ok(())
    }

    /// Whether both layouts have the same bytes for the same values, and the same entries for the
    /// same rows.
    fn is_identical(&self) -> bool {
        let singles = |oracle: &Oracle<'_>, id| -> Vec<Vec<Word>> {
            oracle.singles(id).iter().map(|single| single.words.clone()).collect()
        };
        let same = |rows: &[Row], other: &Layout| {
            let encode = |row: &Row| {
                let keyspace = other.keyspace(row.keyspace);
                keyspace.encode(&fields_for(&keyspace.key, &row.fields))
            };
            rows.iter().all(|row| encode(row).as_ref() == Ok(&row.key))
        };
        let entries = |oracle: &Oracle<'_>, id| -> BTreeSet<(Vec<u8>, Vec<u8>)> {
            let indexed = oracle.indexed(id);
            let keys = indexed.flat_map(|(row, entries)| {
                entries.iter().map(|entry| (row.key.clone(), entry.key.clone()))
            });
            keys.collect()
        };
        self.before.layout.keyspace_ids().all(|id| {
            same(self.before.rows(id), self.after.layout)
                && same(self.after.rows(id), self.before.layout)
                && entries(self.before, id) == entries(self.after, id)
                && singles(self.before, id) == singles(self.after, id)
        })
    }

    /// Checks that the claim fails if a narrowed range gets one more integer at either end.
    fn weakest(&self) -> Result<(), String> {
        let id = self.claim.keyspace;
        let by_rows = !matches!(self.claim.rule, Rule::Lossless | Rule::Indexed);
        if self.fix.effect != Effect::Narrowed || !by_rows || !self.before.is_complete(id) {
            return Ok(());
        }
        let (old, new) = (values_at(self.before.rows(id)), values_at(self.after.rows(id)));
        let mut narrowed: Vec<(&Vec<Value>, &Vec<Value>)> = Vec::new();
        for (place, before) in &old {
            if let Some(after) = new.get(place).filter(|after| after.len() < before.len())
                && !narrowed.contains(&(before, after))
            {
                narrowed.push((before, after));
            }
        }
        // Narrowing a type that several fields use narrows all of them.
        let [(before, after)] = narrowed[..] else { return Ok(()) };
        for next in beside(before, after) {
            let wider = self.before.with_rows(|row| {
                row.keyspace != id
                    || row.steps.iter().all(|step| match &step.what {
                        What::Leaf { value, .. } => {
                            let kept = new.get(&step.place).is_none_or(|n| n.contains(value));
                            let wider = old.get(&step.place) == Some(before)
                                && new.get(&step.place) == Some(after);
                            kept || wider && value == next
                        }
                        _ => true,
                    })
            });
            let fails = refutes(&wider, self.claim, self.backend);
            ensure(fails, || format!("it is not the weakest bound: {next:?} could stay"))?;
        }
        Ok(())
    }
}

/// Checks that fixes that reject values come after all others.
///
/// # Errors
/// Returns the effects if they are in another order.
pub(crate) fn narrowing_is_last(fixes: &[Fix]) -> Result<(), String> {
    let effects: Vec<Effect> = fixes.iter().map(|fix| fix.effect).collect();
    let is_narrowing = |effect: &Effect| *effect == Effect::Narrowed;
    let sorted = effects.iter().map(is_narrowing).is_sorted();
    ensure(sorted, || format!("a fix that rejects values comes before another one: {effects:?}"))
}

/// Returns the names of all enums and variants of a key, in the declared order, by their paths.
fn declared_orders(key: &[Segment]) -> BTreeMap<String, Vec<String>> {
    let orders = traverse(key).filter_map(|item| {
        let names = match item.kind {
            ItemKind::Enum(of) => of.texts.clone(),
            ItemKind::Variant(arms) => arms.iter().map(|arm| arm.name.clone()).collect(),
            _ => return None,
        };
        Some((item.path.text(), names))
    });
    orders.collect()
}

/// Returns fields in the form that a key expects: a value of an enum is an arm without fields if
/// the enum became a variant.
fn fields_for(key: &[Segment], fields: &Record) -> Record {
    let mut converted = fields.clone();
    for field in keyscape_layout::fields(key) {
        if let Some(datum) = fields.get(&field.name) {
            converted.set(field.name.clone(), datum_for(&field.ty, datum));
        }
    }
    converted
}

/// Returns a value in the form that a type expects.
fn datum_for(ty: &Type, datum: &Datum) -> Datum {
    match (ty, datum) {
        (Type::Variant(_), Datum::Name(name)) => Datum::Arm(name.clone(), Record::default()),
        (Type::Enum(_), Datum::Arm(name, _)) => Datum::Name(name.clone()),
        (Type::Composite(inner), Datum::Record(record)) => Datum::Record(fields_for(inner, record)),
        (Type::Variant(arms), Datum::Arm(name, record)) => {
            let arm = arms.iter().find(|arm| arm.name == *name);
            let record = arm.map_or(record.clone(), |arm| fields_for(&arm.segments, record));
            Datum::Arm(name.clone(), record)
        }
        (Type::List(list), Datum::List(elements)) => {
            let converted = elements.iter().map(|element| datum_for(&list.element, element));
            Datum::List(converted.collect())
        }
        _ => datum.clone(),
    }
}

/// Returns idle acceptances in the form in which a fix names them.
fn idle(layout: &Layout, accepts: &[(KeyspaceId, Span)]) -> Vec<String> {
    let named = accepts.iter().filter_map(|(id, span)| {
        let keyspace = layout.keyspace(*id);
        let accept = keyspace.accepts.iter().find(|accept| accept.span == *span)?;
        let mut words = format!("`accept {}", accept.rule);
        for (word, name) in [("scan", &accept.scan), ("with", &accept.with)] {
            words.extend(name.iter().map(|name| format!(" {word} {name}")));
        }
        Some(format!("{words}` of `{}`", keyspace.name))
    });
    named.collect()
}

/// Returns the values at each place of some rows, in order.
fn values_at(rows: &[Row]) -> BTreeMap<u32, Vec<Value>> {
    let mut found: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for step in rows.iter().flat_map(|row| &row.steps) {
        if let What::Leaf { value, .. } = &step.what {
            let values = found.entry(step.place).or_default();
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    found
}

/// Returns the integers of `before` that are adjacent to one of `after`.
fn beside<'v>(before: &'v [Value], after: &[Value]) -> Vec<&'v Value> {
    let is_beside = |value: &Value, other: &Value| match (value, other) {
        (Value::Uint(a), Value::Uint(b)) => a.abs_diff(*b) == Uint::ONE,
        (Value::Int(a), Value::Int(b)) => a.abs_diff(*b) == 1,
        _ => false,
    };
    let outside = before.iter().filter(|value| !after.contains(value));
    outside.filter(|value| after.iter().any(|kept| is_beside(value, kept))).collect()
}

/// Whether `part` is a subsequence of `whole`.
fn is_inside(part: &[u8], whole: &[u8]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|byte| whole.any(|other| other == byte))
}

fn names(layout: &Layout) -> Vec<&str> {
    layout.keyspaces.iter().map(|keyspace| &*keyspace.name).collect()
}
