//! Changes that most pairs lack: fields and keyspaces that change places or names, lists inside of
//! lists, values with an older form, and structures with stored sizes.

use super::Pair;
use crate::{
    random::Random,
    shrink::lists,
    sketch::{Body, Keyspace, Seg, Sketch},
};

/// Types of parts that two layouts easily confuse.
const TYPES: &[&str] =
    &["u8 in 97..=98", r#"text(r"[ab]")"#, r#"text(r"a|ab")"#, r#"text(r"a?")"#, "u8 in 0..=1"];
/// Element types without an empty encoding.
const ELEMENTS: &[&str] = &["u8 in 97..=98", r#"text(r"a|ab")"#, "Opt"];
const COUNTS: &[&str] = &["[1..=2]", "[1..=2]", "[2]", "[1]"];

/// Returns the pair with one to three such changes.
pub(super) fn exchange(seed: u64, pair: &Pair) -> Pair {
    let mut random = Random::new(seed ^ 0xe8c4);
    let mut pair = pair.clone();
    if random.percent(60) {
        pair.new = pair.old.clone();
    }
    if pair.old.structures && pair.new.structures {
        draw_sizes(&mut random, &mut pair);
    } else if random.percent(60) {
        draw_values(&mut random, &mut pair);
    }
    for _ in 0..random.between(1, 2) {
        match random.below(7) {
            0..=3 => exchange_fields(&mut random, &mut pair),
            4 => exchange_keyspaces(&mut random, &mut pair.new),
            _ => nest_lists(&mut random, &mut pair),
        }
    }
    pair
}

/// Returns the fields of a list, those in optional parts and wraps included.
fn fields(segs: &mut [Seg]) -> Vec<(&mut String, &mut String)> {
    let mut found = Vec::new();
    for seg in segs {
        match seg {
            Seg::Field(name, ty) => found.push((name, ty)),
            Seg::Option(inner, _) | Seg::Wrap(_, inner) => found.extend(fields(inner)),
            Seg::Lit(_) | Seg::Hashed(_) | Seg::Derived(_) => {}
        }
    }
    found
}

/// Sets the types of the fields with these names in a list.
fn set_types(segs: &mut [Seg], names: &[&str], ty: &str) {
    for (name, own) in fields(segs) {
        if names.contains(&name.as_str()) && !own.is_empty() && !own.contains(" from value") {
            ty.clone_into(own);
        }
    }
}

/// Makes two fields of a key or a type change places, names or both.
fn exchange_fields(random: &mut Random, pair: &mut Pair) {
    let count = lists(&mut pair.new).len();
    if count == 0 {
        return;
    }
    let at = random.below(count);
    let is_twin = lists(&mut pair.old).len() == count;
    let known: Vec<(String, String)> = fields(lists(&mut pair.new)[at])
        .into_iter()
        .filter(|(name, _)| !name.contains(' '))
        .map(|(name, ty)| (name.clone(), ty.clone()))
        .collect();
    if known.is_empty() {
        return;
    }
    let (first, ty) = random.pick(&known).clone();
    let others: Vec<&String> =
        known.iter().map(|(name, _)| name).filter(|name| **name != first).collect();
    let second = match others.is_empty() {
        false => (*random.pick(&others)).clone(),
        true => "n".to_owned(),
    };
    if others.is_empty() {
        let place = random.below(2);
        for sketch in sides(pair, is_twin) {
            let list = &mut *lists(sketch)[at];
            let end = if place == 0 { 0 } else { list.len() };
            list.insert(end, Seg::Field(second.clone(), ty.clone()));
        }
    }
    if random.percent(80) {
        // Few values, so that the rows can be listed.
        let ty = if random.percent(50) { ty } else { (*random.pick(TYPES)).to_owned() };
        for sketch in sides(pair, is_twin) {
            set_types(lists(sketch)[at], &[&first, &second], &ty);
        }
    }
    let how = random.below(4);
    for (name, _) in fields(lists(&mut pair.new)[at]) {
        let other = match name.as_str() {
            name if name == first => &second,
            name if name == second => &first,
            _ => continue,
        };
        *name = match how {
            // The names change places.
            0 => other.clone(),
            // The new names are those of the other place, and declare it.
            1 => format!("{other} was {name}"),
            // The fields change places, and keep their bytes.
            2 => format!("{name} was {other}"),
            // Only one name changes.
            _ if *name == first => format!("m was {name}"),
            _ => continue,
        };
    }
    // Guards, scans and indexes name the same fields as before, or the other ones.
    if random.percent(50) {
        let names = (first.as_str(), if how == 3 { "m" } else { second.as_str() });
        rename_guards(lists(&mut pair.new)[at], names);
        for keyspace in &mut pair.new.keyspaces {
            let paths =
                keyspace.scans.iter_mut().flat_map(|s| s.leading.iter_mut().chain(&mut s.by));
            paths.for_each(|path| *path = renamed(path, names));
            if keyspace.of.is_some() {
                fields(&mut keyspace.key)
                    .into_iter()
                    .filter(|(name, _)| !name.contains(' '))
                    .for_each(|(name, _)| *name = renamed(name, names));
            }
        }
    }
}

/// Returns the new layout, and the old one if both have the same parts.
fn sides(pair: &mut Pair, is_twin: bool) -> impl Iterator<Item = &mut Sketch> {
    [Some(&mut pair.new), is_twin.then_some(&mut pair.old)].into_iter().flatten()
}

/// Exchanges two names in a text.
fn renamed(text: &str, names: (&str, &str)) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let rename = |word: &str| {
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let other = match name {
            name if name == names.0 => names.1,
            name if name == names.1 => names.0,
            name => name,
        };
        format!("{other}{}", &word[name.len()..])
    };
    words.map(rename).collect()
}

fn rename_guards(segs: &mut [Seg], names: (&str, &str)) {
    for seg in segs {
        match seg {
            Seg::Derived(text) => *text = renamed(text, names),
            Seg::Wrap(_, inner) => rename_guards(inner, names),
            Seg::Option(inner, guard) => {
                rename_guards(inner, names);
                guard.iter_mut().for_each(|guard| *guard = renamed(guard, names));
            }
            Seg::Lit(_) | Seg::Hashed(_) | Seg::Field(..) => {}
        }
    }
}

/// Exchanges the names of two keyspaces, with or without `was`.
fn exchange_keyspaces(random: &mut Random, sketch: &mut Sketch) {
    let own = |keyspace: &&mut Keyspace| !keyspace.name.contains(' ');
    let mut keyspaces: Vec<&mut Keyspace> = sketch.keyspaces.iter_mut().filter(own).collect();
    if keyspaces.len() < 2 {
        return;
    }
    let at = random.below(keyspaces.len());
    let first = keyspaces.swap_remove(at);
    let at = random.below(keyspaces.len());
    let second = keyspaces.swap_remove(at);
    let names = (first.name.clone(), second.name.clone());
    let with_was = random.percent(75);
    for (keyspace, name) in [(first, &names.1), (second, &names.0)] {
        keyspace.name = match with_was {
            true => format!("{name} was {}", keyspace.name),
            false => name.clone(),
        };
    }
    if random.percent(80) {
        let of = sketch.keyspaces.iter_mut().filter_map(|keyspace| keyspace.of.as_mut());
        of.for_each(|of| *of = renamed(of, (&names.0, &names.1)));
    }
}

/// Makes a field a list of lists, with other counts or elements in the new layout.
fn nest_lists(random: &mut Random, pair: &mut Pair) {
    let count = lists(&mut pair.new).len();
    if count == 0 || lists(&mut pair.old).len() != count {
        return;
    }
    let at = random.below(count);
    let names: Vec<String> = fields(lists(&mut pair.new)[at])
        .into_iter()
        .filter(|(name, ty)| !name.contains(' ') && !ty.is_empty())
        .map(|(name, _)| name.clone())
        .collect();
    if names.is_empty() {
        return;
    }
    let name = random.pick(&names).clone();
    let &element = random.pick(ELEMENTS);
    let mut counts = [*random.pick(COUNTS), *random.pick(COUNTS)];
    let nested = |counts: [&str; 2]| format!("list(list({element}){}){}", counts[0], counts[1]);
    set_types(lists(&mut pair.old)[at], &[&name], &nested(counts));
    match random.below(3) {
        0 => counts.reverse(),
        1 => counts[random.below(2)] = *random.pick(COUNTS),
        _ => {}
    }
    set_types(lists(&mut pair.new)[at], &[&name], &nested(counts));
    if element == "Opt" && pair.old.types.iter().all(|(name, _)| name != "Opt") {
        let required = Seg::Field("p".to_owned(), (*random.pick(&TYPES[..3])).to_owned());
        let ty = *random.pick(&TYPES[..3]);
        let optional = Seg::Option(vec![Seg::Field("q".to_owned(), ty.to_owned())], None);
        let mut segs = vec![required, optional];
        pair.old.types.insert(0, ("Opt".to_owned(), Body::Composite(segs.clone())));
        if random.percent(40) {
            segs.reverse();
        }
        pair.new.types.insert(0, ("Opt".to_owned(), Body::Composite(segs)));
    }
}

/// Describes the values of a map in both layouts, some with an older form, and adds an index that
/// takes a field from them.
fn draw_values(random: &mut Random, pair: &mut Pair) {
    let is_map = |keyspace: &&Keyspace| keyspace.kind == "map" && !keyspace.name.contains(' ');
    let maps: Vec<String> =
        pair.new.keyspaces.iter().filter(is_map).map(|map| map.name.clone()).collect();
    if maps.is_empty() {
        return;
    }
    let name = random.pick(&maps).clone();
    let field = |random: &mut Random, name: &str| {
        Seg::Field(name.to_owned(), (*random.pick(&TYPES[..4])).to_owned())
    };
    let mut forms = Vec::new();
    for form in ["Val", "Past"] {
        let mut segs = vec![field(random, "p"), field(random, "q")];
        if random.percent(40) {
            segs[1] = Seg::Option(vec![segs[1].clone()], None);
        }
        if random.percent(30) {
            segs.insert(random.below(3), Seg::Lit(vec![*random.pick(b"ab-")]));
        }
        forms.push((form.to_owned(), Body::Composite(segs)));
    }
    let names = ["Val", "Past", TYPES[0]];
    let with_index = random.percent(50).then(|| {
        let take = *random.pick(&["p", "q", "q"]);
        let from = *random.pick(&[" from value", " from value optional"]);
        let taken = Seg::Field(take.to_owned(), format!("{}{from}", random.pick(&TYPES[..4])));
        let is_first = random.percent(50);
        (taken, is_first)
    });
    let is_same = random.percent(30);
    let mut drawn = (0, 2);
    for (at, sketch) in [&mut pair.old, &mut pair.new].into_iter().enumerate() {
        if at == 0 || !is_same {
            drawn = (random.below(3).min(random.below(3)), random.below(4));
        }
        let Some(map) = sketch.keyspaces.iter_mut().find(|keyspace| keyspace.name == name) else {
            continue;
        };
        names[drawn.0].clone_into(&mut map.value);
        if drawn.1 < 3 && drawn.1 != drawn.0 {
            names[drawn.1].clone_into(&mut map.reads);
        }
        let carried: Vec<Seg> = fields(&mut map.key)
            .into_iter()
            .map(|(name, _)| {
                Seg::Field(name.split(' ').next().unwrap_or(name).to_owned(), String::new())
            })
            .collect();
        let family = map.family.clone();
        if let (Some((taken, is_first)), true) = (&with_index, at == 0 || random.percent(90)) {
            let mut key = vec![Seg::Lit(b"I".to_vec())];
            key.extend(is_first.then(|| taken.clone()));
            key.extend(carried);
            key.extend((!is_first).then(|| taken.clone()));
            let (kind, of) = ("index".to_owned(), Some(name.clone()));
            let index =
                Keyspace { kind, name: "i".to_owned(), of, family, key, ..Keyspace::default() };
            sketch.keyspaces.push(index);
        }
        sketch.types.extend(forms.iter().cloned());
    }
}

/// Makes structures store their sizes.
fn draw_sizes(random: &mut Random, pair: &mut Pair) {
    for at in 0..pair.new.keyspaces.len().min(pair.old.keyspaces.len()) {
        let all: &[&str] = match pair.new.keyspaces[at].kind.as_str() {
            "set" => &["counted"],
            "zset" => &["counted", "ranked"],
            _ => continue,
        };
        if random.percent(60) {
            // Conditions can divide these members.
            for sketch in [&mut pair.old, &mut pair.new] {
                TYPES[0].clone_into(&mut sketch.keyspaces[at].member);
            }
        }
        let sizes: Vec<&str> = all.iter().copied().filter(|_| random.percent(60)).collect();
        if pair.old.keyspaces[at].kind == pair.new.keyspaces[at].kind {
            pair.old.keyspaces[at].sizes.clone_from(&sizes);
        }
        if random.percent(90) {
            pair.new.keyspaces[at].sizes = sizes;
        }
    }
}
