//! Random declarations of migrations.

use super::Pair;
use crate::{
    random::Random,
    sketch::{Body, Keyspace, Seg, Sketch},
};

/// Draws drops and moves of some keyspaces. Their conditions and assignments may not be valid.
pub(super) fn draw_statements(seed: u64, pair: &Pair) -> Vec<String> {
    let mut random = Random::new(seed ^ 0x40e5);
    let maps = |keyspaces: &[Keyspace]| -> Vec<(String, Vec<String>)> {
        let maps = keyspaces.iter().filter(|keyspace| keyspace.of.is_none());
        maps.map(|keyspace| (first_word(&keyspace.name), fields(&keyspace.key))).collect()
    };
    let news = maps(&pair.new.keyspaces);
    let mut statements = draw_part_statements(seed, pair);
    for (old, sources) in maps(&pair.old.keyspaces) {
        for _ in 0..4 {
            let condition = match sources.is_empty() || random.percent(50) {
                true => String::new(),
                false => format!(" where {}", condition(&mut random, &sources)),
            };
            let unfit = if random.percent(20) { " else drop \"unfit\"" } else { "" };
            statements.push(match random.below(8) {
                0 => format!("drop {old}{condition} \"unused\"\n"),
                1..=3 if !news.is_empty() => {
                    let (new, targets) = random.pick(&news);
                    let body = assignments(&mut random, targets, &sources);
                    format!("move {old}{condition} to {new}{body}{unfit}\n")
                }
                4 => format!("move {old}{condition}{unfit}\n"),
                _ => continue,
            });
        }
    }
    statements
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or(text).to_owned()
}

/// Returns the names of the fields in segments.
fn fields(segs: &[Seg]) -> Vec<String> {
    let names = segs.iter().flat_map(|seg| match seg {
        Seg::Field(name, _) => vec![first_word(name)],
        Seg::Wrap(_, inner) | Seg::Option(inner, _) => fields(inner),
        Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => Vec::new(),
    });
    names.collect()
}

fn condition(random: &mut Random, sources: &[String]) -> String {
    let field = random.pick(sources);
    match random.below(3) {
        0 => format!("{field} is {:?}", random.pick(&["a", "b", "ab", "true"])),
        1 => format!("{field} in {}..", random.between(1, 3)),
        _ => format!("{field} in 0..={}", random.between(0, 200)),
    }
}

fn assignments(random: &mut Random, targets: &[String], sources: &[String]) -> String {
    let mut text = String::new();
    for target in targets {
        if random.percent(50) {
            continue;
        }
        let constant = *random.pick(&["0", "1", "200", "\"a\"", "\"true\"", "0x61"]);
        let source = match sources {
            [] => constant.to_owned(),
            _ => match random.below(8) {
                0 => constant.to_owned(),
                1 => format!("same_bytes({})", random.pick(sources)),
                2 => format!("number({})", random.pick(sources)),
                3 => format!("text({})", random.pick(sources)),
                4 => format!("bytes({})", random.pick(sources)),
                _ => random.pick(sources).clone(),
            },
        };
        text.push_str(&format!(" {target} = {source}\n"));
    }
    if text.is_empty() { text } else { format!(" {{\n{text}}}") }
}

/// Draws moves whose conditions and assignments are about members, scores and values. Layouts with
/// none of them have no such statement.
fn draw_part_statements(seed: u64, pair: &Pair) -> Vec<String> {
    let mut random = Random::new(seed ^ 0x9a47);
    let mut statements = Vec::new();
    let is_drawn = |keyspace: &&Keyspace| keyspace.of.is_none() && keyspace.kind != "hash";
    let news: Vec<&Keyspace> = pair.new.keyspaces.iter().filter(is_drawn).collect();
    for old in pair.old.keyspaces.iter().filter(is_drawn) {
        if old.value.is_empty() && !pair.old.structures || news.is_empty() {
            continue;
        }
        let same = news.iter().find(|new| new.name == old.name);
        let sources = parts(&pair.old, old);
        if sources.is_empty() {
            continue;
        }
        for _ in 0..3 {
            let new = match same {
                Some(same) if random.percent(70) => same,
                _ => *random.pick(&news),
            };
            let mut condition = String::new();
            if random.percent(55) {
                let (field, ty) = random.pick(&sources);
                condition = format!(" where {}", part_condition(&mut random, &pair.old, field, ty));
            }
            if random.percent(15) {
                statements.push(format!("drop {}{condition} \"unused\"\n", old.name));
                continue;
            }
            let targets = parts(&pair.new, new);
            let mut body = String::new();
            for (target, _) in &targets {
                if !random.percent(35) {
                    continue;
                }
                body.push_str(&format!("    {target} = {}\n", part_source(&mut random, &sources)));
            }
            let to = first_word(&new.name);
            let body = if body.is_empty() { body } else { format!(" {{\n{body}}}") };
            let unfit = if random.percent(15) { " else drop \"unfit\"" } else { "" };
            statements.push(format!("move {}{condition} to {to}{body}{unfit}\n", old.name));
        }
    }
    statements
}

fn part_source(random: &mut Random, sources: &[(String, String)]) -> String {
    let (source, _) = random.pick(sources);
    match random.below(10) {
        0 => (*random.pick(&["0", "1", "97", "\"a\"", "0x61"])).to_owned(),
        1 => format!("same_bytes({source})"),
        _ => source.clone(),
    }
}

fn part_condition(random: &mut Random, sketch: &Sketch, field: &str, ty: &str) -> String {
    let body = sketch.types.iter().find(|(name, _)| name == ty).map(|(_, body)| body);
    let not = *random.pick(&["", "", "not "]);
    match body {
        Some(Body::Enum(texts)) if !texts.is_empty() => {
            format!("{field} is {not}{:?}", random.pick(texts))
        }
        Some(Body::Variant(arms)) if !arms.is_empty() => {
            format!("{field} is {not}{}", random.pick(arms).0)
        }
        _ => format!("{field} in ..={}", random.pick(&[0, 1, 9, 97, 255])),
    }
}

/// Returns the parts of the rows of a keyspace and their types: the fields of the key, the member,
/// the score and the value, and those inside of composites.
fn parts(sketch: &Sketch, keyspace: &Keyspace) -> Vec<(String, String)> {
    let mut found = typed_fields(&keyspace.key);
    if ["set", "zset", "queue"].contains(&keyspace.kind.as_str()) {
        found.extend(vec![("member".to_owned(), keyspace.member.clone()); 2]);
    }
    if ["zset", "queue"].contains(&keyspace.kind.as_str()) {
        found.push(("score".to_owned(), keyspace.score.clone()));
    }
    if !keyspace.value.is_empty() && keyspace.kind == "map" {
        found.push(("value".to_owned(), keyspace.value.clone()));
    }
    let inner: Vec<(String, String)> = found
        .iter()
        .flat_map(|(name, ty)| {
            let body = sketch.types.iter().find(|(known, _)| known == ty).map(|(_, body)| body);
            let inner = match body {
                Some(Body::Composite(segs)) => typed_fields(segs),
                _ => Vec::new(),
            };
            inner.into_iter().map(|(inner, ty)| (format!("{name}.{inner}"), ty)).collect::<Vec<_>>()
        })
        .collect();
    found.extend(inner);
    found
}

fn typed_fields(segs: &[Seg]) -> Vec<(String, String)> {
    let fields = segs.iter().flat_map(|seg| match seg {
        Seg::Field(name, ty) => vec![(first_word(name), ty.clone())],
        Seg::Wrap(_, inner) | Seg::Option(inner, _) => typed_fields(inner),
        Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => Vec::new(),
    });
    fields.collect()
}
