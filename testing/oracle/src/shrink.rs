//! Shrinking a failing input.

use crate::sketch::{Body, Namespace, Seg, Sketch};

/// Returns the smallest failing input found by replacing the input by the first of its smaller
/// candidates that fails, again and again.
pub(crate) fn shrink<T: Clone>(
    input: &T,
    candidates: impl Fn(&T) -> Vec<T>,
    mut fails: impl FnMut(&T) -> bool,
) -> T {
    let mut best = input.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(&mut fails) {
        best = smaller;
    }
    best
}

/// Returns all layouts with one part removed.
pub(crate) fn candidates(sketch: &Sketch) -> Vec<Sketch> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Sketch)| {
        let mut changed = sketch.clone();
        change(&mut changed);
        all.push(changed);
    };
    for index in 0..sketch.keyspaces.len() {
        with(&|s| drop(s.keyspaces.remove(index)));
        let keyspace = &sketch.keyspaces[index];
        for split in 0..keyspace.splits.len() {
            with(&|s| drop(s.keyspaces[index].splits.remove(split)));
        }
        for scan in 0..keyspace.scans.len() {
            with(&|s| drop(s.keyspaces[index].scans.remove(scan)));
        }
        for (scan, old) in keyspace.scans.iter().enumerate() {
            if old.asked.is_some() {
                with(&|s| s.keyspaces[index].scans[scan].asked = None);
            }
            if !old.by.is_empty() {
                with(&|s| drop(s.keyspaces[index].scans[scan].by.pop()));
            }
            if !old.also.is_empty() {
                with(&|s| drop(s.keyspaces[index].scans[scan].also.pop()));
            }
            if !old.leading.is_empty() {
                with(&|s| drop(s.keyspaces[index].scans[scan].leading.pop()));
            }
        }
        if keyspace.family.is_some() {
            with(&|s| s.keyspaces[index].family = None);
        }
        if keyspace.namespace.is_some() {
            with(&|s| s.keyspaces[index].namespace = None);
        }
        if keyspace.beside {
            with(&|s| s.keyspaces[index].beside = false);
        }
        if keyspace.range.is_some() {
            with(&|s| s.keyspaces[index].range = None);
        }
        for accept in 0..keyspace.accepts.len() {
            with(&|s| drop(s.keyspaces[index].accepts.remove(accept)));
        }
        if keyspace.unique {
            with(&|s| s.keyspaces[index].unique = false);
        }
        if !keyspace.value.is_empty() {
            with(&|s| s.keyspaces[index].value.clear());
        }
        if !keyspace.reads.is_empty() {
            with(&|s| s.keyspaces[index].reads.clear());
        }
        if !keyspace.sizes.is_empty() {
            with(&|s| s.keyspaces[index].sizes.truncate(keyspace.sizes.len() - 1));
        }
        if keyspace.of.is_some() {
            with(&|s| {
                s.keyspaces[index].of = None;
                s.keyspaces[index].kind = "map".into();
            });
        }
        for &simple in simpler(&keyspace.member) {
            with(&|s| s.keyspaces[index].member = simple.into());
        }
        for &simple in simpler(&keyspace.score) {
            with(&|s| s.keyspaces[index].score = simple.into());
        }
        for field in 0..keyspace.fields.len() {
            with(&|s| drop(s.keyspaces[index].fields.remove(field)));
        }
    }
    for list in 0..lists(&mut sketch.clone()).len() {
        let segs = lists(&mut sketch.clone())[list].clone();
        for smaller in smaller_lists(&segs) {
            with(&|s| *lists(s)[list] = smaller.clone());
        }
    }
    fewer_types(sketch, &mut with);
    fewer_rules(sketch, &mut with);
    all
}

/// Adds the layout with one change.
type With<'w> = dyn FnMut(&dyn Fn(&mut Sketch)) + 'w;

/// Adds all layouts with a smaller type, or without structures.
fn fewer_types(sketch: &Sketch, with: &mut With<'_>) {
    if sketch.fixes {
        with(&|s| s.fixes = false);
    }
    if sketch.second_store.is_some() {
        with(&|s| s.second_store = None);
    }
    if sketch.structures {
        with(&|s| {
            s.structures = false;
            for keyspace in &mut s.keyspaces {
                keyspace.kind = "map".into();
                keyspace.fields.clear();
            }
        });
    }
    for index in 0..sketch.types.len() {
        with(&|s| drop(s.types.remove(index)));
        let parts = match &sketch.types[index].1 {
            Body::Enum(texts) => texts.len(),
            Body::Variant(arms) => arms.len(),
            Body::Composite(_) | Body::Alias(_) => 0,
        };
        for part in 0..parts {
            with(&|s| match &mut s.types[index].1 {
                Body::Enum(texts) => drop(texts.remove(part)),
                Body::Variant(arms) => drop(arms.remove(part)),
                Body::Composite(_) | Body::Alias(_) => {}
            });
        }
    }
}

/// Adds all layouts with one rule of a namespace removed, or without a backend.
fn fewer_rules(sketch: &Sketch, with: &mut With<'_>) {
    if sketch.backend.is_some() || sketch.on.is_some() {
        with(&|s| (s.backend, s.on) = (None, None));
    }
    for (index, namespace) in sketch.namespaces.iter().enumerate() {
        if namespace.outer.is_some() {
            with(&|s| s.namespaces[index].outer = None);
        }
        for range in 0..namespace.ranges.len() {
            with(&|s| drop(s.namespaces[index].ranges.remove(range)));
        }
        for retired in 0..namespace.retired.len() {
            with(&|s| drop(s.namespaces[index].retired.remove(retired)));
        }
        let Some(outer) = &namespace.outer else { continue };
        let with_outer = &mut |change: &dyn Fn(&mut Namespace)| {
            with(&|s| s.namespaces[index].outer.iter_mut().for_each(|outer| change(outer)));
        };
        for range in 0..outer.ranges.len() {
            with_outer(&|outer| drop(outer.ranges.remove(range)));
        }
        for retired in 0..outer.retired.len() {
            with_outer(&|outer| drop(outer.retired.remove(retired)));
        }
    }
}

/// Returns the lists of segments of keys and types.
pub(crate) fn lists(sketch: &mut Sketch) -> Vec<&mut Vec<Seg>> {
    let mut lists = Vec::new();
    for (_, body) in &mut sketch.types {
        match body {
            Body::Composite(segs) => lists.push(segs),
            Body::Variant(arms) => lists.extend(arms.iter_mut().map(|(_, segs)| segs)),
            Body::Enum(_) | Body::Alias(_) => {}
        }
    }
    for keyspace in &mut sketch.keyspaces {
        lists.push(&mut keyspace.key);
        lists.extend(keyspace.fields.iter_mut().map(|(_, segs)| segs));
        for (start, end) in keyspace.scans.iter_mut().filter_map(|scan| scan.asked.as_mut()) {
            lists.push(start);
            lists.extend(end);
        }
    }
    lists
}

/// Simpler types, in the order in which they are tried.
const SIMPLE: &[&str] = &["u8 in 97..=98", r#"text(r"a?")"#, r#"text(r"[ab]{1,2}")"#];

const FROM_VALUE: &str = " from value";

fn simpler(ty: &str) -> &'static [&'static str] {
    let known = SIMPLE.iter().position(|simple| *simple == ty).unwrap_or(SIMPLE.len());
    &SIMPLE[..known]
}

fn smaller_lists(segs: &[Seg]) -> Vec<Vec<Seg>> {
    let mut all = Vec::new();
    for (index, seg) in segs.iter().enumerate() {
        let (before, after) = (&segs[..index], &segs[index + 1..]);
        let with = |middle: &[Seg]| [before, middle, after].concat();
        all.push(with(&[]));
        match seg {
            Seg::Lit(bytes) if bytes.len() > 1 => all.push(with(&[Seg::Lit(vec![bytes[0]])])),
            Seg::Field(_, ty) if ty.is_empty() => {}
            Seg::Lit(_) | Seg::Derived(_) => {}
            Seg::Hashed(_) => all.push(with(&[Seg::Lit(vec![b'a'])])),
            Seg::Wrap(name, inner) => {
                all.push(with(inner));
                for smaller in smaller_lists(inner).into_iter().filter(|list| !list.is_empty()) {
                    all.push(with(&[Seg::Wrap(name, smaller)]));
                }
            }
            Seg::Field(name, ty) => {
                let (ty, from) = ty.split_at(ty.find(FROM_VALUE).unwrap_or(ty.len()));
                if from.len() > FROM_VALUE.len() {
                    all.push(with(&[Seg::Field(name.clone(), format!("{ty}{FROM_VALUE}"))]));
                }
                for simple in simpler(ty) {
                    all.push(with(&[Seg::Field(name.clone(), format!("{simple}{from}"))]));
                }
            }
            Seg::Option(inner, guard) => {
                all.push(with(inner));
                if guard.is_some() {
                    all.push(with(&[Seg::Option(inner.clone(), None)]));
                }
                for smaller in smaller_lists(inner) {
                    all.push(with(&[Seg::Option(smaller, guard.clone())]));
                }
            }
        }
    }
    all
}
