//! The edits to try for each rule.

use super::{
    bound::{self, Bound},
    clause::{self, derived_with},
    edit::Edit,
    exclude, index, length,
    literal::{self, separator},
    order,
    problem::Problem,
    retype,
    site::{differing_site, other_differing_site, stray},
    variant,
};
use crate::verdict::{Effect, Rule};

/// Proposes edits against the fault of a problem.
pub(super) type Step = fn(&Problem<'_>) -> Option<Vec<Edit>>;

/// Proposes bounds for a problem.
type Bounds = for<'a> fn(&Problem<'a>) -> Vec<Bound<'a>>;

/// A kind of fix.
pub(super) enum Idea {
    /// Another form of the scan.
    Scan(Step),
    /// A further `also` keyspace of a scan, repeated until the claim is proved.
    Also(Step),
    /// Steps, each repeated until the claim is proved. The first successful one is offered. For
    /// KS003, the first repetition removes `as`.
    Steps(Effect, &'static [Step]),
    /// Changes that are all tried.
    Each(Effect, fn(&Problem<'_>) -> Vec<Vec<Edit>>),
    /// Changes of which the first successful one is offered.
    First(Effect, fn(&Problem<'_>) -> Vec<Vec<Edit>>),
    /// Smaller domains and shorter lengths. The weakest bound is searched.
    Bound(Bounds),
}

impl Idea {
    pub(super) const fn effect(&self) -> Effect {
        match self {
            Self::Scan(_) | Self::Also(_) => NothingStored,
            Self::Bound(_) => Narrowed,
            Self::Steps(effect, _) | Self::Each(effect, _) | Self::First(effect, _) => *effect,
        }
    }
}

/// The ideas for a rule.
pub(super) struct Ideas {
    /// In the order of their effect on stored bytes. All values stay allowed.
    pub(super) usual: &'static [Idea],
    /// Ideas that are tried only if no usual one succeeds, in the same order.
    pub(super) otherwise: &'static [Idea],
    /// Ideas that make a domain smaller, tried after all fixes that preserve it.
    pub(super) narrowing: &'static [Idea],
    /// Ideas that are tried only if no other succeeds.
    pub(super) last: &'static [Idea],
}

use Effect::{BytesAdded, Narrowed, NothingStored, TypeChanged};

const DISJOINT: Ideas = Ideas {
    usual: &[
        Idea::First(BytesAdded, literal::distinguish),
        Idea::First(BytesAdded, literal::distinguish_other),
    ],
    otherwise: &[
        Idea::First(BytesAdded, literal::free_before),
        Idea::First(TypeChanged, literal::free_instead),
    ],
    narrowing: &[Idea::Steps(Narrowed, &[exclude::other_literal])],
    last: &[],
};

const UNAMBIGUOUS: Ideas = Ideas {
    usual: &[
        Idea::Steps(
            BytesAdded,
            &[
                |problem| separator(&differing_site(problem)?, 0),
                |problem| separator(&differing_site(problem)?, 1),
                |problem| separator(&other_differing_site(problem)?, 0),
            ],
        ),
        Idea::Steps(
            TypeChanged,
            &[
                |problem| retype::prefixed(problem, &differing_site(problem)?),
                |problem| retype::prefixed(problem, &other_differing_site(problem)?),
            ],
        ),
        Idea::Steps(TypeChanged, &[retype::escaped_words]),
    ],
    otherwise: &[
        Idea::Steps(BytesAdded, &[variant::tagged]),
        Idea::Steps(TypeChanged, &[retype::escaped]),
    ],
    narrowing: &[
        Idea::Steps(
            Narrowed,
            &[
                exclude::following_literal,
                exclude::following_byte,
                exclude::literal_of_other_reading,
            ],
        ),
        Idea::Bound(|problem| bound::of_site(problem, differing_site(problem))),
    ],
    last: &[],
};

const SCAN_EXACT: Ideas = Ideas {
    usual: &[
        Idea::Scan(clause::derived),
        Idea::Scan(clause::extended),
        Idea::Also(clause::also),
        Idea::Steps(
            BytesAdded,
            &[
                |problem| separator(&differing_site(problem)?, 0),
                |problem| separator(&differing_site(problem)?, 1),
            ],
        ),
        Idea::Steps(TypeChanged, &[|problem| retype::prefixed(problem, &differing_site(problem)?)]),
        Idea::Steps(TypeChanged, &[retype::escaped_words]),
    ],
    otherwise: &[
        Idea::Steps(BytesAdded, &[variant::tagged]),
        Idea::First(BytesAdded, |problem| derived_with(problem, literal::distinguish)),
        Idea::First(BytesAdded, |problem| derived_with(problem, literal::free_before)),
        Idea::First(BytesAdded, literal::distinguish_other),
        Idea::Steps(TypeChanged, &[retype::escaped]),
        Idea::First(TypeChanged, |problem| derived_with(problem, literal::free_instead)),
    ],
    narrowing: &[
        Idea::Steps(Narrowed, &[exclude::following_literal, exclude::following_byte]),
        Idea::Steps(Narrowed, &[exclude::other_literal]),
        Idea::Bound(|problem| bound::of_site(problem, differing_site(problem))),
    ],
    last: &[],
};

const ORDERED: Ideas = Ideas {
    usual: &[
        Idea::Steps(BytesAdded, &[order::terminate]),
        Idea::Each(BytesAdded, variant::numbered),
        Idea::Steps(TypeChanged, &[order::retype, order::retype_escaped]),
        Idea::Steps(TypeChanged, &[order::padded]),
        Idea::Each(TypeChanged, variant::retagged),
        Idea::Each(TypeChanged, order::numbered),
    ],
    otherwise: &[Idea::Steps(
        TypeChanged,
        &[order::fixed_width, order::unwrapped, retype::escaped],
    )],
    narrowing: &[Idea::Bound(|problem| bound::of_site(problem, differing_site(problem)))],
    last: &[],
};

const LOSSLESS: Ideas = Ideas {
    usual: &[Idea::First(TypeChanged, retype::lossless)],
    otherwise: &[Idea::First(TypeChanged, retype::unwrapped)],
    narrowing: &[Idea::Bound(bound::of_field), Idea::Bound(length::of_field)],
    last: &[],
};

const BOUNDED: Ideas = Ideas {
    usual: &[],
    otherwise: &[],
    narrowing: &[Idea::Each(Narrowed, length::not_empty), Idea::Bound(length::maximal)],
    last: &[
        Idea::Bound(length::maximal_not_empty),
        Idea::Bound(length::maximal_of_all),
        Idea::First(BytesAdded, literal::not_empty),
        Idea::Bound(length::shorter),
    ],
};

const ALLOCATED: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, clause::other_range),
        Idea::First(TypeChanged, literal::free_instead),
    ],
    otherwise: &[Idea::First(BytesAdded, literal::free_before)],
    narrowing: &[Idea::Bound(bound::of_first)],
    last: &[],
};

const INDEXED: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, index::unique),
        Idea::Steps(BytesAdded, &[index::append, index::append_guarded, index::append_separated]),
    ],
    otherwise: &[Idea::Steps(TypeChanged, &[index::as_in_map])],
    narrowing: &[],
    last: &[],
};

const SPLITTABLE: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, clause::other_cut),
        Idea::Steps(TypeChanged, &[retype::in_digits]),
    ],
    otherwise: &[],
    narrowing: &[
        Idea::Steps(Narrowed, &[exclude::separator, exclude::separator_byte]),
        Idea::Bound(|problem| bound::of_site(problem, stray(problem))),
    ],
    last: &[],
};

pub(super) const fn ideas(rule: Rule) -> &'static Ideas {
    match rule {
        Rule::Disjoint | Rule::StructureTyped => &DISJOINT,
        Rule::Unambiguous => &UNAMBIGUOUS,
        Rule::ScanExact => &SCAN_EXACT,
        Rule::Ordered => &ORDERED,
        Rule::Lossless => &LOSSLESS,
        Rule::Bounded => &BOUNDED,
        Rule::Allocated => &ALLOCATED,
        Rule::Indexed => &INDEXED,
        Rule::Splittable => &SPLITTABLE,
    }
}
