//! Splits of a key.

use crate::{
    random::Random,
    sketch::{Body, Seg, Sketch, literal},
};

/// Draws `split` clauses with separators from the literals of the key.
pub(super) fn splits(random: &mut Random, sketch: &Sketch, index: usize) -> Vec<String> {
    let keyspace = &sketch.keyspaces[index];
    let mut literals = Vec::new();
    collect(&keyspace.key, sketch, &mut literals);
    let mut splits: Vec<String> = Vec::new();
    for _ in 0..random.below(3) {
        if literals.is_empty() {
            break;
        }
        let bytes = random.pick(&literals).clone();
        let start = random.below(bytes.len());
        let length = random.between(1, (bytes.len() - start).min(3));
        let which = *random.pick(&["", "", "first ", "last "]);
        let split = format!("split at {which}{}", literal(&bytes[start..start + length]));
        if !splits.contains(&split) {
            splits.push(split);
        }
    }
    splits
}

/// Collects the literals of a list and of its types. Joins adjacent literals.
fn collect(segs: &[Seg], sketch: &Sketch, found: &mut Vec<Vec<u8>>) {
    let mut run: Vec<u8> = Vec::new();
    for seg in segs {
        if let Seg::Lit(bytes) = seg {
            run.extend(bytes);
            continue;
        }
        found.push(std::mem::take(&mut run));
        match seg {
            Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => {}
            Seg::Option(inner, _) | Seg::Wrap(_, inner) => collect(inner, sketch, found),
            Seg::Field(_, ty) => match super::body(&sketch.types, ty) {
                Some(Body::Composite(inner)) => collect(inner, sketch, found),
                Some(Body::Variant(arms)) => {
                    arms.iter().for_each(|(_, inner)| collect(inner, sketch, found));
                }
                _ => {}
            },
        }
    }
    found.push(run);
    found.retain(|bytes| !bytes.is_empty());
}
