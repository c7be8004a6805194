//! Fixes with literals: bytes and prefixes that distinguish keyspaces, and separators after fields.

use super::{edit::Edit, expr::literal_text, problem::Problem, site::Site};
use crate::verdict::{Fault, ScannedRow};
use keyscape_codec::hex::digits;
use keyscape_layout::{
    Span,
    model::{Keyspace, Literal, Namespace, Segment},
};

/// Bytes to try after a text, and after other bytes.
const EXTRA_TEXT: [u8; 4] = [b'/', b':', b'#', b'~'];
const EXTRA_BYTES: [u8; 3] = [0x00, 0x01, 0xff];

/// Adds a byte after the first literal of the key, or before the key.
pub(super) fn distinguish(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    distinguish_keyspace(problem.keyspace())
}

/// Adds a byte to the other keyspace, if there is only one.
pub(super) fn distinguish_other(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let other = match problem.fault {
        Fault::Disjoint { collisions, .. } => {
            let [collision] = collisions.as_slice() else { return Vec::new() };
            collision.there.keyspace
        }
        Fault::ScanExact(ScannedRow { row, .. }) => row.keyspace,
        _ => return Vec::new(),
    };
    match other == problem.subject.keyspace {
        true => Vec::new(),
        false => distinguish_keyspace(problem.layout.keyspace(other)),
    }
}

/// Adds a byte after the first literal of a key, or before the key if it has no literal.
fn distinguish_keyspace(keyspace: &Keyspace) -> Vec<Vec<Edit>> {
    match own_literal(keyspace) {
        Some(literal) => longer(literal),
        None => EXTRA_BYTES.iter().map(|&byte| before_key(keyspace, &[byte])).collect(),
    }
}

fn longer(literal: &Literal) -> Vec<Vec<Edit>> {
    let bytes: &[u8] = if literal.is_text { &EXTRA_TEXT } else { &EXTRA_BYTES };
    let longer = |byte: &u8| {
        let bytes = [literal.bytes.as_slice(), &[*byte]].concat();
        vec![Edit::replace(literal.span, literal_text(&bytes))]
    };
    // A literal that ends with one byte twice is easily misread.
    bytes.iter().filter(|byte| literal.bytes.last() != Some(byte)).map(longer).collect()
}

/// Adds a free prefix to a key without a literal prefix.
pub(super) fn free_before(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let keyspace = problem.keyspace();
    if own_literal(keyspace).is_some() {
        return Vec::new();
    }
    let free = Prefixes::new(problem).bytes(&[]);
    free.iter().map(|prefix| before_key(keyspace, prefix)).collect()
}

/// Replaces the first literal of the key by a free prefix.
pub(super) fn free_instead(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let Some(literal) = own_literal(problem.keyspace()) else { return Vec::new() };
    let prefixes = Prefixes::new(problem);
    let instead = |text: String| vec![Edit::replace(literal.span, text)];
    let has_ranges = namespace(problem).is_some_and(|n| !n.ranges.is_empty());
    if literal.is_text && !has_ranges {
        let texts = prefixes.texts(&String::from_utf8_lossy(&literal.bytes));
        return texts.into_iter().map(|text| instead(literal_text(text.as_bytes()))).collect();
    }
    let with_rest = |prefix: Vec<u8>| {
        let rest = literal.bytes.get(prefix.len()..).unwrap_or_default();
        let bytes = [&prefix, rest].concat();
        instead(if literal.is_text { literal_text(&bytes) } else { hex_text(&bytes) })
    };
    prefixes.bytes(&literal.bytes).into_iter().map(with_rest).collect()
}

/// Adds a literal to a key that may be empty.
pub(super) fn not_empty(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    match problem.fault {
        Fault::Bounded { row, .. } if row.key.is_empty() => free_before(problem),
        _ => Vec::new(),
    }
}

fn before_key(keyspace: &Keyspace, bytes: &[u8]) -> Vec<Edit> {
    let at = Span { end: keyspace.key_span.start, ..keyspace.key_span };
    vec![Edit::before(at, format!("{} ", hex_text(bytes)))]
}

fn hex_text(bytes: &[u8]) -> String {
    format!("0x{}", digits(bytes))
}

/// Returns the first literal of the key after the prefix of its namespace.
fn own_literal(keyspace: &Keyspace) -> Option<&Literal> {
    let first = keyspace.key.iter().find(|s| s.span().start >= keyspace.key_span.start)?;
    match first {
        // The text of a hashed or wrapped literal differs from its bytes.
        Segment::Literal(literal) => {
            Some(literal).filter(|l| l.call.is_none() && l.end_of.is_none())
        }
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    }
}

/// Separators to try before all other bytes, in order.
pub(super) const USUAL_SEPARATORS: [u8; 4] = [0x00, b'/', b'|', b':'];

/// Adds the `nth` separator that cannot occur in a leaf after the field of the leaf. The second one
/// is for keys in which the first one causes collisions.
pub(super) fn separator(site: &Site<'_>, nth: usize) -> Option<Vec<Edit>> {
    byte_after(site, separators(site).nth(nth)?)
}

/// Yields the separators that cannot occur in a leaf, the usual ones first. Keys of text stay valid
/// UTF-8.
pub(super) fn separators(site: &Site<'_>) -> impl Iterator<Item = u8> {
    let described = site.leaf.codec.describe();
    let last = if described.name == "text" { 0x7f } else { 0xff };
    let others = (0x01..=last).filter(|byte| !USUAL_SEPARATORS.contains(byte));
    USUAL_SEPARATORS.into_iter().chain(others).filter(|&byte| !site.may_hold(byte))
}

/// Adds a byte after the field of a leaf.
pub(super) fn byte_after(site: &Site<'_>, byte: u8) -> Option<Vec<Edit>> {
    let written = format!(" {}", literal_text(&[byte]));
    (!site.repeated).then(|| vec![Edit::after(site.field.span, written)])
}

/// The highest number of free prefixes to try.
const MAX_FREE: usize = 6;

/// The possible prefixes of a keyspace, and the prefixes of others.
struct Prefixes<'a> {
    keyspace: &'a Keyspace,
    namespace: Option<&'a Namespace>,
    /// The prefixes of others, without the prefix of the namespace.
    used: Vec<Vec<u8>>,
}

impl<'a> Prefixes<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let keyspace = problem.keyspace();
        let namespace = namespace(problem);
        let store = problem.whole.store(keyspace.store);
        let inside = |prefix: &[u8]| {
            let around = namespace.map_or(&[][..], |namespace| &namespace.prefix);
            let own = prefix.strip_prefix(around).filter(|own| !own.is_empty());
            own.map(<[u8]>::to_vec)
        };
        let beside = |other: &&Keyspace| {
            other.name_span != keyspace.name_span
                && (other.store, &other.family, other.hash)
                    == (keyspace.store, &keyspace.family, keyspace.hash)
        };
        let others = problem.whole.keyspaces.iter().filter(beside);
        let mut used: Vec<Vec<u8>> = others.filter_map(|o| inside(&o.literal_prefix())).collect();
        if keyspace.hash.is_none() {
            used.extend(store.namespaces.iter().filter_map(|other| inside(&other.prefix)));
        }
        let retired = namespace.into_iter().flat_map(|namespace| &namespace.retired);
        used.extend(retired.map(|retired| retired.prefix.clone()));
        Self { keyspace, namespace, used }
    }

    fn is_free(&self, prefix: &[u8]) -> bool {
        !self.used.iter().any(|used| used.starts_with(prefix) || prefix.starts_with(used))
    }

    /// Returns free prefixes of the keyspace's range, or free single bytes. Prefixes above `own`
    /// come first.
    fn bytes(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let ranges = self.namespace.map_or(&[][..], |namespace| &namespace.ranges);
        let (low, high) = match ranges.get(self.keyspace.allocated.unwrap_or(0)) {
            Some(range) => (range.low.clone(), range.high.clone()),
            None => (vec![0x00], vec![0xff]),
        };
        let (Some(first), Some(last)) = (number(&low), number(&high)) else { return Vec::new() };
        let width = low.len();
        let own = own.get(..width).and_then(number).filter(|own| (first..=last).contains(own));
        let (above, below) = match own {
            Some(own) => (own + 1..=last, first..own),
            None => (first..=last, first..first),
        };
        let of = |number: u32| number.to_be_bytes()[4 - width..].to_vec();
        above.chain(below).map(of).filter(|prefix| self.is_free(prefix)).take(MAX_FREE).collect()
    }

    /// Returns free replacements of a text: the first word replaced by the name of the keyspace, or
    /// the first letter by another letter.
    fn texts(&self, own: &str) -> Vec<String> {
        let name = self.keyspace.name.rsplit('.').next().unwrap_or_default();
        let word = own.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(own.len());
        let mut found = vec![format!("{name}{}", &own[word..])];
        let rest = own.get(1..).unwrap_or_default();
        let letters = name.chars().filter(char::is_ascii_lowercase);
        for letter in letters.chain('a'..='z').chain('A'..='Z') {
            let text = format!("{letter}{rest}");
            let first = letter as u8;
            // Only texts with an unused first byte.
            if !found.contains(&text) && self.is_free(&[first]) {
                found.push(text);
            }
        }
        found.retain(|text| self.is_free(text.as_bytes()));
        found.truncate(MAX_FREE);
        found
    }
}

pub(super) fn namespace<'a>(problem: &Problem<'a>) -> Option<&'a Namespace> {
    let keyspace = problem.keyspace();
    // The fields of a hash have their own space.
    let index = keyspace.namespace.filter(|_| keyspace.hash.is_none())?;
    problem.layout.store(keyspace.store).namespaces.get(index)
}

/// Converts up to four bytes to a number.
fn number(bytes: &[u8]) -> Option<u32> {
    let fits = (1..=4).contains(&bytes.len());
    fits.then(|| bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}
