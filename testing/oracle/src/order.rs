//! The logical order of rows.

use crate::{
    leaf,
    rows::{Row, Step, What},
};
use keyscape_layout::model::Scan;
use std::cmp::Ordering;

/// The order of two rows by the `by` fields of a scan. The first leaf or choice among those fields
/// in which they differ decides: composites are lexicographic, texts and arms come as declared, and
/// absent comes before present.
#[must_use]
pub(crate) fn by(scan: &Scan, a: &Row, b: &Row) -> Ordering {
    let of = |row: &'_ Row| -> Vec<Step> {
        let by = scan.end.0..scan.by_end.0;
        row.steps.iter().filter(|step| by.contains(&step.place)).cloned().collect()
    };
    for (x, y) in of(a).iter().zip(&of(b)) {
        // Until they differ, both rows have made the same choices.
        debug_assert_eq!(x.place, y.place);
        let order = match (&x.what, &y.what) {
            (What::Leaf(codec, v, _), What::Leaf(_, w, _)) => leaf::compare(&**codec, v, w),
            (What::Choice(i), What::Choice(j)) => i.cmp(j),
            (What::Option(p), What::Option(q)) => p.cmp(q),
            _ => Ordering::Equal,
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}
