//! Keys to readings.

mod reader;

use crate::{
    datum::{Datum, Record},
    machine::{Machine, Mark, MarkId, State, TrackId},
    model::{KeyspaceId, Layout},
};
use hashbrown::HashMap;
use reader::Reader;
use std::ops::Range;

/// Everything that decoding a key says.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The keyspace.
    pub keyspace: KeyspaceId,
    /// The fields.
    pub fields: Record,
    /// The bytes of each literal, leaf and enum, in order; they cover the key. Filled by
    /// [`Decoder::explain`] only.
    pub parts: Vec<Part>,
}

/// Some bytes of a key, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The range of its bytes in the key.
    pub bytes: Range<usize>,
    /// The path of the field, with the arms on the way, or what derived bytes are: `= sha256(id)`;
    /// `None` for a literal.
    pub field: Option<String>,
    /// The value of the field.
    pub value: Option<Datum>,
    /// The origin of a literal, or the wrap that it ends: `twox_128("System")`, `end of escaped`.
    pub note: Option<String>,
}

/// The result of decoding a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The readings. A key of a proved layout has one, a key that is not of the layout none.
    pub readings: Vec<Reading>,
    /// Whether there may be more readings than were kept.
    pub more: bool,
    /// Whether the key is too ambiguous to be decoded: reading it took more work than a key of its
    /// length may take. There are no readings then, although the key may have some.
    pub too_ambiguous: bool,
}

/// The most readings of one key that are kept unless [`Decoder::with_limit`] says otherwise.
pub const MAX_READINGS: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Thread {
    state: State,
    story: u32,
    /// The offset at which its current leaf began.
    from: usize,
}

/// One mark of a run, and the run before it.
#[derive(Clone, Copy, Debug)]
struct Chapter {
    before: u32,
    mark: MarkId,
    offset: u32,
}

const NO_STORY: u32 = u32::MAX;
/// As long as fewer runs than this have come to an offset, none is dropped.
const FEW_ARRIVALS: usize = 64;
/// Above so many bytes a key is long.
const LONG: usize = 4096;
/// The most bytes of all runs that a long key keeps in one state.
const KEPT_BYTES: usize = 1 << 22;
/// The fewest runs that are kept in one state: enough to show that there are several.
const KEPT_AT_LEAST: usize = 2;
/// Above so much work a key is read like a very long one.
const MUCH_WORK: usize = 1 << 18;
/// The work that any key may take, and what each byte adds: runs that arrive, and every so many
/// bytes that a codec reads.
const MAX_WORK: usize = 1 << 22;
const MAX_WORK_PER_BYTE: usize = 8;
const BYTES_PER_WORK: usize = 16;

/// Decodes keys of one space. It keeps its memory between keys, so that decoding many keys does not
/// allocate for each.
#[derive(Debug)]
pub struct Decoder<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) machine: &'a Machine,
    threads: Vec<Thread>,
    next: Vec<Thread>,
    story: Vec<Chapter>,
    ends: Vec<(TrackId, u32)>,
    /// The number of runs that have reached one offset.
    arrivals: usize,
    /// Their number by state, counted only if there are many.
    counts: HashMap<(State, usize), usize>,
    /// The work that the key took so far, and the most that it may take.
    work: usize,
    max_work: usize,
    trail: Vec<(Mark, usize)>,
    crowded: bool,
    limit: usize,
    verifies: bool,
    /// Whether words pass that the automaton of a leaf takes and its codec refuses.
    forgives: bool,
}

/// A word that a codec refuses although it has the form of an encoding: a digest or a checksum that
/// does not match.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) bytes: Range<usize>,
    pub(crate) path: String,
    pub(crate) codec: String,
    pub(crate) reason: &'static str,
}

/// Moves one run of each track to the front, so that many runs of one do not hide the others.
fn one_of_each_first(ends: &mut [(TrackId, u32)]) {
    let mut seen = Vec::new();
    let mut is_later = |track: TrackId| {
        let is_known = seen.contains(&track);
        if !is_known {
            seen.push(track);
        }
        is_known
    };
    let later: Vec<bool> = ends.iter().map(|&(track, _)| is_later(track)).collect();
    let mut marked: Vec<(bool, (TrackId, u32))> = later.into_iter().zip(ends.to_vec()).collect();
    marked.sort_by_key(|&(is_later, _)| is_later);
    for (to, (_, end)) in ends.iter_mut().zip(marked) {
        *to = end;
    }
}

impl<'a> Decoder<'a> {
    /// A decoder of the keyspaces of a machine.
    #[must_use]
    pub fn new(layout: &'a Layout, machine: &'a Machine) -> Self {
        Self {
            layout,
            machine,
            threads: Vec::new(),
            next: Vec::new(),
            story: Vec::new(),
            ends: Vec::new(),
            arrivals: 0,
            counts: HashMap::new(),
            work: 0,
            max_work: MAX_WORK,
            trail: Vec::new(),
            crowded: false,
            limit: MAX_READINGS,
            verifies: true,
            forgives: false,
        }
    }

    /// Returns the readings that a key would have if all digests and checksums matched, each with the
    /// first word that its codec refuses.
    pub(crate) fn forgiven(mut self, key: &[u8]) -> Vec<(Reading, Option<Refused>)> {
        (self.verifies, self.forgives) = (false, true);
        self.run(key);
        let ends = std::mem::take(&mut self.ends);
        let readings = ends.iter().take(self.limit);
        readings.filter_map(|&(track, story)| self.read(key, track, story, true)).collect()
    }

    /// The same with another limit than [`MAX_READINGS`].
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The same, but derived bytes may be anything: what a key would say if they were right.
    #[must_use]
    pub fn without_verifying(mut self) -> Self {
        self.verifies = false;
        self
    }

    /// Returns the work that the last key took: steps between states, and bytes of fields that a codec
    /// had to look at.
    #[must_use]
    pub const fn work(&self) -> usize {
        self.work
    }

    /// All readings of a key.
    pub fn decode(&mut self, key: &[u8]) -> Decoded {
        self.decode_with(key, false)
    }

    /// All readings of a key, with what each of its bytes is.
    pub fn explain(&mut self, key: &[u8]) -> Decoded {
        self.decode_with(key, true)
    }

    fn decode_with(&mut self, key: &[u8], wants_parts: bool) -> Decoded {
        self.run(key);
        if self.work > self.max_work {
            return Decoded { readings: Vec::new(), more: true, too_ambiguous: true };
        }
        let mut decoded = Decoded { more: self.crowded, ..Decoded::default() };
        let mut ends = std::mem::take(&mut self.ends);
        if ends.len() > self.limit {
            one_of_each_first(&mut ends);
        }
        for &(track, story) in &ends {
            if decoded.readings.len() == self.limit {
                decoded.more = true;
                break;
            }
            decoded.readings.extend(self.reading(key, track, story, wants_parts));
        }
        self.ends = ends;
        decoded
    }

    /// Runs over the whole key; `self.ends` are the runs that accept it.
    fn run(&mut self, key: &[u8]) {
        self.story.clear();
        self.ends.clear();
        self.threads.clear();
        self.next.clear();
        self.arrivals = 0;
        self.counts.clear();
        self.crowded = false;
        self.work = 0;
        self.max_work = MAX_WORK.saturating_add(key.len().saturating_mul(MAX_WORK_PER_BYTE));
        let start = Thread { state: self.machine.start(), story: NO_STORY, from: 0 };
        self.arrive(key, 0, start);
        let mut index = 0;
        while let Some(rest) = key.get(index..).filter(|_| !self.next.is_empty()) {
            std::mem::swap(&mut self.threads, &mut self.next);
            self.next.clear();
            self.arrivals = 0;
            self.counts.clear();
            // A run that is alone need not look at every byte of a leaf as if others could join.
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

    /// Follows the silent steps from where a run has come. Runs that cannot read the byte ahead are
    /// not kept, so that there is mostly one. Leaving a leaf comes before staying in it: of several
    /// readings, the one with the shorter first field comes first.
    fn arrive(&mut self, key: &[u8], offset: usize, thread: Thread) {
        let (machine, ahead) = (self.machine, key.get(offset).copied());
        let Thread { state, story, from } = thread;
        // In an exact leaf runs end alike wherever they began. Only keys that would take too long
        // are read like that: readings that begin in different places are worth listing.
        let is_long = key.len() > LONG || self.work > MUCH_WORK;
        let is_exact = machine.is_exact_leaf(state);
        let most = match is_long {
            _ if self.work > MUCH_WORK => KEPT_AT_LEAST,
            true => (KEPT_BYTES / key.len()).max(KEPT_AT_LEAST),
            false => self.limit,
        };
        if !self.has_room(state, if is_long && is_exact { 0 } else { from }, most) {
            return;
        }
        // If the automaton accepts more than the codec, the codec decides about leaving.
        let may_leave = machine.may_leave(state)
            && (is_exact
                || self.forgives
                || key.get(from..offset).is_some_and(|word| {
                    self.work += word.len() / BYTES_PER_WORK;
                    machine.decodes(state, word)
                }));
        if may_leave {
            machine.each_exit_of(state, &mut |said, to| {
                if machine.is_lost(to, ahead) {
                    return;
                }
                let mut story = story;
                for mark in said.into_iter().flatten() {
                    self.story.push(Chapter { before: story, mark, offset: offset as u32 });
                    story = self.story.len() as u32 - 1;
                }
                self.arrive(key, offset, Thread { state: to, story, from: offset });
            });
        }
        match ahead {
            None => {
                if let Some(track) = machine.accepted(state) {
                    self.ends.push((track, story));
                }
            }
            Some(byte) => {
                if machine.step(state, byte).is_some() {
                    self.next.push(thread);
                }
            }
        }
    }

    /// Ambiguous layouts can have very many runs in one state. All that began their leaf at one
    /// offset end alike, so some can be dropped without losing a key; that there were more is
    /// remembered.
    fn has_room(&mut self, state: State, from: usize, most: usize) -> bool {
        self.arrivals += 1;
        self.work += 1;
        if self.work > self.max_work {
            return false;
        }
        if self.arrivals < FEW_ARRIVALS.min(most) {
            return true;
        }
        let count = self.counts.entry((state, from)).or_insert(0);
        *count += 1;
        let room = *count <= self.limit.min(most);
        self.crowded |= !room;
        room
    }

    fn reading(
        &mut self,
        key: &[u8],
        track: TrackId,
        story: u32,
        wants_parts: bool,
    ) -> Option<Reading> {
        self.read(key, track, story, wants_parts).map(|(reading, _)| reading)
    }

    fn read(
        &mut self,
        key: &[u8],
        track: TrackId,
        story: u32,
        wants_parts: bool,
    ) -> Option<(Reading, Option<Refused>)> {
        self.trail.clear();
        let mut at = story;
        while let Some(chapter) = self.story.get(at as usize) {
            self.trail.push((self.machine.mark(chapter.mark).0, chapter.offset as usize));
            at = chapter.before;
        }
        self.trail.reverse();
        let keyspace = self.machine.keyspace(track);
        let mut reader = Reader {
            key,
            trail: self.trail.iter(),
            at: 0,
            path: String::new(),
            parts: Vec::new(),
            wants_parts,
            verifies: self.verifies,
            forgives: self.forgives,
            refused: None,
            claimed: Vec::new(),
        };
        let fields = reader.list(&self.layout.keyspace(keyspace).key)?;
        Some((Reading { keyspace, fields, parts: reader.parts }, reader.refused))
    }
}
