//! KS004: the byte order of keys is the order of their `by` fields.
//!
//! Two rows agree up to a decision. This is a leaf with different bytes (the codec decides), a leaf
//! that one row leaves while the other continues, two arms, or a part that only one row has. After
//! the decision, the lower row is known, and the rest of the keys is arbitrary. The claim fails if
//! the lower row can have the larger byte, if the higher row can end first, or if both can end
//! together.

use crate::{
    context::Context,
    order_product::{Ending, search},
    replay,
    scan_trial::sample_rows,
    verdict::{Fault, Unknown, Verdict},
};
use keyscape_layout::{
    Side, derived_places,
    model::{KeyspaceId, Scan},
};

pub(crate) fn check(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Verdict {
    let found = match search(context, keyspace, scan, Side::Over) {
        Ok(found) => found,
        Err(over) => return Verdict::Unknown(Unknown::Budget(over)),
    };
    let ahead = ahead_of_inputs(context, keyspace, scan);
    let Some((low, high, values)) = found.keys else {
        return match ahead {
            Some(codec) => by_trial(context, keyspace, scan).unwrap_or_else(|| {
                let reason = "a digest says nothing about the order of what it is derived from";
                Verdict::Unknown(Unknown::Order { codec, reason })
            }),
            None => found.unknown.map_or(Verdict::Proved, Verdict::Unknown),
        };
    };
    if let Some(fault) = replay::disorder(context, keyspace, scan, &low, &high) {
        // Correcting derived bytes can make the keys longer.
        let total = low.len() + high.len();
        let kept = matches!(&fault, Fault::Ordered { lower, higher, .. }
            if lower.key.len() + higher.key.len() <= total);
        return Verdict::refuted(fault, found.minimal && kept && ahead.is_none());
    }
    let of_values = |(low, high, values): &Ending| {
        let values = values.as_ref()?;
        replay::disorder_of(context, keyspace, scan, (low, high), values)
    };
    let ending = (low, high, values);
    if let Some(fault) = of_values(&ending) {
        return Verdict::refuted(fault, found.minimal && ahead.is_none());
    }
    let low = ending.0;
    let codecs = context.inexact(&[keyspace]);
    if codecs.is_empty() {
        return Verdict::Unknown(context.unreplayed(low, &[keyspace]));
    }
    let under = search(context, keyspace, scan, Side::Under).ok().and_then(|found| found.keys);
    let fault = under.and_then(|ending| {
        let (low, high, _) = &ending;
        replay::disorder(context, keyspace, scan, low, high).or_else(|| of_values(&ending))
    });
    match fault {
        Some(fault) => Verdict::refuted(fault, false),
        None => by_trial(context, keyspace, scan)
            .unwrap_or(Verdict::Unknown(Unknown::Inexact { codecs })),
    }
}

/// Returns derived bytes among the `by` fields that precede one of their inputs. There, two rows
/// can differ before any value differs, which a product search cannot detect.
fn ahead_of_inputs(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Option<String> {
    let derived = derived_places(&context.layout.keyspace(keyspace).key).into_iter();
    let mut ahead = derived.filter(|d| {
        (scan.end..scan.by_end).contains(&d.place) && d.inputs.iter().any(|i| i.start > d.place)
    });
    ahead.next().map(|found| found.derived.text())
}

/// Searches for a refutation among real rows of a key with derived bytes.
fn by_trial(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Option<Verdict> {
    if derived_places(&context.layout.keyspace(keyspace).key).is_empty() {
        return None;
    }
    // Samples vary whole fields.
    let by: Vec<&str> = scan.by.iter().filter_map(|path| path.split('.').next()).collect();
    let mut rows = sample_rows(context, keyspace, &by);
    rows.truncate(MAX_ROWS);
    let mut pairs = rows.iter().flat_map(|low| rows.iter().map(move |high| (low, high)));
    pairs
        .find_map(|(low, high)| replay::misordered(context, scan, low, high))
        .map(|fault| Verdict::refuted(fault, false))
}

/// The highest number of rows to try in pairs.
const MAX_ROWS: usize = 256;
