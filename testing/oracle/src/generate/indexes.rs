//! Keys of indexes.

use super::{
    fields,
    keys::{Keys, SEPARATORS},
    leaves::find,
};
use crate::sketch::Seg;

/// Codecs that wrap the codec of a field of the map.
const AROUND: &[(&str, &str)] = &[
    ("sha256(", ")"),
    ("keccak256(", ")"),
    ("twox_64(", ")"),
    ("blake2_256(", ")"),
    ("hex(sha256(", "))"),
    ("hex(", ")"),
    ("desc(", ")"),
    ("hex(desc(", "))"),
    ("len8(", ")"),
    ("escaped(", ")"),
    ("truncate(", ")[1]"),
    ("blake2_128_concat(", ")"),
];

impl Keys<'_> {
    /// Draws the key of an index: the segments of the map in another order, or separate fields of
    /// it.
    pub(super) fn index_key(&mut self, map: &[Seg]) -> Vec<Seg> {
        let mut key = match self.random.below(4) {
            0 => {
                let mut key = inherited(map);
                for last in (1..key.len()).rev() {
                    key.swap(last, self.random.below(last + 1));
                }
                self.take_from_value(map, &mut key);
                key
            }
            _ => self.fields_of_map(map),
        };
        if self.random.percent(35) && !key.is_empty() {
            self.group(&mut key);
        }
        let mut day = None;
        if self.random.percent(40) {
            let ty = self.ty();
            let take = *self.random.pick(&["", "", " each", " optional"]);
            key.insert(0, Seg::Field("day".to_owned(), format!("{ty} from value{take}")));
            day = Some(("day".to_owned(), ty)).filter(|_| self.random.percent(50));
        }
        key.insert(0, self.literal());
        self.guard_as_in(map, day, &mut key);
        key
    }

    /// Takes a field of the map's key from the value, rarely. Guards on the field then test the
    /// value. Uses a copy of the generator, so that other layouts of a seed stay the same.
    fn take_from_value(&self, map: &[Seg], key: &mut [Seg]) {
        let mut random = self.random.clone();
        let direct = direct(map);
        if direct.is_empty() || !random.percent(25) {
            return;
        }
        let (name, ty) = random.pick(&direct);
        let is_it = |seg: &&mut Seg| matches!(seg, Seg::Field(own, _) if own == name);
        if let Some(Seg::Field(_, own)) = key.iter_mut().find(is_it) {
            let take = *random.pick(&["", "", " each", " optional"]);
            *own = format!("{ty} from value{take}");
        }
    }

    /// Draws most fields of a map in another order, with inherited, changed or replaced types.
    fn fields_of_map(&mut self, map: &[Seg]) -> Vec<Seg> {
        let mut known = fields(map);
        let direct: Vec<&str> = direct(map).into_iter().map(|(name, _)| name).collect();
        let mut key = Vec::new();
        let whole = self.random.percent(50);
        while !known.is_empty() {
            let (name, ty) = known.remove(self.random.below(known.len()));
            let may_be_absent = !direct.contains(&name);
            let name = name.to_owned();
            let field = match self.random.below(100) {
                0..=29 if !whole => continue,
                30..=34 if !whole => Seg::Field(name, format!("{} from value", self.ty())),
                35..=39 if !whole => Seg::Field(name, self.ty()),
                40..=54 if find(ty).is_some() => {
                    let (before, after) = *self.random.pick(AROUND);
                    Seg::Field(name, format!("{before}{ty}{after}"))
                }
                _ => Seg::Field(name, String::new()),
            };
            if self.random.percent(if may_be_absent { 70 } else { 10 }) {
                key.push(Seg::Option(vec![field], None));
            } else {
                key.push(field);
            }
            if self.random.percent(50) {
                key.push(Seg::Lit(self.random.pick(SEPARATORS).to_vec()));
            }
        }
        key
    }

    /// Combines several segments into one optional part.
    fn group(&mut self, key: &mut Vec<Seg>) {
        let from = self.random.below(key.len());
        let to = self.random.between(from + 1, key.len().min(from + 4));
        let mut inside: Vec<Seg> = key.drain(from..to).collect();
        // The language requires a field directly in an optional part, not only in a nested one.
        if !inside.iter().any(|seg| matches!(seg, Seg::Field(..)))
            && let Some(Seg::Option(inner, _)) =
                inside.iter_mut().find(|seg| matches!(seg, Seg::Option(..)))
        {
            let inner = std::mem::take(inner);
            inside = inner;
        }
        match inside.iter().any(|seg| matches!(seg, Seg::Field(..))) {
            true => key.insert(from, Seg::Option(inside, None)),
            false => key.extend(inside),
        }
    }

    /// Adds guards on fields of the map, or on a field from the value, to optional parts without a
    /// guard.
    fn guard_as_in(&mut self, map: &[Seg], day: Option<(String, String)>, key: &mut [Seg]) {
        if !self.random.percent(40) {
            return;
        }
        let own = direct(key);
        let asked: Vec<(String, String)> = direct(map)
            .into_iter()
            .filter(|(name, _)| own.iter().any(|(other, ty)| other == name && ty.is_empty()))
            .map(|(name, ty)| (name.to_owned(), ty.to_owned()))
            .chain(day)
            .collect();
        self.add_guards(key, &asked);
    }
}

/// Returns the fields of a list that are not in an option.
fn direct(segs: &[Seg]) -> Vec<(&str, &str)> {
    let of = |seg: &'_ Seg| matches!(seg, Seg::Field(..));
    segs.iter().filter(|seg| of(seg)).flat_map(|seg| fields(std::slice::from_ref(seg))).collect()
}

/// Returns the segments with types inherited from the map.
fn inherited(segs: &[Seg]) -> Vec<Seg> {
    segs.iter()
        .map(|seg| match seg {
            Seg::Field(name, _) => Seg::Field(name.clone(), String::new()),
            Seg::Option(inner, guard) => Seg::Option(inherited(inner), guard.clone()),
            Seg::Wrap(name, inner) => Seg::Wrap(name, inherited(inner)),
            other => other.clone(),
        })
        .collect()
}
