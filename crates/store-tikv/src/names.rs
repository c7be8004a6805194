//! The keys of a database in the cluster.

use keyscape_store_remote::Rest;

/// The number of version keys of a space. An exclusive writer locks the same number of keys.
pub(crate) const SLOTS: u8 = 8;
/// The first byte of every value. TiKV has no empty values.
const PLAIN: u8 = 0;

const MARKER: u8 = 0;
const SPACE: u8 = 1;
const COMMIT: u8 = 2;
const GATE: u8 = 3;
const VERSION: u8 = 4;
const ROW: u8 = 5;

/// Makes the keys of one database. Names contain no NUL, so no two databases, kinds or spaces share
/// a key.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    root: Vec<u8>,
}

impl Names {
    pub(crate) fn new(database: &str) -> Names {
        Names { root: [b"keyscape\0", database.as_bytes(), b"\0"].concat() }
    }

    fn key(&self, kind: u8, parts: &[&[u8]]) -> Vec<u8> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        let mut key = Vec::with_capacity(self.root.len() + 1 + length);
        key.extend_from_slice(&self.root);
        key.push(kind);
        parts.iter().for_each(|part| key.extend_from_slice(part));
        key
    }

    /// Returns the key that exists if the database exists.
    pub(crate) fn marker(&self) -> Vec<u8> {
        self.key(MARKER, &[])
    }

    /// Returns the key that registers a space.
    pub(crate) fn space(&self, name: &str) -> Vec<u8> {
        self.key(SPACE, &[name.as_bytes()])
    }

    /// Returns the range of keys that register spaces, and the length of the part before the name.
    pub(crate) fn spaces(&self) -> ((Vec<u8>, Vec<u8>), usize) {
        let start = self.key(SPACE, &[]);
        let length = start.len();
        ((start, self.key(SPACE + 1, &[])), length)
    }

    /// Returns the key of a transaction's commit id. `start` is unique in the cluster.
    pub(crate) fn commit(&self, start: u64) -> Vec<u8> {
        self.key(COMMIT, &[&start.to_be_bytes()])
    }

    /// Returns the range of the commit ids of all transactions that started before `start`.
    pub(crate) fn commits_before(&self, start: u64) -> (Vec<u8>, Vec<u8>) {
        (self.key(COMMIT, &[]), self.commit(start))
    }

    pub(crate) fn gate(&self, slot: u8) -> Vec<u8> {
        self.key(GATE, &[&[slot]])
    }

    pub(crate) fn gates(&self) -> impl Iterator<Item = Vec<u8>> {
        (0..SLOTS).map(|slot| self.gate(slot))
    }

    pub(crate) fn version(&self, space: &str, slot: u8) -> Vec<u8> {
        self.key(VERSION, &[space.as_bytes(), &[0, slot]])
    }

    pub(crate) fn versions(&self, space: &str) -> impl Iterator<Item = Vec<u8>> {
        (0..SLOTS).map(move |slot| self.version(space, slot))
    }

    pub(crate) fn row(&self, space: &str, key: &[u8]) -> Vec<u8> {
        self.key(ROW, &[space.as_bytes(), &[0], key])
    }

    /// Returns the range of the keys of rows. The end is exclusive.
    pub(crate) fn rows(&self, space: &str, rest: &Rest) -> (Vec<u8>, Vec<u8>) {
        let end = match &rest.end {
            Some(end) => self.row(space, end),
            None => self.key(ROW, &[space.as_bytes(), &[1]]),
        };
        (self.row(space, &rest.start), end)
    }

    /// Returns the length of the part of a row's key that precedes the user's key.
    pub(crate) fn row_prefix(&self, space: &str) -> usize {
        self.root.len() + 1 + space.len() + 1
    }
}

/// Returns one of the slots. Concurrent transactions get different slots if possible.
pub(crate) fn slot_of(start: u64) -> u8 {
    // The lower 18 bits of a timestamp count within a millisecond.
    let mixed = (start ^ (start >> 18)) % u64::from(SLOTS);
    u8::try_from(mixed).unwrap_or_default()
}

/// Returns the stored form of a value.
pub(crate) fn stored(value: &[u8]) -> Vec<u8> {
    [&[PLAIN], value].concat()
}

/// Returns the value from its stored form.
pub(crate) fn plain(stored: &[u8]) -> &[u8] {
    stored.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_store::KeyRange;

    #[test]
    fn databases_kinds_and_spaces_do_not_share_keys() {
        let (one, other) = (Names::new("a"), Names::new("ab"));
        let mut keys = vec![one.marker(), other.marker()];
        for names in [&one, &other] {
            for space in ["x", "xy", "x/y"] {
                keys.extend([names.space(space), names.row(space, b""), names.row(space, b"\0")]);
                keys.extend(names.versions(space));
            }
            keys.extend(names.gates());
            keys.extend([names.commit(0), names.commit(u64::MAX)]);
        }
        let all = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn a_range_has_the_rows_of_its_space_only() {
        let names = Names::new("a");
        let (start, end) = names.rows("x", &Rest::of(&KeyRange::all()));
        let within = |key: &Vec<u8>| start <= *key && *key < end;
        assert!(within(&names.row("x", b"")) && within(&names.row("x", &[0xFF; 100])));
        assert!(!within(&names.row("xy", b"")) && !within(&names.row("w", &[0xFF; 100])));
        let (start, end) = names.rows("x", &Rest::of(&KeyRange::prefix(b"o/")));
        assert_eq!((start, end), (names.row("x", b"o/"), names.row("x", b"o0")));
        assert_eq!(names.row("x", b"key").split_off(names.row_prefix("x")), b"key");
    }

    #[test]
    fn ids_are_ordered_by_their_start() {
        let names = Names::new("a");
        let (start, end) = names.commits_before(300);
        assert!(start <= names.commit(0) && names.commit(299) < end && names.commit(300) >= end);
    }

    #[test]
    fn values_are_never_stored_empty() {
        for value in [&b""[..], b"\0", b"x"] {
            assert!(!stored(value).is_empty());
            assert_eq!(plain(&stored(value)), value);
        }
    }

    #[test]
    fn transactions_of_one_millisecond_get_different_slots() {
        let slots: std::collections::BTreeSet<u8> =
            (0..8).map(|n| slot_of((7 << 18) + n)).collect();
        assert_eq!(slots.len(), usize::from(SLOTS));
        assert!((0..1000).all(|n| slot_of(n * 7919) < SLOTS));
    }
}
