//! Differences of two timelines.

use super::permissions::Region;
use crate::{
    Error, ErrorKind, Range, Ranges,
    ranges::merge,
    values::{
        BadMessage, BadgeMetadata, BadgeMetadataTimeline, CollectionMetadata,
        CollectionMetadataTimeline, CustomDataTimeline, IsArchivedTimeline, ManagerTimeline,
        StandardsTimeline, UintRange, ranges,
    },
};
use keyscape::U256;

/// The largest number of ranges in one timeline.
const MAX_RANGES: usize = 1_024;

/// A timeline: an entry is the value of all its times.
pub(super) trait Timeline {
    type Value: Clone + PartialEq;
    fn value(&self) -> Self::Value;
    fn times(&self) -> &[UintRange];
}

macro_rules! timeline {
    ($message:ident, $field:ident, $value:ty) => {
        impl Timeline for $message {
            type Value = $value;

            fn value(&self) -> $value {
                self.$field.clone()
            }

            fn times(&self) -> &[UintRange] {
                &self.timeline_times
            }
        }
    };
}

timeline!(CollectionMetadataTimeline, collection_metadata, Option<CollectionMetadata>);
timeline!(BadgeMetadataTimeline, badge_metadata, Vec<BadgeMetadata>);
timeline!(CustomDataTimeline, custom_data, String);
timeline!(ManagerTimeline, manager, String);
timeline!(IsArchivedTimeline, is_archived, bool);
timeline!(StandardsTimeline, standards, Vec<String>);

/// Returns the value of a timeline at a time.
pub(super) fn value_at<T: Timeline>(timeline: &[T], now: U256) -> Result<Option<T::Value>, Error> {
    for entry in timeline {
        if ranges(entry.times())?.contains(now) {
            return Ok(Some(entry.value()));
        }
    }
    Ok(None)
}

/// Returns a timeline as pieces in order of time.
///
/// # Errors
/// [`Overlap`](ErrorKind::Overlap) if two entries have a time in common.
pub(super) fn pieces<T: Timeline>(timeline: &[T]) -> Result<Vec<(Range, T::Value)>, Error> {
    let mut pieces = Vec::new();
    let mut taken = Ranges::default();
    for entry in timeline {
        let times = ranges(entry.times())?;
        let twice = taken.intersection(&times);
        if !twice.is_empty() {
            return Err(
                ErrorKind::Overlap { what: "the times of a timeline", ranges: twice }.into()
            );
        }
        taken = taken.union(&times);
        pieces.extend(times.iter().map(|range| (range, entry.value())));
        if pieces.len() > MAX_RANGES {
            return Err(ErrorKind::TooComplex { what: "a timeline", limit: MAX_RANGES }.into());
        }
    }
    pieces.sort_by_key(|(range, _)| *range);
    Ok(pieces)
}

/// Returns the times at which two timelines differ.
pub(super) fn difference<T: Timeline>(old: &[T], new: &[T]) -> Result<Ranges, Error> {
    let differing =
        merge(&pieces(old)?, &pieces(new)?, |a, b| Ok::<_, Error>((a != b).then_some(())))?;
    Ok(differing.into_iter().map(|(range, ())| range).collect())
}

/// Returns the badges and times for which two timelines of badge metadata differ.
pub(super) fn badge_difference(
    old: &[BadgeMetadataTimeline],
    new: &[BadgeMetadataTimeline],
) -> Result<Vec<Region>, Error> {
    let differing = merge(&pieces(old)?, &pieces(new)?, |a, b| {
        let (a, b) = (a.map_or(&[][..], Vec::as_slice), b.map_or(&[][..], Vec::as_slice));
        let differing =
            merge(&by_badge(a)?, &by_badge(b)?, |a, b| Ok::<_, Error>((a != b).then_some(())))?;
        let ids: Ranges = differing.into_iter().map(|(range, ())| range).collect();
        Ok::<_, Error>((!ids.is_empty()).then_some(ids))
    })?;
    let region =
        |(times, ids)| Region { names: Vec::new(), numbers: vec![ids, Ranges::from(times)] };
    Ok(differing.into_iter().map(region).collect())
}

/// The link and the free data of some badges.
type Piece<'m> = (Range, (&'m str, &'m str));

/// Returns the metadata of each badge: the first entry that contains it.
fn by_badge(metadata: &[BadgeMetadata]) -> Result<Vec<Piece<'_>>, BadMessage> {
    let mut pieces = Vec::new();
    for entry in metadata {
        let ids = ranges(&entry.badge_ids)?;
        let entry: Vec<_> = ids
            .iter()
            .map(|range| (range, (entry.uri.as_str(), entry.custom_data.as_str())))
            .collect();
        pieces =
            merge(&pieces, &entry, |first, later| Ok::<_, BadMessage>(first.or(later).copied()))?;
    }
    Ok(pieces)
}
