//! Decoding keys to readings.

mod reader;

use crate::{
    datum::{Datum, Record},
    machine::{Machine, Mark, MarkId, State, TrackId},
    model::{KeyspaceId, Layout, Segment, Type},
};
use hashbrown::{HashMap, HashSet};
use reader::Reader;
use std::ops::Range;

/// One interpretation of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The keyspace of the key.
    pub keyspace: KeyspaceId,
    /// The values of the fields.
    pub fields: Record,
    /// The literals, leaves and enums in order, which cover the key. Only [`Decoder::explain`]
    /// fills this list.
    pub parts: Vec<Part>,
}

/// A literal, leaf or enum of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The range of the bytes in the key.
    pub bytes: Range<usize>,
    /// The path of the field, including arms, or the text of derived bytes: `= sha256(id)`. `None`
    /// for a literal.
    pub field: Option<String>,
    /// The value of the field.
    pub value: Option<Datum>,
    /// The origin of a literal, or the wrap that it ends: `twox_128("System")`, `end of escaped`.
    pub note: Option<String>,
}

/// The result of decoding a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The readings. A key of a proved layout has one reading, other byte strings have none.
    pub readings: Vec<Reading>,
    /// Whether the key may have more readings than listed.
    pub more: bool,
    /// Whether the key is too ambiguous to decode: the work exceeded the limit for its length. Then
    /// the list of readings is empty, although the key may have some.
    pub too_ambiguous: bool,
}

/// The highest number of readings of one key, unless [`Decoder::with_limit`] changes it.
pub const MAX_READINGS: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Thread {
    state: State,
    marks: u32,
    /// The start of the current leaf.
    from: usize,
}

/// One mark of a run, and the index of the previous mark.
#[derive(Clone, Copy, Debug)]
struct MarkLink {
    before: u32,
    mark: MarkId,
    offset: u32,
}

const NO_MARKS: u32 = u32::MAX;
/// No run is dropped at an offset that fewer runs than this have reached.
const FEW_ARRIVALS: usize = 64;
/// A key of more bytes than this is long.
const LONG: usize = 4096;
/// The number of retained runs in one state, times the length of a long key, is at most this.
const MAX_RUN_BYTES: usize = 1 << 22;
/// The lowest limit of retained runs in one state, which suffices to detect an ambiguity.
const MIN_RUNS: usize = 2;
/// Above this work, a key is decoded like a very long one.
const MUCH_WORK: usize = 1 << 18;
/// The work limit of any key, and its increase per byte. A unit is an arriving run, or
/// [`BYTES_PER_WORK`] bytes that a codec reads.
const MAX_WORK: usize = 1 << 22;
const MAX_WORK_PER_BYTE: usize = 8;
const BYTES_PER_WORK: usize = 16;

/// Decodes keys of one space. Reuses its buffers, so decoding many keys does not allocate for each.
#[derive(Debug)]
pub struct Decoder<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) machine: &'a Machine,
    threads: Vec<Thread>,
    next: Vec<Thread>,
    links: Vec<MarkLink>,
    ends: Vec<(TrackId, u32)>,
    /// The number of runs that have reached one offset.
    arrivals: usize,
    /// The number of these runs by state, counted only if they are many.
    counts: HashMap<(State, usize), usize>,
    /// The work of the key so far, and its limit.
    work: usize,
    max_work: usize,
    trail: Vec<(Mark, usize)>,
    leaves: Vec<Range<usize>>,
    /// Whether some runs of the key were dropped. It may then have more readings.
    has_dropped_runs: bool,
    limit: usize,
    verifies: bool,
    /// Whether to accept words that the automaton of a leaf accepts but its codec rejects.
    accepts_mismatches: bool,
}

/// A word that has the form of an encoding but is rejected by the codec: a digest or a checksum
/// does not match.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    pub(crate) bytes: Range<usize>,
    pub(crate) path: String,
    pub(crate) codec: String,
    pub(crate) reason: &'static str,
}

/// Moves one run of each track to the start. Many runs of one track then cannot displace the
/// others.
fn one_of_each_first(ends: &mut Vec<(TrackId, u32)>) {
    let mut seen = HashSet::new();
    let (first, later): (Vec<_>, Vec<_>) =
        ends.drain(..).partition(|(track, _)| seen.insert(*track));
    ends.extend(first.into_iter().chain(later));
}

impl<'a> Decoder<'a> {
    /// Creates a decoder for the keyspaces of an automaton.
    #[must_use]
    pub fn new(layout: &'a Layout, machine: &'a Machine) -> Self {
        Self {
            layout,
            machine,
            threads: Vec::new(),
            next: Vec::new(),
            links: Vec::new(),
            ends: Vec::new(),
            arrivals: 0,
            counts: HashMap::new(),
            work: 0,
            max_work: MAX_WORK,
            trail: Vec::new(),
            leaves: Vec::new(),
            has_dropped_runs: false,
            limit: MAX_READINGS,
            verifies: true,
            accepts_mismatches: false,
        }
    }

    /// Returns the readings that a key would have if all digests and checksums matched, each with
    /// the first word that its codec rejects.
    pub(crate) fn explain_with_mismatches(
        mut self,
        key: &[u8],
    ) -> Vec<(Reading, Option<Mismatch>)> {
        (self.verifies, self.accepts_mismatches) = (false, true);
        self.run(key);
        let ends = std::mem::take(&mut self.ends);
        let readings = ends.iter().take(self.limit);
        readings.filter_map(|&(track, marks)| self.read(key, track, marks, true)).collect()
    }

    /// Sets another limit than [`MAX_READINGS`].
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Disables the verification of derived bytes.
    #[must_use]
    pub fn without_verifying(mut self) -> Self {
        self.verifies = false;
        self
    }

    /// Returns the work of the last key: arriving runs, and bytes that a codec has read.
    #[must_use]
    pub const fn work(&self) -> usize {
        self.work
    }

    /// Returns all readings of a key.
    pub fn decode(&mut self, key: &[u8]) -> Decoded {
        self.decode_with(key, false)
    }

    /// Returns all readings of a key with their parts.
    pub fn explain(&mut self, key: &[u8]) -> Decoded {
        self.decode_with(key, true)
    }

    /// Returns the keyspace of a key with one reading, without the values of its fields. Does not
    /// verify derived bytes.
    pub fn keyspace(&mut self, key: &[u8]) -> Option<KeyspaceId> {
        self.run(key);
        match self.ends[..] {
            [(track, _)] if self.work <= self.max_work => Some(self.machine.keyspace(track)),
            _ => None,
        }
    }

    /// Returns the bytes of each field of the key for which [`Decoder::keyspace`] was called last.
    /// Returns `None` if the key has parts other than literals, leaves and enums.
    pub fn leaves(&mut self) -> Option<&[Range<usize>]> {
        let &[(track, marks)] = &self.ends[..] else { return None };
        self.follow(marks);
        self.leaves.clear();
        let (mut at, mut trail) = (0, self.trail.iter());
        for segment in &self.layout.keyspace(self.machine.keyspace(track)).key {
            match segment {
                Segment::Literal(literal) => at += literal.bytes.len(),
                Segment::Field(field) => {
                    let end = match (&*field.ty, trail.next()?) {
                        (Type::Leaf(_), &(_, end)) => end,
                        (Type::Enum(of), &(Mark::Arm(arm), _)) => {
                            at + of.bytes.get(arm as usize)?.len()
                        }
                        _ => return None,
                    };
                    self.leaves.push(at..end);
                    at = end;
                }
                Segment::Derived(_) | Segment::Option(_) => return None,
            }
        }
        Some(&self.leaves)
    }

    fn decode_with(&mut self, key: &[u8], wants_parts: bool) -> Decoded {
        self.run(key);
        if self.work > self.max_work {
            return Decoded { readings: Vec::new(), more: true, too_ambiguous: true };
        }
        let mut decoded = Decoded { more: self.has_dropped_runs, ..Decoded::default() };
        let mut ends = std::mem::take(&mut self.ends);
        if ends.len() > self.limit {
            one_of_each_first(&mut ends);
        }
        for &(track, marks) in &ends {
            if decoded.readings.len() == self.limit {
                decoded.more = true;
                break;
            }
            let found = self.read(key, track, marks, wants_parts);
            decoded.readings.extend(found.map(|(reading, _)| reading));
        }
        self.ends = ends;
        decoded
    }

    /// Runs over the whole key. `self.ends` then contains the accepting runs.
    fn run(&mut self, key: &[u8]) {
        self.links.clear();
        self.ends.clear();
        self.threads.clear();
        self.next.clear();
        self.arrivals = 0;
        self.counts.clear();
        self.has_dropped_runs = false;
        self.work = 0;
        self.max_work = MAX_WORK.saturating_add(key.len().saturating_mul(MAX_WORK_PER_BYTE));
        let start = Thread { state: self.machine.start(), marks: NO_MARKS, from: 0 };
        self.arrive(key, 0, start);
        let mut index = 0;
        while let Some(rest) = key.get(index..).filter(|_| !self.next.is_empty()) {
            std::mem::swap(&mut self.threads, &mut self.next);
            self.next.clear();
            self.arrivals = 0;
            self.counts.clear();
            // A single run can skip ahead inside a leaf.
            if let [thread] = self.threads.as_mut_slice() {
                let (state, read) = self.machine.glide(thread.state, rest);
                thread.state = state;
                index += read;
            }
            let Some(&byte) = key.get(index) else { return };
            index += 1;
            for at in 0..self.threads.len() {
                let thread = self.threads[at];
                if let Some(state) = self.machine.step(thread.state, byte) {
                    self.arrive(key, index, Thread { state, ..thread });
                }
            }
            if self.work > self.max_work {
                return;
            }
        }
    }

    /// Follows the silent transitions from the state of a run. Drops runs that cannot read the next
    /// byte, so usually one remains. Leaves a leaf before staying in it, which lists readings with
    /// a shorter first field first.
    fn arrive(&mut self, key: &[u8], offset: usize, thread: Thread) {
        let (machine, ahead) = (self.machine, key.get(offset).copied());
        let Thread { state, marks, from } = thread;
        // In an exact leaf, the rest of a run does not depend on the start of the leaf. Only long
        // keys use this, because readings with different starts are worth listing.
        let is_long = key.len() > LONG || self.work > MUCH_WORK;
        let is_exact = machine.is_exact_leaf(state);
        let max_runs = match is_long {
            _ if self.work > MUCH_WORK => MIN_RUNS,
            true => (MAX_RUN_BYTES / key.len()).max(MIN_RUNS),
            false => self.limit,
        };
        if !self.admits(state, if is_long && is_exact { 0 } else { from }, max_runs) {
            return;
        }
        // If the automaton accepts more than the codec, the codec decides about leaving.
        let may_leave = machine.may_leave(state)
            && (is_exact
                || self.accepts_mismatches
                || key.get(from..offset).is_some_and(|word| {
                    self.work += word.len() / BYTES_PER_WORK;
                    machine.decodes(state, word)
                }));
        if may_leave {
            for (new, to) in machine.exits(state) {
                if machine.is_lost(to, ahead) {
                    continue;
                }
                let mut marks = marks;
                for mark in new.into_iter().flatten() {
                    self.links.push(MarkLink { before: marks, mark, offset: offset as u32 });
                    marks = self.links.len() as u32 - 1;
                }
                self.arrive(key, offset, Thread { state: to, marks, from: offset });
            }
        }
        match ahead {
            None => {
                if let Some(track) = machine.accepted(state) {
                    self.ends.push((track, marks));
                }
            }
            Some(byte) => {
                if machine.step(state, byte).is_some() {
                    self.next.push(thread);
                }
            }
        }
    }

    /// Whether to retain a further run in a state. Ambiguous layouts can have many runs in one
    /// state. Runs whose leaf began at the same offset accept the same keys, so dropping some loses
    /// no key. Records that runs were dropped.
    fn admits(&mut self, state: State, from: usize, max_runs: usize) -> bool {
        self.arrivals += 1;
        self.work += 1;
        if self.work > self.max_work {
            return false;
        }
        if self.arrivals < FEW_ARRIVALS.min(max_runs) {
            return true;
        }
        let count = self.counts.entry((state, from)).or_insert(0);
        *count += 1;
        let is_admitted = *count <= self.limit.min(max_runs);
        self.has_dropped_runs |= !is_admitted;
        is_admitted
    }

    /// Lists the marks of a run in order.
    fn follow(&mut self, marks: u32) {
        self.trail.clear();
        let mut at = marks;
        while let Some(link) = self.links.get(at as usize) {
            self.trail.push((self.machine.mark(link.mark).0, link.offset as usize));
            at = link.before;
        }
        self.trail.reverse();
    }

    fn read(
        &mut self,
        key: &[u8],
        track: TrackId,
        marks: u32,
        wants_parts: bool,
    ) -> Option<(Reading, Option<Mismatch>)> {
        self.follow(marks);
        let keyspace = self.machine.keyspace(track);
        let mut reader = Reader {
            key,
            trail: self.trail.iter(),
            at: 0,
            path: String::new(),
            parts: Vec::new(),
            wants_parts,
            verifies: self.verifies,
            accepts_mismatches: self.accepts_mismatches,
            mismatch: None,
            claimed: Vec::new(),
        };
        let fields = reader.list(&self.layout.keyspace(keyspace).key)?;
        Some((Reading { keyspace, fields, parts: reader.parts }, reader.mismatch))
    }
}
