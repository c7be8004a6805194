//! The order of a leaf: the order that its codec reports. If the codec does not know its order and
//! has few values, the order is computed from all values.

use crate::memo::Memo;
use keyscape_codec::{Codec, Description, IntRange, Loss, Order, PrefixOrder, Uint, Value};
use keyscape_layout::model::Leaf;
use std::cmp::Ordering;

/// The highest number of values to compare one by one.
pub(crate) const FEW: usize = 2048;

/// Returns the order of a leaf. The order of a leaf with few values is unknown only if its
/// encodings mix both prefix orders: sometimes a prefix of an encoding comes first, sometimes the
/// longer encoding.
pub(crate) fn order(leaf: &Leaf) -> Order {
    match leaf.codec.order() {
        Order::Unknown(reason) => of_values(leaf).unwrap_or(Order::Unknown(reason)),
        known => known,
    }
}

/// A cache of the orders of leaves with few values whose codecs do not know their order.
#[derive(Default)]
pub(crate) struct Orders(Memo<Description, Order>);

impl Orders {
    /// Returns the order of a codec. `leaf` returns the leaf with this codec, or with a wider
    /// domain of it.
    pub(crate) fn of<'l>(
        &self,
        codec: &dyn Codec,
        leaf: impl FnOnce() -> Option<&'l Leaf>,
    ) -> Order {
        let known = codec.order();
        if !matches!(known, Order::Unknown(_)) {
            return known;
        }
        self.0.get_or(codec.describe(), || {
            let whole = leaf().filter(|leaf| leaf.codec.describe() == codec.describe());
            whole.map_or(known, order)
        })
    }
}

/// Returns all values of a leaf, if they are few.
pub(crate) fn all_values(leaf: &Leaf) -> Option<Vec<Value>> {
    let codec = &leaf.codec;
    match codec.integers() {
        Some(range) if range.distance() >= Uint::new(FEW as u128) => None,
        Some(IntRange::Unsigned { low, high }) => {
            let next = |number: &Uint| number.checked_add(Uint::ONE).filter(|next| *next <= high);
            Some(std::iter::successors(Some(low), next).map(Value::Uint).collect())
        }
        Some(IntRange::Signed { low, high }) => Some((low..=high).map(Value::Int).collect()),
        None => {
            // Decoding returns one value per encoding, so the codec must be lossless.
            let dfa = leaf.language.exact()?;
            if codec.lossless() != Loss::None {
                return None;
            }
            dfa.few_words(FEW)?.iter().map(|word| codec.decode(word).ok()).collect()
        }
    }
}

fn of_values(leaf: &Leaf) -> Option<Order> {
    let codec = &*leaf.codec;
    if let Loss::Lossy { a, b } = codec.lossless() {
        return match codec.compare(&a, &b) {
            Ordering::Less => Some(Order::Tied { lower: a, higher: b }),
            Ordering::Greater => Some(Order::Tied { lower: b, higher: a }),
            Ordering::Equal => None,
        };
    }
    let values = all_values(leaf)?.into_iter();
    let encoded = values.map(|value| encode(codec, &value).map(|bytes| (value, bytes)));
    let mut values: Vec<(Value, Vec<u8>)> = encoded.collect::<Option<_>>()?;
    values.sort_by(|(a, _), (b, _)| codec.compare(a, b));
    if values.is_sorted_by(|(_, a), (_, b)| a < b) {
        return Some(Order::Ordered { prefix: PrefixOrder::ShorterFirst });
    }
    let longer_first = |a: &[u8], b: &[u8]| match at_a_byte(a, b) {
        Some(order) => order.is_lt(),
        None => a.len() > b.len(),
    };
    if values.is_sorted_by(|(_, a), (_, b)| longer_first(a, b)) {
        return Some(Order::Ordered { prefix: PrefixOrder::LongerFirst });
    }
    let mut worst: Option<(usize, &Value, &Value)> = None;
    for (index, (lower, low)) in values.iter().enumerate() {
        for (higher, high) in values.get(index + 1..).unwrap_or_default() {
            let bytes = low.len() + high.len();
            if at_a_byte(low, high) == Some(Ordering::Greater)
                && worst.is_none_or(|(known, ..)| bytes < known)
            {
                worst = Some((bytes, lower, higher));
            }
        }
    }
    let (_, lower, higher) = worst?;
    Some(Order::Misordered { lower: lower.clone(), higher: higher.clone(), minimal: true })
}

/// Returns the encoding of a value.
pub(crate) fn encode(codec: &dyn Codec, value: &Value) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    codec.encode(value, &mut bytes).ok().map(|()| bytes)
}

/// Compares two encodings at their first different byte.
fn at_a_byte(a: &[u8], b: &[u8]) -> Option<Ordering> {
    a.iter().zip(b).map(|(a, b)| a.cmp(b)).find(|order| order.is_ne())
}

/// Compares two ranges of integers that share none.
pub(crate) fn compare_ranges(a: &IntRange, b: &IntRange) -> Option<Ordering> {
    let ((low, high), (least, most)) = (a.ends(), b.ends());
    let order = if high < least { Some(Ordering::Less) } else { None };
    let order = order.or((most < low).then_some(Ordering::Greater));
    order.filter(|_| a.is_signed() == b.is_signed())
}
