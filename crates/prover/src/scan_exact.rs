//! KS003: the interval that a scan reads contains its rows and no others.
//!
//! The search follows two runs over a row. The first run follows the requested leading part, the
//! second one reads the row as a key of any keyspace of the space. When the first run ends, the row
//! either has the same leading reading or is foreign. The second run then continues to the end of
//! its key, and the interval decides which rows are inside.

use crate::{
    pair::{Step, spell, steps_together},
    replay::ScanClaim,
    scan_query::{Progress, Query, steps_within},
    scan_trial,
    verdict::{Fault, ScannedRow, Unknown, Verdict},
};
use keyscape_automata::{
    OverBudget,
    search::{Graph, Visit, explore},
};
use keyscape_layout::{
    Record, Side,
    machine::{Machine, Mark, Marks, NodeId, State, TrackId, Walk},
    model::{KeyspaceId, Place},
};
use std::ops::ControlFlow;

/// Decides a scan in one form.
pub(crate) fn decide(claim: ScanClaim<'_>, query: &Query) -> Verdict {
    let context = claim.context;
    let (hit, also) = match search(claim, query, Side::Over) {
        Ok(found) => found,
        Err(over) => return Verdict::Unknown(Unknown::Budget(over)),
    };
    match hit {
        Hit::None => match also {
            Some(other) => also_elsewhere(claim, query, other),
            None => Verdict::Proved,
        },
        // An allowed `also` row may have hidden a shorter foreign row.
        Hit::Real { found, minimal } => {
            Verdict::refuted(Fault::ScanExact(found), minimal && also.is_none())
        }
        Hit::Unreal { key, keyspaces } => {
            let codecs = context.reader.inexact(&keyspaces);
            if codecs.is_empty() {
                return Verdict::Unknown(context.unreplayed(key, &keyspaces));
            }
            match search(claim, query, Side::Under) {
                Ok((Hit::Real { found, .. }, _)) => {
                    Verdict::refuted(Fault::ScanExact(found), false)
                }
                Ok(_) => Verdict::Unknown(Unknown::Inexact { codecs }),
                Err(over) => Verdict::Unknown(Unknown::Budget(over)),
            }
        }
    }
}

/// Tries real rows of an `also` keyspace whose fields are at other places, because the product does
/// not compare them.
fn also_elsewhere(claim: ScanClaim<'_>, query: &Query, other: KeyspaceId) -> Verdict {
    let keyspace = claim.context.layout.keyspace(claim.keyspace);
    let found = scan_trial::refute(claim, &[], &mut |row| {
        let prefix = keyspace.encode_until(&row.fields, query.place).ok()?;
        Some(query.interval.prefixed_with(&prefix))
    });
    match found {
        Some(found) => Verdict::refuted(Fault::ScanExact(found), false),
        None => Verdict::Unknown(Unknown::AlsoElsewhere { keyspace: other }),
    }
}

enum Hit {
    None,
    Real {
        found: ScannedRow,
        minimal: bool,
    },
    /// A hit of an inexact automaton that does not replay.
    Unreal {
        key: Vec<u8>,
        keyspaces: Vec<KeyspaceId>,
    },
}

/// Returns the shortest foreign or missed row. Also returns an `also` keyspace, if the search
/// reached a row of it with equal fields at other places.
fn search(
    claim: ScanClaim<'_>,
    query: &Query,
    side: Side,
) -> Result<(Hit, Option<KeyspaceId>), OverBudget> {
    let ScanClaim { context, keyspace, scan } = claim;
    let machine = context.space_machine(keyspace, side)?;
    let machine = &*machine;
    let Some(track) = machine.track(keyspace) else { return Ok((Hit::None, None)) };
    let also = scan
        .also
        .iter()
        .filter_map(|&other| Some((machine.track(other)?, allowed_rows(claim, other))))
        .collect();
    let (walk, ends) = (Walk::new(machine), machine.nodes_at(track, query.place).to_vec());
    let mut graph = Product { walk, track, query, also, ends };
    let mut starts = Vec::new();
    graph
        .settle(machine.start(), machine.start(), false, 0, &mut |node, cost| {
            starts.push((node, cost, Step::Silent));
        })
        .inspect_err(|_| graph.walk.charge(context.budget()))?;
    let (mut hit, mut elsewhere) = (Hit::None, None);
    let mut paths = Vec::new();
    explore(&mut graph, starts, context.budget(), &mut |path| {
        paths.push(path);
        // Only a row of an `also` keyspace can turn out to be allowed.
        if scan.also.is_empty() || paths.len() == MAX_PATHS {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })
    .map_err(|broken| broken.over)?;
    for path in paths {
        let row_key = spell(&mut graph.walk, &path.labels);
        let prefix_length = (path.cost & PREFIX_MASK) as usize;
        let other = path.end.track(machine).map_or(keyspace, |track| machine.keyspace(track));
        match replayed(claim, query, &row_key, prefix_length, other) {
            Some(found) => {
                // Correcting derived bytes can make the key longer.
                let minimal = found.row.key.len() <= row_key.len();
                hit = Hit::Real { found, minimal };
                break;
            }
            None if scan.also.contains(&other) => elsewhere = Some(other),
            None if side == Side::Over => {
                hit = Hit::Unreal { key: row_key, keyspaces: vec![keyspace, other] };
                break;
            }
            None => {}
        }
    }
    Ok((hit, elsewhere))
}

/// The highest number of hits to replay if a hit may be false.
const MAX_PATHS: usize = 64;
/// A byte of the row or of the leading part. The fewest bytes of both together win; the length of
/// the leading part, in the lower bits, breaks ties.
const BYTE: u64 = 1 << 32;
/// A byte that the row and the leading part share.
const SHARED_BYTE: u64 = 2 * BYTE;
const PREFIX_MASK: u64 = BYTE - 1;

/// The condition under which rows of an `also` keyspace are allowed.
#[derive(Clone, Copy, Debug)]
enum AlsoRows {
    /// Always: no field has the name of a leading field.
    Always,
    /// If the leading parts agree: fields of the same name are at the same places.
    SameLeading,
    /// If the values agree at different places: each row must be decoded.
    Elsewhere,
}

fn allowed_rows(claim: ScanClaim<'_>, other: KeyspaceId) -> AlsoRows {
    let ScanClaim { context, keyspace, scan } = claim;
    let (own, other) = (context.layout.keyspace(keyspace), context.layout.keyspace(other));
    let places = scan.leading.iter().filter_map(|path| Some((path, other.place_of(path)?)));
    let places: Vec<_> = places.collect();
    if places.is_empty() {
        AlsoRows::Always
    } else if places.iter().all(|&(path, place)| own.place_of(path) == Some(place)) {
        AlsoRows::SameLeading
    } else {
        AlsoRows::Elsewhere
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    /// The requested leading part and the row on the same bytes, and whether they have diverged.
    Both { asked: State, row: State, diverged: bool },
    /// The leading part has ended, and the row continues.
    After { row: State, diverged: bool, progress: Progress },
}

impl Node {
    fn track(self, machine: &Machine) -> Option<TrackId> {
        match self {
            Self::Both { row, .. } | Self::After { row, .. } => machine.accepted(row),
        }
    }
}

struct Product<'a> {
    walk: Walk<'a>,
    track: TrackId,
    query: &'a Query,
    also: Vec<(TrackId, AlsoRows)>,
    /// The nodes before which the leading part ends.
    ends: Vec<NodeId>,
}

impl Product<'_> {
    /// Visits all ways in which both runs can settle. `offset` is the number of bytes read.
    fn settle(
        &mut self,
        asked: State,
        row: State,
        diverged: bool,
        offset: u64,
        visit: &mut impl FnMut(Node, u64),
    ) -> Result<(), OverBudget> {
        // The common case: leaves contain no silent transitions.
        let machine = self.walk.machine;
        if machine.stays(asked) && machine.stays(row) && !self.ends.contains(&asked.node()) {
            visit(Node::Both { asked, row, diverged }, 0);
            return Ok(());
        }
        let rows = self.walk.settle(row)?;
        let ways = self.walk.settle_until(asked, self.track, self.query.place)?;
        self.walk.count(rows.len() * ways.len());
        for (marks, place) in ways.iter() {
            for (row_marks, row) in rows.iter() {
                match place {
                    Some(asked) => {
                        let diverged = diverged || !self.has_same_marks(row_marks, marks);
                        visit(Node::Both { asked, row, diverged }, 0);
                    }
                    None => {
                        let diverged = diverged || !self.begins_with_marks(row_marks, marks);
                        let progress = Progress::start(&self.query.interval);
                        visit(Node::After { row, diverged, progress }, offset);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the row and the leading part have the same marks. Two keyspaces that begin alike
    /// have different marks after the first choice, so the meanings of the marks are compared.
    fn has_same_marks(&self, row: Marks, asked: Marks) -> bool {
        row == asked || self.meanings(row).eq(self.meanings(asked))
    }

    /// Whether the marks of the row begin with those of the leading part.
    fn begins_with_marks(&self, row: Marks, asked: Marks) -> bool {
        let mut row = self.meanings(row);
        self.meanings(asked).all(|mark| row.next() == Some(mark))
    }

    fn meanings(&self, marks: Marks) -> impl Iterator<Item = (Mark, Place)> {
        self.walk.sequence(marks).iter().map(|&mark| self.walk.machine.mark(mark))
    }

    fn after(
        &mut self,
        (row, diverged, progress): (State, bool, Progress),
        steps: &mut impl FnMut(Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        let machine = self.walk.machine;
        if let Some(track) = machine.accepted(row) {
            let inside = progress.ends_inside();
            let also = self.also.iter().find(|(other, _)| *other == track);
            let own = match also {
                Some((_, AlsoRows::Always)) => true,
                Some((_, AlsoRows::SameLeading)) => !diverged,
                Some((_, AlsoRows::Elsewhere)) => false,
                None => !diverged && track == self.track,
            };
            let missed = !diverged && track == self.track && !inside;
            return Ok(if missed || inside && !own { Visit::Goal } else { Visit::On });
        }
        // A row of the scan inside the interval is not a fault. Neither is a row outside it that
        // cannot belong to the scan.
        let surely = !diverged && machine.owner(row) == Some(self.track);
        let possibly = !diverged && machine.uses(self.track, row);
        if progress == Progress::Inside && surely || progress == Progress::Outside && !possibly {
            return Ok(Visit::On);
        }
        let steps_within = steps_within(&mut self.walk, &self.query.interval, row, progress);
        for (count, step, to, progress) in steps_within {
            let ways = self.walk.settle(to)?;
            self.walk.count(ways.len());
            for (_, row) in ways.iter() {
                steps(Node::After { row, diverged, progress }, u64::from(count) * BYTE, step);
            }
        }
        Ok(Visit::On)
    }

    fn both(
        &mut self,
        (asked, row, diverged): (State, State, bool),
        cost: u64,
        steps: &mut impl FnMut(Node, u64, Step),
    ) -> Result<(), OverBudget> {
        if self.walk.machine.accepted(row).is_some() {
            return Ok(());
        }
        for to in steps_together(&mut self.walk, asked, row, !diverged) {
            let offset = cost / SHARED_BYTE + to.count;
            self.settle(to.a, to.b, diverged, offset, &mut |node, extra| {
                steps(node, to.count * SHARED_BYTE + extra, to.step);
            })?;
        }
        Ok(())
    }
}

impl Graph for Product<'_> {
    type Node = Node;
    type Label = Step;

    fn expand(
        &mut self,
        at: Node,
        cost: u64,
        steps: &mut impl FnMut(Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        match at {
            Node::Both { asked, row, diverged } => {
                self.both((asked, row, diverged), cost, steps).map(|()| Visit::On)
            }
            Node::After { row, diverged, progress } => self.after((row, diverged, progress), steps),
        }
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}

/// Returns a row at fault, decoded with the codecs. The first `prefix_length` bytes are the
/// requested leading part.
fn replayed(
    claim: ScanClaim<'_>,
    query: &Query,
    key: &[u8],
    prefix_length: usize,
    other: KeyspaceId,
) -> Option<ScannedRow> {
    let rows = claim.context.reader.rows(key, other);
    let leading = leading_readings(claim, query, key.get(..prefix_length)?);
    leading.into_iter().find_map(|(asked, prefix)| {
        let interval = query.interval.prefixed_with(&prefix);
        rows.iter().find_map(|row| claim.scanned(&asked, &interval, row))
    })
}

/// Returns the leading fields of a prefix, from real rows that begin with it, and the prefix with
/// corrected derived bytes.
fn leading_readings(claim: ScanClaim<'_>, query: &Query, prefix: &[u8]) -> Vec<(Record, Vec<u8>)> {
    let ScanClaim { context, keyspace: id, scan } = claim;
    let keyspace = context.layout.keyspace(id);
    let mut found = Vec::new();
    // Only the lower bound of the language guarantees a correct checksum.
    for side in [Side::Over, Side::Under] {
        let Ok(machine) = context.reader.machine(&[id], side) else { continue };
        for row in leading_rows(&machine, query, prefix) {
            for real in context.reader.rows(&row, id) {
                let asked = keyspace.encode_until(&real.fields, query.place);
                // An ambiguous row has further readings with another leading part.
                let asked = asked.ok().filter(|asked| row != real.key || *asked == prefix);
                let leading = asked.map(|asked| (real.fields.select(&scan.leading), asked));
                found.extend(leading.filter(|leading| !found.contains(leading)));
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Returns rows whose leading part is exactly `prefix`, one for each reading of the prefix.
fn leading_rows(machine: &Machine, query: &Query, prefix: &[u8]) -> Vec<Vec<u8>> {
    let mut walk = Walk::new(machine);
    let Some(track) = machine.tracks().next() else { return Vec::new() };
    let mut alive = vec![machine.start()];
    let mut rows = Vec::new();
    for (offset, byte) in prefix.iter().map(Some).chain([None]).enumerate() {
        let mut next = Vec::new();
        for &state in &alive {
            let Ok(ways) = walk.settle_until(state, track, query.place) else { continue };
            for (_, place) in ways.iter() {
                match (place, byte) {
                    (Some(state), Some(&byte)) => next.extend(machine.step(state, byte)),
                    (None, None) if offset == prefix.len() => {
                        for &node in machine.nodes_at(track, query.place) {
                            let rest = walk.shortest(machine.state_at(node));
                            rows.push([prefix, &rest].concat());
                        }
                    }
                    _ => {}
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        alive = next;
    }
    rows.dedup();
    rows
}
