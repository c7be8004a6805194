//! Hashed literals, wraps and derived bytes.

use super::{Resolver, budget, read_total, segments::FieldTable};
use crate::{
    Diagnostic, Span,
    built::{Account, Built, Paid},
    model::{Arm, Derived, Enum, Field, Input, Leaf, List, Literal, OptionSegment, Segment, Type},
    syntax::ast,
};
use keyscape_codec::{BuildReason, LengthRange, Wrap, WrapPart, WrapPlace, hash::Function, hex};
use std::sync::Arc;

/// A wrap and its current position, or `None` after the part that ended the wrap.
struct Wrapping {
    wrap: Wrap,
    at: Option<WrapPlace>,
    span: Span,
}

impl Wrapping {
    /// Adds this wrap to the wraps of a part that began at a position.
    fn around(&self, mut wraps: Vec<WrapPart>, at: WrapPlace) -> Vec<WrapPart> {
        wraps.push(WrapPart { wrap: self.wrap, at, ends: self.at.is_none() });
        wraps
    }
}

impl Resolver<'_> {
    /// Resolves a literal of a key or prefix, and hashes it if it names a function.
    pub(super) fn literal(&mut self, lit: &ast::Lit) -> Option<Literal> {
        let plain = Literal::new(lit.bytes.clone(), lit.is_text, lit.span);
        let Some(name) = &lit.function else {
            if plain.bytes.is_empty() {
                let error = Diagnostic::error(lit.span, "an empty literal has no effect");
                return self.reject(error.help("remove it"));
            }
            return Some(plain);
        };
        let function = self.function(name)?;
        let call = format!("{}({})", function.name(), written(&lit.bytes, lit.is_text));
        let bytes = function.digest(&lit.bytes);
        Some(Literal { bytes, is_text: false, call: Some(call), ..plain })
    }

    fn function(&mut self, name: &ast::Name) -> Option<Function> {
        let found = Function::find(&name.text);
        if found.is_none() {
            let error =
                Diagnostic::error(name.span, format!("there is no hash function `{}`", name.text));
            self.report(error.suggest_or_list(&name.text, &Function::ALL.map(Function::name)));
        }
        found
    }

    /// Resolves bytes that are computed from fields of the same list.
    pub(super) fn derived(&mut self, tree: &ast::Derived, table: &FieldTable) -> Option<Derived> {
        let function = self.function(&tree.function)?;
        let length = self.digest_length(tree, function)?;
        if tree.fields.is_empty() {
            let error = Diagnostic::error(tree.span, "these bytes are derived from no field");
            let help = format!("write a fixed digest as `{}(\"text\")`", function.name());
            return self.reject(error.help(help));
        }
        let mut inputs = Vec::new();
        for name in &tree.fields {
            let not_possible = "nothing can be derived from it";
            let ty = self.required_field(name, table, not_possible, "these bytes")?;
            inputs.push(Input { name: name.text.clone(), ty });
        }
        let names = inputs.iter().map(|input| input.name.clone()).collect();
        let codec = keyscape_codec::derived(function, length, names);
        let language = self.language(&codec, tree.span)?;
        let leaf = Leaf { codec, language, shown: None, span: tree.span };
        Some(Derived { function, length, inputs, leaf, wraps: Vec::new(), span: tree.span })
    }

    /// Returns the number of leading bytes of the digest.
    fn digest_length(&mut self, tree: &ast::Derived, function: Function) -> Option<usize> {
        let Some(range) = &tree.length else { return Some(function.length()) };
        let LengthRange { min, max } = self.length(range)?;
        let length = min as usize;
        if max != Some(min) || !(1..=function.length()).contains(&length) {
            let all = function.length();
            let message = format!("from 1 to {all} bytes of this digest can be kept");
            let error = Diagnostic::error(range.span, message);
            return self.reject(error.help("write one number: `[4]`"));
        }
        Some(length)
    }

    /// Applies a wrap to the segments inside, and appends its end.
    pub(super) fn wrap(
        &mut self,
        tree: &ast::WrapSeg,
        inside: Vec<Segment>,
    ) -> Option<Vec<Segment>> {
        let name = &tree.codec;
        let Some(wrap) = Wrap::find(&name.text) else {
            let message = format!("`{}` cannot wrap several segments", name.text);
            let error = Diagnostic::error(name.span, message);
            return self.reject(error.suggest_or_list(&name.text, &Wrap::ALL.map(Wrap::name)));
        };
        self.wrap_segments(wrap, inside, tree.span)
    }

    fn wrap_segments(
        &mut self,
        wrap: Wrap,
        inside: Vec<Segment>,
        span: Span,
    ) -> Option<Vec<Segment>> {
        let mut wrapping = Wrapping { wrap, at: Some(WrapPlace::default()), span };
        let mut segments = self.wrap_list(inside, &mut wrapping, true)?;
        let end = wrapping.at.map(|at| wrap.end(at)).unwrap_or_default();
        if !end.is_empty() {
            let end = Literal::new(end, false, span);
            segments.push(Segment::Literal(Literal { end_of: Some(wrap.name()), ..end }));
        }
        Some(segments)
    }

    /// Wraps a list of segments. `last` is true if no part follows inside the wrap.
    fn wrap_list(
        &mut self,
        segments: Vec<Segment>,
        wrapping: &mut Wrapping,
        last: bool,
    ) -> Option<Vec<Segment>> {
        let count = segments.len();
        let segments = segments.into_iter().zip(1..);
        let wrap = |(segment, n)| self.wrap_segment(segment, wrapping, last && n == count);
        segments.map(wrap).collect()
    }

    fn wrap_segment(
        &mut self,
        segment: Segment,
        wrapping: &mut Wrapping,
        last: bool,
    ) -> Option<Segment> {
        Some(match segment {
            Segment::Literal(literal) => {
                let (wrap, at) = (wrapping.wrap, wrapping.at.unwrap_or_default());
                wrapping.at = Some(at.after(literal.bytes.len()));
                let inside = literal.call.clone();
                let inside = inside.unwrap_or_else(|| written(&literal.bytes, literal.is_text));
                let bytes = wrap.bytes(&literal.bytes, at);
                let call = Some(format!("{}({inside})", wrap.name()));
                Segment::Literal(Literal { bytes, is_text: wrap == Wrap::Hex, call, ..literal })
            }
            Segment::Field(field) => {
                let at = wrapping.at.unwrap_or_default();
                let ty = self.wrap_type(&field.ty, &field.name, wrapping, last)?;
                let wraps = wrapping.around(field.wraps, at);
                Segment::Field(Field { ty, wraps, ..field })
            }
            Segment::Derived(derived) => {
                let at = wrapping.at.unwrap_or_default();
                let leaf = self.wrap_leaf(&derived.leaf, &derived.text(), wrapping, false)?;
                let wraps = wrapping.around(derived.wraps, at);
                Segment::Derived(Derived { leaf, wraps, ..derived })
            }
            Segment::Option(option) => {
                if wrapping.wrap.counts() {
                    return self.uncounted("an optional part", option.span, wrapping);
                }
                let segments = self.wrap_list(option.segments, wrapping, false)?;
                Segment::Option(OptionSegment { segments, ..option })
            }
        })
    }

    fn wrap_type(
        &mut self,
        ty: &Type,
        name: &str,
        wrapping: &mut Wrapping,
        last: bool,
    ) -> Option<Arc<Type>> {
        let at = wrapping.at.unwrap_or_default();
        Some(Arc::new(match ty {
            Type::Leaf(leaf) => Type::Leaf(self.wrap_leaf(leaf, name, wrapping, last)?),
            Type::Enum(of) => {
                let lengths: Vec<usize> = of.bytes.iter().map(Vec::len).collect();
                let first = lengths.first().copied().unwrap_or(0);
                if wrapping.wrap.counts() && lengths.iter().any(|&length| length != first) {
                    return self.uncounted(&format!("`{name}`"), wrapping.span, wrapping);
                }
                wrapping.at = Some(at.after(first));
                let bytes = of.bytes.iter().map(|text| wrapping.wrap.bytes(text, at)).collect();
                Type::Enum(Enum { texts: of.texts.clone(), bytes })
            }
            Type::Composite(segments) => {
                Type::Composite(self.wrap_list(segments.clone(), wrapping, last)?)
            }
            Type::List(_) if wrapping.wrap.counts() => {
                let message =
                    format!("`{name}` is a list, which `{}` cannot wrap", wrapping.wrap.name());
                let help = "write its elements as fields, or use `wrap escaped01(…)`";
                return self.reject(Diagnostic::error(wrapping.span, message).help(help));
            }
            Type::Variant(_) if wrapping.wrap.counts() => {
                return self.uncounted(&format!("`{name}`"), wrapping.span, wrapping);
            }
            Type::Variant(arms) => {
                let mut wrapped = Vec::with_capacity(arms.len());
                for Arm { name, segments, span } in arms {
                    let segments = self.wrap_list(segments.clone(), wrapping, false)?;
                    wrapped.push(Arm { name: name.clone(), segments, span: *span });
                }
                Type::Variant(wrapped)
            }
            Type::List(list) => {
                let element = self.wrap_type(&list.element, name, wrapping, false)?;
                Type::List(List { element, ..*list })
            }
        }))
    }

    fn wrap_leaf(
        &mut self,
        leaf: &Leaf,
        name: &str,
        wrapping: &mut Wrapping,
        last: bool,
    ) -> Option<Leaf> {
        let (wrap, at) = (wrapping.wrap, wrapping.at.unwrap_or_default());
        let length = leaf.length().fixed();
        let ends = wrap.counts() && length.is_none();
        if ends && !last {
            return self.uncounted(&format!("`{name}`"), leaf.span, wrapping);
        }
        wrapping.at = (!ends).then(|| at.after(length.unwrap_or(0)));
        let part = WrapPart { wrap, at, ends };
        let codec = match part.around(leaf.codec.clone(), self.account.budget) {
            Ok(codec) => codec,
            Err(BuildReason::OverBudget(over)) => {
                let message =
                    format!("`{name}` inside `wrap {}` is too large: {over}", wrap.name());
                self.too_large(leaf.span, message, over);
                return None;
            }
            Err(error) => return self.fail(leaf.span, error.to_string()),
        };
        let language = self.language(&codec, leaf.span)?;
        Some(Leaf { codec, language, shown: leaf.shown.clone(), span: leaf.span })
    }

    /// Reports a part of varying length in a wrap that counts bytes.
    fn uncounted<T>(&mut self, what: &str, span: Span, wrapping: &Wrapping) -> Option<T> {
        let name = wrapping.wrap.name();
        let message =
            format!("{what} has no fixed length, so `{name}` cannot count the bytes after it");
        let help = "let only a single value at the end vary, or use `wrap escaped01(…)`";
        let error = Diagnostic::error(span, message).related(wrapping.span, "in this wrap");
        self.reject(error.help(help))
    }
}

/// Applies `wrap escaped01(…)` to some segments and appends its end. Returns `None` if an automaton
/// exceeds its budget.
pub(crate) fn escaped(built: &Built, segments: Vec<Segment>, span: Span) -> Option<Vec<Segment>> {
    let total = read_total();
    let mut resolver =
        Resolver::new(&[], &[], built.clone(), Account::new(budget(&total), Paid::default()));
    resolver.wrap_segments(Wrap::Escaped01, segments, span)
}

/// Returns bytes in the notation of layouts.
pub(super) fn written(bytes: &[u8], is_text: bool) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text => format!("{text:?}"),
        _ => format!("0x{}", hex::digits(bytes).to_uppercase()),
    }
}
