//! Combinations of optional parts in rows of a map, and whether an index has an entry for each of
//! them.
//!
//! This module distinguishes rows by the names of their fields and by the classes of values that
//! guards test. It follows the rules of encoding.

use keyscape_automata::OverBudget;
use keyscape_layout::{
    fields,
    guard::{Case, Guard, cases, guarded_fields},
    model::Segment,
};
use std::collections::HashSet;

/// The highest number of fields in all combinations of optional parts together.
const MAX_FIELDS: usize = 1 << 14;

/// The fields that some rows have, in one case of the guards.
struct PresentFields<'a> {
    present: &'a HashSet<&'a str>,
    /// The fields from the value of the row. They are present if needed.
    from_value: &'a HashSet<&'a str>,
    case: &'a Case,
}

/// Returns a field that prevents entries of some rows: for a combination of optional parts, the row
/// lacks the field that the index needs, or the index has no place for it. Returns `None` if each
/// combination has an entry. Returns a field from the value as well if it has the name of a field
/// of the map and a guard of the index tests it, because this case is not decided here.
///
/// # Errors
/// [`OverBudget`] if there are too many combinations.
pub(crate) fn without_entry(
    map: &[Segment],
    index: &[Segment],
) -> Result<Option<String>, OverBudget> {
    let taken = fields(index).into_iter().filter(|field| field.is_from_value());
    let from_value: HashSet<&str> = taken.map(|field| field.name.as_str()).collect();
    // A case has one class of values per name. The value of a row need not be in the class of the
    // field of its key with the same name.
    let map_fields = fields(map);
    let is_shadowed = |name: &&str| {
        from_value.contains(name) && map_fields.iter().any(|field| field.name == *name)
    };
    if let Some(name) = guarded_fields(index).into_iter().find(is_shadowed) {
        return Ok(Some(name.to_owned()));
    }
    let both = [map, index].concat();
    let cases = cases(&both).filter(|cases| !cases.is_empty());
    let (Some(cases), Some(combinations)) = (cases, combinations(map)) else {
        return Err(OverBudget { what: "combinations of optional parts", limit: MAX_FIELDS });
    };
    let none = HashSet::new();
    for present in combinations {
        let present: HashSet<&str> = present.into_iter().collect();
        let own: HashSet<&str> = present.difference(&from_value).copied().collect();
        for case in &cases {
            let row = PresentFields { present: &present, from_value: &none, case };
            if row.encode(map).is_err() {
                continue;
            }
            let entry = PresentFields { present: &own, from_value: &from_value, case };
            if let Err(field) = entry.encode(index) {
                return Ok(Some(field.to_owned()));
            }
        }
    }
    Ok(None)
}

/// Returns the fields of each combination of optional parts without regard to guards, or `None` if
/// there are too many.
fn combinations(segments: &[Segment]) -> Option<Vec<Vec<&str>>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut total = 0;
    for segment in segments {
        match segment {
            Segment::Literal(_) | Segment::Derived(_) => {}
            Segment::Field(field) => {
                total += all.len();
                all.iter_mut().for_each(|names| names.push(&field.name));
            }
            Segment::Option(option) => {
                let inside = combinations(&option.segments)?;
                let present = all.iter().flat_map(|names| {
                    inside.iter().map(|more| [names.as_slice(), more.as_slice()].concat())
                });
                let mut longer: Vec<Vec<&str>> = Vec::new();
                for names in present {
                    total += names.len();
                    if total > MAX_FIELDS {
                        return None;
                    }
                    longer.push(names);
                }
                all.extend(longer);
            }
        }
        // A key without optional parts has one combination, which may have any number of fields.
        if total > MAX_FIELDS && all.len() > 1 {
            return None;
        }
    }
    Some(all)
}

impl PresentFields<'_> {
    fn has(&self, name: &str) -> bool {
        self.present.contains(name) || self.from_value.contains(name)
    }

    /// Follows the encoding of a key. The error is the field that is missing or has no place.
    fn encode<'s>(&self, segments: &'s [Segment]) -> Result<(), &'s str> {
        for segment in segments {
            match segment {
                Segment::Literal(_) => {}
                Segment::Field(field) if self.has(&field.name) => {}
                Segment::Field(field) => return Err(&field.name),
                Segment::Derived(derived) => {
                    let missing = derived.inputs.iter().find(|input| !self.has(&input.name));
                    if let Some(input) = missing {
                        return Err(&input.name);
                    }
                }
                Segment::Option(option) => {
                    self.encode_option(option.guard.as_ref(), &option.segments)?;
                }
            }
        }
        Ok(())
    }

    fn encode_option<'s>(
        &self,
        guard: Option<&Guard>,
        segments: &'s [Segment],
    ) -> Result<(), &'s str> {
        let is_given = |segment: &Segment| matches!(segment, Segment::Field(field) if self.present.contains(&*field.name));
        let is_present = match guard {
            Some(guard) if self.knows(guard) => self.case.satisfies(guard),
            _ => segments.iter().any(is_given),
        };
        let present = fields(segments).into_iter().find(|f| self.present.contains(&*f.name));
        match (is_present, guard, present) {
            (true, ..) | (false, None, Some(_)) => self.encode(segments),
            (false, Some(_), Some(field)) => Err(&field.name),
            (false, _, None) => Ok(()),
        }
    }

    fn knows(&self, guard: &Guard) -> bool {
        guard.conditions().iter().all(|(field, _)| self.has(field))
    }
}
