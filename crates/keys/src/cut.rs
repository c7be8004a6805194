//! Splits the bytes of a key into parts.
//!
//! Every function takes the remaining bytes, removes some from the left or the right, and leaves
//! the rest.

use keyscape_codec::Malformed;

const SHORT: Malformed = Malformed { reason: "the key is too short" };
const LONG: Malformed = Malformed { reason: "bytes follow the end of the key" };
const LITERAL: Malformed = Malformed { reason: "a literal of the key is missing" };
/// The error if no split gives valid parts.
const NO_CUT: Malformed = Malformed { reason: "the key has no reading" };

/// Removes a literal from the left.
///
/// # Errors
/// [`Malformed`] if the bytes do not begin with it.
#[inline]
pub fn literal(rest: &mut &[u8], literal: &[u8]) -> Result<(), Malformed> {
    *rest = rest.strip_prefix(literal).ok_or(LITERAL)?;
    Ok(())
}

/// Removes a literal from the right.
///
/// # Errors
/// [`Malformed`] if the bytes do not end with it.
#[inline]
pub fn literal_end(rest: &mut &[u8], literal: &[u8]) -> Result<(), Malformed> {
    *rest = rest.strip_suffix(literal).ok_or(LITERAL)?;
    Ok(())
}

/// Removes `count` bytes from the left.
///
/// # Errors
/// [`Malformed`] if there are fewer.
#[inline]
pub fn take<'k>(rest: &mut &'k [u8], count: usize) -> Result<&'k [u8], Malformed> {
    let (head, tail) = rest.split_at_checked(count).ok_or(SHORT)?;
    *rest = tail;
    Ok(head)
}

/// Removes `count` bytes from the right.
///
/// # Errors
/// [`Malformed`] if there are fewer.
#[inline]
pub fn take_end<'k>(rest: &mut &'k [u8], count: usize) -> Result<&'k [u8], Malformed> {
    let at = rest.len().checked_sub(count).ok_or(SHORT)?;
    let (head, tail) = rest.split_at_checked(at).ok_or(SHORT)?;
    *rest = head;
    Ok(tail)
}

/// Removes everything before the first `stop` from the left, or all bytes if `stop` is missing.
#[inline]
pub fn until<'k>(rest: &mut &'k [u8], stop: u8) -> &'k [u8] {
    run(rest, |byte| byte != stop)
}

/// Removes everything after the last `stop` from the right, or all bytes if `stop` is missing.
#[inline]
pub fn until_end<'k>(rest: &mut &'k [u8], stop: u8) -> &'k [u8] {
    run_end(rest, |byte| byte != stop)
}

/// Removes the longest run of bytes that belong to a part from the left.
#[inline]
pub fn run<'k>(rest: &mut &'k [u8], belongs: impl Fn(u8) -> bool) -> &'k [u8] {
    let end = rest.iter().position(|&byte| !belongs(byte)).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    *rest = tail;
    head
}

/// Removes the longest run of bytes that belong to a part from the right.
#[inline]
pub fn run_end<'k>(rest: &mut &'k [u8], belongs: impl Fn(u8) -> bool) -> &'k [u8] {
    let start = rest.iter().rposition(|&byte| !belongs(byte)).map_or(0, |at| at + 1);
    let (head, tail) = rest.split_at(start);
    *rest = head;
    tail
}

/// Checks that no bytes are left.
///
/// # Errors
/// [`Malformed`] if bytes are left.
#[inline]
pub const fn end(rest: &[u8]) -> Result<(), Malformed> {
    if rest.is_empty() { Ok(()) } else { Err(LONG) }
}

/// Checks that an optional part is present exactly if its guard holds.
///
/// # Errors
/// [`Malformed`] if not.
#[inline]
pub const fn guarded(present: bool, expected: bool) -> Result<(), Malformed> {
    if present == expected {
        Ok(())
    } else {
        Err(Malformed { reason: "an optional part of the key contradicts its guard" })
    }
}

/// A predicate that decides whether bytes can be a part.
pub type Accepts<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Splits bytes whose parts can be distinguished only by looking at all of them. Tries the splits
/// into accepted parts until `build` accepts one. A proved layout has at most one such split.
///
/// # Errors
/// [`Malformed`] if no split is accepted.
pub fn splits<'k, T, const N: usize>(
    bytes: &'k [u8],
    accepts: [Accepts<'_>; N],
    build: impl Fn([&'k [u8]; N]) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let dead = vec![[false; N]; bytes.len() + 1];
    let mut search = Search { bytes, accepts, dead };
    let mut built = Err(NO_CUT);
    search.go(0, 0, &mut [&[]; N], &mut |pieces| {
        built = build(pieces);
        built.is_ok()
    });
    built
}

struct Search<'a, 'k, const N: usize> {
    bytes: &'k [u8],
    accepts: [Accepts<'a>; N],
    /// The offsets at which the parts from each part on cannot be split.
    dead: Vec<[bool; N]>,
}

/// The result of trying the splits of the remaining bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitSearch {
    /// No split exists.
    Nothing,
    /// `build` rejected every split.
    Refused,
    /// `build` accepted a split.
    Taken,
}

impl<'k, const N: usize> Search<'_, 'k, N> {
    fn go(
        &mut self,
        part: usize,
        start: usize,
        pieces: &mut [&'k [u8]; N],
        visit: &mut dyn FnMut([&'k [u8]; N]) -> bool,
    ) -> SplitSearch {
        let Some(accepts) = self.accepts.get(part).copied() else {
            let whole = start == self.bytes.len();
            return match whole {
                true if visit(*pieces) => SplitSearch::Taken,
                true => SplitSearch::Refused,
                false => SplitSearch::Nothing,
            };
        };
        if self.dead[start][part] {
            return SplitSearch::Nothing;
        }
        let mut outcome = SplitSearch::Nothing;
        for end in start..=self.bytes.len() {
            let piece = &self.bytes[start..end];
            if !accepts(piece) {
                continue;
            }
            pieces[part] = piece;
            match self.go(part + 1, end, pieces, visit) {
                SplitSearch::Nothing => {}
                SplitSearch::Refused => outcome = SplitSearch::Refused,
                SplitSearch::Taken => return SplitSearch::Taken,
            }
        }
        self.dead[start][part] = outcome == SplitSearch::Nothing;
        outcome
    }
}

/// Parses consecutive elements of one length.
///
/// # Errors
/// [`Malformed`] if there are too few or too many, or if one is invalid.
pub fn chunks<'k, T>(
    bytes: &'k [u8],
    length: usize,
    (min, max): (usize, usize),
    parse: impl Fn(&'k [u8]) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let chunks = bytes.chunks_exact(length.max(1));
    if !chunks.remainder().is_empty() || !(min..=max).contains(&chunks.len()) {
        return Err(COUNT);
    }
    chunks.map(parse).collect()
}

/// Parses consecutive elements of unknown lengths. Tries the splits until all elements are valid. A
/// proved layout has at most one such split.
///
/// # Errors
/// [`Malformed`] if no split is valid.
pub fn elements<'k, T>(
    bytes: &'k [u8],
    (min, max): (usize, usize),
    parse: impl Fn(&'k [u8]) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    // `ends[n]` are the offsets where n elements can end, each with the start of the last element.
    let mut ends: Vec<Vec<(usize, usize)>> = vec![vec![(0, 0)]];
    for count in 0..=max {
        let here = ends.get(count).map(Vec::as_slice).unwrap_or_default();
        if count >= min && here.iter().any(|(end, _)| *end == bytes.len()) {
            return collect(bytes, &ends[..=count], parse);
        }
        let mut next: Vec<(usize, usize)> = Vec::new();
        for &(start, _) in here {
            for end in start + 1..=bytes.len() {
                if next.iter().all(|(known, _)| *known != end) && parse(&bytes[start..end]).is_ok()
                {
                    next.push((end, start));
                }
            }
        }
        ends.push(next);
    }
    Err(COUNT)
}

const COUNT: Malformed = Malformed { reason: "a list has too few or too many elements" };

fn collect<'k, T>(
    bytes: &'k [u8],
    ends: &[Vec<(usize, usize)>],
    parse: impl Fn(&'k [u8]) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let mut end = bytes.len();
    let mut elements = Vec::with_capacity(ends.len());
    for known in ends.iter().skip(1).rev() {
        let start = known.iter().find(|(at, _)| *at == end).map(|(_, start)| *start);
        let start = start.ok_or(COUNT)?;
        elements.push(parse(&bytes[start..end])?);
        end = start;
    }
    elements.reverse();
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_that_only_the_end_decides_is_found() {
        let digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
        let dash = |bytes: &[u8]| bytes == b"-";
        let word = |bytes: &[u8]| bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        let read = |bytes: &'static [u8]| splits(bytes, [&word, &dash, &digits], Ok);
        assert_eq!(read(b"1-2-34"), Ok([&b"1-2"[..], b"-", b"34"]));
        assert_eq!(read(b"-5"), Ok([&b""[..], b"-", b"5"]));
        assert!(read(b"12").is_err());
        let refuse = |_: [&[u8]; 1]| Err::<(), _>(LITERAL);
        assert_eq!(splits(b"1", [&digits], refuse), Err(LITERAL));
    }

    #[test]
    fn elements_are_split_so_that_all_are_valid() {
        let parse = |bytes: &'static [u8]| match bytes {
            b"a" | b"ab" | b"ba" => Ok(bytes),
            _ => Err(LITERAL),
        };
        assert_eq!(elements(b"abba", (0, 3), parse), Ok(vec![&b"ab"[..], b"ba"]));
        assert_eq!(elements(b"", (0, 3), parse), Ok(vec![]));
        assert!(elements(b"", (1, 3), parse).is_err());
        assert!(elements(b"aaaa", (0, 3), parse).is_err());
        assert_eq!(chunks(b"abba", 2, (0, 3), parse), Ok(vec![&b"ab"[..], b"ba"]));
        assert!(chunks(b"aba", 2, (0, 3), parse).is_err());
    }

    #[test]
    fn parts_are_taken_from_both_ends() {
        let mut rest = &b"k:12-34/x"[..];
        literal(&mut rest, b"k:").unwrap_or_default();
        assert_eq!(until(&mut rest, b'-'), b"12");
        assert_eq!(until_end(&mut rest, b'/'), b"x");
        assert_eq!(literal_end(&mut rest, b"/"), Ok(()));
        assert_eq!(take_end(&mut rest, 2), Ok(&b"34"[..]));
        assert_eq!(take(&mut rest, 2), Err(SHORT));
        assert_eq!(rest, b"-");
    }
}
