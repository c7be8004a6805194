//! Which changes are tried for which rule, mildest first.

use super::{
    allocate,
    bound::{self, Bound},
    change::Change,
    exclude, index, length, literal, order, retype, scan, separate,
    view::View,
};
use crate::verdict::{Effect, Rule};

/// A change for what refutes the claim in this view.
pub(super) type Step = fn(&View<'_>) -> Option<Vec<Change>>;

/// A way to mend a layout.
pub(super) enum Idea {
    /// Another scan.
    Scan(Step),
    /// Steps, each repeated until the claim is proved; the first one that helps is enough.
    Steps(Effect, &'static [Step]),
    /// Changes that are tried one by one.
    Each(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
    /// Changes of which the first one that helps is enough.
    First(Effect, fn(&View<'_>) -> Vec<Vec<Change>>),
    /// Domains that end earlier; the weakest end is searched.
    Bound(for<'a> fn(&View<'a>) -> Vec<Bound<'a>>),
}

impl Idea {
    pub(super) const fn effect(&self) -> Effect {
        match self {
            Self::Scan(_) | Self::Bound(_) => NothingStored,
            Self::Steps(effect, _) | Self::Each(effect, _) | Self::First(effect, _) => *effect,
        }
    }
}

use Effect::{BytesAdded, NothingStored, TypeChanged};

const DISJOINT: &[Idea] = &[
    Idea::Steps(NothingStored, &[exclude::other_literal]),
    Idea::First(BytesAdded, literal::distinguish),
];

const UNAMBIGUOUS: &[Idea] = &[
    Idea::Steps(NothingStored, &[exclude::following_literal, exclude::following_byte]),
    Idea::Bound(bound::of_parting),
    Idea::Steps(BytesAdded, &[separate::usual, separate::next, separate::other_reading]),
    Idea::Steps(TypeChanged, &[retype::prefixed, retype::prefixed_other_reading]),
];

const SCAN_EXACT: &[Idea] = &[
    Idea::Scan(scan::derived),
    Idea::Scan(scan::extended),
    Idea::Steps(NothingStored, &[scan::following_literal, scan::following_byte]),
    Idea::Steps(NothingStored, &[scan::other_literal]),
    Idea::Bound(bound::of_parting),
    Idea::Steps(BytesAdded, &[scan::separate, scan::separate_otherwise]),
    Idea::Steps(TypeChanged, &[scan::prefixed]),
];

const ORDERED: &[Idea] = &[
    Idea::Bound(bound::of_parting),
    Idea::Each(NothingStored, order::declaration),
    Idea::Steps(BytesAdded, &[order::terminate]),
    Idea::Steps(TypeChanged, &[order::retype]),
    Idea::Steps(TypeChanged, &[order::padded]),
];

const LOSSLESS: &[Idea] =
    &[Idea::Bound(bound::of_field), Idea::First(TypeChanged, retype::lossless)];

const BOUNDED: &[Idea] =
    &[Idea::Each(NothingStored, length::not_empty), Idea::Bound(length::maximal)];

const ALLOCATED: &[Idea] = &[
    Idea::Each(NothingStored, allocate::range),
    Idea::Bound(bound::of_first),
    Idea::First(TypeChanged, allocate::free_prefix),
];

const INDEXED: &[Idea] =
    &[Idea::Each(NothingStored, index::unique), Idea::Steps(BytesAdded, &[index::append])];

pub(super) const fn ideas(rule: Rule) -> &'static [Idea] {
    match rule {
        Rule::Disjoint | Rule::StructureTyped => DISJOINT,
        Rule::Unambiguous => UNAMBIGUOUS,
        Rule::ScanExact => SCAN_EXACT,
        Rule::Ordered => ORDERED,
        Rule::Lossless => LOSSLESS,
        Rule::Bounded => BOUNDED,
        Rule::Allocated => ALLOCATED,
        Rule::Indexed => INDEXED,
    }
}
