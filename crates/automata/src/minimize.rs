//! Minimisation: trimming, Moore's partition refinement, canonical numbering.

use crate::{DEAD, StateId, dfa::Parts};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

/// The smallest automaton of the same language, numbered in breadth-first order, so that equal
/// languages give equal automata.
pub(crate) fn minimize(mut parts: Parts) -> Parts {
    cut_dead_ends(&mut parts);
    let blocks = refine(&parts);
    let quotient = number(&parts, &blocks);
    merge_classes(quotient)
}

/// Turns steps that cannot lead to acceptance into steps to [`DEAD`].
fn cut_dead_ends(parts: &mut Parts) {
    let count = parts.accepting.len();
    let mut sources: Vec<Vec<StateId>> = vec![Vec::new(); count];
    for (at, &target) in parts.table.iter().enumerate() {
        let source = (at / parts.width) as StateId;
        if target != DEAD && sources[target as usize].last() != Some(&source) {
            sources[target as usize].push(source);
        }
    }
    let mut live = vec![false; count];
    let mut stack: Vec<StateId> =
        (0..count).filter(|&s| parts.accepting[s]).map(|s| s as StateId).collect();
    while let Some(state) = stack.pop() {
        if !core::mem::replace(&mut live[state as usize], true) {
            stack.extend_from_slice(&sources[state as usize]);
        }
    }
    for target in &mut parts.table {
        if *target != DEAD && !live[*target as usize] {
            *target = DEAD;
        }
    }
}

/// The block of each state, by splitting until all states of a block step to the same blocks.
///
/// Long chains (a counted repetition) would need one round per link, so blocks start out as "the
/// same length to acceptance", which is refined already where it matters.
fn refine(parts: &Parts) -> Vec<u32> {
    let (mut blocks, farthest) = distance_blocks(parts);
    if !farthest.contains(&u32::MAX) {
        return acyclic_blocks(parts, &farthest);
    }
    let mut count = blocks.iter().max().map_or(0, |&b| b as usize + 1);
    loop {
        let mut ids: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut next = Vec::with_capacity(blocks.len());
        let mut signature = Vec::with_capacity(parts.width + 1);
        for (state, &block) in blocks.iter().enumerate() {
            let row = &parts.table[state * parts.width..(state + 1) * parts.width];
            signature.clear();
            signature.push(block);
            signature.extend(row.iter().map(
                |&t| {
                    if t == DEAD { u32::MAX } else { blocks[t as usize] }
                },
            ));
            next.push(block_of(&mut ids, &signature));
        }
        let refined = ids.len();
        blocks = next;
        if refined == count {
            return blocks;
        }
        count = refined;
    }
}

/// The block of the states that step like this; a new one if there was none before.
fn block_of(ids: &mut HashMap<Vec<u32>, u32>, signature: &[u32]) -> u32 {
    let fresh = ids.len() as u32;
    *ids.entry_ref(signature).or_insert(fresh)
}

/// The block of each state where no word is longer than some length: from the ends on, the blocks of
/// all targets are known before their sources, so one round is enough.
fn acyclic_blocks(parts: &Parts, farthest: &[u32]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..farthest.len()).collect();
    order.sort_by_key(|&state| farthest[state]);
    let mut ids: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut blocks = vec![u32::MAX; farthest.len()];
    let mut signature = Vec::with_capacity(parts.width + 1);
    for state in order {
        let row = &parts.table[state * parts.width..(state + 1) * parts.width];
        signature.clear();
        signature.push(u32::from(parts.accepting[state]));
        signature
            .extend(row.iter().map(|&t| if t == DEAD { u32::MAX } else { blocks[t as usize] }));
        blocks[state] = block_of(&mut ids, &signature);
    }
    blocks
}

/// States grouped by how far acceptance is, shortest way and (where bounded) longest way. Equal
/// states agree in both, so no two equal states are ever parted. Beside the groups, the longest ways;
/// `u32::MAX` where there is none.
fn distance_blocks(parts: &Parts) -> (Vec<u32>, Vec<u32>) {
    let count = parts.accepting.len();
    let successors = |state: usize| {
        parts.table[state * parts.width..(state + 1) * parts.width]
            .iter()
            .filter(|&&t| t != DEAD)
            .map(|&t| t as usize)
    };
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut pending = vec![0_usize; count];
    for (state, steps) in pending.iter_mut().enumerate() {
        for target in successors(state) {
            // One source may be listed again, but then it is counted again as well.
            if sources[target].last() != Some(&state) {
                sources[target].push(state);
                *steps += 1;
            }
        }
    }
    let mut nearest = vec![u32::MAX; count];
    let mut queue: Vec<usize> = (0..count).filter(|&s| parts.accepting[s]).collect();
    for &state in &queue {
        nearest[state] = 0;
    }
    let mut at = 0;
    while at < queue.len() {
        let state = queue[at];
        for &source in &sources[state] {
            if nearest[source] == u32::MAX {
                nearest[source] = nearest[state] + 1;
                queue.push(source);
            }
        }
        at += 1;
    }
    // Peel states without successors: what is left over has words of unbounded length.
    let mut farthest = vec![u32::MAX; count];
    let mut ready: Vec<usize> = (0..count).filter(|&s| pending[s] == 0).collect();
    while let Some(state) = ready.pop() {
        farthest[state] = successors(state).map(|t| farthest[t] + 1).max().unwrap_or(0);
        for &source in &sources[state] {
            pending[source] -= 1;
            if pending[source] == 0 {
                ready.push(source);
            }
        }
    }
    let mut ids: HashMap<(bool, u32, u32), u32> = HashMap::new();
    let blocks = (0..count).map(|s| {
        let fresh = ids.len() as u32;
        *ids.entry((parts.accepting[s], nearest[s], farthest[s])).or_insert(fresh)
    });
    (blocks.collect(), farthest)
}

/// Numbers the blocks that are reachable from the start, breadth first.
fn number(parts: &Parts, blocks: &[u32]) -> Parts {
    let mut names: HashMap<u32, StateId> = HashMap::new();
    let mut order = vec![0_usize];
    names.insert(blocks[0], 0);
    let mut table = Vec::new();
    let mut accepting = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let state = order[at];
        accepting.push(parts.accepting[state]);
        for &target in &parts.table[state * parts.width..(state + 1) * parts.width] {
            if target == DEAD {
                table.push(DEAD);
                continue;
            }
            let fresh = order.len() as StateId;
            let name = *names.entry(blocks[target as usize]).or_insert(fresh);
            if name == fresh {
                order.push(target as usize);
            }
            table.push(name);
        }
        at += 1;
    }
    Parts { map: parts.map, width: parts.width, table, accepting }
}

/// Merges byte classes that no state tells apart, and numbers them by their smallest byte.
fn merge_classes(parts: Parts) -> Parts {
    let count = parts.accepting.len();
    let mut names: HashMap<Vec<StateId>, u8> = HashMap::new();
    let mut renamed: Vec<Option<u8>> = vec![None; parts.width];
    let mut kept: Vec<usize> = Vec::new();
    let mut map = [0_u8; 256];
    for (byte, new_class) in map.iter_mut().enumerate() {
        let class = parts.map[byte] as usize;
        let name = *renamed[class].get_or_insert_with(|| {
            let column: Vec<StateId> =
                (0..count).map(|s| parts.table[s * parts.width + class]).collect();
            let fresh = names.len() as u8;
            let name = *names.entry(column).or_insert(fresh);
            if name == fresh && kept.len() == fresh as usize {
                kept.push(class);
            }
            name
        });
        *new_class = name;
    }
    let width = kept.len();
    let mut table = Vec::with_capacity(count * width);
    for state in 0..count {
        table.extend(kept.iter().map(|&class| parts.table[state * parts.width + class]));
    }
    Parts { map, width, table, accepting: parts.accepting }
}
