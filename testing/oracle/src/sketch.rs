//! A drawn layout: the structure that printing and shrinking need.

use crate::examine::Setting;
use keyscape_layout::Backend;
use std::fmt::{self, Display, Formatter};

/// A drawn layout.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Whether it is a store of structures.
    pub structures: bool,
    /// The types in the order of declaration.
    pub types: Vec<(String, Body)>,
    /// The namespaces that keyspaces may be in.
    pub namespaces: Vec<Namespace>,
    /// The backend that the stores name.
    pub on: Option<String>,
    /// The backend that is given with the layout.
    pub backend: Option<&'static Backend>,
    /// Whether to check offered fixes.
    pub fixes: bool,
    /// The index of the first keyspace in a second store.
    pub second_store: Option<usize>,
    /// The keyspaces in the order of declaration.
    pub keyspaces: Vec<Keyspace>,
}

/// A namespace. It is printed once for each store and family that has keyspaces in it.
#[derive(Clone, Debug, Default)]
pub struct Namespace {
    /// The enclosing namespace.
    pub outer: Option<Box<Namespace>>,
    /// The prefix without that of the enclosing namespace.
    pub prefix: Vec<u8>,
    /// The ranges to allocate, named `r0` and so on.
    pub ranges: Vec<(Vec<u8>, Vec<u8>)>,
    /// The retired prefixes. `true` means deprecated, `false` reserved.
    pub retired: Vec<(bool, Vec<u8>)>,
}

impl Namespace {
    /// Whether this namespace or an enclosing one has ranges or retired prefixes.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        let outer = self.outer.as_ref().is_some_and(|outer| outer.has_rules());
        outer || !self.ranges.is_empty() || !self.retired.is_empty()
    }

    /// Returns the prefix of all keys in the namespace.
    #[must_use]
    pub fn whole_prefix(&self) -> Vec<u8> {
        let outer = self.outer.as_ref().map(|outer| outer.whole_prefix()).unwrap_or_default();
        [outer, self.prefix.clone()].concat()
    }
}

/// The definition of a declared type.
#[derive(Clone, Debug)]
pub enum Body {
    /// The concatenation of segments.
    Composite(Vec<Seg>),
    /// One of these texts.
    Enum(Vec<String>),
    /// One of these arms.
    Variant(Vec<(String, Vec<Seg>)>),
    /// Another name for a codec.
    Alias(String),
}

/// A segment of a key or a type.
#[derive(Clone, Debug)]
pub enum Seg {
    /// A literal.
    Lit(Vec<u8>),
    /// A hashed literal, as text.
    Hashed(&'static str),
    /// Bytes that are derived from fields, as text.
    Derived(String),
    /// Segments inside a wrap with this name.
    Wrap(&'static str, Vec<Seg>),
    /// A field with its type as text. An empty type is inherited.
    Field(String, String),
    /// An optional part with an optional guard.
    Option(Vec<Seg>, Option<String>),
}

/// A drawn keyspace.
#[derive(Clone, Debug, Default)]
pub struct Keyspace {
    /// `map`, `set` and so on.
    pub kind: String,
    /// The name of the keyspace.
    pub name: String,
    /// The map of an index.
    pub of: Option<String>,
    /// The enclosing family.
    pub family: Option<String>,
    /// The index of the enclosing namespace.
    pub namespace: Option<usize>,
    /// Whether the keyspace is next to that namespace, in the outer one.
    pub beside: bool,
    /// The range of the namespace that it names.
    pub range: Option<usize>,
    /// The segments of the key.
    pub key: Vec<Seg>,
    /// The type of the values of a map. If it is empty, the values are empty.
    pub value: String,
    /// The type of the values of older rows of a map. It is empty if there are none.
    pub reads: String,
    /// `counted` or `ranked`, or both.
    pub sizes: Vec<&'static str>,
    /// Whether an index is unique.
    pub unique: bool,
    /// The type of the members of a set, zset or queue.
    pub member: String,
    /// The type of the scores of a zset or queue.
    pub score: String,
    /// The fields of a hash.
    pub fields: Vec<(String, Vec<Seg>)>,
    /// The scans of the keyspace.
    pub scans: Vec<Scan>,
    /// The splits of the keyspace, as text.
    pub splits: Vec<String>,
    /// The accepted claims.
    pub accepts: Vec<Accept>,
}

/// An accepted claim.
#[derive(Clone, Debug)]
pub struct Accept {
    /// The code of the rule.
    pub rule: &'static str,
    /// The leading fields of the scan, if the acceptance names one.
    pub scan: Option<String>,
    /// The other keyspace, if the acceptance names one.
    pub with: Option<String>,
}

/// A drawn scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The paths of the leading fields.
    pub leading: Vec<String>,
    /// The fields that determine the order of the rows.
    pub by: Vec<String>,
    /// The start and the end of the interval that replaces the derived one.
    pub asked: Option<(Vec<Seg>, Option<Vec<Seg>>)>,
    /// The keyspaces whose rows the interval may contain too.
    pub also: Vec<String>,
}

impl Display for Sketch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.store(f, "s")?;
        for (name, body) in &self.types {
            write!(f, "type {name} =")?;
            match body {
                Body::Alias(text) => write!(f, " {text}")?,
                Body::Composite(segs) => segments(f, segs)?,
                Body::Enum(texts) => {
                    let texts: Vec<String> = texts.iter().map(|t| format!("{t:?}")).collect();
                    write!(f, " {}", texts.join(" | "))?;
                }
                Body::Variant(arms) => {
                    for (name, segs) in arms {
                        write!(f, " | {name}")?;
                        segments(f, segs)?;
                    }
                }
            }
            writeln!(f)?;
        }
        for (index, keyspace) in self.keyspaces.iter().enumerate() {
            if self.second_store == Some(index) {
                self.store(f, "t")?;
            }
            let Some(namespace) = keyspace.namespace else {
                self.in_family(f, keyspace, |f| declare(f, keyspace))?;
                continue;
            };
            let together: Vec<usize> =
                (0..self.keyspaces.len()).filter(|&other| self.share(index, other)).collect();
            if together[0] == index {
                self.in_family(f, keyspace, |f| {
                    let together = together.iter().map(|&k| &self.keyspaces[k]);
                    let namespace = &self.namespaces[namespace];
                    namespace.declare(f, &index.to_string(), &together.collect::<Vec<_>>())
                })?;
            }
        }
        Ok(())
    }
}

impl Sketch {
    /// Returns the inputs of the comparison besides the text.
    #[must_use]
    pub const fn setting(&self) -> Setting {
        Setting { backend: self.backend, fixes: self.fixes }
    }

    fn store(&self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        let structures = if self.structures { " structures" } else { "" };
        match &self.on {
            Some(backend) => writeln!(f, "store {name}{structures} on {backend}"),
            None => writeln!(f, "store {name}{structures}"),
        }
    }

    /// Whether two keyspaces are in the same declaration of a namespace.
    fn share(&self, a: usize, b: usize) -> bool {
        let place = |index: usize| {
            let keyspace = &self.keyspaces[index];
            let second = self.second_store.is_some_and(|second| index >= second);
            (second, &keyspace.family, keyspace.namespace)
        };
        place(a) == place(b)
    }

    fn in_family(
        &self,
        f: &mut Formatter<'_>,
        keyspace: &Keyspace,
        inside: impl FnOnce(&mut Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let Some(family) = &keyspace.family else { return inside(f) };
        writeln!(f, "family {family} {{")?;
        inside(f)?;
        writeln!(f, "}}")
    }
}

impl Namespace {
    /// Prints the declaration of the namespace with the given suffix of its name, and its
    /// keyspaces.
    fn declare(&self, f: &mut Formatter<'_>, name: &str, keyspaces: &[&Keyspace]) -> fmt::Result {
        let (beside, inside): (Vec<&Keyspace>, Vec<&Keyspace>) =
            keyspaces.iter().partition(|k| k.beside && self.outer.is_some());
        if let Some(outer) = &self.outer {
            outer.open(f, &format!("o{name}"))?;
        }
        self.open(f, &format!("n{name}"))?;
        inside.iter().try_for_each(|keyspace| declare(f, keyspace))?;
        writeln!(f, "}}")?;
        beside.iter().try_for_each(|keyspace| declare(f, keyspace))?;
        if self.outer.is_some() {
            writeln!(f, "}}")?;
        }
        Ok(())
    }

    fn open(&self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        writeln!(f, "namespace {name} = {} {{", literal(&self.prefix))?;
        for (index, (low, high)) in self.ranges.iter().enumerate() {
            writeln!(f, "allocate r{index} {} ..= {}", literal(low), literal(high))?;
        }
        for (deprecated, prefix) in &self.retired {
            let word = if *deprecated { "deprecated" } else { "reserve" };
            writeln!(f, "{word} {} \"was used\"", literal(prefix))?;
        }
        Ok(())
    }
}

/// Prints the declaration of a keyspace.
fn declare(f: &mut Formatter<'_>, keyspace: &Keyspace) -> fmt::Result {
    let Keyspace { kind, name, member, score, .. } = keyspace;
    write!(f, "{kind} {name}")?;
    if let Some(of) = &keyspace.of {
        write!(f, " of {of}")?;
    }
    write!(f, " =")?;
    segments(f, &keyspace.key)?;
    match kind.as_str() {
        "set" => writeln!(f, " member {member}")?,
        "zset" | "queue" => writeln!(f, " member {member} score {score}")?,
        "hash" => writeln!(f)?,
        _ if keyspace.unique => writeln!(f, " -> bytes")?,
        _ if !keyspace.value.is_empty() && !keyspace.reads.is_empty() => {
            writeln!(f, " -> {} reads {}", keyspace.value, keyspace.reads)?;
        }
        _ if !keyspace.value.is_empty() => writeln!(f, " -> {}", keyspace.value)?,
        _ => writeln!(f, " -> empty")?,
    }
    if keyspace.unique {
        writeln!(f, "    unique")?;
    }
    if let (Some(_), Some(range)) = (keyspace.namespace, keyspace.range) {
        writeln!(f, "    in r{range}")?;
    }
    keyspace.sizes.iter().try_for_each(|size| writeln!(f, "    {size}"))?;
    for (name, segs) in &keyspace.fields {
        write!(f, "    field {name} =")?;
        segments(f, segs)?;
        writeln!(f, " -> empty")?;
    }
    for scan in &keyspace.scans {
        writeln!(f, "    {scan}")?;
    }
    for split in &keyspace.splits {
        writeln!(f, "    {split}")?;
    }
    for Accept { rule, scan, with } in &keyspace.accepts {
        write!(f, "    accept {rule}")?;
        if let Some(scan) = scan {
            write!(f, " scan {scan}")?;
        }
        if let Some(with) = with {
            write!(f, " with {with}")?;
        }
        writeln!(f, " \"known\"")?;
    }
    Ok(())
}

impl Display for Scan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let leading =
            if self.leading.is_empty() { "all".to_owned() } else { self.leading.join(", ") };
        write!(f, "scan {leading}")?;
        if !self.by.is_empty() {
            write!(f, " by {}", self.by.join(", "))?;
        }
        if let Some((start, end)) = &self.asked {
            write!(f, " as")?;
            segments(f, start)?;
            if let Some(end) = end {
                write!(f, " ..")?;
                segments(f, end)?;
            }
        }
        if !self.also.is_empty() {
            write!(f, " also {}", self.also.join(", "))?;
        }
        Ok(())
    }
}

fn segments(f: &mut Formatter<'_>, segs: &[Seg]) -> fmt::Result {
    for seg in segs {
        match seg {
            Seg::Lit(bytes) => write!(f, " {}", literal(bytes))?,
            Seg::Hashed(text) => write!(f, " {text}")?,
            Seg::Derived(text) => write!(f, " {{= {text}}}")?,
            Seg::Wrap(name, segs) => {
                write!(f, " wrap {name}(")?;
                segments(f, segs)?;
                write!(f, ")")?;
            }
            Seg::Field(name, ty) if ty.is_empty() => write!(f, " {{{name}}}")?,
            Seg::Field(name, ty) => write!(f, " {{{name}: {ty}}}")?,
            Seg::Option(segs, guard) => {
                write!(f, " [")?;
                segments(f, segs)?;
                if let Some(guard) = guard {
                    write!(f, " if {guard}")?;
                }
                write!(f, "]")?;
            }
        }
    }
    Ok(())
}

pub(crate) fn literal(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(u8::is_ascii_graphic) => format!("{text:?}"),
        _ => format!("0x{}", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    }
}
