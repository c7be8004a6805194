//! Minimisation: trimming, Moore's partition refinement, canonical numbering.

use crate::{DEAD, OverBudget, StateId, budget::Meter, dfa::Parts, rows::Rows};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

/// A minimal automaton with its distances.
pub(crate) struct Minimal {
    pub(crate) parts: Parts,
    pub(crate) distances: Distances,
}

/// The distances of each state from acceptance.
pub(crate) struct Distances {
    /// The shortest path; `u32::MAX` if no path exists.
    pub(crate) nearest: Vec<u32>,
    /// The longest path; `u32::MAX` if it is unbounded.
    pub(crate) farthest: Vec<u32>,
}

/// The elementary steps for each state in addition to its table row.
const STEPS_PER_STATE: usize = 16;

/// Returns the minimal automaton of the same language, numbered in breadth-first order, so equal
/// languages give equal automata.
pub(crate) fn minimize(mut parts: Parts, meter: &mut Meter<'_>) -> Result<Minimal, OverBudget> {
    // Six passes over the table, in addition to the rounds of refinement.
    meter.steps(6 * parts.table.len() + STEPS_PER_STATE * parts.accepting.len())?;
    let distances = Distances::of(&parts);
    // Removes steps that cannot lead to acceptance.
    for target in &mut parts.table {
        if *target != DEAD && distances.nearest[*target as usize] == u32::MAX {
            *target = DEAD;
        }
    }
    let blocks = refine(&parts, &distances, meter)?;
    let (quotient, examples) = number(&parts, &blocks);
    // All states of a block accept the same words.
    let of = |lengths: &[u32]| examples.iter().map(|&state| lengths[state]).collect();
    let distances =
        Distances { nearest: of(&distances.nearest), farthest: of(&distances.farthest) };
    Ok(Minimal { parts: merge_classes(quotient), distances })
}

/// The predecessors of each state, as chains of links in one list.
struct Sources {
    /// The last link of each state.
    last: Vec<u32>,
    /// A source, and the link before.
    links: Vec<(StateId, u32)>,
}

/// The end of a chain.
const NONE: u32 = u32::MAX;

impl Sources {
    fn of(parts: &Parts) -> Self {
        let mut last = vec![NONE; parts.accepting.len()];
        let mut links: Vec<(StateId, u32)> = Vec::new();
        for (source, row) in parts.table.chunks_exact(parts.width).enumerate() {
            let mut before = DEAD;
            for &target in row {
                // Neighbouring classes often have the same target; a source is listed once.
                if target == before || target == DEAD {
                    continue;
                }
                before = target;
                let last = &mut last[target as usize];
                if links.get(*last as usize).is_none_or(|link| link.0 != source as StateId) {
                    links.push((source as StateId, *last));
                    *last = links.len() as u32 - 1;
                }
            }
        }
        Self { last, links }
    }

    fn each(&self, state: StateId, mut visit: impl FnMut(StateId)) {
        let mut at = self.last[state as usize];
        while let Some(&(source, before)) = self.links.get(at as usize) {
            visit(source);
            at = before;
        }
    }
}

impl Distances {
    fn of(parts: &Parts) -> Self {
        let sources = Sources::of(parts);
        let count = parts.accepting.len();
        let states = 0..count as StateId;
        let mut nearest = vec![u32::MAX; count];
        let mut queue: Vec<StateId> =
            states.clone().filter(|&s| parts.accepting[s as usize]).collect();
        for &state in &queue {
            nearest[state as usize] = 0;
        }
        // For each state, the number of its targets that can reach acceptance.
        let mut pending = vec![0_u32; count];
        let mut at = 0;
        while let Some(&state) = queue.get(at) {
            let length = nearest[state as usize] + 1;
            sources.each(state, |source| {
                pending[source as usize] += 1;
                if nearest[source as usize] == u32::MAX {
                    nearest[source as usize] = length;
                    queue.push(source);
                }
            });
            at += 1;
        }
        // Backwards from the ends, each state after all its targets. A state on a cycle, or leading
        // to one, is never reached and has no longest path.
        let mut farthest = vec![u32::MAX; count];
        let mut longest = vec![0_u32; count];
        let mut ready: Vec<StateId> = states.filter(|&s| pending[s as usize] == 0).collect();
        while let Some(state) = ready.pop() {
            let length = longest[state as usize];
            farthest[state as usize] = length;
            if nearest[state as usize] == u32::MAX {
                continue;
            }
            sources.each(state, |source| {
                let source = source as usize;
                longest[source] = longest[source].max(length + 1);
                pending[source] -= 1;
                if pending[source] == 0 {
                    ready.push(source as StateId);
                }
            });
        }
        Self { nearest, farthest }
    }
}

/// Returns the block of each state, by splitting until all states of a block step to the same
/// blocks.
///
/// A long chain (a counted repetition) would need one round per link. Therefore the initial blocks
/// are states with the same distances to acceptance.
fn refine(
    parts: &Parts,
    distances: &Distances,
    meter: &mut Meter<'_>,
) -> Result<Vec<u32>, OverBudget> {
    if !distances.farthest.contains(&u32::MAX) {
        return Ok(acyclic_blocks(parts, &distances.farthest));
    }
    let (mut blocks, mut count) = distance_blocks(parts, distances);
    loop {
        meter.steps(parts.table.len())?;
        let mut rows = Rows::default();
        let mut next = Vec::with_capacity(blocks.len());
        let mut signature = Vec::with_capacity(parts.width + 1);
        for (&block, row) in blocks.iter().zip(parts.table.chunks_exact(parts.width)) {
            signature.clear();
            signature.push(block);
            signature.extend(row.iter().map(|&t| block_at(&blocks, t)));
            next.push(rows.id(&signature));
        }
        blocks = next;
        if rows.len() == count {
            return Ok(blocks);
        }
        count = rows.len();
    }
}

/// Returns the block of a target.
fn block_at(blocks: &[u32], target: StateId) -> u32 {
    if target == DEAD { u32::MAX } else { blocks[target as usize] }
}

/// Returns the block of each state of a bounded language. Processed from the ends, all targets have
/// blocks before their sources, so one round is enough.
fn acyclic_blocks(parts: &Parts, farthest: &[u32]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..farthest.len()).collect();
    order.sort_unstable_by_key(|&state| farthest[state]);
    let mut rows = Rows::default();
    let mut blocks = vec![u32::MAX; farthest.len()];
    let mut signature = Vec::with_capacity(parts.width + 1);
    for state in order {
        let row = &parts.table[state * parts.width..(state + 1) * parts.width];
        signature.clear();
        signature.push(u32::from(parts.accepting[state]));
        signature.extend(row.iter().map(|&t| block_at(&blocks, t)));
        blocks[state] = rows.id(&signature);
    }
    blocks
}

/// Groups states by their shortest and (if bounded) longest path to acceptance, and returns the
/// number of groups. Equivalent states agree in both, so they stay in one group.
fn distance_blocks(parts: &Parts, distances: &Distances) -> (Vec<u32>, usize) {
    let mut ids: HashMap<(bool, u32, u32), u32> = HashMap::new();
    let blocks = parts.accepting.iter().zip(distances.nearest.iter().zip(&distances.farthest));
    let blocks = blocks.map(|(&accepting, (&nearest, &farthest))| {
        let fresh = ids.len() as u32;
        *ids.entry((accepting, nearest, farthest)).or_insert(fresh)
    });
    let blocks = blocks.collect();
    (blocks, ids.len())
}

/// Numbers the reachable blocks breadth first. Returns the automaton and one state of each block.
fn number(parts: &Parts, blocks: &[u32]) -> (Parts, Vec<usize>) {
    let count = blocks.iter().max().map_or(0, |&block| block as usize + 1);
    let mut names: Vec<StateId> = vec![DEAD; count];
    let mut order = vec![0_usize];
    names[blocks[0] as usize] = 0;
    let mut table = Vec::new();
    let mut accepting = Vec::new();
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        accepting.push(parts.accepting[state]);
        for &target in &parts.table[state * parts.width..(state + 1) * parts.width] {
            if target == DEAD {
                table.push(DEAD);
                continue;
            }
            let name = &mut names[blocks[target as usize] as usize];
            if *name == DEAD {
                *name = order.len() as StateId;
                order.push(target as usize);
            }
            table.push(*name);
        }
        at += 1;
    }
    (Parts { map: parts.map, width: parts.width, table, accepting }, order)
}

/// Merges byte classes that no state distinguishes, and numbers them by their smallest byte.
fn merge_classes(parts: Parts) -> Parts {
    let count = parts.accepting.len();
    let mut columns = Rows::default();
    let mut column = Vec::with_capacity(count);
    let mut renamed: Vec<Option<u8>> = vec![None; parts.width];
    let mut kept: Vec<usize> = Vec::new();
    let mut map = [0_u8; 256];
    for (byte, new_class) in map.iter_mut().enumerate() {
        let class = parts.map[byte] as usize;
        *new_class = *renamed[class].get_or_insert_with(|| {
            column.clear();
            column.extend(parts.table.iter().skip(class).step_by(parts.width));
            let name = columns.id(&column);
            if name as usize == kept.len() {
                kept.push(class);
            }
            name as u8
        });
    }
    let width = kept.len();
    let mut table = Vec::with_capacity(count * width);
    for row in parts.table.chunks_exact(parts.width) {
        table.extend(kept.iter().map(|&class| row[class]));
    }
    Parts { map, width, table, accepting: parts.accepting }
}
