//! Parses the arguments of codecs and builds them.

use super::{Arg, Call, IntBounds, LengthRange, fixed_type, table::Entry};
use crate::{
    BuildError, BuildReason, Codec, IntRange, IntType, Uint,
    base58check::Version,
    bech32::Prefix,
    changed::{Change, Changed},
    dec0::Dec0,
    f64_sum::F64Sum,
    fdb::Coded,
    fit::Fit,
    fixed::{Endian, FixedInt},
    flip::Flip,
    hash::{Digests, Function, Input},
    integer_codec::{IntegerForm, Integers},
    integers::{IntDomain, Number},
    sign_i64::{self, Signs},
    time_text,
    words::{Flavour, Words},
};
use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use keyscape_automata::Budget;

pub(super) type Built = Result<Arc<dyn Codec>, BuildError>;

/// A call of a codec of the table.
pub(super) struct KnownCall<'a> {
    pub(super) entry: &'static Entry,
    pub(super) call: &'a Call<'a>,
}

impl<'a> KnownCall<'a> {
    pub(super) const fn budget(&self) -> Budget<'a> {
        self.call.budget
    }

    fn misused(&self) -> BuildReason {
        BuildReason::usage(self.entry.name, self.entry.usage)
    }

    /// Returns an error whose message begins with the name of the codec.
    fn wrong(&self, message: &str) -> BuildReason {
        BuildReason::Declaration(format!("`{}` {message}", self.entry.name))
    }

    fn without_integers(&self) -> BuildReason {
        self.wrong("has no integers, so `in` does not apply to it")
    }

    /// Checks that no range of integers follows.
    fn no_integers(&self) -> Result<(), BuildReason> {
        match self.call.domain {
            Some(_) => Err(self.without_integers()),
            None => Ok(()),
        }
    }

    fn no_arguments(&self) -> Result<(), BuildReason> {
        match self.call.args.as_slice() {
            [] => Ok(()),
            _ => Err(self.wrong("takes no arguments")),
        }
    }

    /// Returns the integers of `all` that `bounds` allow.
    fn narrowed(
        &self,
        all: IntDomain,
        bounds: Option<IntBounds>,
    ) -> Result<IntDomain, BuildReason> {
        let ends = self.ends(bounds, (all.low, all.high), || all.allowed())?;
        Ok(all.narrowed(ends.0, ends.1).unwrap_or(all))
    }

    /// Returns the ends that `bounds` name, which must be between `low` and `high`.
    fn ends(
        &self,
        bounds: Option<IntBounds>,
        (low, high): (Number, Number),
        allowed: impl Fn() -> String,
    ) -> Result<(Number, Number), BuildReason> {
        let bounds = bounds.unwrap_or_default();
        let (first, last) = (bounds.low.unwrap_or(low), bounds.high.unwrap_or(high));
        for number in [first, last] {
            if number < low || number > high {
                let (name, allowed) = (self.entry.name, allowed());
                return Err(BuildReason::Declaration(format!(
                    "{number} is not in the range of `{name}`, which holds {allowed}"
                )));
            }
        }
        if first > last {
            return Err(BuildReason::reversed(&first.to_string(), &last.to_string()));
        }
        Ok((first, last))
    }

    /// Returns the domain of a codec whose only argument is an integer type.
    fn domain(&self) -> Result<IntDomain, BuildError> {
        match self.call.args.as_slice() {
            [Arg::Int(of)] => Ok(self.narrowed(IntDomain::full(*of), self.call.domain)?),
            _ => Err(self.misused().into()),
        }
    }

    fn integers_of(&self, domain: IntDomain, form: impl IntegerForm) -> Arc<dyn Codec> {
        Arc::new(Integers { name: self.entry.name, domain, form })
    }

    /// Returns the error of an unsuitable integer type.
    fn unsuitable(&self, expected: &str) -> BuildError {
        BuildError::at(0, self.wrong(&format!("needs {expected}")))
    }

    /// Builds a codec whose only argument is an integer type.
    pub(super) fn integers(&self, form: impl IntegerForm) -> Built {
        Ok(self.integers_of(self.domain()?, form))
    }

    /// Builds a codec whose only argument is an integer type of at most 64 bits.
    pub(super) fn integers_up_to_64_bits(&self, form: impl IntegerForm) -> Built {
        let domain = self.domain()?;
        if domain.of.bits > 64 {
            return Err(self.unsuitable("a type of at most 64 bits, such as `i64`"));
        }
        Ok(self.integers_of(domain, form))
    }

    /// Builds a codec whose only argument is an unsigned integer type of at most 64 or 128 bits.
    pub(super) fn unsigned(&self, bits: u32, form: impl IntegerForm) -> Built {
        let domain = self.domain()?;
        if domain.of.signed || domain.of.bits > bits {
            return Err(self.unsuitable(match bits {
                64 => "an unsigned type of at most 64 bits, such as `u64`",
                _ => "an unsigned type of at most 128 bits, such as `u64`",
            }));
        }
        Ok(self.integers_of(domain, form))
    }

    /// Builds `u8`, `u64be`, `i32le` and so on.
    pub(super) fn fixed(&self) -> Built {
        let (of, endian) = fixed_type(self.entry.name).ok_or_else(|| self.misused())?;
        if !self.call.args.is_empty() {
            return Err(self.misused().into());
        }
        let domain = self.narrowed(IntDomain::full(of), self.call.domain)?;
        Ok(self.integers_of(domain, FixedInt { bits: of.bits, endian }))
    }

    pub(super) fn dec0(&self) -> Built {
        let domain = self.domain()?;
        if domain.of.signed {
            return Err(self.unsuitable("an unsigned type, such as `u64`"));
        }
        let form = Dec0::new(&domain, self.width()? as usize)?;
        Ok(self.integers_of(domain, form))
    }

    pub(super) fn flip(&self) -> Built {
        let domain = self.domain()?;
        if !domain.of.signed {
            return Err(self.unsuitable("a signed type, such as `i64`"));
        }
        Ok(self.integers_of(domain, Flip { bits: domain.of.bits }))
    }

    /// Builds a codec of times, without arguments.
    pub(super) fn times(&self, form: impl IntegerForm) -> Built {
        self.no_arguments()?;
        Ok(self.integers_of(self.narrowed(time_text::calendar(), self.call.domain)?, form))
    }

    pub(super) fn sign_i64(&self) -> Built {
        let mut signs = [None; 2];
        for (index, arg) in self.call.args.iter().enumerate() {
            let (sign, argument, example) = match (arg, &mut signs) {
                (Arg::Named(name, _), [neg @ None, _]) if name == "neg" => (neg, "neg", "0x05"),
                (Arg::Named(name, _), [_, pos @ None]) if name == "pos" => (pos, "pos", "0x06"),
                _ => return Err(BuildError::at(index, self.misused())),
            };
            let Arg::Named(_, bytes) = arg else { continue };
            let [byte] = bytes.as_slice() else {
                let message = format!(
                    "needs `{argument}` to be exactly one byte, such as `{argument} = {example}`"
                );
                return Err(BuildError::at(index, self.wrong(&message)));
            };
            *sign = Some(*byte);
        }
        let [Some(neg), Some(pos)] = signs else { return Err(self.misused().into()) };
        if neg == pos {
            return Err(self.wrong("needs two different bytes for `neg` and `pos`").into());
        }
        let domain = self.narrowed(IntDomain::full(sign_i64::TYPE), self.call.domain)?;
        Ok(self.integers_of(domain, Signs { neg, pos }))
    }

    pub(super) fn f64_sum(&self) -> Built {
        self.no_integers()?;
        let [whole, part, Arg::Number(scale)] = self.call.args.as_slice() else {
            return Err(self.misused().into());
        };
        let domain = |index, arg: &Arg| match arg {
            Arg::Int(of) => Ok(IntDomain::full(*of)),
            Arg::IntIn(of, bounds) => self.bounded(index, *of, *bounds),
            _ => Err(BuildError::at(index, self.misused())),
        };
        let (whole, part) = (domain(0, whole)?, domain(1, part)?);
        let exponent = (0..=9).find(|&exponent| Uint::from(10_u8).pow(exponent) == *scale);
        Ok(Arc::new(F64Sum::new(whole, part, exponent.unwrap_or(0))?))
    }

    /// Returns the integers of an argument such as `u32 in 0..1e9`.
    fn bounded(
        &self,
        index: usize,
        of: IntType,
        bounds: IntBounds,
    ) -> Result<IntDomain, BuildError> {
        let domain = self.narrowed(IntDomain::full(of), Some(bounds));
        domain.map_err(|reason| BuildError::at(index, reason))
    }

    /// Builds a codec that takes no arguments.
    pub(super) fn alone(&self, codec: Arc<dyn Codec>) -> Built {
        self.no_integers()?;
        self.no_arguments()?;
        Ok(codec)
    }

    /// Builds a tuple element that takes no arguments: another codec after a type code.
    pub(super) fn coded(&self, code: u8, inner: Arc<dyn Codec>) -> Built {
        let change = Coded { name: self.entry.name, code };
        self.alone(Changed::build(inner, change, self.budget())?)
    }

    pub(super) fn words(&self, flavour: Flavour) -> Built {
        self.no_integers()?;
        let Call { args, length, budget, .. } = self.call;
        Ok(Arc::new(Words::new(flavour, self.entry.usage, args, *length, *budget)?))
    }

    /// Returns the single length in brackets.
    fn width(&self) -> Result<u32, BuildReason> {
        match self.call.length {
            Some(LengthRange { min, max: Some(max) }) if min == max && min > 0 => Ok(min),
            _ => Err(self.wrong(&format!("needs its length in bytes: `{}`", self.entry.usage))),
        }
    }

    pub(super) fn fit(&self, padded: bool) -> Built {
        let (width, name) = (self.width()?, self.entry.name);
        let fit = Fit::new(self.only_inner()?, name, width, padded, self.budget());
        Ok(Arc::new(fit.map_err(|reason| BuildError::at(0, reason))?))
    }

    pub(super) fn digest(&self, function: Function) -> Built {
        let (length, input) = (function.length(), Input::Codec(self.only_inner()?));
        Ok(Arc::new(Digests { function, length, input }))
    }

    /// Builds a codec that changes the encodings of its only argument, a codec.
    pub(super) fn changed(&self, change: impl Change) -> Built {
        self.change_at(0, self.only_inner()?, change)
    }

    /// Builds a codec that changes the encodings of the argument at `index`.
    fn change_at(&self, index: usize, inner: Arc<dyn Codec>, change: impl Change) -> Built {
        Changed::build(inner, change, self.budget()).map_err(|reason| BuildError::at(index, reason))
    }

    pub(super) fn bech32(&self) -> Built {
        let [Arg::Literal(prefix), arg] = self.call.args.as_slice() else {
            return Err(self.misused().into());
        };
        let prefix = core::str::from_utf8(prefix).ok().and_then(Prefix::new);
        let prefix = prefix.ok_or_else(|| BuildError::at(0, BuildReason::bech32_prefix()))?;
        self.change_at(1, self.inner(1, arg)?, prefix)
    }

    pub(super) fn base58check(&self) -> Built {
        let (version, index, arg) = match self.call.args.as_slice() {
            [arg] => (Vec::new(), 0, arg),
            [Arg::Named(name, version), arg] if name == "version" => (version.clone(), 1, arg),
            _ => return Err(self.misused().into()),
        };
        self.change_at(index, self.inner(index, arg)?, Version(version))
    }

    /// Returns the only argument, a codec, narrowed by `in`.
    fn only_inner(&self) -> Built {
        match self.call.args.as_slice() {
            [arg] => self.inner(0, arg),
            _ => Err(self.misused().into()),
        }
    }

    /// Returns a codec argument, narrowed by `in`.
    fn inner(&self, index: usize, arg: &Arg) -> Built {
        let inner = match arg {
            Arg::Codec(inner) => Arc::clone(inner),
            Arg::Int(of) if of.bits == 8 => byte(IntDomain::full(*of)),
            Arg::IntIn(of, bounds) if of.bits == 8 => byte(self.bounded(index, *of, *bounds)?),
            Arg::Int(of) | Arg::IntIn(of, _) => {
                return Err(BuildError::at(index, BuildReason::byte_order(&of.to_string())));
            }
            _ => return Err(BuildError::at(index, self.misused())),
        };
        if self.call.domain.is_none() {
            return Ok(inner);
        }
        let absent = || self.without_integers();
        let range = inner.integers().ok_or_else(absent)?;
        let (low, high) = self.ends(self.call.domain, range.ends(), || inner.allowed())?;
        let narrower = IntRange::between(range.is_signed(), low, high);
        Ok(narrower.and_then(|range| inner.restrict(&range)).ok_or_else(absent)?)
    }
}

/// Returns the codec of integers of one byte.
fn byte(domain: IntDomain) -> Arc<dyn Codec> {
    let name = if domain.of.signed { "i8" } else { "u8" };
    Arc::new(Integers { name, domain, form: FixedInt { bits: 8, endian: Endian::Big } })
}
