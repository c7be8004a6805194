//! The changes that are tried for each rule, mildest first.

use super::{
    allocate,
    bound::{self, Bound},
    change::Change,
    exclude, index, length, literal, order, retype, scan, separate, split, variant,
    view::View,
};
use crate::verdict::{Effect, Rule};

/// A change for what refutes the claim in this view.
pub(super) type Step = fn(&View<'_>) -> Option<Vec<Change>>;

/// Bounds that may help.
type Bounds = for<'a> fn(&View<'a>) -> Vec<Bound<'a>>;

/// A way to mend a layout.
pub(super) enum Idea {
    /// Another scan.
    Scan(Step),
    /// One keyspace more whose rows a scan may read, repeated until the claim is proved.
    Also(Step),
    /// Steps, each repeated until the claim is proved; the first one that helps is enough.
    Steps(Effect, &'static [Step]),
    /// Changes that are tried one by one.
    Each(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
    /// Changes of which the first one that helps is enough.
    First(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
    /// Domains that end earlier; the weakest end is searched.
    Bound(Bounds),
    /// Lengths that are others; the greatest is searched.
    Shorter(Bounds),
}

impl Idea {
    pub(super) const fn effect(&self) -> Effect {
        match self {
            Self::Scan(_) | Self::Also(_) | Self::Bound(_) => NothingStored,
            Self::Shorter(_) => TypeChanged,
            Self::Steps(effect, _) | Self::Each(effect, _) | Self::First(effect, _) => *effect,
        }
    }
}

/// The ways to mend what a rule forbids.
pub(super) struct Ideas {
    /// In the order of what they do to stored bytes.
    pub(super) usual: &'static [Idea],
    /// Those that are tried only if none of the usual ones helps, in the same order.
    pub(super) otherwise: &'static [Idea],
}

use Effect::{BytesAdded, NothingStored, TypeChanged};

const DISJOINT: Ideas = Ideas {
    usual: &[
        Idea::Steps(NothingStored, &[exclude::other_literal]),
        Idea::First(BytesAdded, literal::distinguish),
        Idea::First(BytesAdded, literal::distinguish_other),
    ],
    otherwise: &[
        Idea::First(BytesAdded, literal::free_before),
        Idea::First(TypeChanged, literal::free_instead),
    ],
};

const UNAMBIGUOUS: Ideas = Ideas {
    usual: &[
        Idea::Steps(
            NothingStored,
            &[
                exclude::following_literal,
                exclude::following_byte,
                exclude::literal_of_other_reading,
            ],
        ),
        Idea::Bound(bound::of_parting),
        Idea::Steps(BytesAdded, &[separate::usual, separate::next, separate::other_reading]),
        Idea::Steps(TypeChanged, &[retype::prefixed, retype::prefixed_other_reading]),
    ],
    otherwise: &[
        Idea::Steps(BytesAdded, &[variant::tagged]),
        Idea::Steps(TypeChanged, &[retype::escaped]),
    ],
};

const SCAN_EXACT: Ideas = Ideas {
    usual: &[
        Idea::Scan(scan::derived),
        Idea::Scan(scan::extended),
        Idea::Also(scan::also),
        Idea::Steps(NothingStored, &[scan::following_literal, scan::following_byte]),
        Idea::Steps(NothingStored, &[scan::other_literal]),
        Idea::Bound(bound::of_parting),
        Idea::Steps(BytesAdded, &[scan::separate, scan::separate_otherwise]),
        Idea::Steps(TypeChanged, &[scan::prefixed]),
    ],
    otherwise: &[
        Idea::Steps(BytesAdded, &[scan::tagged]),
        Idea::First(BytesAdded, scan::distinguish),
        Idea::First(BytesAdded, scan::free_before),
        Idea::Steps(TypeChanged, &[scan::escaped]),
        Idea::First(TypeChanged, scan::free_instead),
    ],
};

const ORDERED: Ideas = Ideas {
    usual: &[
        Idea::Bound(bound::of_parting),
        Idea::Each(NothingStored, order::declaration),
        Idea::Each(NothingStored, variant::sorted),
        Idea::Steps(NothingStored, &[order::one_length]),
        Idea::Steps(BytesAdded, &[order::terminate]),
        Idea::Steps(TypeChanged, &[order::retype, order::retype_escaped]),
        Idea::Steps(TypeChanged, &[order::padded]),
    ],
    otherwise: &[Idea::Steps(TypeChanged, &[order::unwrapped, retype::escaped])],
};

const LOSSLESS: Ideas = Ideas {
    usual: &[
        Idea::Bound(bound::of_field),
        Idea::Bound(length::of_field),
        Idea::First(TypeChanged, retype::lossless),
    ],
    otherwise: &[Idea::First(TypeChanged, retype::unwrapped)],
};

const BOUNDED: Ideas = Ideas {
    usual: &[Idea::Each(NothingStored, length::not_empty), Idea::Bound(length::maximal)],
    otherwise: &[
        Idea::Bound(length::maximal_not_empty),
        Idea::Bound(length::maximal_of_all),
        Idea::First(BytesAdded, literal::not_empty),
        Idea::Shorter(length::shorter),
    ],
};

const ALLOCATED: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, allocate::range),
        Idea::Bound(bound::of_first),
        Idea::First(TypeChanged, literal::free_instead),
    ],
    otherwise: &[Idea::First(BytesAdded, literal::free_before)],
};

const INDEXED: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, index::unique),
        Idea::Steps(BytesAdded, &[index::append, index::append_guarded]),
    ],
    otherwise: &[Idea::Steps(TypeChanged, &[index::as_in_map])],
};

const SPLITTABLE: Ideas = Ideas {
    usual: &[
        Idea::Each(NothingStored, split::other_cut),
        Idea::Steps(NothingStored, &[exclude::separator, exclude::separator_byte]),
        Idea::Bound(bound::of_stray),
        Idea::Steps(TypeChanged, &[retype::in_hex]),
    ],
    otherwise: &[],
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
