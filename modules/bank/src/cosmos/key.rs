//! The addresses of public keys.

use crate::values::Any;
use prost::Message;
use ripemd::Ripemd160;
use sha2::{Digest, Sha256};

/// The message of every key that consists of bytes.
#[derive(Clone, PartialEq, Message)]
struct Key {
    #[prost(bytes = "vec", tag = "1")]
    key: Vec<u8>,
}

/// Returns the address of a secp256k1 or ed25519 key; `None` for other types.
pub(super) fn address_of(key: &Any) -> Option<Vec<u8>> {
    let hash = |bytes: &[u8]| Sha256::digest(bytes).to_vec();
    let bytes = Key::decode(&*key.value).ok()?.key;
    match &*key.type_url {
        "/cosmos.crypto.secp256k1.PubKey" => Some(Ripemd160::digest(hash(&bytes)).to_vec()),
        "/cosmos.crypto.ed25519.PubKey" => Some(hash(&bytes).into_iter().take(20).collect()),
        _ => None,
    }
}
