//! Compares ranges of generated code with a sorted list of values: every kind of bound, both
//! directions, and `desc` at every position among other codecs.

use keyscape::store::{Db, Layout, Memory};
use std::{
    error::Error,
    ops::{Bound, RangeBounds},
};

keyscape::layout!(
    r#"
store plain
type Down = {a: desc(u16be)} {b: hex(desc(u8))}
map ints = 0x00 {v: u64be} -> u64be
    scan all by v
map desc1 = 0x01 {v: desc(u64be)} -> u64be
    scan all by v
map desc2 = 0x02 {v: desc(desc(u64be))} -> u64be
    scan all by v
map desc3 = 0x03 {v: desc(desc(desc(u64be)))} -> u64be
    scan all by v
map hex1 = 0x04 {v: hex(desc(u64be))} -> u64be
    scan all by v
map hex2 = 0x05 {v: desc(hex(u64be))} -> u64be
    scan all by v
map hex3 = 0x06 {v: desc(hex(desc(u64be)))} -> u64be
    scan all by v
map hex4 = 0x07 {v: hex(desc(hex(desc(u64be))))} -> u64be
    scan all by v
map len1 = 0x08 {v: len8(desc(u64be))} -> u64be
    scan all by v
map len2 = 0x09 {v: desc(len8(u64be))} -> u64be
    scan all by v
map len3 = 0x0a {v: lenvar(hex(desc(len16(desc(u64be)))))} -> u64be
    scan all by v
map escaped1 = 0x0b {v: escaped(desc(u64be))} -> u64be
    scan all by v
map escaped2 = 0x0c {v: desc(escaped(u64be))} -> u64be
    scan all by v
map escaped3 = 0x0d {v: escaped01(desc(escaped(desc(u64be))))} -> u64be
    scan all by v
map rune1 = 0x0e {v: rune(desc(u64be))} -> u64be
    scan all by v
map rune2 = 0x0f {v: desc(rune(u64be))} -> u64be
    scan all by v
map nibbles1 = 0x10 {v: nibbles(desc(u64be))} -> u64be
    scan all by v
map groups1 = 0x11 {v: groups8(desc(u64be))} -> u64be
    scan all by v
map groups2 = 0x12 {v: desc(groups8(desc(u64be)))} -> u64be
    scan all by v
map rev1 = 0x13 {v: desc(rev(u64le))} -> u64be
    scan all by v
map varint1 = 0x15 {v: desc(uvarint_ordered(u64))} -> u64be
    scan all by v
map dec1 = 0x16 {v: hex(desc(dec0(u64)[20]))} -> u64be
    scan all by v
map wrap1 = 0x17 wrap hex({v: desc(u64be)}) -> u64be
    scan all by v
map wrap2 = 0x18 wrap escaped({v: hex(desc(u64be))}) -> u64be
    scan all by v
map signed1 = 0x19 {v: hex(desc(flip(i64)))} -> u64be
    scan all by v
map bytes1 = 0x1a {v: hex(desc(bytes[4]))} -> u64be
    scan all by v
map digest1 = 0x1b {v: sha256(desc(u8))} -> u64be
    scan all by v
map digest2 = 0x1c {v: hex(desc(twox_64(u8)))} -> u64be
    scan all by v
map down = 0x1d {v: Down} -> u64be
    scan all by v

store inner
map hex1 = 0x04 {lead: u8} {v: hex(desc(u64be))} {tail: u8} -> u64be
    scan lead by v
map len1 = 0x08 {lead: u8} {v: len8(desc(u64be))} {tail: u8} -> u64be
    scan lead by v
map nibbles1 = 0x10 {lead: u8} {v: nibbles(desc(u64be))} "/" {tail: u8} -> u64be
    scan lead by v
map desc2 = 0x02 {lead: u8} {v: desc(desc(u64be))} {tail: u8} -> u64be
    scan lead by v
map desc3 = 0x03 {lead: u8} {v: desc(desc(desc(u64be)))} {tail: u8} -> u64be
    scan lead by v
"#
);

type Outcome = Result<(), Box<dyn Error>>;

/// The order of values in keys.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Up,
    Down,
}

/// Returns every pair of bounds: unbounded, included and excluded, at every value.
fn bounds<T: Copy + PartialOrd>(values: &[T]) -> Vec<(Bound<T>, Bound<T>)> {
    let ends = |values: &[T]| {
        let included = values.iter().copied().map(Bound::Included);
        let excluded = values.iter().copied().map(Bound::Excluded);
        included.chain(excluded).chain([Bound::Unbounded]).collect::<Vec<_>>()
    };
    let ends = ends(values);
    ends.iter().flat_map(|low| ends.iter().map(move |high| (*low, *high))).collect()
}

/// Returns the values between bounds, in the order of a scan.
fn model<T: Copy + PartialOrd>(
    values: &[T],
    range: (Bound<T>, Bound<T>),
    keys: Keys,
    reverse: bool,
) -> Vec<T> {
    let mut found: Vec<T> = values.iter().copied().filter(|v| range.contains(v)).collect();
    if (keys == Keys::Down) != reverse {
        found.reverse();
    }
    found
}

/// Writes `values`, which ascend, and compares all ranges with the model.
macro_rules! compare {
    (
        $space:path, $values:expr, $keys:expr, $key:expr, ($view:expr, $back:expr),
        $prefix:ident($($lead:expr),*)
    ) => {{
        let values = $values;
        assert!(values.is_sorted(), "the model is sorted");
        let db = Db::new(Memory::new(Layout::spaces_of(&[&plain::LAYOUT])?));
        db.admit(&[&plain::LAYOUT])?;
        db.write(|tx| {
            values.iter().try_for_each(|&value| $space.put(tx, $key(value), 1_u64))
        })?;
        let state = db.read()?;
        for range in bounds(&values) {
            for reverse in [false, true] {
                let (low, high) = (range.0.map($view), range.1.map($view));
                let prefix = $space.$prefix($($lead),*).range((low, high));
                let prefix = if reverse { prefix.reverse() } else { prefix };
                let mut scan = prefix.scan(&state)?;
                let mut found = Vec::new();
                while let Some(row) = scan.next_row()? {
                    found.push($back(row.key.v));
                }
                let expected = model(&values, range, $keys, reverse);
                assert_eq!(found, expected, "{} {range:?} {reverse}", stringify!($space));
            }
        }
    }};
}

/// Compares maps whose keys contain only the value.
macro_rules! agrees {
    ($keys:expr, $values:expr; $($space:path),* $(,)?) => {
        $(compare!($space, $values, $keys, |v| v, (|v| v, |v| v), prefix_all());)*
    };
}

/// Conversions between arrays and the type of a bytes field.
macro_rules! bytes {
    ($view:ident, $back:ident, $ty:ident) => {
        fn $view<const N: usize>(bytes: [u8; N]) -> plain::$ty<'static> {
            plain::$ty::new(bytes.to_vec()).unwrap()
        }

        fn $back<const N: usize>(view: plain::$ty<'_>) -> [u8; N] {
            view.as_bytes().try_into().unwrap()
        }
    };
}

bytes!(bytes_view, bytes_back, Bytes1V);
bytes!(up_view, up_back, Digest1V);
bytes!(down_view, down_back, Digest2V);

const NUMBERS: [u64; 9] = [0, 1, 127, 128, 255, 256, 0x00ff_00ff, 1 << 40, u64::MAX];

#[test]
fn an_even_number_of_reversals_ascends() -> Outcome {
    agrees!(Keys::Up, NUMBERS; plain::INTS, plain::DESC2, plain::HEX3, plain::HEX4, plain::LEN3,
        plain::ESCAPED3, plain::GROUPS2);
    Ok(())
}

#[test]
fn an_odd_number_of_reversals_descends() -> Outcome {
    agrees!(Keys::Down, NUMBERS; plain::DESC1, plain::DESC3, plain::HEX1, plain::HEX2,
        plain::LEN1, plain::LEN2, plain::ESCAPED1, plain::ESCAPED2, plain::RUNE1, plain::RUNE2,
        plain::NIBBLES1, plain::GROUPS1, plain::REV1, plain::VARINT1, plain::DEC1,
        plain::WRAP1, plain::WRAP2);
    Ok(())
}

#[test]
fn other_values_than_numbers_keep_their_direction() -> Outcome {
    agrees!(Keys::Down, [i64::MIN, -256, -1, 0, 1, 255, i64::MAX]; plain::SIGNED1);
    compare!(
        plain::BYTES1,
        [[0; 4], [0, 0, 1, 0], [1, 0, 0, 0], [255; 4]],
        Keys::Down,
        bytes_view,
        (bytes_view, bytes_back),
        prefix_all()
    );
    let down = |a, b| plain::Down { a, b };
    agrees!(Keys::Down, [down(0, 0), down(0, 255), down(1, 0), down(256, 7)]; plain::DOWN);
    Ok(())
}

#[test]
fn a_digest_is_ordered_by_its_own_bytes() -> Outcome {
    compare!(
        plain::DIGEST1,
        [[0; 32], [1; 32], [255; 32]],
        Keys::Up,
        up_view,
        (up_view, up_back),
        prefix_all()
    );
    compare!(
        plain::DIGEST2,
        [[0; 8], [1; 8], [255; 8]],
        Keys::Down,
        down_view,
        (down_view, down_back),
        prefix_all()
    );
    Ok(())
}

#[test]
fn fields_before_and_after_change_nothing() -> Outcome {
    macro_rules! inside {
        ($keys:expr; $($space:path),*) => {
            $(compare!($space, NUMBERS, $keys, |v| (7, v, 9), (|v| v, |v| v), prefix_lead(7));)*
        };
    }
    inside!(Keys::Up; inner::DESC2);
    inside!(Keys::Down; inner::DESC3, inner::HEX1, inner::LEN1, inner::NIBBLES1);
    Ok(())
}
