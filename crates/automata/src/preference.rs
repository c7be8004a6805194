//! The preferred bytes of counterexamples.

/// Returns a small rank for readable bytes: a–z, 0–9, A–Z, other printable, the rest.
#[must_use]
pub const fn rank(byte: u8) -> u8 {
    RANKS[byte as usize]
}

/// Returns all bytes, the most readable first.
#[must_use]
pub const fn preferred_bytes() -> &'static [u8; 256] {
    &PREFERRED
}

const PREFERRED: [u8; 256] = preferred();
const RANKS: [u8; 256] = ranks();

const fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b'!'..=b'~' => 3,
        b' ' => 4,
        _ => 5,
    }
}

const fn preferred() -> [u8; 256] {
    let mut order = [0; 256];
    let mut filled = 0;
    let mut rank = 0;
    while rank <= 5 {
        let mut byte = 0;
        while byte < 256 {
            if class(byte as u8) == rank {
                order[filled] = byte as u8;
                filled += 1;
            }
            byte += 1;
        }
        rank += 1;
    }
    order
}

const fn ranks() -> [u8; 256] {
    let mut ranks = [0; 256];
    let mut at = 0;
    while at < 256 {
        ranks[PREFERRED[at] as usize] = at as u8;
        at += 1;
    }
    ranks
}
