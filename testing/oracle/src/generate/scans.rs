//! Scans of a key.

use super::{
    body, fields,
    leaves::{Leaf, find},
};
use crate::{
    random::Random,
    sketch::{Body, Keyspace, Scan, Seg, Sketch},
};

pub(super) fn scans(random: &mut Random, sketch: &Sketch, index: usize) -> Vec<Scan> {
    let mut scans: Vec<Scan> = Vec::new();
    for _ in 0..random.below(3) {
        let scan = Draw { random, sketch, keyspace: &sketch.keyspaces[index] }.scan();
        if scans.iter().all(|known| known.leading.join(".") != scan.leading.join(".")) {
            scans.push(scan);
        }
    }
    scans
}

struct Draw<'a> {
    random: &'a mut Random,
    sketch: &'a Sketch,
    keyspace: &'a Keyspace,
}

impl Draw<'_> {
    fn scan(&mut self) -> Scan {
        let known = fields(&self.keyspace.key);
        let mut count = self.random.below(known.len() + 1);
        while count > 0 && ends_inside_option(&self.keyspace.key, known[count - 1].0) {
            count -= 1;
        }
        let mut leading: Vec<String> =
            known[..count].iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut following = match count {
            0 => self.names("", &self.keyspace.key),
            _ => self.after("", &self.keyspace.key, known[count - 1].0),
        };
        if let (Some(last), Some((_, ty))) = (leading.last_mut(), known[..count].last())
            && self.keyspace.key.iter().any(|seg| matches!(seg, Seg::Field(n, _) if n == last))
        {
            self.enter(last, ty, &mut following);
        }
        let mut by = Vec::new();
        if !following.is_empty() && self.random.percent(60) {
            let count = self.random.between(1, following.len());
            by = following[..count].to_vec();
        }
        let asked = self.random.percent(30).then(|| self.asked(&leading)).flatten();
        let mut also = Vec::new();
        for other in &self.sketch.keyspaces {
            let beside = self.keyspace.is_beside(other, self.sketch.structures);
            if other.name != self.keyspace.name && beside && self.random.percent(15) {
                also.push(other.name.clone());
            }
        }
        Scan { leading, by, asked, also }
    }

    /// Sometimes extends the last leading field to a path to the first part of its type, or deeper.
    fn enter(&mut self, path: &mut String, ty: &str, following: &mut Vec<String>) {
        let sketch = self.sketch;
        let Some(Body::Composite(inner)) = body(&sketch.types, ty) else { return };
        let (first, ty) = fields(inner)[0];
        if self.random.percent(60) || ends_inside_option(inner, first) {
            return;
        }
        path.push('.');
        let mut inside = self.after(path, inner, first);
        path.push_str(first);
        inside.append(following);
        *following = inside;
        if inner.iter().any(|seg| matches!(seg, Seg::Field(name, _) if name == first)) {
            self.enter(path, ty, following);
        }
    }

    /// Returns the names for `by` of a list at a path. A composite has its own name, or the names
    /// of its parts.
    fn names(&mut self, path: &str, segs: &[Seg]) -> Vec<String> {
        let mut names = Vec::new();
        for seg in segs {
            match seg {
                Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => {}
                Seg::Wrap(_, inner) | Seg::Option(inner, _) => {
                    names.extend(self.names(path, inner));
                }
                Seg::Field(name, ty) => match body(&self.sketch.types, ty) {
                    Some(Body::Composite(inner)) if self.random.percent(40) => {
                        names.extend(self.names(&format!("{path}{name}."), &inner.clone()));
                    }
                    _ => names.push(format!("{path}{name}")),
                },
            }
        }
        names
    }

    /// Returns the names that follow a field of a list at a path. The field may be in an option.
    fn after(&mut self, path: &str, segs: &[Seg], field: &str) -> Vec<String> {
        for (index, seg) in segs.iter().enumerate() {
            let rest = &segs[index + 1..];
            match seg {
                Seg::Field(name, _) if name == field => return self.names(path, rest),
                Seg::Option(inner, _) | Seg::Wrap(_, inner)
                    if fields(inner).iter().any(|(name, _)| *name == field) =>
                {
                    let mut names = self.after(path, inner, field);
                    names.extend(self.names(path, rest));
                    return names;
                }
                _ => {}
            }
        }
        Vec::new()
    }

    /// Draws the interval of an `as` clause: the key up to the last leading field, then more or
    /// fewer bytes than the following literals.
    fn asked(&mut self, leading: &[String]) -> Option<(Vec<Seg>, Option<Vec<Seg>>)> {
        let mut start = Vec::new();
        let prefix = self.keyspace.namespace.map(|index| {
            let namespace = &self.sketch.namespaces[index];
            let outer = namespace.outer.as_ref().filter(|_| self.keyspace.beside);
            outer.map_or_else(|| namespace.whole_prefix(), |outer| outer.whole_prefix())
        });
        start.extend(prefix.clone().map(Seg::Lit));
        let mut rest = self.keyspace.key.as_slice();
        let mut open = leading.len();
        while open > 0 {
            let (first, others) = rest.split_first()?;
            rest = others;
            match first {
                Seg::Lit(bytes) => start.push(Seg::Lit(bytes.clone())),
                Seg::Field(name, ty) if leading.contains(name) => {
                    let other = other_codec(ty).filter(|_| self.random.percent(40));
                    start.push(Seg::Field(name.clone(), other.unwrap_or_default().to_owned()));
                    open -= 1;
                }
                _ => return None,
            }
        }
        if leading.is_empty() {
            start.clear();
        }
        let mut literal: Vec<u8> = Vec::new();
        if leading.is_empty() {
            literal.extend(prefix.unwrap_or_default());
        }
        for seg in rest {
            let Seg::Lit(bytes) = seg else { break };
            literal.extend(bytes);
        }
        let end = self.random.percent(35).then(|| {
            let mut high = literal.clone();
            match self.random.below(3) {
                0 => high.push(*self.random.pick(&[0x00, 0x01, b'b', b'c', 0xff])),
                1 => high.extend([b'a', 0xff]),
                _ => match high.last_mut() {
                    Some(last) => *last = last.saturating_add(1),
                    None => high.push(0xff),
                },
            }
            let mut end = start.clone();
            end.push(Seg::Lit(high));
            end
        });
        match self.random.below(3) {
            0 => literal.truncate(self.random.below(literal.len() + 1)),
            1 => literal.push(*self.random.pick(&[0x00, b'a', b'0', 0xff])),
            _ => {}
        }
        if !literal.is_empty() {
            start.push(Seg::Lit(literal));
        }
        (!start.is_empty()).then_some((start, end))
    }
}

/// Returns another codec for the same integers.
fn other_codec(ty: &str) -> Option<&'static str> {
    let unsigned = |leaf: &&Leaf| leaf.range.is_some_and(|(low, high)| low >= 0 && high < 256);
    let leaf = find(ty).filter(unsigned)?;
    Some(if leaf.text.starts_with("dec(u8)") { "u8" } else { "dec(u8)" })
}

/// Whether an option contains further segments after a field.
fn ends_inside_option(segs: &[Seg], field: &str) -> bool {
    segs.iter().any(|seg| {
        let Seg::Option(inner, _) = seg else { return false };
        let known = fields(inner);
        let at = known.iter().position(|(name, _)| *name == field);
        at.is_some_and(|at| at + 1 < known.len() || ends_inside_option(inner, field))
    })
}
