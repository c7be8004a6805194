//! The table of all codecs, used for their names and for building them.

use super::Call;
use crate::{
    BuildError, BuildReason, Codec, Kind,
    boolean::Bool,
    changed::{Change, Changed},
    checksummed::Checksummed,
    compact::Compact,
    compact_size::CompactSize,
    complement::Complemented,
    dec::Dec,
    desc::Desc,
    escape::Escape,
    escaped::{End, Escaped},
    f64_of::F64Of,
    fdb::{self, Coded, FdbInt},
    fit::Fit,
    float::Float,
    groups8::Groups8,
    hash::{Function, Hashed},
    hex::Hex,
    leb128::Leb128,
    lengths::Length,
    nibbles::ToNibbles,
    nul::Nul,
    rev::Rev,
    rfc3339::Rfc3339,
    rune::ToRunes,
    time_text::TimeText,
    uvarint_ordered::UvarintOrdered,
    varint_msb::VarintMsb,
    words::{Flavour, Words},
};
use alloc::sync::Arc;

type Built = Result<Arc<dyn Codec>, BuildError>;

/// The constructor of a codec.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) build: fn(&Call<'_>) -> Built,
    /// Whether the codec takes a length in brackets.
    pub(super) takes_length: bool,
}

const fn entry(name: &'static str, build: fn(&Call<'_>) -> Built) -> Entry {
    Entry { name, build, takes_length: false }
}

const fn fixed(name: &'static str) -> Entry {
    entry(name, |call| call.fixed())
}

const fn sized(name: &'static str, build: fn(&Call<'_>) -> Built) -> Entry {
    Entry { name, build, takes_length: true }
}

pub(super) const TABLE: &[Entry] = &[
    fixed("u8"),
    fixed("u16be"),
    fixed("u16le"),
    fixed("u32be"),
    fixed("u32le"),
    fixed("u64be"),
    fixed("u64le"),
    fixed("u128be"),
    fixed("u128le"),
    fixed("u256be"),
    fixed("u256le"),
    fixed("i8"),
    fixed("i16be"),
    fixed("i16le"),
    fixed("i32be"),
    fixed("i32le"),
    fixed("i64be"),
    fixed("i64le"),
    fixed("i128be"),
    fixed("i128le"),
    entry("bool", |call| call.alone(Bool::PLAIN)),
    entry("f64", |call| call.alone(Float)),
    // Integers.
    entry("dec", |call| Ok(Arc::new(Dec { domain: call.int_argument("dec(u64)")? }))),
    sized("dec0", |call| Ok(Arc::new(call.dec0()?))),
    entry("flip", |call| Ok(Arc::new(call.flip()?))),
    entry("sign_i64", |call| Ok(Arc::new(call.sign_i64()?))),
    entry("f64_of", |call| Ok(Arc::new(F64Of { domain: call.up_to_64("f64_of", "f64_of(u64)")? }))),
    entry("f64_sum", |call| Ok(Arc::new(call.f64_sum()?))),
    entry("leb128", |call| {
        Ok(Arc::new(Leb128 { domain: call.unsigned("leb128", "leb128(u64)", 128)? }))
    }),
    entry("varint_msb", |call| {
        Ok(Arc::new(VarintMsb { domain: call.unsigned("varint_msb", "varint_msb(u64)", 128)? }))
    }),
    entry("uvarint_ordered", |call| {
        let domain = call.unsigned("uvarint_ordered", "uvarint_ordered(u64)", 64)?;
        Ok(Arc::new(UvarintOrdered { domain }))
    }),
    entry("compact", |call| {
        Ok(Arc::new(Compact { domain: call.unsigned("compact", "compact(u128)", 128)? }))
    }),
    entry("compact_size", |call| {
        let domain = call.unsigned("compact_size", "compact_size(u64)", 64)?;
        Ok(Arc::new(CompactSize { domain }))
    }),
    entry("time_text", |call| Ok(Arc::new(TimeText { domain: call.times()? }))),
    entry("rfc3339", |call| Ok(Arc::new(Rfc3339 { domain: call.times()? }))),
    // Text and bytes.
    sized("bytes", |call| call.words(Flavour::Bytes)),
    sized("text", |call| call.words(Flavour::Text)),
    entry("bech32", |call| Ok(Arc::new(call.bech32()?))),
    entry("base58check", |call| Ok(Arc::new(call.base58check()?))),
    // Codecs around another codec.
    entry("len8", |call| call.changed("len8(bytes[1..=255])", Length::Byte)),
    entry("len16", |call| call.changed("len16(bytes[0..=4096])", Length::Be16)),
    entry("len16le", |call| call.changed("len16le(bytes[0..=4096])", Length::Le16)),
    entry("len32", |call| call.changed("len32(bytes[0..=4096])", Length::Be32)),
    entry("len32le", |call| call.changed("len32le(bytes[0..=4096])", Length::Le32)),
    entry("lenvar", |call| call.changed("lenvar(bytes[0..=4096])", Length::Var)),
    entry("hex", |call| call.wrapped("hex(bytes[32])", |inner| Ok(Hex { inner }))),
    entry("nibbles", |call| call.changed("nibbles(bytes[32])", ToNibbles)),
    entry("rune", |call| call.changed("rune(u64be)", ToRunes)),
    entry("rev", |call| call.wrapped("rev(bytes[32])", |inner| Rev::new(inner, call.budget))),
    entry("complement", |call| call.changed("complement(bytes[32])", Complemented)),
    entry("desc", |call| call.wrapped("desc(u64be)", |inner| Ok(Desc { inner }))),
    entry("nul", |call| {
        call.wrapped(r#"nul(text(r"[a-z]+"))"#, |inner| {
            Nul::new(inner, call.budget).map_err(BuildReason::OverBudget)
        })
    }),
    entry("escaped", |call| {
        let change = Escaped { name: "escaped", code: None, end: End::Zero };
        call.changed("escaped(bytes[0..=64])", change)
    }),
    entry("escaped01", |call| {
        let change = Escaped { name: "escaped01", code: None, end: End::ZeroOne };
        call.changed("escaped01(bytes[0..=64])", change)
    }),
    entry("escape", |call| call.changed("escape(bytes[0..=64])", Escape)),
    entry("groups8", |call| call.changed("groups8(bytes[0..=64])", Groups8::ALONE)),
    sized("truncate", |call| call.fit("truncate", "truncate(bytes[0..=64])[8]", false)),
    sized("pad_right", |call| call.fit("pad_right", "pad_right(dec(u64))[8]", true)),
    // Digests.
    entry("blake2_128_concat", |call| call.concat(Function::Blake2_128)),
    entry("twox_64_concat", |call| call.concat(Function::Twox64)),
    entry("blake2_128", |call| call.hashed(Function::Blake2_128)),
    entry("blake2_256", |call| call.hashed(Function::Blake2_256)),
    entry("twox_64", |call| call.hashed(Function::Twox64)),
    entry("twox_128", |call| call.hashed(Function::Twox128)),
    entry("twox_256", |call| call.hashed(Function::Twox256)),
    entry("sha256", |call| call.hashed(Function::Sha256)),
    entry("keccak256", |call| call.hashed(Function::Keccak256)),
    // Elements of FoundationDB tuples.
    entry("fdb_text", |call| {
        let code = Some((fdb::TEXT, Kind::Text));
        let change = Escaped { name: "fdb_text", code, end: End::Zero };
        call.changed("fdb_text(text[0..=64])", change)
    }),
    entry("fdb_bytes", |call| {
        let code = Some((fdb::BYTES, Kind::Bytes));
        let change = Escaped { name: "fdb_bytes", code, end: End::Zero };
        call.changed("fdb_bytes(bytes[0..=64])", change)
    }),
    entry("fdb_int", |call| {
        Ok(Arc::new(FdbInt { domain: call.up_to_64("fdb_int", "fdb_int(i64)")? }))
    }),
    entry("fdb_bool", |call| call.alone(Bool::TUPLE)),
    entry("fdb_f64", |call| {
        call.alone(Coded { name: "fdb_f64", code: fdb::F64, inner: Arc::new(Float) })
    }),
    entry("fdb_uuid", |call| {
        let inner = Arc::new(Words::of_length(16, call.budget)?);
        call.alone(Coded { name: "fdb_uuid", code: fdb::UUID, inner })
    }),
];

impl Call<'_> {
    /// Builds a codec that takes no arguments.
    fn alone(&self, codec: impl Codec + 'static) -> Built {
        if self.domain.is_some() {
            return Err(BuildReason::NoIntegers { name: self.name.into() }.into());
        }
        if !self.args.is_empty() {
            return Err(BuildReason::NoArguments { name: self.name.into() }.into());
        }
        Ok(Arc::new(codec))
    }

    fn wrapped<C: Codec + 'static>(
        &self,
        usage: &'static str,
        build: impl FnOnce(Arc<dyn Codec>) -> Result<C, BuildReason>,
    ) -> Built {
        Ok(Arc::new(self.wrap(usage, build)?))
    }

    fn changed<C: Change>(&self, usage: &'static str, change: C) -> Built {
        self.wrapped(usage, |inner| Changed::new(inner, change, self.budget))
    }

    fn hashed(&self, function: Function) -> Built {
        self.wrapped("sha256(bytes[32])", |inner| Ok(Hashed { function, inner }))
    }

    fn concat(&self, function: Function) -> Built {
        self.wrapped("blake2_128_concat(bytes[32])", |inner| {
            Checksummed::new(inner, function, self.budget)
        })
    }

    fn fit(&self, name: &'static str, usage: &'static str, padded: bool) -> Built {
        let width = self.one_length(name, usage)?;
        self.wrapped(usage, |inner| Fit::new(inner, width, padded, self.budget))
    }
}
