//! Random pairs of layouts: a layout and a changed copy.

use crate::{
    generate::generate,
    random::Random,
    shrink::candidates,
    sketch::{Keyspace, Seg, Sketch},
};

/// An old layout and a new one.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The layout that wrote the rows.
    pub(super) old: Sketch,
    /// The layout that reads the rows.
    pub(super) new: Sketch,
}

/// Draws the pair of a seed.
#[must_use]
pub(super) fn draw(seed: u64) -> Pair {
    let mut random = Random::new(seed ^ 0x5eed);
    let size = (seed % 4) as usize;
    let base = plain(generate(seed, size));
    let mut other = plain(generate(seed.wrapping_add(1 << 32), size));
    let mut pair = match random.below(10) {
        // Two layouts that share only names.
        0 => {
            other.structures = base.structures;
            Pair { old: base, new: other }
        }
        // A part is missing on one side, or on both.
        1..=3 => Pair { new: less(&mut random, &base), old: base },
        4..=6 => Pair { old: less(&mut random, &base), new: base },
        7 => Pair { old: less(&mut random, &base), new: less(&mut random, &base) },
        // One keyspace has another key.
        8 => {
            let mut new = base.clone();
            let keys: Vec<Vec<Seg>> = other.keyspaces.iter().map(|k| k.key.clone()).collect();
            let at = random.below(new.keyspaces.len());
            new.keyspaces[at].key = random.pick(&keys).clone();
            new.keyspaces[at].scans.clear();
            // Add the types of the other layout, unless a type with the same name exists.
            for (name, body) in other.types {
                if new.types.iter().all(|(known, _)| *known != name) {
                    new.types.push((name, body));
                }
            }
            Pair { old: base, new }
        }
        _ => Pair { old: base.clone(), new: base },
    };
    if random.percent(30) {
        rename_keyspace(&mut random, &mut pair);
    }
    if random.percent(30) {
        rename_field(&mut random, &mut pair.new);
    }
    if random.percent(15) {
        pair.new.keyspaces.reverse();
        pair.new.second_store = None;
        pair.old.second_store = None;
    }
    pair
}

/// Removes the parts that are not compared.
fn plain(mut sketch: Sketch) -> Sketch {
    sketch.fixes = false;
    sketch.backend = None;
    let values: Vec<String> =
        sketch.keyspaces.iter_mut().map(|keyspace| std::mem::take(&mut keyspace.value)).collect();
    sketch.types.retain(|(name, _)| !values.contains(name));
    for keyspace in &mut sketch.keyspaces {
        keyspace.accepts.clear();
        keyspace.splits.clear();
        for scan in &mut keyspace.scans {
            scan.asked = None;
            scan.also.clear();
        }
    }
    sketch
}

/// Returns the layout with one or two parts removed.
fn less(random: &mut Random, sketch: &Sketch) -> Sketch {
    let mut less = sketch.clone();
    for _ in 0..random.between(1, 2) {
        let all = candidates(&less);
        if let Some(candidate) = (!all.is_empty()).then(|| random.pick(&all).clone()) {
            less = candidate;
        }
    }
    less
}

/// Renames a keyspace, with or without a `was` clause.
fn rename_keyspace(random: &mut Random, pair: &mut Pair) {
    let keyspaces = &mut pair.new.keyspaces;
    if keyspaces.is_empty() {
        return;
    }
    let at = random.below(keyspaces.len());
    let keyspace: &mut Keyspace = &mut keyspaces[at];
    let name = keyspace.name.clone();
    let is_map = keyspaces.iter().any(|other| other.of.as_ref() == Some(&name));
    let keyspace = &mut keyspaces[at];
    if is_map || keyspace.of.is_some() {
        return;
    }
    keyspace.name = if random.percent(60) { format!("z was {name}") } else { "z".to_owned() };
}

/// Renames a field of a key, with or without a `was` clause. If a guard or a scan names the field,
/// the text is no longer a layout.
fn rename_field(random: &mut Random, sketch: &mut Sketch) {
    let keys = sketch.keyspaces.iter_mut().filter(|keyspace| keyspace.of.is_none());
    let mut keys: Vec<&mut Keyspace> = keys.collect();
    if keys.is_empty() {
        return;
    }
    let at = random.below(keys.len());
    let with_was = random.percent(60);
    let name = random.below(4);
    let fields = keys[at].key.iter_mut().filter_map(|seg| match seg {
        Seg::Field(name, _) => Some(name),
        _ => None,
    });
    if let Some(field) = fields.into_iter().nth(name) {
        *field = if with_was { format!("y was {field}") } else { "y".to_owned() };
    }
}

/// Returns all pairs with one part removed on both sides, or on one.
pub(super) fn smaller_pairs(pair: &Pair) -> Vec<Pair> {
    let (olds, news) = (candidates(&pair.old), candidates(&pair.new));
    let both = olds.iter().zip(&news);
    let old = olds.iter().map(|old| (old, &pair.new));
    let new = news.iter().map(|new| (&pair.old, new));
    let all = both.chain(old).chain(new);
    all.map(|(old, new)| Pair { old: old.clone(), new: new.clone() }).collect()
}
