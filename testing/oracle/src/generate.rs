//! Random layouts with few rows.

mod accepts;
mod indexes;
mod keys;
mod leaves;
mod scans;
mod splits;
mod values;

use crate::{
    random::Random,
    seed::read,
    sketch::{Body, Keyspace, Seg, Sketch},
};
use keys::Keys;
use keyscape_layout::Backend;
pub use leaves::codecs;

const fn small(name: &'static str, longest_key: usize, empty_key: bool) -> Backend {
    let because = "so that few bytes are too many";
    Backend { name, longest_key, empty_key, has_structures: false, because }
}

/// Backends with a short maximal key length.
static SMALL: &[Backend] = &[
    small("one", 1, false),
    small("two", 2, true),
    small("three", 3, false),
    small("four", 4, true),
    small("six", 6, false),
    small("twelve", 12, true),
];

/// Draws a random layout. A larger `size` allows a larger layout. Nearly all layouts are
/// well-formed.
#[must_use]
pub fn generate(seed: u64, size: usize) -> Sketch {
    let mut random = Random::new(seed);
    let mut sketch = Sketch { structures: random.percent(15), ..Sketch::default() };
    let tidy = *random.pick(&[0, 0, 0, 50, 100]);
    let mut keys = Keys { random: &mut random, types: Vec::new(), tidy, size };
    keys.declare_types();
    sketch.types = keys.types.clone();
    sketch.namespaces = keys.namespaces();
    let count = keys.random.between(1 + usize::from(size > 1), 1 + size.min(3));
    for index in 0..count {
        let keyspace = keys.keyspace(index, &sketch);
        sketch.keyspaces.push(keyspace);
    }
    if random.percent(30) {
        sketch.backend = Some(random.pick(SMALL));
    } else if random.percent(10) {
        sketch.on = Some((*random.pick(&["lmdb", "etcd", "redis"])).to_owned());
    }
    if random.percent(5) {
        sketch.second_store = Some(random.below(sketch.keyspaces.len()));
    }
    for index in 0..sketch.keyspaces.len() {
        let scans = scans::scans(&mut random, &sketch, index);
        sketch.keyspaces[index].scans = scans;
    }
    for index in 0..sketch.keyspaces.len() {
        let splits = splits::splits(&mut random, &sketch, index);
        sketch.keyspaces[index].splits = splits;
    }
    sketch.fixes = random.percent(15);
    if random.percent(20) {
        accepts::draw(&mut random, &mut sketch);
    }
    drop_misfits(&mut sketch);
    values::draw(&mut random, &mut sketch);
    sketch
}

/// Removes parts that make the layout invalid: splits, the order of scans, then scans.
fn drop_misfits(sketch: &mut Sketch) {
    if is_well_formed(sketch) {
        return;
    }
    for index in 0..sketch.keyspaces.len() {
        for split in std::mem::take(&mut sketch.keyspaces[index].splits) {
            let mut alone = Sketch { keyspaces: sketch.keyspaces.clone(), ..sketch.clone() };
            alone.keyspaces.iter_mut().for_each(|k| {
                k.scans.clear();
                k.splits.clear();
            });
            alone.keyspaces[index].splits.push(split.clone());
            if is_well_formed(&alone) {
                sketch.keyspaces[index].splits.push(split);
            }
        }
    }
    let scans: Vec<_> = sketch.keyspaces.iter_mut().map(|k| std::mem::take(&mut k.scans)).collect();
    for (index, scans) in scans.into_iter().enumerate() {
        for mut scan in scans {
            sketch.keyspaces[index].scans.push(scan.clone());
            if is_well_formed(sketch) {
                continue;
            }
            sketch.keyspaces[index].scans.pop();
            scan.by.clear();
            sketch.keyspaces[index].scans.push(scan);
            if !is_well_formed(sketch) {
                sketch.keyspaces[index].scans.pop();
            }
        }
    }
}

fn is_well_formed(sketch: &Sketch) -> bool {
    read(&sketch.to_string()).is_ok()
}

/// Returns the body of a declared type.
fn body<'s>(types: &'s [(String, Body)], name: &str) -> Option<&'s Body> {
    types.iter().find(|(known, _)| known == name).map(|(_, body)| body)
}

/// Returns the names and types of the fields of a list, including those of options.
fn fields(segs: &[Seg]) -> Vec<(&str, &str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for seg in segs {
        match seg {
            Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => {}
            Seg::Field(name, ty) => found.push((name, ty)),
            Seg::Option(segs, _) | Seg::Wrap(_, segs) => found.extend(fields(segs)),
        }
    }
    found
}

impl Keyspace {
    /// Whether both keyspaces share one space.
    fn is_beside(&self, other: &Self, structures: bool) -> bool {
        self.family == other.family && (!structures || self.kind == other.kind)
    }
}
