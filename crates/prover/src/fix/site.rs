//! Leaves of a key with their context.

use super::problem::Problem;
use crate::verdict::{Fault, Row, ScannedRow};
use keyscape_automata::DEAD;
use keyscape_layout::{
    Datum, Record, is_present,
    model::{Cut, Field, Keyspace, Leaf, Segment, Split, Type},
};

/// A leaf of a key.
#[derive(Clone)]
pub(super) struct Site<'a> {
    pub(super) leaf: &'a Leaf,
    /// The innermost field that contains the leaf.
    pub(super) field: &'a Field,
    /// Whether the leaf is an element of a list, after which nothing can be added.
    pub(super) repeated: bool,
    /// The segments after the leaf, innermost list first.
    rest: Vec<&'a [Segment]>,
    /// The bytes of the leaf in a row.
    pub(super) word: Vec<u8>,
}

impl Site<'_> {
    /// Returns the literals that may directly follow the leaf.
    pub(super) fn following(&self) -> Vec<&[u8]> {
        let mut found = Vec::new();
        for segments in &self.rest {
            if !first_literals(segments, &mut found) {
                break;
            }
        }
        found
    }

    /// Whether an encoding of the leaf can contain a byte.
    pub(super) fn may_hold(&self, byte: u8) -> bool {
        may_hold(self.leaf, byte)
    }
}

/// Whether a byte occurs in some encoding of a leaf.
pub(super) fn may_hold(leaf: &Leaf, byte: u8) -> bool {
    let dfa = leaf.language.over();
    dfa.states().any(|state| dfa.step(state, byte) != DEAD)
}

/// Collects the literals with which some segments may begin. Returns whether the segments may be
/// empty.
fn first_literals<'a>(segments: &'a [Segment], found: &mut Vec<&'a [u8]>) -> bool {
    for segment in segments {
        match segment {
            Segment::Literal(literal) => {
                found.push(&literal.bytes);
                return false;
            }
            Segment::Derived(_) => return false,
            Segment::Option(option) => {
                first_literals(&option.segments, found);
            }
            Segment::Field(field) => {
                match &*field.ty {
                    Type::Composite(inner) => {
                        first_literals(inner, found);
                    }
                    Type::Variant(arms) => {
                        for arm in arms {
                            first_literals(&arm.segments, found);
                        }
                    }
                    Type::Leaf(_) | Type::Enum(_) | Type::List(_) => {}
                }
                return false;
            }
        }
    }
    true
}

/// Returns the leaves of a row in order.
pub(super) fn sites<'a>(keyspace: &'a Keyspace, fields: &Record) -> Vec<Site<'a>> {
    let mut found = Vec::new();
    in_segments(&keyspace.key, fields, &mut Vec::new(), &mut found);
    found
}

fn in_segments<'a>(
    segments: &'a [Segment],
    record: &Record,
    rest: &mut Vec<&'a [Segment]>,
    found: &mut Vec<Site<'a>>,
) {
    for (index, segment) in segments.iter().enumerate() {
        rest.push(&segments[index + 1..]);
        match segment {
            Segment::Literal(_) | Segment::Derived(_) => {}
            Segment::Option(option) if is_present(&option.segments, record) => {
                in_segments(&option.segments, record, rest, found);
            }
            Segment::Option(_) => {}
            Segment::Field(field) => {
                if let Some(datum) = record.get(&field.name) {
                    in_type(field, &field.ty, datum, false, rest, found);
                }
            }
        }
        rest.pop();
    }
}

fn in_type<'a>(
    field: &'a Field,
    ty: &'a Type,
    datum: &Datum,
    repeated: bool,
    rest: &mut Vec<&'a [Segment]>,
    found: &mut Vec<Site<'a>>,
) {
    match (ty, datum) {
        (Type::Leaf(leaf), Datum::Leaf(value)) => {
            let mut word = Vec::new();
            // A decoded value can be encoded. On an error, the word stays empty.
            let _ = leaf.codec.encode(value, &mut word);
            let rest = rest.iter().rev().copied().collect();
            found.push(Site { leaf, field, repeated, rest, word });
        }
        (Type::Composite(segments), Datum::Record(record)) => {
            in_segments(segments, record, rest, found);
        }
        (Type::Variant(arms), Datum::Arm(name, record)) => {
            if let Some(arm) = arms.iter().find(|arm| arm.name == *name) {
                in_segments(&arm.segments, record, rest, found);
            }
        }
        (Type::List(list), Datum::List(elements)) => {
            for element in elements {
                in_type(field, &list.element, element, true, rest, found);
            }
        }
        _ => {}
    }
}

/// Returns the first leaf whose bytes differ between the two rows of the fault.
pub(super) fn differing_site<'a>(problem: &Problem<'a>) -> Option<Site<'a>> {
    let keyspace = problem.keyspace();
    match problem.fault {
        Fault::Unambiguous { a, b } => first_differing(keyspace, &a.fields, &b.fields),
        Fault::Ordered { lower, higher, .. } => {
            first_differing(keyspace, &lower.fields, &higher.fields)
        }
        Fault::ScanExact(ScannedRow { asked, row, .. }) => {
            let own = row.keyspace == problem.subject.keyspace;
            own.then(|| leading_differing(problem, asked, row)).flatten()
        }
        _ => None,
    }
}

/// Returns the leaf that a split cuts, or that ends with the start of the separator.
pub(super) fn stray<'a>(problem: &Problem<'a>) -> Option<Site<'a>> {
    let Fault::Splittable { row, .. } = problem.fault else { return None };
    let Split { separator, cut, .. } = problem.split()?;
    let holds =
        |site: &Site<'_>| site.word.windows(separator.len()).any(|window| window == *separator);
    let ends = |site: &Site<'_>| {
        let mut starts = (1..separator.len()).filter_map(|length| separator.get(..length));
        starts.any(|start| site.word.ends_with(start))
    };
    let mut sites = sites(problem.keyspace(), &row.fields);
    if *cut == Cut::Last {
        sites.reverse();
    }
    sites.iter().find(|site| holds(site)).or_else(|| sites.iter().find(|site| ends(site))).cloned()
}

/// Returns the first differing leaf of the other reading of an ambiguous key.
pub(super) fn other_differing_site<'a>(problem: &Problem<'a>) -> Option<Site<'a>> {
    match problem.fault {
        Fault::Unambiguous { a, b } => first_differing(problem.keyspace(), &b.fields, &a.fields),
        _ => None,
    }
}

fn first_differing<'a>(keyspace: &'a Keyspace, a: &Record, b: &Record) -> Option<Site<'a>> {
    let (a, b) = (sites(keyspace, a), sites(keyspace, b));
    let differs =
        |(x, y): &(&Site<'_>, &Site<'_>)| x.word != y.word || !std::ptr::eq(x.leaf, y.leaf);
    let at = a.iter().zip(&b).position(|pair| differs(&pair));
    // If all common leaves are equal, the rows differ after the last of them.
    let at = at.unwrap_or(a.len().min(b.len()).checked_sub(1)?);
    a.into_iter().nth(at)
}

/// Returns the leaf of the leading part in which the row differs from the request.
fn leading_differing<'a>(problem: &Problem<'a>, asked: &Record, row: &Row) -> Option<Site<'a>> {
    let mut requested = row.fields.clone();
    for path in &problem.scan()?.leading {
        if let Some(datum) = asked.get_path(path) {
            requested.set_path(path, datum.clone());
        }
    }
    first_differing(problem.keyspace(), &row.fields, &requested)
}
