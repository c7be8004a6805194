//! Resolves the codecs of types, with their arguments, lengths and languages.

use super::Resolver;
use crate::{
    Diagnostic, Span,
    model::{Type, fields},
    syntax::ast,
};
use keyscape_codec::{
    Arg, BuildError, BuildReason, Call, Codec, IntBounds, Language, LengthRange, Number,
};
use std::sync::Arc;

impl Resolver<'_> {
    /// Resolves the codec of an expression.
    pub(super) fn codec(&mut self, expr: &ast::TypeExpr) -> Option<Arc<dyn Codec>> {
        let args = expr.args.iter().map(|arg| self.codec_arg(&expr.name.text, arg));
        let args: Vec<Arg> = args.collect::<Option<_>>()?;
        let length = match &expr.length {
            Some(range) => Some(self.length(range)?),
            None => None,
        };
        let domain = expr.domain.as_ref().map(int_bounds);
        let name = expr.name.text.as_str();
        let call = Call { name, args, length, domain, budget: self.account.budget };
        let built = self.built.codec(call, &mut self.account);
        built.map_err(|error| self.build_error(expr, &error)).ok()
    }

    /// Resolves an argument of the codec `around`.
    fn codec_arg(&mut self, around: &str, arg: &ast::TypeArg) -> Option<Arg> {
        Some(match arg {
            ast::TypeArg::Type(expr) => {
                let plain = expr.args.is_empty() && expr.length.is_none();
                match (keyscape_codec::int_type(&expr.name.text), &expr.domain) {
                    (Some(int), None) if plain => Arg::Int(int),
                    (Some(int), Some(range)) if plain => Arg::IntIn(int, int_bounds(range)),
                    _ => {
                        let ty = self.type_expr(expr)?;
                        let Type::Leaf(leaf) = &*ty else {
                            let message = format!(
                                "`{}` is not a single value, so no codec can hold it",
                                expr.name.text
                            );
                            let mut error = Diagnostic::error(expr.span, message);
                            error.help = digest_help(around, &ty, expr);
                            return self.reject(error);
                        };
                        Arg::Codec(leaf.codec.clone())
                    }
                }
            }
            ast::TypeArg::Regex { pattern, bytes, negated, .. } => {
                Arg::Regex { pattern: pattern.clone(), bytes: *bytes, negated: *negated }
            }
            ast::TypeArg::NotLit(lit) => Arg::NotLiteral(lit.bytes.clone()),
            ast::TypeArg::Named { name, value } => {
                Arg::Named(name.text.clone(), value.bytes.clone())
            }
            ast::TypeArg::Lit(lit) => Arg::Literal(lit.bytes.clone()),
            ast::TypeArg::Int(int) => Arg::Number(int.magnitude),
        })
    }

    fn build_error(&mut self, expr: &ast::TypeExpr, error: &BuildError) {
        let arg = error.arg.and_then(|index| expr.args.get(index));
        let mut span = arg.map_or(expr.span, ast::TypeArg::span);
        if let (Some(inside), Some(ast::TypeArg::Regex { pattern, bytes, .. })) =
            (error.pattern_span(), arg)
        {
            // Before the pattern are `r`, hashes and a quote; after it, a quote and the hashes.
            let letter = u32::from(*bytes);
            let around = (span.end - span.start).saturating_sub(pattern.len() as u32 + letter);
            let first = span.start + letter + around.div_ceil(2);
            let start = first + inside.start as u32;
            let end = (first + inside.end as u32).max(start + 1).min(span.end);
            span = Span { start, end, ..span };
        }
        match error.reason {
            BuildReason::OverBudget(over) => self.too_large(span, error.to_string(), over),
            _ => self.error(span, error.to_string()),
        }
    }

    pub(super) fn language(&mut self, codec: &Arc<dyn Codec>, span: Span) -> Option<Language> {
        let built = self.built.language(&**codec, &mut self.account);
        let report = |over| {
            let message = format!("`{}` is too large to be decided: {over}", codec.text());
            self.too_large(span, message, over);
        };
        built.map_err(report).ok()
    }

    /// Resolves a range of lengths.
    pub(super) fn length(&mut self, range: &ast::Range) -> Option<LengthRange> {
        let bound = |int: &ast::Int| {
            (!int.negative).then_some(int.magnitude).and_then(|n| u32::try_from(n).ok())
        };
        if beyond_u32(range) {
            return self.fail(range.span, format!("a length is at most {}", u32::MAX));
        }
        let min = match &range.low {
            Some(low) => bound(low),
            None => Some(0),
        };
        let max = match &range.high {
            Some(high) if range.inclusive => bound(high).map(Some),
            Some(high) => bound(high).and_then(|n| n.checked_sub(1)).map(Some),
            None => Some(None),
        };
        match (min, max) {
            (Some(min), Some(max)) if max.is_none_or(|max| min <= max) => {
                Some(LengthRange { min, max })
            }
            _ => self.fail(range.span, "this range contains no length"),
        }
    }
}

/// Whether an end of the range is too large for a length.
pub(super) fn beyond_u32(range: &ast::Range) -> bool {
    let mut ends = [&range.low, &range.high].into_iter().flatten();
    ends.any(|end| !end.negative && u32::try_from(end.magnitude).is_err())
}

/// Returns the declared bounds. `..` excludes its end.
#[must_use]
pub fn int_bounds(range: &ast::Range) -> IntBounds {
    let bound = |int: &ast::Int| Number::new(int.negative, int.magnitude);
    let high = range.high.as_ref().map(bound);
    let high = if range.inclusive { high } else { high.map(Number::previous) };
    IntBounds { low: range.low.as_ref().map(bound), high }
}

/// Explains how to declare a digest of several values.
fn digest_help(around: &str, ty: &Type, expr: &ast::TypeExpr) -> Option<String> {
    let (name, in_front) = match around.strip_suffix("_concat") {
        Some(name) => (name, true),
        None => (around, false),
    };
    let function = name.replacen("twox_", "twox", 1);
    keyscape_codec::hashed_literal(&function, b"")?;
    if !in_front {
        return Some(format!("write `{around}(bytes[0..])`: the values of a digest are digests"));
    }
    let Type::Composite(segments) = ty else { return None };
    let names: Vec<&str> = fields(segments).iter().map(|f| f.name.as_str()).collect();
    let fields: Vec<String> = names.iter().map(|name| format!("{{{name}: …}}")).collect();
    let (of, fields) = (names.join(", "), fields.join(" "));
    Some(format!(
        "derive the digest from the fields: `type {} = {{= {function}({of})}} {fields}`",
        expr.name.text
    ))
}
