//! Hash functions: digests as values (`sha256(c)`), digests before the hashed bytes
//! (`blake2_128_concat(c)`), and digests of names (`twox128("System")`).

use crate::{
    Codec, Description, Kind, Language, Malformed, Order, Stretch, Value, ValueError, Values,
    changed::{Change, Changed, Inner},
    checksummed::{self, encodings},
    order,
    sample_words::sample_words,
};
use alloc::{borrow::Cow, collections::BTreeSet, format, string::String, sync::Arc, vec::Vec};
use blake2::{
    Blake2b,
    digest::{
        Digest as _,
        consts::{U16, U32},
    },
};
use core::cmp;
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

/// `sha256(c)` and `{= sha256(a, b)}`: values that are the first bytes of a digest.
#[derive(Clone, Debug)]
pub(crate) struct Digests {
    pub(crate) function: Function,
    pub(crate) length: usize,
    pub(crate) input: Input,
}

/// The hashed bytes.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// Encodings of a codec, which only documents them.
    Codec(Arc<dyn Codec>),
    /// Fields of the key. Only the decoder of the key, which knows the fields, can verify the
    /// digest. So the language is never exact.
    Fields(Vec<String>),
}

/// Returns the codec of the first `length` bytes of the digest of the fields `of`, at most the
/// whole digest.
#[must_use]
pub fn derived(function: Function, length: usize, of: Vec<String>) -> Arc<dyn Codec> {
    let (length, input) = (length.min(function.length()), Input::Fields(of));
    Arc::new(Digests { function, length, input })
}

fn any(count: usize) -> Lang {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Lang::bytes(ByteSet::ANY, count, Some(count))
}

impl Codec for Digests {
    fn describe(&self) -> Description {
        let name = self.function.name();
        match &self.input {
            Input::Codec(inner) => {
                Description::new(name, Values::Digests(self.function)).codec(&**inner)
            }
            Input::Fields(of) => {
                let described = Description::new(name, Values::Computed(of.clone()));
                let is_whole = self.length == self.function.length();
                if is_whole { described } else { described.width(self.length) }
            }
        }
    }

    fn kind(&self) -> Kind {
        Kind::Bytes
    }

    fn allowed(&self) -> String {
        match &self.input {
            Input::Codec(inner) => {
                format!("{} bytes, the digest of {}", self.length, inner.allowed())
            }
            Input::Fields(of) => {
                format!("{} bytes, computed from {}", self.length, of.join(", "))
            }
        }
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        match value {
            Value::Bytes(bytes) if bytes.len() == self.length => {
                out.extend_from_slice(bytes);
                Ok(())
            }
            Value::Bytes(_) => Err(ValueError::Outside { allowed: self.allowed() }),
            _ => Err(ValueError::Kind { expected: self.allowed() }),
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        if bytes.len() == self.length {
            Ok(Value::Bytes(bytes.to_vec()))
        } else {
            Err(Malformed { reason: "a digest has the wrong number of bytes" })
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let any = Arc::new(Dfa::from_lang(&any(self.length), budget)?);
        Ok(match self.input {
            Input::Codec(_) => Language::Exact(any),
            Input::Fields(_) => {
                Language::Between { over: Arc::clone(&any), under: any.into(), prefix_free: true }
            }
        })
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn compare(&self, a: &Value, b: &Value) -> cmp::Ordering {
        match (a, b) {
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            _ => cmp::Ordering::Equal,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(self.length)
    }

    /// Returns some real digests, then other words.
    fn samples(&self) -> Vec<Value> {
        let mut digests = Vec::new();
        if let Input::Codec(inner) = &self.input {
            let inputs = encodings(&**inner, REAL);
            digests.extend(inputs.iter().map(|(_, input)| self.function.digest(input)));
        }
        if let Ok(any) = Dfa::from_lang(&any(self.length), Budget::default()) {
            digests.extend(sample_words(&any));
        }
        let mut known = BTreeSet::new();
        digests.retain(|digest| known.insert(digest.clone()));
        digests.into_iter().map(Value::Bytes).collect()
    }

    fn hashes(&self) -> Option<&'static str> {
        match self.input {
            Input::Codec(_) => Some(self.function.name()),
            Input::Fields(_) => None,
        }
    }
}

/// The number of real digests among the samples.
const REAL: usize = 64;

/// `blake2_128_concat(c)` and `twox_64_concat(c)`.
impl Change for Function {
    const HAS_CHECKSUM: bool = true;
    const KEEPS_SHORTER: bool = false;

    fn describe(&self, inner: &dyn Codec) -> Description {
        let name = match self {
            Self::Blake2_128 => "blake2_128_concat",
            _ => "twox_64_concat",
        };
        Description::around(name, inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        out.extend(self.digest(encoding));
        out.extend_from_slice(encoding);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        const WRONG: Malformed =
            Malformed { reason: "the digest does not match the bytes that follow it" };
        let (digest, body) = bytes.split_at_checked(self.length()).ok_or(WRONG)?;
        if digest == self.digest(body) { Ok(body.into()) } else { Err(WRONG) }
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        checksummed::language(self, of, |bodies| {
            Lang::Join(Vec::from([any(self.length()), Lang::Built(Arc::clone(bodies))]))
        })
    }

    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(checksummed::order(changed, of, false))
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::by(self.length() as u64))
    }
}
