//! Timelines: lists of values, each with the times at which it is valid.

use super::permissions::{Region, numbers};
use crate::{
    Error, ErrorKind, Range, Ranges,
    error::check_limit,
    ranges::merge,
    values::{
        BadMessage, BadgeMetadata, BadgeMetadataTimeline, CollectionMetadata,
        CollectionMetadataTimeline, CustomDataTimeline, IsArchivedTimeline, ManagerTimeline,
        StandardsTimeline, UintRange, ranges,
    },
};
use keyscape::U256;
use std::collections::BTreeMap;

/// The largest number of ranges in one timeline.
const MAX_RANGES: usize = 1_024;

/// An entry of a timeline: the value of all its times.
pub(super) trait Timeline {
    type Value: PartialEq;
    fn value(&self) -> &Self::Value;
    fn times(&self) -> &[UintRange];
}

macro_rules! timeline {
    ($message:ident, $field:ident, $value:ty) => {
        impl Timeline for $message {
            type Value = $value;

            fn value(&self) -> &$value {
                &self.$field
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
pub(super) fn value_at<T: Timeline>(timeline: &[T], now: U256) -> Result<Option<&T::Value>, Error> {
    for entry in timeline {
        if ranges(entry.times())?.contains(now) {
            return Ok(Some(entry.value()));
        }
    }
    Ok(None)
}

/// Returns a timeline as pieces in order of time, each with the index of its entry.
///
/// # Errors
/// [`Overlap`](ErrorKind::Overlap) if two entries have a time in common,
/// [`TooComplex`](ErrorKind::TooComplex).
pub(super) fn pieces<T: Timeline>(timeline: &[T]) -> Result<Vec<(Range, usize)>, Error> {
    let mut pieces = Vec::new();
    for (index, entry) in timeline.iter().enumerate() {
        pieces.extend(ranges(entry.times())?.iter().map(|range| (range, index)));
        check_limit("a timeline", pieces.len(), MAX_RANGES)?;
    }
    pieces.sort_unstable();
    for pair in pieces.windows(2) {
        let twice = Ranges::from(pair[0].0).intersection(&pair[1].0.into());
        if !twice.is_empty() {
            let subject = "the times of a timeline";
            return Err(ErrorKind::Overlap { subject, ranges: twice }.into());
        }
    }
    Ok(pieces)
}

/// An old and a new entry, of which one may be missing, with the times of both.
type Pair<'t, T> = ([Option<&'t T>; 2], Ranges);

/// Returns the pairs of an old and a new entry that are valid at the same times.
fn pairs<'t, T: Timeline>(old: &'t [T], new: &'t [T]) -> Result<Vec<Pair<'t, T>>, Error> {
    let merged = merge(&pieces(old)?, &pieces(new)?, |before, after| {
        Ok::<_, Error>(Some([before.copied(), after.copied()]))
    })?;
    let mut times: BTreeMap<[Option<usize>; 2], Vec<Range>> = BTreeMap::new();
    for (range, pair) in merged {
        times.entry(pair).or_default().push(range);
    }
    let entry = |timeline: &'t [T], index: Option<usize>| timeline.get(index?);
    let pairs = times.into_iter().map(|([before, after], times)| {
        ([entry(old, before), entry(new, after)], times.into_iter().collect())
    });
    Ok(pairs.collect())
}

/// Returns the times at which two timelines differ.
pub(super) fn difference<T: Timeline>(old: &[T], new: &[T]) -> Result<Vec<Region>, Error> {
    let differing = pairs(old, new)?
        .into_iter()
        .filter(|([before, after], _)| before.map(T::value) != after.map(T::value));
    Ok(numbers(differing.fold(Ranges::default(), |all, (_, times)| all.union(&times))))
}

/// Returns the badges and times for which two timelines of badge metadata differ.
pub(super) fn badge_difference(
    old: &[BadgeMetadataTimeline],
    new: &[BadgeMetadataTimeline],
) -> Result<Vec<Region>, Error> {
    let regions = pairs(old, new)?.into_iter().map(|(pair, times)| {
        let [before, after] =
            pair.map(|entry| entry.map_or(&[][..], |entry| &entry.badge_metadata));
        let differing = merge(&by_badge(before)?, &by_badge(after)?, |before, after| {
            Ok::<_, Error>((before != after).then_some(()))
        })?;
        let ids = differing.into_iter().map(|(range, ())| range).collect();
        Ok(Region { names: Vec::new(), numbers: vec![ids, times] })
    });
    regions.collect()
}

/// The link and the free data of some badges.
type BadgePiece<'m> = (Range, (&'m str, &'m str));

/// Returns the metadata of each badge: the first entry that contains it. Merging halves of equal
/// size is cheaper than merging one entry at a time.
fn by_badge(metadata: &[BadgeMetadata]) -> Result<Vec<BadgePiece<'_>>, BadMessage> {
    match metadata {
        [] => Ok(Vec::new()),
        [entry] => {
            let value = (entry.uri.as_str(), entry.custom_data.as_str());
            Ok(ranges(&entry.badge_ids)?.iter().map(|range| (range, value)).collect())
        }
        _ => {
            let (first, later) = metadata.split_at(metadata.len() / 2);
            merge(&by_badge(first)?, &by_badge(later)?, |first, later| Ok(first.or(later).copied()))
        }
    }
}
