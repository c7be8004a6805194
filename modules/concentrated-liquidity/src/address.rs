//! Addresses as text, and the accounts of pools.

use bech32::{Bech32, Hrp, primitives::decode::CheckedHrpstring};
use sha2::{Digest, Sha256};

/// The prefix of addresses.
const PREFIX: &str = "osmo";

/// Returns an address as text, or an empty text if the address is too long.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text = Hrp::parse(PREFIX).ok().map(|prefix| bech32::encode::<Bech32>(prefix, bytes));
    text.and_then(Result::ok).unwrap_or_default()
}

/// Reads an address.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let checked = CheckedHrpstring::new::<Bech32>(text).ok()?;
    (checked.hrp().as_str() == PREFIX && text.starts_with(PREFIX))
        .then(|| checked.byte_iter().collect())
}

/// Returns the address that a module derives from a key: the hash of the hashed type and the key.
pub(crate) fn derived(module: &str, key: &[u8]) -> [u8; 32] {
    let kind = Sha256::digest(b"module");
    let key = [module.as_bytes(), &[0], key].concat();
    Sha256::new().chain_update(kind).chain_update(key).finalize().into()
}
