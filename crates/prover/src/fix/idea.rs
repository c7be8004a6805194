//! The changes to try for each rule.

use super::{
    allocate,
    bound::{self, Bound},
    change::Change,
    exclude, index, length, literal, order, retype, scan, separate, split, variant,
    view::View,
};
use crate::verdict::{Effect, Rule};

/// Proposes changes against the fault of a view.
pub(super) type Step = fn(&View<'_>) -> Option<Vec<Change>>;

/// Proposes bounds for a view.
type Bounds = for<'a> fn(&View<'a>) -> Vec<Bound<'a>>;

/// A kind of fix.
pub(super) enum Idea {
    /// Another form of the scan.
    Scan(Step),
    /// A further `also` keyspace of a scan, repeated until the claim is proved.
    Also(Step),
    /// Steps, each repeated until the claim is proved. The first successful one is offered.
    Steps(Effect, &'static [Step]),
    /// Changes that are all tried.
    Each(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
    /// Changes of which the first successful one is offered.
    First(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
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
        Idea::Steps(BytesAdded, &[separate::usual, separate::next, separate::other_reading]),
        Idea::Steps(TypeChanged, &[retype::prefixed, retype::prefixed_other_reading]),
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
        Idea::Bound(bound::of_parting),
    ],
    last: &[],
};

const SCAN_EXACT: Ideas = Ideas {
    usual: &[
        Idea::Scan(scan::derived),
        Idea::Scan(scan::extended),
        Idea::Also(scan::also),
        Idea::Steps(BytesAdded, &[scan::separate, scan::separate_otherwise]),
        Idea::Steps(TypeChanged, &[scan::prefixed]),
        Idea::Steps(TypeChanged, &[scan::escaped_words]),
    ],
    otherwise: &[
        Idea::Steps(BytesAdded, &[scan::tagged]),
        Idea::First(BytesAdded, scan::distinguish),
        Idea::First(BytesAdded, scan::free_before),
        Idea::First(BytesAdded, scan::distinguish_other),
        Idea::Steps(TypeChanged, &[scan::escaped]),
        Idea::First(TypeChanged, scan::free_instead),
    ],
    narrowing: &[
        Idea::Steps(Narrowed, &[scan::following_literal, scan::following_byte]),
        Idea::Steps(Narrowed, &[scan::other_literal]),
        Idea::Bound(bound::of_parting),
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
    narrowing: &[Idea::Bound(bound::of_parting)],
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
        Idea::Each(NothingStored, allocate::range),
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
        Idea::Each(NothingStored, split::other_cut),
        Idea::Steps(TypeChanged, &[retype::in_digits]),
    ],
    otherwise: &[],
    narrowing: &[
        Idea::Steps(Narrowed, &[exclude::separator, exclude::separator_byte]),
        Idea::Bound(bound::of_stray),
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
