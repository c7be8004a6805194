//! The findings of a pair of layouts, rule by rule.

use super::{Change, rows::Both, values};
use crate::Row;
use keyscape_evolution::{Fault, Finding, ForwardFault, Part, Report, RetiredFault, Rule};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use std::collections::{BTreeMap, BTreeSet};

type Outcomes = Vec<(Rule, Change)>;

/// Two keyspaces, an old one and a new one.
type Ids = (KeyspaceId, KeyspaceId);

pub(super) fn compare(both: &Both<'_>, report: &Report) -> Result<Outcomes, String> {
    let mut outcomes = Vec::new();
    for finding in &report.findings {
        if finding.is_bug() {
            return Err(format!("{:?} of {:?}", finding.rule, finding.fault));
        }
    }
    let olds: Vec<KeyspaceId> = both.old.layout.keyspace_ids().collect();
    let news: Vec<KeyspaceId> = both.new.layout.keyspace_ids().collect();
    for &id in &olds {
        outcomes.extend(lost(both, report, id)?);
        order(both, report, id)?;
        index(both, report, id)?;
        outcomes.extend(values::compare(both, report, id)?);
        values::check_parts(both, report, id)?;
    }
    let rereads = rereads(both);
    let captures = captures(both);
    for (rule, expected) in [(Rule::Reread, &rereads), (Rule::Captured, &captures)] {
        outcomes.extend(pairs(report, rule, expected)?);
        if expected.is_empty() && !report.findings.iter().any(|found| found.rule == rule) {
            outcomes.push((rule, Change::Harmless));
        }
    }
    for &id in &news {
        outcomes.push(forward(both, report, id)?);
    }
    outcomes.extend(retired(both, report)?);
    Ok(outcomes)
}

fn of_rule(report: &Report, rule: Rule) -> impl Iterator<Item = &Finding> + Clone {
    report.findings.iter().filter(move |finding| finding.rule == rule)
}

/// Compares the key of a finding with the expected keys and their lengths.
fn judge(
    rule: Rule,
    found: Option<(&[u8], bool)>,
    expected: &BTreeSet<&[u8]>,
    is_unknown: bool,
) -> Result<(Rule, Change), String> {
    let least = expected.iter().map(|key| key.len()).min();
    match (found, least) {
        (None, None) if !is_unknown => Ok((rule, Change::Harmless)),
        (None, _) if is_unknown => Ok((rule, Change::Unknown)),
        (None, _) => Err(format!("{rule:?}: {:?} is not found", shortest(expected))),
        (Some((key, _)), _) if !expected.contains(key) => {
            Err(format!("{rule:?}: {key:?} is found, but nothing is wrong with it"))
        }
        (Some((key, true)), Some(least)) if key.len() != least => {
            Err(format!("{rule:?}: {key:?} is not the shortest: {:?}", shortest(expected)))
        }
        (Some((_, minimal)), _) => {
            Ok((rule, if minimal { Change::Found } else { Change::FoundNotMinimal }))
        }
    }
}

fn shortest<'k>(keys: &BTreeSet<&'k [u8]>) -> Option<&'k [u8]> {
    keys.iter().copied().min_by_key(|key| key.len())
}

fn is_index(both: &Both<'_>, old: KeyspaceId) -> bool {
    both.old.layout.keyspace(old).kind == KeyspaceKind::Index
}

/// Compares KS101.
fn lost(
    both: &Both<'_>,
    report: &Report,
    id: KeyspaceId,
) -> Result<Option<(Rule, Change)>, String> {
    let of = of_rule(report, Rule::Lost).filter(|found| found.old == Some(id));
    let keys = of.filter(
        |found| !matches!(&found.fault, Ok(Fault::Lost { part, .. }) if *part != Part::Key),
    );
    let found: Vec<&Finding> = keys.collect();
    if is_index(both, id) {
        return if found.is_empty() { Ok(None) } else { Err("an index is lost".into()) };
    }
    let news = both.news(id);
    let expected = both.old.rows(id).iter().map(|row| &*row.key);
    let expected: BTreeSet<&[u8]> = expected.filter(|key| !news.contains_key(key)).collect();
    let key = found.iter().find_map(|found| match &found.fault {
        Ok(Fault::Lost { row, .. }) => Some((&*row.key, found.minimal)),
        _ => None,
    });
    let is_unknown = found.iter().any(|found| found.fault.is_err());
    judge(Rule::Lost, key, &expected, is_unknown).map(Some)
}

/// Returns the keys that the new layout reads differently, by the keyspaces of both readings.
fn rereads<'a>(both: &Both<'a>) -> BTreeMap<Ids, BTreeSet<&'a [u8]>> {
    let mut found: BTreeMap<Ids, BTreeSet<&[u8]>> = BTreeMap::new();
    for old in both.old.layout.keyspace_ids() {
        let news = both.news(old);
        for row in both.old.rows(old) {
            let read: &[&Row] = news.get(&*row.key).map_or(&[], |rows| rows);
            for new in read.iter().filter(|new| both.old_of(new.keyspace).is_some()) {
                if is_index(both, old) && both.old_of(new.keyspace) == Some(old) {
                    continue;
                }
                let is_gone = !read.iter().any(|new| both.are_same(row, new));
                let is_new = !is_read(both, &row.key, new);
                if is_gone || is_new {
                    found.entry((old, new.keyspace)).or_default().insert(&row.key);
                }
            }
        }
    }
    found
}

/// Whether an old reading of a key is the same as a new one.
fn is_read(both: &Both<'_>, key: &[u8], new: &Row) -> bool {
    both.olds(new.keyspace)
        .get(key)
        .is_some_and(|olds| olds.iter().any(|old| both.are_same(old, new)))
}

/// Returns the keys of old keyspaces that new keyspaces without a counterpart read.
fn captures<'a>(both: &Both<'a>) -> BTreeMap<Ids, BTreeSet<&'a [u8]>> {
    let mut found: BTreeMap<Ids, BTreeSet<&[u8]>> = BTreeMap::new();
    for new in both.new.layout.keyspace_ids().filter(|&new| both.old_of(new).is_none()) {
        let olds = both.olds(new);
        for row in both.new.rows(new) {
            for old in olds.get(&*row.key).into_iter().flatten() {
                found.entry((old.keyspace, new)).or_default().insert(&old.key);
            }
        }
    }
    found
}

/// Compares KS102 or KS103.
fn pairs(
    report: &Report,
    rule: Rule,
    expected: &BTreeMap<Ids, BTreeSet<&[u8]>>,
) -> Result<Outcomes, String> {
    let mut found: BTreeMap<Ids, (&[u8], bool)> = BTreeMap::new();
    let mut unknown = Vec::new();
    for finding in of_rule(report, rule) {
        match &finding.fault {
            Ok(Fault::Reread { part: Part::Key, readings } | Fault::Captured { readings }) => {
                let ids = (readings.old.keyspace, readings.new.keyspace);
                found.insert(ids, (&readings.old.key, finding.minimal));
            }
            Ok(_) => {}
            Err(_) => unknown.push((finding.old, finding.new)),
        }
    }
    let subjects: BTreeSet<Ids> = found.keys().chain(expected.keys()).copied().collect();
    let none = BTreeSet::new();
    let judged = subjects.into_iter().map(|ids| {
        let is_unknown = unknown.iter().any(|&(old, new)| old == Some(ids.0) || new == Some(ids.1));
        let expected = expected.get(&ids).unwrap_or(&none);
        judge(rule, found.get(&ids).copied(), expected, is_unknown)
            .map_err(|message| format!("{ids:?} {message}"))
    });
    judged.collect()
}

/// Compares KS106.
fn forward(both: &Both<'_>, report: &Report, id: KeyspaceId) -> Result<(Rule, Change), String> {
    let olds = both.olds(id);
    let keys = both.new.rows(id).iter().map(|row| &*row.key);
    let unread: BTreeSet<&[u8]> = keys.filter(|key| !olds.contains_key(key)).collect();
    let rows = both.new.rows(id).iter();
    let misread = rows.filter(|row| !is_read(both, &row.key, row)).map(|row| &*row.key);
    let misread: BTreeSet<&[u8]> = misread.filter(|key| !unread.contains(key)).collect();
    let findings: Vec<&Finding> =
        of_rule(report, Rule::Forward).filter(|finding| finding.new == Some(id)).collect();
    let is_unknown = findings.iter().any(|finding| finding.fault.is_err());
    for finding in findings {
        match &finding.fault {
            Ok(Fault::Forward(ForwardFault::Unread { part: Part::Key, row })) => {
                let key = Some((&*row.key, finding.minimal));
                return judge(Rule::Forward, key, &unread, false);
            }
            Ok(Fault::Forward(ForwardFault::Misread { part: Part::Key, readings }))
                if unread.is_empty() || both.has_derived_bytes() =>
            {
                let key = Some((&*readings.new.key, finding.minimal));
                return judge(Rule::Forward, key, &misread, false);
            }
            _ => {}
        }
    }
    let all: BTreeSet<&[u8]> = unread.union(&misread).copied().collect();
    judge(Rule::Forward, None, &all, is_unknown)
}

/// KS107: without a finding, rows that exist in both layouts keep their keys.
fn order(both: &Both<'_>, report: &Report, id: KeyspaceId) -> Result<(), String> {
    let Some(new) = both.new_of(id) else { return Ok(()) };
    let is_found = of_rule(report, Rule::Order).any(|found| found.old == Some(id));
    let has_scans = !both.old.layout.keyspace(id).scans.is_empty()
        && !of_rule(report, Rule::Access).any(|found| found.old == Some(id));
    if is_found || !has_scans {
        return Ok(());
    }
    for row in both.old.rows(id) {
        let mut same = both.new.rows(new).iter().filter(|new| both.have_same_fields(row, new));
        if same.next().is_some_and(|new| new.key != row.key) {
            return Err(format!("KS107: {:?} changes its key, and nothing is found", row.key));
        }
    }
    Ok(())
}

/// KS105: without a finding, rows that have the same key in both layouts have the same entries.
fn index(both: &Both<'_>, report: &Report, id: KeyspaceId) -> Result<(), String> {
    let is_found = of_rule(report, Rule::Index).any(|found| found.old == Some(id));
    if !is_index(both, id) || is_found {
        return Ok(());
    }
    let Some(new) = both.new_of(id) else { return Err("KS105: an index is gone".into()) };
    let maps = (both.old.layout.keyspace(id).of, both.new.layout.keyspace(new).of);
    let (Some(old_map), Some(new_map)) = maps else { return Ok(()) };
    for row in both.old.rows(old_map) {
        let same = both.new.rows(new_map).iter();
        let mut same = same.filter(|new| new.key == row.key && both.have_same_fields(row, new));
        let Some(other) = same.next() else { continue };
        let keys = |rows: &[Row]| -> BTreeSet<Vec<u8>> {
            rows.iter().map(|row| row.key.clone()).collect()
        };
        if let Some(value) = values::other_entries(both, (id, new), (row, other)) {
            return Err(format!(
                "KS105: the entries of {:?} with {value:?} change, and nothing is found",
                row.key
            ));
        }
        let (before, after) = (keys(both.old.entries(id, row)), keys(both.new.entries(new, other)));
        // Entries with fields from the value are listed for all values. More values mean more
        // entries.
        if before != after && !before.is_subset(&after) || before.is_empty() != after.is_empty() {
            return Err(format!(
                "KS105: the entries of {:?} change, and nothing is found",
                row.key
            ));
        }
    }
    Ok(())
}

/// Compares KS108.
fn retired(both: &Both<'_>, report: &Report) -> Result<Outcomes, String> {
    let mut outcomes = Vec::new();
    for (at, store) in both.old.layout.stores.iter().enumerate() {
        let Some(other) = both.new.layout.stores.iter().position(|new| new.name == store.name)
        else {
            continue;
        };
        for namespace in &store.namespaces {
            for place in &namespace.retired {
                let prefix = [&*namespace.prefix, &place.prefix].concat();
                let of = |fault: &RetiredFault| {
                    let (RetiredFault::Used(place, _) | RetiredFault::Dropped(place)) = fault;
                    place.prefix == prefix && place.store.0 as usize == at
                };
                let mut expected: BTreeMap<KeyspaceId, BTreeSet<&[u8]>> = BTreeMap::new();
                for id in both.new.layout.keyspace_ids() {
                    let keyspace = both.new.layout.keyspace(id);
                    if keyspace.store.0 as usize != other || keyspace.hash.is_some() {
                        continue;
                    }
                    let olds = both.olds(id);
                    let keys = both.new.rows(id).iter().map(|row| &*row.key);
                    let keys: BTreeSet<&[u8]> = keys
                        .filter(|key| key.starts_with(&prefix) && !olds.contains_key(key))
                        .collect();
                    expected.insert(id, keys);
                }
                for (id, keys) in &expected {
                    let mut found =
                        of_rule(report, Rule::Retired).filter(|finding| finding.new == Some(*id));
                    let is_unknown = found.clone().any(|finding| finding.fault.is_err());
                    let key = found.find_map(|finding| match &finding.fault {
                        Ok(Fault::Retired(fault @ RetiredFault::Used(_, row))) if of(fault) => {
                            Some((&*row.key, finding.minimal))
                        }
                        _ => None,
                    });
                    outcomes.push(judge(Rule::Retired, key, keys, is_unknown)?);
                }
            }
        }
    }
    Ok(outcomes)
}
