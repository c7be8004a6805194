//! Fixes that exclude values containing a literal from text and bytes.

use super::{
    edit::Edit,
    expr::{codec_expr, excluding, literal_text},
    problem::Problem,
    site::{Site, differing_site, other_differing_site, sites, stray},
};
use crate::verdict::{Collision, Fault, Row, ScannedRow};
use keyscape_automata::regex::names_char;
use keyscape_layout::{
    model::{KeyspaceId, Segment, Type},
    syntax::ast::{TypeArg, TypeExpr},
};

/// Excludes a literal that may follow the first differing field from this field.
pub(super) fn following_literal(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    site.following().into_iter().find_map(|literal| exclude(problem, &site, literal))
}

/// Excludes the first byte of a longer literal that may follow the first differing field.
pub(super) fn following_byte(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    let longer = site.following().into_iter().filter(|literal| literal.len() > 1);
    longer
        .filter_map(|literal| literal.first_chunk::<1>())
        .find_map(|byte| exclude(problem, &site, byte))
}

/// Excludes the separator of a split from the field that the split cuts.
pub(super) fn separator(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    exclude(problem, &stray(problem)?, &problem.split()?.separator)
}

/// Excludes the first byte of a longer separator from the field that the split cuts.
pub(super) fn separator_byte(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let longer = Some(&problem.split()?.separator).filter(|separator| separator.len() > 1);
    exclude(problem, &stray(problem)?, longer?.first_chunk::<1>()?)
}

/// Excludes a literal that may follow the field of one reading from the field of the other reading.
/// For example, excludes the end of an optional part from the field after it.
pub(super) fn literal_of_other_reading(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let (one, other) = (differing_site(problem)?, other_differing_site(problem)?);
    let of = |site: &Site<'_>, from: &Site<'_>| {
        from.following().into_iter().find_map(|literal| exclude(problem, site, literal))
    };
    of(&one, &other).or_else(|| of(&other, &one))
}

/// Excludes a literal of one keyspace from the fields of the other that contain it in a common key,
/// or in a foreign row of a scan.
pub(super) fn other_literal(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    match problem.fault {
        Fault::Disjoint { collisions, .. } => {
            collisions.iter().find_map(|Collision { here, there }| {
                literals_of(problem, there.keyspace, here)
                    .or_else(|| literals_of(problem, here.keyspace, there))
            })
        }
        Fault::ScanExact(ScannedRow { row, .. }) if row.keyspace != problem.subject.keyspace => {
            literals_of(problem, problem.subject.keyspace, row)
        }
        _ => None,
    }
}

/// Excludes a literal of a keyspace from a field of a row that contains it.
fn literals_of(problem: &Problem<'_>, from: KeyspaceId, within: &Row) -> Option<Vec<Edit>> {
    let keyspace = problem.layout.keyspace(within.keyspace);
    let sites = sites(keyspace, &within.fields);
    let other = &problem.layout.keyspace(from).key;
    let mut literals = Vec::new();
    literals_in(other, &mut literals);
    literals.into_iter().find_map(|literal| {
        let holds =
            |site: &&Site<'_>| site.word.windows(literal.len()).any(|window| window == literal);
        sites.iter().filter(holds).find_map(|site| exclude(problem, site, literal))
    })
}

fn exclude(problem: &Problem<'_>, site: &Site<'_>, literal: &[u8]) -> Option<Vec<Edit>> {
    let expr = codec_expr(problem, site)?;
    let written = problem.layout.sources.text(expr.span);
    // Excluding a literal twice does not help.
    if written.contains(&format!("not {}", literal_text(literal))) || excludes_used(expr, literal) {
        return None;
    }
    Some(vec![excluding(expr, literal)?])
}

/// Whether it would be absurd to exclude a literal from text or bytes, because values contain it.
/// This is a single letter or digit, or a character that the pattern names. For bytes without a
/// pattern that are not text, it is any single byte but zero.
fn excludes_used(expr: &TypeExpr, literal: &[u8]) -> bool {
    let &[byte] = literal else { return false };
    let mut patterns = expr.args.iter().filter_map(|arg| match arg {
        TypeArg::Regex { pattern, negated: false, .. } => Some(pattern),
        _ => None,
    });
    let has_pattern = patterns.clone().next().is_some();
    let is_text = expr.name.text == "text" || expr.shown.is_some() || has_pattern;
    byte.is_ascii_alphanumeric()
        || patterns.any(|pattern| names_char(pattern, char::from(byte)))
        || !is_text && byte != 0x00
}

/// Collects the literals after the first field of a key, including those of its parts.
fn literals_in<'a>(segments: &'a [Segment], found: &mut Vec<&'a [u8]>) {
    let after_literals = segments.iter().skip_while(|s| matches!(s, Segment::Literal(_)));
    for segment in after_literals {
        match segment {
            Segment::Literal(literal) => found.push(&literal.bytes),
            Segment::Derived(_) => {}
            Segment::Option(option) => {
                let literals = option.segments.iter().filter_map(|segment| match segment {
                    Segment::Literal(literal) => Some(literal.bytes.as_slice()),
                    Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
                });
                found.extend(literals);
            }
            Segment::Field(field) => {
                if let Type::Composite(inner) = &*field.ty {
                    literals_in(inner, found);
                }
            }
        }
    }
}
