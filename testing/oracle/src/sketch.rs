//! A layout as the generator draws it: enough structure to be written as text and to be shrunk.

use std::fmt::{self, Display, Formatter};

/// A layout.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Whether it is a store of structures.
    pub structures: bool,
    /// Types, in order of declaration.
    pub types: Vec<(String, Body)>,
    /// From which keyspace on they are in a second store.
    pub second_store: Option<usize>,
    /// Keyspaces.
    pub keyspaces: Vec<Keyspace>,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub enum Body {
    /// Segments, joined.
    Composite(Vec<Seg>),
    /// One of these texts.
    Enum(Vec<String>),
    /// One of these arms.
    Variant(Vec<(String, Vec<Seg>)>),
    /// Another name for a codec.
    Alias(String),
}

/// A segment.
#[derive(Clone, Debug)]
pub enum Seg {
    /// A literal.
    Lit(Vec<u8>),
    /// A field with its type as written; an empty type is inherited.
    Field(String, String),
    /// An optional part, perhaps with a guard.
    Option(Vec<Seg>, Option<String>),
}

/// A keyspace.
#[derive(Clone, Debug, Default)]
pub struct Keyspace {
    /// `map`, `set` and so on.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// For an index, its map.
    pub of: Option<String>,
    /// The family it stands in.
    pub family: Option<String>,
    /// The namespace it stands in: a name and a prefix.
    pub namespace: Option<(String, Vec<u8>)>,
    /// Its key.
    pub key: Vec<Seg>,
    /// For a hash, its fields.
    pub fields: Vec<(String, Vec<Seg>)>,
    /// Its scans.
    pub scans: Vec<Scan>,
}

/// A scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The paths of the leading fields.
    pub leading: Vec<String>,
    /// The fields in whose order rows come.
    pub by: Vec<String>,
    /// What is asked for instead of the derived interval.
    pub asked: Option<(Vec<Seg>, Option<Vec<Seg>>)>,
    /// Keyspaces whose rows may lie between.
    pub also: Vec<String>,
}

impl Display for Sketch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "store s{}", if self.structures { " structures" } else { "" })?;
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
        for (index, sketched) in self.keyspaces.iter().enumerate() {
            if self.second_store == Some(index) {
                writeln!(f, "store t{}", if self.structures { " structures" } else { "" })?;
            }
            keyspace(f, index, sketched)?;
        }
        Ok(())
    }
}

fn keyspace(f: &mut Formatter<'_>, index: usize, keyspace: &Keyspace) -> fmt::Result {
    if let Some(family) = &keyspace.family {
        writeln!(f, "family {family} {{")?;
    }
    if let Some((name, prefix)) = &keyspace.namespace {
        writeln!(f, "namespace {name}{index} = {} {{", literal(prefix))?;
    }
    write!(f, "{} {}", keyspace.kind, keyspace.name)?;
    if let Some(of) = &keyspace.of {
        write!(f, " of {of}")?;
    }
    write!(f, " =")?;
    segments(f, &keyspace.key)?;
    match keyspace.kind.as_str() {
        "set" => writeln!(f, " member u8")?,
        "zset" | "queue" => writeln!(f, " member u8 score u64be")?,
        "hash" => writeln!(f)?,
        _ => writeln!(f, " -> empty")?,
    }
    for (name, segs) in &keyspace.fields {
        write!(f, "    field {name} =")?;
        segments(f, segs)?;
        writeln!(f, " -> empty")?;
    }
    for scan in &keyspace.scans {
        writeln!(f, "    {scan}")?;
    }
    if keyspace.namespace.is_some() {
        writeln!(f, "}}")?;
    }
    if keyspace.family.is_some() {
        writeln!(f, "}}")?;
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

fn literal(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(u8::is_ascii_graphic) => format!("{text:?}"),
        _ => format!("0x{}", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    }
}
