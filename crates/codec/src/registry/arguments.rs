//! Parses the arguments of each codec.

use super::{Arg, Call, IntBounds, LengthRange, fixed_type};
use crate::{
    BuildError, BuildReason, Codec, IntRange, IntType, Uint,
    base58check::Version,
    bech32::Prefix,
    checksummed::Checksummed,
    dec0::Dec0,
    f64_sum::F64Sum,
    fixed::{Endian, FixedInt},
    flip::Flip,
    integers::{IntDomain, Number},
    sign_i64::{self, SignI64, Signs},
    time_text,
    words::{Flavour, Words},
};
use alloc::{string::ToString, sync::Arc, vec::Vec};

const SIGN_I64: &str = "sign_i64(neg = 0x05, pos = 0x06)";

impl Call<'_> {
    pub(super) fn misused(&self, usage: &'static str) -> BuildReason {
        BuildReason::Arguments { name: self.name.into(), usage }
    }

    /// Returns the integers of `of` that `in` allows.
    pub(super) fn int_domain(&self, of: IntType) -> Result<IntDomain, BuildReason> {
        self.int_domain_in(of, self.domain)
    }

    /// Returns the integers of `of` that `bounds` allow.
    fn int_domain_in(
        &self,
        of: IntType,
        bounds: Option<IntBounds>,
    ) -> Result<IntDomain, BuildReason> {
        let full = IntDomain::full(of);
        let ends = self.narrowed_to(bounds, (full.low, full.high), &full.allowed())?;
        Ok(ends.and_then(|(low, high)| full.narrowed(low, high)).unwrap_or(full))
    }

    /// Returns the ends that `in` names, if they are between `low` and `high`.
    pub(super) fn narrowed(
        &self,
        low: Number,
        high: Number,
        allowed: &str,
    ) -> Result<Option<(Number, Number)>, BuildReason> {
        self.narrowed_to(self.domain, (low, high), allowed)
    }

    fn narrowed_to(
        &self,
        bounds: Option<IntBounds>,
        (low, high): (Number, Number),
        allowed: &str,
    ) -> Result<Option<(Number, Number)>, BuildReason> {
        let Some(bounds) = bounds else { return Ok(None) };
        let end = |bound: Option<(bool, Uint)>, otherwise| match bound {
            Some((true, magnitude)) => Number::negative(magnitude),
            Some((false, magnitude)) => Number::positive(magnitude),
            None => otherwise,
        };
        let (first, last) = (end(bounds.low, low), end(bounds.high, high));
        for number in [first, last] {
            if number < low || number > high {
                return Err(BuildReason::OutsideType {
                    end: number.to_string(),
                    name: self.name.into(),
                    allowed: allowed.into(),
                });
            }
        }
        if first > last {
            let (low, high) = (first.to_string(), last.to_string());
            return Err(BuildReason::Reversed { low, high });
        }
        Ok(Some((first, last)))
    }

    /// Builds `u8`, `u64be`, `i32le` and so on.
    pub(super) fn fixed(&self) -> Result<Arc<dyn Codec>, BuildError> {
        let unknown = || BuildReason::UnknownCodec { name: self.name.into() };
        let (of, endian) = fixed_type(self.name).ok_or_else(unknown)?;
        if !self.args.is_empty() {
            return Err(self.misused("u64be in 0..=5").into());
        }
        Ok(Arc::new(FixedInt { domain: self.int_domain(of)?, endian }))
    }

    /// Returns the domain of a codec whose only argument is an unsigned integer type of at most the
    /// given number of bits.
    pub(super) fn unsigned(
        &self,
        name: &'static str,
        usage: &'static str,
        bits: u32,
    ) -> Result<IntDomain, BuildError> {
        let domain = self.int_argument(usage)?;
        if !domain.of.signed && domain.of.bits <= bits {
            return Ok(domain);
        }
        let expected = match bits {
            64 => "an unsigned type of at most 64 bits, such as `u64`",
            128 => "an unsigned type of at most 128 bits, such as `u64`",
            _ => "an unsigned type, such as `u64`",
        };
        Err(BuildError::at(0, BuildReason::IntType { name, expected }))
    }

    /// Returns the domain of a codec whose only argument is an integer type of at most 64 bits.
    pub(super) fn up_to_64(
        &self,
        name: &'static str,
        usage: &'static str,
    ) -> Result<IntDomain, BuildError> {
        let domain = self.int_argument(usage)?;
        if domain.of.bits <= 64 {
            return Ok(domain);
        }
        let expected = "a type of at most 64 bits, such as `i64`";
        Err(BuildError::at(0, BuildReason::IntType { name, expected }))
    }

    /// Returns the single length in brackets.
    pub(super) fn one_length(
        &self,
        name: &'static str,
        usage: &'static str,
    ) -> Result<u32, BuildReason> {
        match self.length {
            Some(LengthRange { min, max: Some(max) }) if min == max && min > 0 => Ok(min),
            _ => Err(BuildReason::OneLength { name, usage }),
        }
    }

    pub(super) fn dec0(&self) -> Result<Dec0, BuildError> {
        const USAGE: &str = "dec0(u64)[20]";
        let domain = self.unsigned("dec0", USAGE, u32::MAX)?;
        Ok(Dec0::new(domain, self.one_length("dec0", USAGE)? as usize)?)
    }

    /// Returns the times that `in` allows.
    pub(super) fn times(&self) -> Result<IntDomain, BuildError> {
        if !self.args.is_empty() {
            return Err(BuildReason::NoArguments { name: self.name.into() }.into());
        }
        let all = time_text::calendar();
        let ends = self.narrowed(all.low, all.high, &all.allowed())?;
        Ok(ends.and_then(|(low, high)| all.narrowed(low, high)).unwrap_or(all))
    }

    /// Returns the domain of a codec whose only argument is an integer type.
    pub(super) fn int_argument(&self, usage: &'static str) -> Result<IntDomain, BuildError> {
        match self.args.as_slice() {
            [Arg::Int(of)] => Ok(self.int_domain(*of)?),
            _ => Err(self.misused(usage).into()),
        }
    }

    pub(super) fn f64_sum(&self) -> Result<F64Sum, BuildError> {
        if self.domain.is_some() {
            return Err(BuildReason::NoIntegers { name: self.name.into() }.into());
        }
        let [whole, part, Arg::Number(scale)] = self.args.as_slice() else {
            return Err(self.misused(F64Sum::USAGE).into());
        };
        let domain = |index, arg: &Arg| match arg {
            Arg::Int(of) => Ok(IntDomain::full(*of)),
            Arg::IntIn(of, bounds) => self
                .int_domain_in(*of, Some(*bounds))
                .map_err(|reason| BuildError::at(index, reason)),
            _ => Err(BuildError::at(index, self.misused(F64Sum::USAGE))),
        };
        let (whole, part) = (domain(0, whole)?, domain(1, part)?);
        let exponent = (0..=9).find(|&exponent| Uint::from(10_u8).pow(exponent) == *scale);
        F64Sum::new(whole, part, exponent.unwrap_or(0))
            .map_err(|arg| BuildError::at(arg, F64Sum::wrong_argument(arg)))
    }

    pub(super) fn flip(&self) -> Result<Flip, BuildError> {
        let domain = self.int_argument("flip(i64)")?;
        if !domain.of.signed {
            return Err(BuildError::at(0, BuildReason::Unsigned { name: "flip" }));
        }
        Ok(Flip { domain })
    }

    pub(super) fn sign_i64(&self) -> Result<SignI64, BuildError> {
        let mut signs = [None; 2];
        for (index, arg) in self.args.iter().enumerate() {
            let place = match arg {
                Arg::Named(name, _) if name == "neg" => 0,
                Arg::Named(name, _) if name == "pos" => 1,
                _ => return Err(BuildError::at(index, self.misused(SIGN_I64))),
            };
            let byte = match arg {
                Arg::Named(_, bytes) if bytes.len() == 1 => bytes.first().copied(),
                _ => None,
            };
            let Some(sign) = signs.get_mut(place).filter(|sign| sign.is_none()) else {
                return Err(BuildError::at(index, self.misused(SIGN_I64)));
            };
            let Some(byte) = byte else {
                let (argument, example) =
                    if place == 0 { ("neg", "0x05") } else { ("pos", "0x06") };
                let reason = BuildReason::OneByte { name: "sign_i64", argument, example };
                return Err(BuildError::at(index, reason));
            };
            *sign = Some(byte);
        }
        let [Some(neg), Some(pos)] = signs else { return Err(self.misused(SIGN_I64).into()) };
        if neg == pos {
            return Err(BuildReason::SameByte { name: "sign_i64", a: "neg", b: "pos" }.into());
        }
        let domain = self.int_domain(sign_i64::TYPE)?;
        Ok(SignI64 { domain, signs: Signs { neg, pos } })
    }

    pub(super) fn bech32(&self) -> Result<Checksummed<Prefix>, BuildError> {
        const USAGE: &str = r#"bech32("cosmos", bytes[20])"#;
        let [Arg::Literal(prefix), arg] = self.args.as_slice() else {
            return Err(self.misused(USAGE).into());
        };
        let prefix = core::str::from_utf8(prefix).ok().and_then(Prefix::new);
        let prefix = prefix.ok_or_else(|| BuildError::at(0, BuildReason::Prefix))?;
        let inner = self.inner(1, arg, USAGE)?;
        Checksummed::new(inner, prefix, self.budget).map_err(|reason| BuildError::at(1, reason))
    }

    pub(super) fn base58check(&self) -> Result<Checksummed<Version>, BuildError> {
        const USAGE: &str = "base58check(version = 0x00, bytes[20])";
        let (version, index, arg) = match self.args.as_slice() {
            [arg] => (Vec::new(), 0, arg),
            [Arg::Named(name, version), arg] if name == "version" => (version.clone(), 1, arg),
            _ => return Err(self.misused(USAGE).into()),
        };
        let inner = self.inner(index, arg, USAGE)?;
        Checksummed::new(inner, Version(version), self.budget)
            .map_err(|reason| BuildError::at(index, reason))
    }

    pub(super) fn words(&self, flavour: Flavour) -> Result<Arc<dyn Codec>, BuildError> {
        if self.domain.is_some() {
            return Err(BuildReason::NoIntegers { name: self.name.into() }.into());
        }
        Ok(Arc::new(Words::new(flavour, &self.args, self.length, self.budget)?))
    }

    /// Builds a codec around its only argument, a codec.
    pub(super) fn wrap<C>(
        &self,
        usage: &'static str,
        build: impl FnOnce(Arc<dyn Codec>) -> Result<C, BuildReason>,
    ) -> Result<C, BuildError> {
        match self.args.as_slice() {
            [arg] => {
                let inner = self.inner(0, arg, usage)?;
                build(inner).map_err(|reason| BuildError::at(0, reason))
            }
            _ => Err(self.misused(usage).into()),
        }
    }

    /// Returns a codec argument, narrowed by `in`.
    pub(super) fn inner(
        &self,
        index: usize,
        arg: &Arg,
        usage: &'static str,
    ) -> Result<Arc<dyn Codec>, BuildError> {
        let inner: Arc<dyn Codec> = match arg {
            Arg::Codec(inner) => Arc::clone(inner),
            Arg::Int(of) if of.bits == 8 => {
                Arc::new(FixedInt { domain: IntDomain::full(*of), endian: Endian::Big })
            }
            Arg::IntIn(of, bounds) if of.bits == 8 => {
                let domain = self.int_domain_in(*of, Some(*bounds));
                let domain = domain.map_err(|reason| BuildError::at(index, reason))?;
                Arc::new(FixedInt { domain, endian: Endian::Big })
            }
            Arg::Int(of) | Arg::IntIn(of, _) => {
                let name = of.to_string();
                return Err(BuildError::at(index, BuildReason::ByteOrder { name }));
            }
            _ => return Err(BuildError::at(index, self.misused(usage))),
        };
        if self.domain.is_none() {
            return Ok(inner);
        }
        let absent = || BuildReason::NoIntegers { name: self.name.into() };
        let range = inner.integers().ok_or_else(absent)?;
        let (low, high) = range.ends();
        let (low, high) = self.narrowed(low, high, &inner.allowed())?.unwrap_or((low, high));
        let narrower = IntRange::between(range.is_signed(), low, high);
        Ok(narrower.and_then(|range| inner.restrict(&range)).ok_or_else(absent)?)
    }
}
