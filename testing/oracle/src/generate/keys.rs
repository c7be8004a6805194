//! Types and keys.

use super::{
    body, fields,
    leaves::{EASILY_CONFUSED, FEW_VALUES, LEAVES, MANY_VALUES, find},
};
use crate::{
    random::Random,
    sketch::{Body, Keyspace, Namespace, Seg, Sketch},
};

const LITERALS: &[&[u8]] = &[
    b"a",
    b"ab",
    b"b",
    b"-",
    b"0",
    b"1",
    b"10",
    b"\x00",
    b"\xff",
    b"\x00\xff",
    b"\xff\xff",
    b"aa",
];
/// Short digests, which keep keys short.
const HASHED: &[&str] = &["twox64(\"a\")", "twox64(\"b\")", "twox_64(0x61)", "twox128(\"a\")"];
const WRAPS: &[&str] =
    &["hex", "nibbles", "complement", "escaped", "escaped01", "escaped", "groups8"];
pub(super) const SEPARATORS: &[&[u8]] = &[b"/", b"/", b"-", b"/+", b"\x00"];
/// Texts of enums: first those that a guard can name, then others.
const TEXTS: &[&str] = &["a", "b", "ab", "ba", "aa", "", "0", "10", "-"];
/// Codecs that have no empty encoding.
const ELEMENTS: &[&str] = &[
    "u8 in 97..=98",
    r#"text(r"[ab]")"#,
    r#"text(r"a|ab")"#,
    r#"len8(text(r"a?"))"#,
    r#"nul(text(r"a?"))"#,
    "dec(u8) in 9..=10",
];
const NAMES: &[&str] = &["x", "y", "z", "w", "v", "u", "t", "s", "r", "q"];
const TYPE_NAMES: &[&str] = &["A", "B", "C", "D", "E"];

/// Draws types and keys.
pub(super) struct Keys<'r> {
    pub(super) random: &'r mut Random,
    pub(super) types: Vec<(String, Body)>,
    /// The percentage of places at which the generator avoids ambiguity.
    pub(super) tidy: usize,
    pub(super) size: usize,
}

impl Keys<'_> {
    pub(super) fn declare_types(&mut self) {
        let count = self.random.below(self.size.min(4) + 1);
        for name in &TYPE_NAMES[..count] {
            let body = match self.random.below(12) {
                0 => Body::Alias(self.leaf()),
                1 => Body::Alias(self.random.pick(&["dec(u8)", "u8", "desc(u16be)"]).to_string()),
                2..=3 => Body::Enum(self.texts()),
                4..=6 => Body::Variant(self.arms()),
                _ => {
                    let mut segs = self.list(1, 3, 1);
                    if fields(&segs).is_empty() {
                        segs.push(self.field(9));
                    }
                    // A single text would be an enum.
                    Body::Composite(segs)
                }
            };
            self.types.push(((*name).to_owned(), body));
        }
    }

    fn texts(&mut self) -> Vec<String> {
        let count = self.random.between(2, 3);
        let mut texts: Vec<String> = Vec::new();
        while texts.len() < count {
            let end = if self.random.percent(self.tidy) { 2 } else { TEXTS.len() };
            let text = (*self.random.pick(&TEXTS[..end.max(count)])).to_owned();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    fn arms(&mut self) -> Vec<(String, Vec<Seg>)> {
        let count = self.random.between(2, 3);
        (0..count)
            .map(|index| {
                let mut segs = Vec::new();
                if self.random.percent(self.tidy) {
                    // Literals in the order of the arms, or in reverse.
                    let byte = if self.random.percent(70) { index } else { count - index };
                    segs.push(Seg::Lit(vec![b'a' + byte as u8]));
                }
                segs.extend(self.list(usize::from(segs.is_empty()), 2, 1));
                (format!("m{index}"), segs)
            })
            .collect()
    }

    fn leaf(&mut self) -> String {
        // Prefer leaves that are easily confused.
        let end = match self.random.below(100) {
            0..=1 => LEAVES.len(),
            roll if roll < 80 - self.tidy / 2 => EASILY_CONFUSED,
            _ => FEW_VALUES,
        };
        if self.random.percent(4) {
            return self.random.pick(MANY_VALUES).text.to_owned();
        }
        LEAVES[self.random.below(end)].text.to_owned()
    }

    pub(super) fn ty(&mut self) -> String {
        if !self.types.is_empty() && self.random.percent(45) {
            let (name, body) = self.random.pick(&self.types).clone();
            // Narrow a type with too many values at its use.
            return match body {
                Body::Alias(text) if find(&text).is_none() => {
                    format!("{name} in {}", self.random.pick(&["8..=11", "0..=1", "99..=100"]))
                }
                _ => name,
            };
        }
        self.leaf()
    }

    fn field(&mut self, name: usize) -> Seg {
        let ty = if self.random.percent(6) { self.list_of() } else { self.ty() };
        Seg::Field(NAMES[name % NAMES.len()].to_owned(), ty)
    }

    /// Draws a short list of elements that are never empty.
    fn list_of(&mut self) -> String {
        let element = match self.types.last() {
            Some((name, _)) if self.random.percent(25) => name,
            _ => *self.random.pick(ELEMENTS),
        };
        let count = *self.random.pick(&["[0..=1]", "[0..=2]", "[1..=2]", "[2]", "[1..=3]"]);
        format!("list({element}){count}")
    }

    pub(super) fn literal(&mut self) -> Seg {
        if self.random.percent(50) {
            return Seg::Lit(self.random.pick(&LITERALS[..3]).to_vec());
        }
        Seg::Lit(self.random.pick(LITERALS).to_vec())
    }

    /// Draws a list of segments, some with guards.
    pub(super) fn list(&mut self, least: usize, most: usize, depth: usize) -> Vec<Seg> {
        let mut names = self.random.below(2);
        let count = self.random.between(least, most);
        let mut segs = self.segs(count, depth, &mut names);
        let direct: Vec<(String, String)> = segs
            .iter()
            .filter_map(|seg| match seg {
                Seg::Field(name, ty) => Some((name.clone(), ty.clone())),
                _ => None,
            })
            .collect();
        self.add_guards(&mut segs, &direct);
        if !direct.is_empty() && self.random.percent(4) {
            let at = self.random.below(segs.len() + 1);
            segs.insert(at, self.derived(&direct));
        }
        if self.random.percent(4) {
            let at = self.random.below(segs.len() + 1);
            let &hashed = self.random.pick(HASHED);
            segs.insert(at, Seg::Hashed(hashed));
        }
        if !segs.is_empty() && self.random.percent(8) {
            let from = self.random.below(segs.len());
            let to = self.random.between(from + 1, segs.len());
            let inside = segs.drain(from..to).collect();
            let &wrap = self.random.pick(WRAPS);
            segs.insert(from, Seg::Wrap(wrap, inside));
        }
        segs
    }

    fn segs(&mut self, count: usize, depth: usize, names: &mut usize) -> Vec<Seg> {
        let mut segs = Vec::new();
        for _ in 0..count {
            match self.random.below(100) {
                0..=19 => segs.push(self.literal()),
                20..=39 if depth > 0 => {
                    let inner = self.random.between(1, 2);
                    let mut inner = self.segs(inner, depth - 1, names);
                    if !inner.iter().any(|seg| matches!(seg, Seg::Field(..))) {
                        inner.push(self.field(*names));
                        *names += 1;
                    }
                    if self.random.percent(self.tidy) {
                        inner.insert(0, Seg::Lit(vec![*self.random.pick(b"+*!")]));
                    }
                    segs.push(Seg::Option(inner, None));
                }
                _ => {
                    let field = self.field(*names);
                    *names += 1;
                    let separate = !self.is_prefix_free(&field) && self.random.percent(self.tidy);
                    segs.push(field);
                    if separate {
                        segs.push(Seg::Lit(self.random.pick(SEPARATORS).to_vec()));
                    }
                }
            }
        }
        segs
    }

    /// Draws bytes that are derived from one or two fields.
    fn derived(&mut self, direct: &[(String, String)]) -> Seg {
        let function = *self.random.pick(&["blake2_128", "sha256", "twox64"]);
        let mut inputs = vec![self.random.pick(direct).0.clone()];
        let (second, _) = self.random.pick(direct);
        if !inputs.contains(second) {
            inputs.push(second.clone());
        }
        let kept = *self.random.pick(&["[1]", "[1]", "[2]", ""]);
        Seg::Derived(format!("{function}({}){kept}", inputs.join(", ")))
    }

    /// Draws namespaces for keyspaces, in some layouts with rules.
    pub(super) fn namespaces(&mut self) -> Vec<Namespace> {
        let with_rules = self.random.percent(20);
        let count = self.random.between(1, 2);
        (0..count).map(|_| self.namespace(with_rules)).collect()
    }

    fn namespace(&mut self, with_rules: bool) -> Namespace {
        let mut namespace = self.ruled(with_rules);
        if self.random.percent(if with_rules { 40 } else { 20 }) {
            let ruled = with_rules && self.random.percent(70);
            namespace.outer = Some(Box::new(self.ruled(ruled)));
        }
        namespace
    }

    fn ruled(&mut self, with_rules: bool) -> Namespace {
        let prefix = self.random.pick(LITERALS).to_vec();
        let mut namespace = Namespace { prefix, ..Namespace::default() };
        if !with_rules {
            return namespace;
        }
        // Disjoint ranges in ascending or descending order.
        let mut ranges: Vec<(&[u8], &[u8])> = vec![
            (b"\x00", b"\x01"),
            (b"-", b"1"),
            (b"A", b"Z"),
            (b"a", b"a"),
            (b"bb", b"zz"),
            (b"\xfe", b"\xff"),
        ];
        if self.random.percent(40) {
            ranges = vec![(b"0", b"a"), (b"b\x00", b"b\xff"), (b"c\x00", b"\xff\xff")];
        }
        for _ in 0..self.random.below(3) {
            let (low, high) = ranges.remove(self.random.below(ranges.len()));
            namespace.ranges.push((low.to_vec(), high.to_vec()));
        }
        for _ in 0..self.random.between(usize::from(namespace.ranges.is_empty()), 2) {
            let retired = (self.random.percent(50), self.random.pick(LITERALS).to_vec());
            namespace.retired.push(retired);
        }
        namespace
    }

    /// Changes one segment of a key.
    fn mutate(&mut self, key: &mut Vec<Seg>) {
        let at = self.random.below(key.len());
        match self.random.below(4) {
            0 if key.len() > 1 => drop(key.remove(at)),
            1 => key.insert(at, self.literal()),
            2 => key.push(self.literal()),
            _ => match &mut key[at] {
                Seg::Field(_, ty) => *ty = self.ty(),
                other => *other = self.literal(),
            },
        }
    }

    fn is_prefix_free(&self, seg: &Seg) -> bool {
        let Seg::Field(_, ty) = seg else { return false };
        find(ty).is_some_and(|leaf| leaf.prefix_free)
    }

    pub(super) fn add_guards(&mut self, segs: &mut [Seg], direct: &[(String, String)]) {
        for seg in segs {
            if let Seg::Option(inner, guard) = seg {
                self.add_guards(inner, direct);
                if self.random.percent(60) {
                    *guard = self.guard(direct);
                }
            }
        }
    }

    fn guard(&mut self, direct: &[(String, String)]) -> Option<String> {
        let first = self.condition(direct)?;
        if !self.random.percent(25) {
            return Some(first);
        }
        let second = self.condition(direct)?;
        let joint = *self.random.pick(&["and", "or"]);
        let both = format!("{first} {joint} {second}");
        if self.random.percent(70) {
            return Some(both);
        }
        let third = self.condition(direct)?;
        Some(format!("({both}) {} {third}", self.random.pick(&["and", "or"])))
    }

    fn condition(&mut self, direct: &[(String, String)]) -> Option<String> {
        let mut conditions = Vec::new();
        for (name, ty) in direct {
            let not = *self.random.pick(&["", "not "]);
            match body(&self.types, ty) {
                Some(Body::Enum(texts)) => {
                    let nameable = |text: &&String| text.bytes().all(|b| b.is_ascii_lowercase());
                    let texts = texts.iter().filter(nameable).filter(|text| !text.is_empty());
                    conditions.extend(texts.map(|text| format!("{name} is {not}{text}")));
                }
                Some(Body::Variant(arms)) => {
                    conditions.extend(arms.iter().map(|(arm, _)| format!("{name} is {not}{arm}")));
                }
                _ => {
                    if let Some((low, high)) = find(ty).and_then(|leaf| leaf.range) {
                        let at = self.random.integer(low, high);
                        conditions.push(match self.random.below(3) {
                            0 => format!("{name} in {low}..={at}"),
                            1 => format!("{name} in {at}..={high}"),
                            _ => format!("{name} in {at}"),
                        });
                    }
                }
            }
        }
        (!conditions.is_empty()).then(|| self.random.pick(&conditions).clone())
    }

    pub(super) fn keyspace(&mut self, index: usize, sketch: &Sketch) -> Keyspace {
        let before = &sketch.keyspaces;
        let kinds: &[&str] = match sketch.structures {
            true => &["map", "set", "set", "zset", "queue", "hash", "hash"],
            false => {
                &["map", "map", "map", "map", "map", "map", "index", "index", "sequence", "item"]
            }
        };
        let mut kind = (*self.random.pick(kinds)).to_owned();
        let map = before.iter().find(|k| k.kind == "map" && !fields(&k.key).is_empty());
        let mut of = None;
        if kind == "index" {
            match map {
                Some(map) => of = Some(map.name.clone()),
                None => kind = "map".to_owned(),
            }
        }
        let name = format!("k{index}");
        let family = self.random.percent(8).then(|| "f".to_owned());
        let within = if sketch.namespaces[0].has_rules() { 60 } else { 8 };
        let namespace =
            self.random.percent(within).then(|| self.random.below(sketch.namespaces.len()));
        let nested = namespace.and_then(|index| sketch.namespaces[index].outer.as_ref());
        let beside = nested.is_some() && self.random.percent(30);
        let ranges = match (nested, namespace) {
            (Some(outer), _) if beside => outer.ranges.len(),
            (_, Some(index)) => sketch.namespaces[index].ranges.len(),
            _ => 0,
        };
        let range = (ranges > 0 && self.random.percent(50)).then(|| self.random.below(ranges));
        let mut key = Vec::new();
        if self.random.percent(self.tidy * 2 / 3) {
            key.push(Seg::Lit(vec![b'A' + index as u8]));
        }
        if kind == "item" {
            key.push(self.literal());
        } else if let (true, Some(map)) = (kind == "index", map) {
            key.extend(self.index_key(&map.key));
        } else {
            let others: Vec<&Keyspace> =
                before.iter().filter(|k| !["item", "index"].contains(&&*k.kind)).collect();
            if !others.is_empty() && self.random.percent(100 - self.tidy / 2) {
                // Similar to another keyspace, which makes collisions likely.
                key.extend(self.random.pick(&others).key.iter().cloned());
                for _ in 0..self.random.below(3) {
                    self.mutate(&mut key);
                }
            } else {
                let least = 1 + usize::from(self.random.percent(100 - self.tidy));
                key.extend(self.list(least, 2 + self.size.min(2), 2));
            }
        }
        let mut fields = Vec::new();
        if kind == "hash" {
            for field in 0..self.random.between(1, 2) {
                fields.push((format!("g{field}"), self.list(1, 2, 1)));
            }
        }
        let unique = kind == "index" && self.random.percent(20);
        let (member, score) = (self.ty(), self.ty());
        let (scans, accepts) = (Vec::new(), Vec::new());
        Keyspace {
            kind,
            name,
            of,
            family,
            namespace,
            beside,
            range,
            key,
            value: String::new(),
            reads: String::new(),
            sizes: Vec::new(),
            unique,
            member,
            score,
            fields,
            scans,
            splits: Vec::new(),
            accepts,
        }
    }
}
