//! Kinds of damage.

use crate::files::Sound;
use fastrand::Rng;

const PAGE: usize = 4096;

/// Damages the bytes of a file.
type Damage = fn(&mut Vec<u8>, &Sound, &mut Rng);

/// Typical damage of disks and files.
pub(crate) const KINDS: &[(&str, Damage)] = &[
    ("one of the flags", |bytes, _, random| flip(bytes, 9, 10, random)),
    ("one bit of the header", |bytes, _, random| flip(bytes, 4, 320, random)),
    ("one bit of the first pages", |bytes, _, random| flip(bytes, 4, 4 * PAGE, random)),
    ("one bit", |bytes, _, random| flip(bytes, 4, usize::MAX, random)),
    ("many bits", |bytes, _, random| {
        for _ in 0..2 + random.usize(..40) {
            flip(bytes, 4, usize::MAX, random);
        }
    }),
    ("one byte", |bytes, _, random| {
        let at = 4 + random.usize(..bytes.len() - 4);
        bytes[at] = random.u8(..);
    }),
    ("cut off", |bytes, _, random| bytes.truncate(random.usize(..bytes.len()))),
    ("cut off at a page", |bytes, _, random| {
        bytes.truncate(random.usize(..bytes.len() / PAGE) * PAGE);
    }),
    ("longer", |bytes, _, random| {
        let length = bytes.len() + random.usize(..4 * PAGE);
        bytes.resize(length, random.usize(..2) as u8);
    }),
    ("a page of zeros", |bytes, _, random| {
        let page = page(bytes, random);
        bytes[page..page + PAGE].fill(0);
    }),
    ("two pages swapped", |bytes, _, random| {
        let (one, other) = (page(bytes, random), page(bytes, random));
        for at in 0..PAGE {
            bytes.swap(one + at, other + at);
        }
    }),
    ("a page written over another", |bytes, _, random| {
        let (from, to) = (page(bytes, random), page(bytes, random));
        bytes.copy_within(from..from + PAGE, to);
    }),
    ("a page that was never written", |bytes, sound, random| {
        let page = page(bytes, random);
        if let Some(older) = sound.older.get(page..page + PAGE) {
            bytes[page..page + PAGE].copy_from_slice(older);
        }
    }),
    ("an old header", |bytes, sound, _| bytes[..320].copy_from_slice(&sound.older[..320])),
    ("a page and the header", |bytes, _, random| {
        flip(bytes, 9, 10, random);
        flip(bytes, PAGE, usize::MAX, random);
    }),
];

fn flip(bytes: &mut [u8], start: usize, end: usize, random: &mut Rng) {
    let at = start + random.usize(..end.min(bytes.len()) - start);
    bytes[at] ^= 1 << random.usize(..8);
}

/// Returns the start of a page, mostly of a non-empty one.
fn page(bytes: &[u8], random: &mut Rng) -> usize {
    let mut page = 0;
    for _ in 0..8 {
        page = random.usize(..bytes.len() / PAGE) * PAGE;
        if bytes[page..page + PAGE].iter().any(|byte| *byte != 0) {
            break;
        }
    }
    page
}
