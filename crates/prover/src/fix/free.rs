//! Unused prefixes.

use super::view::View;
use keyscape_layout::model::{Keyspace, Namespace};

/// The highest number of free prefixes to try.
const MAX_FREE: usize = 6;

/// The possible prefixes of a keyspace, and the prefixes of others.
pub(super) struct Prefixes<'a> {
    keyspace: &'a Keyspace,
    namespace: Option<&'a Namespace>,
    /// The prefixes of others, without the prefix of the namespace.
    used: Vec<Vec<u8>>,
}

impl<'a> Prefixes<'a> {
    pub(super) fn new(view: &View<'a>) -> Self {
        let keyspace = view.keyspace();
        let namespace = namespace(view);
        let store = view.whole.store(keyspace.store);
        let inside = |prefix: &[u8]| {
            let around = namespace.map_or(&[][..], |namespace| &namespace.prefix);
            let own = prefix.strip_prefix(around).filter(|own| !own.is_empty());
            own.map(<[u8]>::to_vec)
        };
        let beside = |other: &&Keyspace| {
            other.name_span != keyspace.name_span
                && (other.store, &other.family, other.hash)
                    == (keyspace.store, &keyspace.family, keyspace.hash)
        };
        let others = view.whole.keyspaces.iter().filter(beside);
        let mut used: Vec<Vec<u8>> = others.filter_map(|o| inside(&o.literal_prefix())).collect();
        if keyspace.hash.is_none() {
            used.extend(store.namespaces.iter().filter_map(|other| inside(&other.prefix)));
        }
        let retired = namespace.into_iter().flat_map(|namespace| &namespace.retired);
        used.extend(retired.map(|retired| retired.prefix.clone()));
        Self { keyspace, namespace, used }
    }

    fn is_free(&self, prefix: &[u8]) -> bool {
        !self.used.iter().any(|used| used.starts_with(prefix) || prefix.starts_with(used))
    }

    /// Returns free prefixes of the keyspace's range, or free single bytes. Prefixes above `own`
    /// come first.
    pub(super) fn bytes(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let ranges = self.namespace.map_or(&[][..], |namespace| &namespace.ranges);
        let (low, high) = match ranges.get(self.keyspace.allocated.unwrap_or(0)) {
            Some(range) => (range.low.clone(), range.high.clone()),
            None => (vec![0x00], vec![0xff]),
        };
        let (Some(first), Some(last)) = (number(&low), number(&high)) else { return Vec::new() };
        let width = low.len();
        let own = own.get(..width).and_then(number).filter(|own| (first..=last).contains(own));
        let (above, below) = match own {
            Some(own) => (own + 1..=last, first..own),
            None => (first..=last, first..first),
        };
        let of = |number: u32| number.to_be_bytes()[4 - width..].to_vec();
        above.chain(below).map(of).filter(|prefix| self.is_free(prefix)).take(MAX_FREE).collect()
    }

    /// Returns free replacements of a text: the first word replaced by the name of the keyspace, or
    /// the first letter by another letter.
    pub(super) fn texts(&self, own: &str) -> Vec<String> {
        let name = self.keyspace.name.rsplit('.').next().unwrap_or_default();
        let word = own.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(own.len());
        let mut found = vec![format!("{name}{}", &own[word..])];
        let rest = own.get(1..).unwrap_or_default();
        let letters = name.chars().filter(char::is_ascii_lowercase);
        for letter in letters.chain('a'..='z').chain('A'..='Z') {
            let text = format!("{letter}{rest}");
            let first = letter as u8;
            // Only texts with an unused first byte.
            if !found.contains(&text) && self.is_free(&[first]) {
                found.push(text);
            }
        }
        found.retain(|text| self.is_free(text.as_bytes()));
        found.truncate(MAX_FREE);
        found
    }
}

pub(super) fn namespace<'a>(view: &View<'a>) -> Option<&'a Namespace> {
    let keyspace = view.keyspace();
    // The fields of a hash have their own space.
    let index = keyspace.namespace.filter(|_| keyspace.hash.is_none())?;
    view.layout.store(keyspace.store).namespaces.get(index)
}

/// Converts up to four bytes to a number.
fn number(bytes: &[u8]) -> Option<u32> {
    let fits = (1..=4).contains(&bytes.len());
    fits.then(|| bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}
