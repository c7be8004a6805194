//! Hash functions: digests as values (`sha256(c)`), digests before the hashed bytes
//! (`blake2_128_concat(c)`), and digests of names (`twox128("System")`).

use crate::{
    Codec, Description, Language, Malformed, Stretch, Value, Values, checksummed::Form, walk,
    wrapped::encoded,
};
use alloc::{format, string::String, sync::Arc, vec::Vec};
use blake2::{
    Blake2b,
    digest::{
        Digest,
        consts::{U16, U32},
    },
};
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};
use sha2::Sha256;
use sha3::Keccak256;
use twox_hash::XxHash64;

/// A hash function for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// BLAKE2b with 16 bytes.
    Blake2_128,
    /// BLAKE2b with 32 bytes.
    Blake2_256,
    /// XXH64 with seed 0, little-endian.
    Twox64,
    /// XXH64 with seeds 0 and 1.
    Twox128,
    /// XXH64 with seeds 0 to 3.
    Twox256,
    /// SHA-256.
    Sha256,
    /// Keccak-256, as Ethereum uses it.
    Keccak256,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 7] = [
        Self::Blake2_128,
        Self::Blake2_256,
        Self::Twox64,
        Self::Twox128,
        Self::Twox256,
        Self::Sha256,
        Self::Keccak256,
    ];

    /// Returns the name that layouts use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blake2_128 => "blake2_128",
            Self::Blake2_256 => "blake2_256",
            Self::Twox64 => "twox_64",
            Self::Twox128 => "twox_128",
            Self::Twox256 => "twox_256",
            Self::Sha256 => "sha256",
            Self::Keccak256 => "keccak256",
        }
    }

    /// Returns the function with this name. `twox128` and `twox_128` are the same name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replacen("twox_", "twox", 1);
        Self::ALL.into_iter().find(|known| plain(known.name()) == plain(name))
    }

    /// Returns the length of a digest in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            Self::Twox64 => 8,
            Self::Blake2_128 | Self::Twox128 => 16,
            Self::Blake2_256 | Self::Twox256 | Self::Sha256 | Self::Keccak256 => 32,
        }
    }

    /// Returns the digest of `bytes`.
    #[must_use]
    pub fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Blake2_128 => Blake2b::<U16>::digest(bytes).to_vec(),
            Self::Blake2_256 => Blake2b::<U32>::digest(bytes).to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Keccak256 => Keccak256::digest(bytes).to_vec(),
            Self::Twox64 | Self::Twox128 | Self::Twox256 => (0..self.length() as u64 / 8)
                .flat_map(|seed| XxHash64::oneshot(seed, bytes).to_le_bytes())
                .collect(),
        }
    }
}

/// Returns the digest of a literal, for segments such as `twox128("System")`; `None` if no function
/// has this name. `twox128` and `twox_128` are the same name.
///
/// ```
/// use keyscape_codec::hashed_literal;
///
/// let prefix = hashed_literal("twox128", b"System").unwrap_or_default();
/// assert_eq!(prefix[..4], [0x26, 0xaa, 0x39, 0x4e]);
/// assert_eq!(hashed_literal("md5", b"System"), None);
/// ```
#[must_use]
pub fn hashed_literal(function: &str, text: &[u8]) -> Option<Vec<u8>> {
    Function::find(function).map(|function| function.digest(text))
}

/// `sha256(c)` and so on. The values are digests; the inner codec only documents the hashed bytes.
#[derive(Clone, Debug)]
pub(crate) struct Hashed {
    pub(crate) function: Function,
    pub(crate) inner: Arc<dyn Codec>,
}

impl Hashed {
    const fn length(&self) -> usize {
        self.function.length()
    }

    fn any(&self, budget: Budget) -> Result<Dfa, OverBudget> {
        Dfa::from_lang(&any(self.length()), budget)
    }
}

pub(crate) fn any(count: usize) -> Lang {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Lang::bytes(ByteSet::ANY, count, Some(count))
}

/// Implements the methods of a codec whose values are all byte strings of `self.length()` bytes.
macro_rules! values_of_digests {
    () => {
        fn kind(&self) -> crate::Kind {
            crate::Kind::Bytes
        }

        fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), crate::ValueError> {
            match value {
                Value::Bytes(bytes) if bytes.len() == self.length() => {
                    out.extend_from_slice(bytes);
                    Ok(())
                }
                Value::Bytes(_) => Err(crate::ValueError::Outside { allowed: self.allowed() }),
                _ => Err(crate::ValueError::Kind { expected: self.allowed() }),
            }
        }

        fn decode(&self, bytes: &[u8]) -> Result<Value, crate::Malformed> {
            if bytes.len() == self.length() {
                Ok(Value::Bytes(bytes.to_vec()))
            } else {
                Err(crate::Malformed { reason: "a digest has the wrong number of bytes" })
            }
        }

        fn order(&self) -> crate::Order {
            crate::order::ORDERED
        }

        fn compare(&self, a: &Value, b: &Value) -> core::cmp::Ordering {
            match (a, b) {
                (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
                _ => core::cmp::Ordering::Equal,
            }
        }

        fn longest(&self) -> Option<usize> {
            Some(self.length())
        }
    };
}

pub(crate) use values_of_digests;

impl Codec for Hashed {
    values_of_digests!();

    fn describe(&self) -> Description {
        let values = Values::Digests(self.function);
        Description::new(self.function.name(), values).codec(&*self.inner)
    }

    fn allowed(&self) -> String {
        format!("{} bytes, the digest of {}", self.length(), self.inner.allowed())
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        Ok(Language::Exact(Arc::new(self.any(budget)?)))
    }

    /// Returns some real digests, then other words.
    fn samples(&self) -> Vec<Value> {
        let inputs = self.inner.samples().into_iter().take(REAL);
        let inputs = inputs.filter_map(|value| encoded(&*self.inner, &value).ok());
        let mut digests: Vec<_> = inputs.map(|input| self.function.digest(&input)).collect();
        if let Ok(any) = self.any(Budget::default()) {
            digests.extend(walk::words(&any));
        }
        let mut known = alloc::collections::BTreeSet::new();
        digests.retain(|digest| known.insert(digest.clone()));
        digests.into_iter().map(Value::Bytes).collect()
    }

    fn hashes(&self) -> Option<&'static str> {
        Some(self.function.name())
    }
}

/// The number of real digests among the samples.
const REAL: usize = 64;

const DIGEST: Malformed =
    Malformed { reason: "the digest does not match the bytes that follow it" };

/// Writes the digest of `bytes` and then `bytes`.
pub fn put_concat(function: Function, bytes: &[u8], sink: &mut impl crate::Sink) {
    sink.put(&function.digest(bytes));
    sink.put(bytes);
}

/// Returns `bytes` without the leading digest.
///
/// # Errors
/// [`Malformed`] if the leading bytes are not the digest of the rest.
pub fn parse_concat(function: Function, bytes: &[u8]) -> Result<&[u8], Malformed> {
    let (digest, body) = bytes.split_at_checked(function.length()).ok_or(DIGEST)?;
    if digest == function.digest(body) { Ok(body) } else { Err(DIGEST) }
}

/// `blake2_128_concat(c)` and `twox_64_concat(c)`.
impl Form for Function {
    fn describe(&self, inner: &dyn Codec) -> Description {
        let name = match self {
            Self::Blake2_128 => "blake2_128_concat",
            _ => "twox_64_concat",
        };
        Description::around(name, inner)
    }

    fn most(&self) -> Option<(&'static str, usize)> {
        None
    }

    fn put(&self, payload: &[u8], out: &mut Vec<u8>) {
        put_concat(*self, payload, out);
    }

    fn parse(&self, text: &[u8]) -> Result<Vec<u8>, Malformed> {
        parse_concat(*self, text).map(<[u8]>::to_vec)
    }

    fn over(&self, payloads: &Arc<Dfa>) -> Lang {
        Lang::Join(Vec::from([any(self.length()), Lang::Built(Arc::clone(payloads))]))
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::by(self.length() as u64))
    }

    fn keeps_order(&self) -> bool {
        false
    }
}
