//! The prefixes of a store: used, allocated and free bytes.
//!
//! The automaton of a keyspace determines the first bytes of its keys, including all values of a
//! leading field.

use crate::{
    Layout, Machine, Side,
    machine::{State, Walk},
    model::{AllocatedRange, Keyspace, Namespace, Store, StoreId},
};
use keyscape_automata::{Budget, ByteSet};
use std::collections::BTreeSet;

/// The use of all 256 bytes that may follow a prefix.
#[derive(Debug)]
pub struct PrefixMap {
    /// The family whose keys are shown.
    pub family: Option<String>,
    /// The prefix before the byte.
    pub prefix: Vec<u8>,
    /// One cell for each byte, ascending.
    pub cells: Vec<Cell>,
}

/// One byte of a [`PrefixMap`].
#[derive(Debug)]
pub struct Cell {
    /// The byte.
    pub byte: u8,
    /// The keyspaces that have keys with this byte.
    pub keyspaces: Vec<String>,
    /// The namespaces whose prefix continues with this byte.
    pub namespaces: Vec<String>,
    /// The range of the byte: an index into the ranges of the namespace.
    pub range: Option<usize>,
    /// The retired prefixes with this byte: indices into those of the namespace.
    pub retired: Vec<usize>,
    /// The use of the byte.
    pub status: Status,
}

/// The use of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Keys begin with this byte.
    Used,
    /// A field may have this byte.
    ThroughField,
    /// Keys begin with this byte although it is retired.
    Conflict,
    /// The byte may never be used again.
    Reserved,
    /// The byte may not be used, but rows may still exist.
    Deprecated,
    /// The byte is free and in a range.
    Allocated,
    /// The byte is free.
    Free,
}

impl Status {
    /// Returns the status in one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
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

/// The numbers of prefixes of a range by use. Each prefix counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prefixes that keys begin with.
    pub used: usize,
    /// Prefixes that may never be used again.
    pub reserved: usize,
    /// Prefixes that may not be used, but may still have rows.
    pub deprecated: usize,
    /// Free prefixes.
    pub free: usize,
}

impl PrefixMap {
    /// Returns the numbers of used, retired and free bytes.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for cell in &self.cells {
            let count = match cell.status {
                Status::Used | Status::ThroughField | Status::Conflict => &mut usage.used,
                Status::Reserved => &mut usage.reserved,
                Status::Deprecated => &mut usage.deprecated,
                Status::Allocated | Status::Free => &mut usage.free,
            };
            *count += 1;
        }
        usage
    }
}

/// The use of the prefixes of a namespace.
#[derive(Debug)]
pub struct NamespaceUse {
    /// The number of keyspaces in it, including those of nested namespaces.
    pub keyspaces: usize,
    /// The bytes after its prefix.
    pub map: PrefixMap,
    /// The use of each range, or `None` for prefixes of three bytes or more, which are not counted.
    pub ranges: Vec<Option<Usage>>,
}

/// The prefixes of the keys of a store.
#[derive(Debug)]
pub struct Prefixes<'a> {
    store: &'a Store,
    keyspaces: Vec<Start<'a>>,
}

#[derive(Debug)]
struct Start<'a> {
    keyspace: &'a Keyspace,
    /// `None` if the automaton is too large.
    machine: Option<Machine>,
}

impl AllocatedRange {
    /// Returns the number of prefixes, or `u128::MAX` if there are more.
    #[must_use]
    pub fn size(&self) -> u128 {
        let mut bytes = self.low.iter().zip(&self.high);
        let last = bytes.try_fold(0_u128, |last, (&low, &high)| {
            last.checked_mul(256)?.checked_add(high.into())?.checked_sub(low.into())
        });
        last.map_or(u128::MAX, |last| last.saturating_add(1))
    }
}

impl<'a> Prefixes<'a> {
    /// Builds the automata of the keyspaces of a store.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn new(layout: &'a Layout, id: StoreId) -> Self {
        let starts = layout.keyspace_ids().zip(&layout.keyspaces);
        let starts = starts.filter(|(_, own)| own.store == id && own.hash.is_none());
        let starts = starts.map(|(id, keyspace)| {
            let machine = Machine::build(layout, &[id], Side::Over, Budget::default()).ok();
            Start { keyspace, machine }
        });
        Self { store: layout.store(id), keyspaces: starts.collect() }
    }

    /// Returns the use of the first bytes, one map for each family with keyspaces.
    #[must_use]
    pub fn maps(&self) -> Vec<PrefixMap> {
        let families = families(&self.keyspaces);
        families.into_iter().map(|family| self.map(&[], &[family], None)).collect()
    }

    /// Returns the use of the prefixes of a namespace.
    #[must_use]
    pub fn namespace(&self, index: usize, namespace: &Namespace) -> NamespaceUse {
        let nested = format!("{}.", namespace.name);
        let is_member = |start: &&Start<'_>| {
            start.keyspace.namespace.is_some_and(|found| {
                let inner = self.store.namespaces.get(found);
                found == index || inner.is_some_and(|inner| inner.name.starts_with(&nested))
            })
        };
        let members = || self.keyspaces.iter().filter(is_member);
        let families = families(members());
        let ranges = namespace.ranges.iter();
        let usage = ranges.map(|range| self.usage(namespace, &families, &range.low, &range.high));
        NamespaceUse {
            keyspaces: members().count(),
            map: self.map(&namespace.prefix, &families, Some(namespace)),
            ranges: usage.collect(),
        }
    }

    /// Returns the keyspaces of some families.
    fn of<'s>(&'s self, families: &'s [Option<&str>]) -> impl Iterator<Item = &'s Start<'a>> {
        self.keyspaces.iter().filter(|start| families.contains(&start.family()))
    }

    fn map(
        &self,
        prefix: &[u8],
        families: &[Option<&str>],
        namespace: Option<&Namespace>,
    ) -> PrefixMap {
        let starts: Vec<(&str, ByteSet)> = self
            .of(families)
            .map(|start| (start.keyspace.name.as_str(), start.next_bytes(prefix)))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect();
        let (ranges, retired) =
            namespace.map_or((&[][..], &[][..]), |of| (&of.ranges[..], &of.retired[..]));
        let cells = (0..=255_u8).map(|byte| {
            let here = || starts.iter().filter(move |(_, bytes)| bytes.contains(byte));
            let word = [prefix, &[byte]].concat();
            let namespaces = self.store.namespaces.iter();
            let namespaces = namespaces.filter(|found| found.prefix.starts_with(&word));
            let contains = |range: &AllocatedRange| {
                range.low.first().is_some_and(|low| *low <= byte)
                    && range.high.first().is_some_and(|high| byte <= *high)
            };
            let range = ranges.iter().position(contains);
            let covering = retired.iter().enumerate();
            let covering = covering.filter(|(_, entry)| entry.prefix.first() == Some(&byte));
            // A longer retired prefix covers only some keys with this byte.
            let whole = retired.iter().find(|entry| entry.prefix == [byte]);
            let is_used = here().next().is_some();
            Cell {
                byte,
                keyspaces: here().map(|(name, _)| (*name).to_owned()).collect(),
                namespaces: namespaces.map(|found| found.name.clone()).collect(),
                range,
                retired: covering.map(|(index, _)| index).collect(),
                status: match whole {
                    Some(_) if is_used => Status::Conflict,
                    Some(entry) if entry.deprecated => Status::Deprecated,
                    Some(_) => Status::Reserved,
                    None if is_used && here().all(|(_, bytes)| bytes.len() > 1) => {
                        Status::ThroughField
                    }
                    None if is_used => Status::Used,
                    None if range.is_some() => Status::Allocated,
                    None => Status::Free,
                },
            }
        });
        let family = families.first().copied().flatten().map(str::to_owned);
        PrefixMap { family, prefix: prefix.to_vec(), cells: cells.collect() }
    }

    /// Counts the uses of the prefixes from `low` to `high`.
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
        let mut used = BTreeSet::new();
        for start in self.of(families) {
            start.add_words(&namespace.prefix, width, &mut used);
        }
        let mut usage = Usage::default();
        let number = |prefix: &[u8]| prefix.iter().fold(0, |n, &byte| n << 8 | u16::from(byte));
        for value in number(low)..=number(high) {
            let bytes = value.to_be_bytes();
            let word = bytes.get(bytes.len() - width..)?;
            let retired = namespace.retired.iter().find(|entry| word.starts_with(&entry.prefix));
            let count = match retired {
                _ if used.contains(&[&namespace.prefix, word].concat()) => &mut usage.used,
                Some(entry) if entry.deprecated => &mut usage.deprecated,
                Some(_) => &mut usage.reserved,
                None => &mut usage.free,
            };
            *count += 1;
        }
        Some(usage)
    }
}

/// Returns the families of some keyspaces, each once.
fn families<'k, 'a: 'k>(
    keyspaces: impl IntoIterator<Item = &'k Start<'a>>,
) -> Vec<Option<&'a str>> {
    let mut families = Vec::new();
    for start in keyspaces {
        if !families.contains(&start.family()) {
            families.push(start.family());
        }
    }
    families
}

impl<'a> Start<'a> {
    fn family(&self) -> Option<&'a str> {
        self.keyspace.family.as_deref()
    }

    /// Returns the bytes that may follow a prefix.
    fn next_bytes(&self, prefix: &[u8]) -> ByteSet {
        let Some(machine) = &self.machine else { return ByteSet::EMPTY };
        let mut walk = Walk::new(machine);
        let mut states = settled(&mut walk, [machine.start()]);
        for &byte in prefix {
            let stepped = states.iter().filter_map(|&state| machine.step(state, byte));
            states = settled(&mut walk, stepped);
        }
        let steps = |byte: u8| states.iter().any(|&state| machine.step(state, byte).is_some());
        (0..=255).filter(|&byte| steps(byte)).collect()
    }

    /// Adds the starts of keys that consist of a prefix and `width` bytes.
    fn add_words(&self, prefix: &[u8], width: usize, words: &mut BTreeSet<Vec<u8>>) {
        for byte in self.next_bytes(prefix).iter() {
            let word = [prefix, &[byte]].concat();
            match width {
                1 => drop(words.insert(word)),
                _ => self.add_words(&word, width - 1, words),
            }
        }
    }
}

/// Returns the states that wait for a byte after some runs have arrived.
fn settled(walk: &mut Walk<'_>, states: impl IntoIterator<Item = State>) -> BTreeSet<State> {
    // Skip a state with too many exits. The prover cannot check such a keyspace either.
    let ways = states.into_iter().filter_map(|state| walk.settle(state).ok());
    ways.flat_map(|ways| ways.iter().map(|(_, state)| state).collect::<Vec<_>>()).collect()
}
