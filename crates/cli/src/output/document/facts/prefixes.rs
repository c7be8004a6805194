//! The prefixes of a store: which bytes keys begin with, which are allocated, and which are left.
//!
//! Which bytes a keyspace can begin with is read off its automaton, so a leading field counts with
//! all of its values.

use keyscape_automata::{Budget, ByteSet};
use keyscape_layout::{
    Layout, Machine, Side,
    machine::{State, Walk},
    model::{KeyspaceId, Namespace, Store, StoreId},
};
use std::collections::BTreeSet;

/// What the byte behind a prefix is used for, for all 256 of them.
#[derive(Debug)]
pub(crate) struct PrefixMap {
    pub(crate) family: Option<String>,
    /// The bytes before.
    pub(crate) prefix: Vec<u8>,
    pub(crate) cells: Vec<Cell>,
}

/// One byte of a [`PrefixMap`].
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) byte: u8,
    /// The keyspaces that have keys here.
    pub(crate) keyspaces: Vec<String>,
    /// Whether all of them are here only because a field may have this byte.
    pub(crate) through_field: bool,
    /// The namespaces that begin here.
    pub(crate) namespaces: Vec<String>,
    /// The range that the byte is in: an index into the ranges of the namespace.
    pub(crate) range: Option<usize>,
    /// What is retired here: indices into the retired prefixes of the namespace.
    pub(crate) retired: Vec<usize>,
    pub(crate) status: Status,
}

/// What a byte is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Keys begin with it.
    Used,
    /// A field may have it.
    ThroughField,
    /// Keys begin with it although it is retired.
    Conflict,
    /// It may never be used again.
    Reserved,
    /// It may not be used; rows may still exist.
    Deprecated,
    /// It is left, in a range.
    Allocated,
    /// It is left.
    Free,
}

impl Status {
    /// The status in one word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::ThroughField => "field",
            Self::Conflict => "conflict",
            Self::Reserved => "reserved",
            Self::Deprecated => "deprecated",
            Self::Allocated => "allocated",
            Self::Free => "free",
        }
    }
}

/// A namespace.
#[derive(Debug)]
pub(crate) struct NamespaceFacts {
    pub(crate) name: String,
    pub(crate) doc: Vec<String>,
    pub(crate) prefix: Vec<u8>,
    /// How many keyspaces are declared in it, those of namespaces inside included.
    pub(crate) keyspaces: usize,
    /// Its next byte.
    pub(crate) map: PrefixMap,
    pub(crate) ranges: Vec<RangeFacts>,
    pub(crate) retired: Vec<RetiredFacts>,
}

/// A range from which prefixes are allocated.
#[derive(Debug)]
pub(crate) struct RangeFacts {
    pub(crate) name: String,
    pub(crate) low: Vec<u8>,
    pub(crate) high: Vec<u8>,
    /// How many prefixes it has.
    pub(crate) size: u128,
    /// What they are used for; `None` for prefixes of three bytes or more, which are not counted.
    pub(crate) usage: Option<Usage>,
}

/// What the prefixes of a range are used for. Each counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) used: usize,
    pub(crate) reserved: usize,
    pub(crate) deprecated: usize,
    pub(crate) free: usize,
}

/// A prefix that may not be used.
#[derive(Debug)]
pub(crate) struct RetiredFacts {
    pub(crate) deprecated: bool,
    pub(crate) prefix: Vec<u8>,
    pub(crate) reason: String,
}

impl PrefixMap {
    /// How many bytes have a status.
    pub(crate) fn count(&self, status: Status) -> usize {
        self.cells.iter().filter(|cell| cell.status == status).count()
    }

    /// How many bytes keys may begin with.
    pub(crate) fn used(&self) -> usize {
        [Status::Used, Status::ThroughField, Status::Conflict]
            .into_iter()
            .map(|status| self.count(status))
            .sum()
    }

    /// How many bytes are left.
    pub(crate) fn free(&self) -> usize {
        self.count(Status::Allocated) + self.count(Status::Free)
    }
}

/// How the keys of a store begin.
pub(super) struct Starts<'a> {
    store: &'a Store,
    keyspaces: Vec<Start<'a>>,
}

struct Start<'a> {
    name: &'a str,
    family: Option<&'a str>,
    namespace: Option<usize>,
    /// `None` if it is too large.
    machine: Option<Machine>,
}

impl<'a> Starts<'a> {
    pub(super) fn new(layout: &'a Layout, id: StoreId) -> Self {
        let is_own = |keyspace: &KeyspaceId| {
            let keyspace = layout.keyspace(*keyspace);
            keyspace.store == id && keyspace.hash.is_none()
        };
        let start = |id: KeyspaceId| {
            let keyspace = layout.keyspace(id);
            Start {
                name: &keyspace.name,
                family: keyspace.family.as_deref(),
                namespace: keyspace.namespace,
                machine: Machine::build(layout, &[id], Side::Over, Budget::default()).ok(),
            }
        };
        let keyspaces = layout.keyspace_ids().filter(is_own).map(start).collect();
        Self { store: layout.store(id), keyspaces }
    }

    /// The first bytes: one map for each family that has keyspaces.
    pub(super) fn maps(&self) -> Vec<PrefixMap> {
        let mut families: Vec<Option<&str>> = Vec::new();
        for start in &self.keyspaces {
            if !families.contains(&start.family) {
                families.push(start.family);
            }
        }
        families.into_iter().map(|family| self.map(&[], &[family], None)).collect()
    }

    pub(super) fn namespaces(&self) -> Vec<NamespaceFacts> {
        let all = self.store.namespaces.iter().enumerate();
        all.map(|(index, namespace)| self.namespace(index, namespace)).collect()
    }

    fn namespace(&self, index: usize, namespace: &Namespace) -> NamespaceFacts {
        let is_member = |start: &&Start<'_>| match start.namespace {
            Some(found) if found == index => true,
            Some(found) => self
                .store
                .namespaces
                .get(found)
                .is_some_and(|inner| inner.name.starts_with(&format!("{}.", namespace.name))),
            None => false,
        };
        let members = || self.keyspaces.iter().filter(is_member);
        let mut families: Vec<Option<&str>> = Vec::new();
        for start in members() {
            if !families.contains(&start.family) {
                families.push(start.family);
            }
        }
        let retired = namespace.retired.iter().map(|entry| RetiredFacts {
            deprecated: entry.deprecated,
            prefix: entry.prefix.clone(),
            reason: entry.reason.clone(),
        });
        let ranges = namespace.ranges.iter().map(|range| RangeFacts {
            name: range.name.clone(),
            low: range.low.clone(),
            high: range.high.clone(),
            size: number(&range.high) - number(&range.low) + 1,
            usage: self.usage(namespace, &families, &range.low, &range.high),
        });
        NamespaceFacts {
            name: namespace.name.clone(),
            doc: namespace.doc.clone(),
            prefix: namespace.prefix.clone(),
            keyspaces: members().count(),
            map: self.map(&namespace.prefix, &families, Some(namespace)),
            ranges: ranges.collect(),
            retired: retired.collect(),
        }
    }

    /// The keyspaces of some families.
    fn of<'s>(&'s self, families: &'s [Option<&str>]) -> impl Iterator<Item = &'s Start<'a>> {
        self.keyspaces.iter().filter(|start| families.contains(&start.family))
    }

    fn map(
        &self,
        prefix: &[u8],
        families: &[Option<&str>],
        namespace: Option<&Namespace>,
    ) -> PrefixMap {
        let starts: Vec<(&str, ByteSet)> = self
            .of(families)
            .map(|start| (start.name, start.next_bytes(prefix)))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect();
        let cells = (0..=255_u8).map(|byte| {
            let here = || starts.iter().filter(move |(_, bytes)| bytes.contains(byte));
            let word = [prefix, &[byte]].concat();
            let spaces = self.store.namespaces.iter();
            let spaces = spaces.filter(|found| found.prefix.starts_with(&word));
            let mut cell = Cell {
                byte,
                keyspaces: here().map(|(name, _)| (*name).to_owned()).collect(),
                through_field: here().all(|(_, bytes)| bytes.len() > 1),
                namespaces: spaces.map(|found| found.name.clone()).collect(),
                range: None,
                retired: Vec::new(),
                status: Status::Free,
            };
            if let Some(namespace) = namespace {
                let holds = |low: &[u8], high: &[u8]| {
                    low.first().is_some_and(|low| *low <= byte)
                        && high.first().is_some_and(|high| byte <= *high)
                };
                cell.range = namespace.ranges.iter().position(|r| holds(&r.low, &r.high));
                let retired = namespace.retired.iter().enumerate();
                let retired = retired.filter(|(_, entry)| entry.prefix.first() == Some(&byte));
                cell.retired = retired.map(|(index, _)| index).collect();
            }
            cell.status = status(&cell, namespace);
            cell
        });
        let family = families.first().copied().flatten().map(str::to_owned);
        PrefixMap { family, prefix: prefix.to_vec(), cells: cells.collect() }
    }

    /// What the prefixes from `low` to `high` are used for.
    fn usage(
        &self,
        namespace: &Namespace,
        families: &[Option<&str>],
        low: &[u8],
        high: &[u8],
    ) -> Option<Usage> {
        let width = low.len();
        if !(1..=2).contains(&width) {
            return None;
        }
        let mut used: BTreeSet<Vec<u8>> = BTreeSet::new();
        for start in self.of(families) {
            start.words(&namespace.prefix, width, &mut used);
        }
        let mut usage = Usage::default();
        for value in number(low)..=number(high) {
            let bytes = value.to_be_bytes();
            let word = bytes.get(bytes.len() - width..)?;
            let retired = namespace.retired.iter().find(|entry| word.starts_with(&entry.prefix));
            let count = match retired {
                _ if used.contains(word) => &mut usage.used,
                Some(entry) if entry.deprecated => &mut usage.deprecated,
                Some(_) => &mut usage.reserved,
                None => &mut usage.free,
            };
            *count += 1;
        }
        Some(usage)
    }
}

fn status(cell: &Cell, namespace: Option<&Namespace>) -> Status {
    let entries = cell.retired.iter().filter_map(|&index| namespace?.retired.get(index));
    // A longer prefix retires only a part of what begins with this byte.
    let whole = entries.into_iter().find(|entry| entry.prefix.len() == 1);
    match (whole, cell.keyspaces.is_empty()) {
        (Some(_), false) => Status::Conflict,
        (Some(entry), true) if entry.deprecated => Status::Deprecated,
        (Some(_), true) => Status::Reserved,
        (None, false) if cell.through_field => Status::ThroughField,
        (None, false) => Status::Used,
        (None, true) if cell.range.is_some() => Status::Allocated,
        (None, true) => Status::Free,
    }
}

/// A prefix as a number.
fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0_u128, |number, &byte| number.wrapping_shl(8) | u128::from(byte))
}

impl Start<'_> {
    /// The bytes that may follow a prefix.
    fn next_bytes(&self, prefix: &[u8]) -> ByteSet {
        let Some(machine) = &self.machine else { return ByteSet::EMPTY };
        let mut walk = Walk::new(machine);
        let states = after(&mut walk, prefix);
        next(machine, &states)
    }

    /// Adds the words of `width` bytes that may follow a prefix.
    fn words(&self, prefix: &[u8], width: usize, words: &mut BTreeSet<Vec<u8>>) {
        let Some(machine) = &self.machine else { return };
        let mut walk = Walk::new(machine);
        let states = after(&mut walk, prefix);
        for first in next(machine, &states).iter() {
            if width == 1 {
                words.insert(vec![first]);
                continue;
            }
            let then = step(&mut walk, &states, first);
            words.extend(next(machine, &then).iter().map(|second| vec![first, second]));
        }
    }
}

/// The states that wait for a byte after some bytes.
fn after(walk: &mut Walk<'_>, bytes: &[u8]) -> Vec<State> {
    let start = walk.machine.start();
    let mut states = settled(walk, &[start]);
    for &byte in bytes {
        states = step(walk, &states, byte);
    }
    states
}

fn step(walk: &mut Walk<'_>, states: &[State], byte: u8) -> Vec<State> {
    let machine = walk.machine;
    let stepped: Vec<State> =
        states.iter().filter_map(|&state| machine.step(state, byte)).collect();
    settled(walk, &stepped)
}

fn settled(walk: &mut Walk<'_>, states: &[State]) -> Vec<State> {
    let mut settled = BTreeSet::new();
    for &state in states {
        // Too many ways out of one state: the keyspace cannot be checked either.
        if let Ok(ways) = walk.settle(state) {
            settled.extend(ways.iter().map(|(_, state)| state));
        }
    }
    settled.into_iter().collect()
}

fn next(machine: &Machine, states: &[State]) -> ByteSet {
    let steps = |byte: u8| states.iter().any(|&state| machine.step(state, byte).is_some());
    (0..=255).filter(|&byte| steps(byte)).collect()
}
