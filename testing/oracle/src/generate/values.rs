//! Values of maps from which an index takes a field.

use super::{is_well_formed, leaves::LEAVES};
use crate::{
    random::Random,
    sketch::{Body, Seg, Sketch},
};

/// Describes the values of the maps of some indexes: a field that the index takes, between fields
/// of other types.
pub(super) fn draw(random: &mut Random, sketch: &mut Sketch) {
    for index in 0..sketch.keyspaces.len() {
        let keyspace = &sketch.keyspaces[index];
        let taken = keyspace.key.iter().find_map(|seg| match seg {
            Seg::Field(name, ty) => Some((name, ty.split_once(" from value")?)),
            _ => None,
        });
        let Some((name, (ty, take))) = taken else { continue };
        let map = sketch.keyspaces.iter().position(|map| Some(&map.name) == keyspace.of.as_ref());
        let Some(map) = map.filter(|_| random.percent(60)) else { continue };
        let part = match take {
            " each" => Seg::Field(name.clone(), format!("list({ty})[0..=2]")),
            " optional" => Seg::Option(vec![Seg::Field(name.clone(), ty.to_owned())], None),
            _ => Seg::Field(name.clone(), ty.to_owned()),
        };
        let mut segs = vec![part];
        for at in 0..random.between(1, 2) {
            let declared = sketch.types.iter().map(|(name, _)| name.as_str());
            let leaves = LEAVES.iter().take(4).map(|leaf| leaf.text);
            let types: Vec<&str> = declared.chain(leaves).collect();
            let field = Seg::Field(format!("v{at}"), (*random.pick(&types)).to_owned());
            segs.insert(random.below(segs.len() + 1), field);
        }
        let mut with_value = sketch.clone();
        let value = format!("V{index}");
        with_value.types.push((value.clone(), Body::Composite(segs)));
        with_value.keyspaces[map].value = value;
        if is_well_formed(&with_value) {
            *sketch = with_value;
        }
    }
}
