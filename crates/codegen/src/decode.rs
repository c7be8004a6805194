//! Generates code that decodes segments. A plan takes parts from the left and from the right, based
//! on the automata of the parts.
//!
//! A part can be taken from the left if its length is fixed, if it is self-delimiting, or if it
//! contains no byte that the next part can begin with. It can be taken from the right if its length
//! is fixed, or if it contains no byte that the part before it can end with. One part may remain in
//! the middle. If the first bytes do not decide whether an optional part is present, both cases are
//! tried. If no plan exists, all divisions are tried. A key of a proved layout has at most one
//! reading, so the first reading found is the right one.

use crate::{
    byte_shape::{ByteShape, meets},
    encode::{derived, direct, nested},
    part_ops::Operand,
    parts::{DerivedPart, FieldPart, Parts, Seg, SegKind, shape_of},
};
use keyscape_automata::ByteSet;
use keyscape_layout::guard::Guard;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The expression that a decoder returns.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// The type of the result.
    pub(crate) ty: TokenStream,
    /// The value, from the locals of the fields.
    pub(crate) build: TokenStream,
}

impl Parts<'_> {
    /// Generates the body of a function that reads segments from all of `bytes`.
    pub(crate) fn decode(&self, segs: &[Seg], goal: &Goal) -> TokenStream {
        let guards = self.guards(segs, segs, None);
        let (digests, build) = (self.digests(segs, segs, false), &goal.build);
        self.decode_to(segs, &goal.ty, &quote!(#guards #digests Ok(#build)))
    }

    fn decode_to(&self, segs: &[Seg], ty: &TokenStream, finish: &TokenStream) -> TokenStream {
        if let Some(steps) = self.plan(segs) {
            return quote! {
                let mut rest = bytes;
                #steps
                #finish
            };
        }
        let option = segs.iter().position(|seg| matches!(seg.kind, SegKind::Option { .. }));
        match option {
            Some(at) => self.decode_cases(segs, at, ty, finish),
            None => self.decode_splits(segs, finish),
        }
    }

    /// Generates code that tries both cases of an optional part.
    fn decode_cases(
        &self,
        segs: &[Seg],
        at: usize,
        ty: &TokenStream,
        finish: &TokenStream,
    ) -> TokenStream {
        let SegKind::Option { segs: inside, .. } = &segs[at].kind else {
            return TokenStream::new();
        };
        let with: Vec<Seg> = [&segs[..at], inside, &segs[at + 1..]].concat();
        let without: Vec<Seg> = [&segs[..at], &segs[at + 1..]].concat();
        let own = locals(inside, false).into_iter();
        let some = own.map(|local| quote!(let #local = Some(#local);));
        let none = locals(inside, true).into_iter().map(|local| quote!(let #local = None;));
        let with = self.decode_to(&joined(with), ty, &quote!(#(#some)* #finish));
        let without = self.decode_to(&joined(without), ty, &quote!(#(#none)* #finish));
        quote! {
            let present = || -> Result<#ty, rt::Malformed> { #with };
            if let Ok(found) = present() {
                return Ok(found);
            }
            #without
        }
    }

    /// Generates code that tries all divisions of the bytes.
    fn decode_splits(&self, segs: &[Seg], finish: &TokenStream) -> TokenStream {
        let accepts = segs.iter().map(|seg| match &seg.kind {
            SegKind::Literal(bytes) => {
                let bytes = Literal::byte_string(bytes);
                quote!(&|piece: &[u8]| piece == #bytes)
            }
            SegKind::Field(field) => {
                let parse = self.parse(&field.part, &quote!(piece));
                quote!(&|piece: &[u8]| (|| #parse)().is_ok())
            }
            SegKind::Derived(part) => {
                let derived = derived(part);
                quote!(&|piece: &[u8]| #derived.accepts(piece))
            }
            SegKind::Option { .. } => quote!(&|_: &[u8]| false),
        });
        let reads = segs.iter().enumerate().filter_map(|(index, seg)| {
            let index = Literal::usize_unsuffixed(index);
            match &seg.kind {
                SegKind::Field(field) => {
                    let parse = self.parse(&field.part, &quote!(pieces[#index]));
                    let local = &field.local;
                    Some(quote!(let #local = #parse?;))
                }
                SegKind::Derived(DerivedPart { local, .. }) => {
                    Some(quote!(let #local = pieces[#index];))
                }
                SegKind::Literal(_) | SegKind::Option { .. } => None,
            }
        });
        quote! {
            rt::cut::splits(bytes, [#(#accepts),*], |pieces| {
                #(#reads)*
                #finish
            })
        }
    }

    /// Whether a plan reads the segments without trying several cases.
    #[cfg(test)]
    pub(crate) fn is_planned(&self, segs: &[Seg]) -> bool {
        self.plan(segs).is_some()
    }

    /// Generates code that reads all segments from all of `rest`, if there is a plan.
    fn plan(&self, segs: &[Seg]) -> Option<TokenStream> {
        let mut steps = TokenStream::new();
        let (mut low, mut high) = (0, segs.len());
        loop {
            let left = &segs[low..high];
            let step = match left {
                [] => {
                    steps.extend(quote!(rt::cut::end(rest)?;));
                    return Some(steps);
                }
                [last] => {
                    steps.extend(self.exactly(last)?);
                    return Some(steps);
                }
                [first, following @ ..] => self.off_the(End::Left, first, &shape_of(following)),
            };
            if let Some(step) = step {
                steps.extend(step);
                low += 1;
                continue;
            }
            let (last, before) = left.split_last()?;
            steps.extend(self.off_the(End::Right, last, &shape_of(before))?);
            high -= 1;
        }
    }

    /// Generates code that reads one segment from all of `rest`.
    fn exactly(&self, seg: &Seg) -> Option<TokenStream> {
        match &seg.kind {
            SegKind::Literal(bytes) => {
                let bytes = Literal::byte_string(bytes);
                Some(quote!(rt::cut::literal(&mut rest, #bytes)?; rt::cut::end(rest)?;))
            }
            SegKind::Field(field) => {
                let (local, parse) = (&field.local, self.parse(&field.part, &quote!(rest)));
                Some(quote!(let #local = #parse?;))
            }
            SegKind::Derived(DerivedPart { local, .. }) => Some(quote!(let #local = rest;)),
            SegKind::Option { segs, .. } => {
                if shape_of(segs).length.min == 0 {
                    return None;
                }
                let steps = self.plan(segs)?;
                Some(optional(segs, &quote!(!rest.is_empty()), &steps))
            }
        }
    }

    /// Generates code that takes one segment off an end of `rest`. `neighbour` is the shape of the
    /// bytes next to it.
    fn off_the(&self, end: End, seg: &Seg, neighbour: &ByteShape) -> Option<TokenStream> {
        match &seg.kind {
            SegKind::Literal(bytes) => {
                let (literal, bytes) = (end.function("literal"), Literal::byte_string(bytes));
                Some(quote!(#literal(&mut rest, #bytes)?;))
            }
            SegKind::Field(field) => {
                let local = &field.local;
                let take = if end == End::Left { self.take(&field.part) } else { None };
                let parse = match take {
                    Some(take) => take,
                    None => self.parse(&field.part, &end.bytes_of(&seg.shape, neighbour)?),
                };
                Some(quote!(let #local = #parse?;))
            }
            SegKind::Derived(DerivedPart { local, .. }) => {
                let bytes = end.bytes_of(&seg.shape, neighbour)?;
                Some(quote!(let #local = #bytes;))
            }
            SegKind::Option { segs, .. } => {
                let inside = shape_of(segs);
                if end == End::Right || !inside.differs_at_start(neighbour) {
                    return None;
                }
                let mut steps = TokenStream::new();
                for (index, seg) in segs.iter().enumerate() {
                    let after = shape_of(&segs[index + 1..]).then(neighbour);
                    steps.extend(self.off_the(end, seg, &after)?);
                }
                Some(optional(segs, &starts(&inside, &quote!(rest)), &steps))
            }
        }
    }

    /// Generates code that takes segments from the left of `rest`. Returns `None` unless all of
    /// them mark their own end.
    pub(crate) fn take_all(&self, segs: &[Seg]) -> Option<TokenStream> {
        let anything = ByteShape::anything();
        let takes = segs.iter().map(|seg| self.off_the(End::Left, seg, &anything));
        let takes: TokenStream = takes.collect::<Option<_>>()?;
        let digests = self.digests(segs, segs, false);
        Some(quote!(#takes #digests))
    }

    /// Generates checks that derived bytes are those of their fields, which have been read before.
    fn digests(&self, segs: &[Seg], scope: &[Seg], optional: bool) -> TokenStream {
        let checks = segs.iter().map(|seg| match &seg.kind {
            SegKind::Derived(part) => {
                let (local, derived) = (&part.local, derived(part));
                let inputs = self.inputs(part, scope, &local_operand);
                if optional {
                    quote!(if let Some(#local) = #local { #derived.check(#local, #inputs)?; })
                } else {
                    quote!(#derived.check(#local, #inputs)?;)
                }
            }
            SegKind::Option { segs, .. } => self.digests(segs, scope, true),
            SegKind::Literal(_) | SegKind::Field(_) => TokenStream::new(),
        });
        checks.collect()
    }

    /// Generates checks that optional parts are present exactly if their guards hold.
    fn guards(&self, segs: &[Seg], scope: &[Seg], outer: Option<&FieldPart>) -> TokenStream {
        let mut checks = TokenStream::new();
        for seg in segs {
            let SegKind::Option { segs, guard } = &seg.kind else { continue };
            let own = direct(segs);
            let Some(first) = own.first() else { continue };
            checks.extend(guard.as_ref().map(|guard| self.guard_check(guard, scope, first, outer)));
            if !nested(segs).is_empty() {
                checks.extend(self.guards(segs, scope, Some(first)));
            }
        }
        checks
    }

    fn guard_check(
        &self,
        guard: &Guard,
        scope: &[Seg],
        first: &FieldPart,
        outer: Option<&FieldPart>,
    ) -> TokenStream {
        let (local, holds) = (&first.local, self.guard(guard, scope, &local_operand));
        let check = quote!(rt::cut::guarded(#local.is_some(), #holds)?;);
        match outer {
            None => check,
            Some(outer) => {
                let outer = &outer.local;
                quote!(if #outer.is_some() { #check })
            }
        }
    }
}

/// Returns the operand for the local that holds a field.
fn local_operand(field: &FieldPart) -> Operand {
    let local = &field.local;
    Operand::local(&quote!(#local))
}

/// Generates code that binds the fields of an optional part: to `Some` if the part is present, else
/// to `None`.
fn optional(segs: &[Seg], present: &TokenStream, steps: &TokenStream) -> TokenStream {
    let (all, own) = (locals(segs, true), locals(segs, false));
    let somes = all
        .iter()
        .map(|local| if own.contains(local) { quote!(Some(#local)) } else { quote!(#local) });
    let nones = all.iter().map(|_| quote!(None));
    match all.as_slice() {
        [local] => quote! {
            let #local = if #present {
                #steps
                #(#somes)*
            } else {
                None
            };
        },
        locals => quote! {
            let (#(#locals),*) = if #present {
                #steps
                (#(#somes),*)
            } else {
                (#(#nones),*)
            };
        },
    }
}

/// Returns the locals of the fields and derived bytes of some segments. Includes those of optional
/// parts if `inner` is set.
fn locals(segs: &[Seg], inner: bool) -> Vec<&Ident> {
    let mut found = Vec::new();
    for seg in segs {
        match &seg.kind {
            SegKind::Field(FieldPart { local, .. })
            | SegKind::Derived(DerivedPart { local, .. }) => found.push(local),
            SegKind::Option { segs, .. } if inner => found.extend(locals(segs, true)),
            SegKind::Option { .. } | SegKind::Literal(_) => {}
        }
    }
    found
}

/// An end of the remaining bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Left,
    Right,
}

impl End {
    /// Returns the path of a function of `rt::cut` for this end.
    fn function(self, name: &str) -> TokenStream {
        let name = match self {
            Self::Left => format_ident!("{name}"),
            Self::Right => format_ident!("{name}_end"),
        };
        quote!(rt::cut::#name)
    }

    /// Generates an expression that takes the bytes of a part off this end. Returns `None` unless
    /// the length is fixed, or the first byte next to the part cannot belong to it.
    fn bytes_of(self, part: &ByteShape, neighbour: &ByteShape) -> Option<TokenStream> {
        if let Some(length) = part.length.fixed() {
            let (take, length) = (self.function("take"), Literal::usize_unsuffixed(length));
            return Some(quote!(#take(&mut rest, #length)?));
        }
        let adjacent = match self {
            Self::Left => &neighbour.first,
            Self::Right => &neighbour.last,
        };
        if meets(&part.alphabet, adjacent) {
            return None;
        }
        Some(match adjacent.first().filter(|_| adjacent.len() == 1) {
            Some(stop) => {
                let (until, stop) = (self.function("until"), Literal::byte_character(stop));
                quote!(#until(&mut rest, #stop))
            }
            None => {
                let (run, belongs) = (self.function("run"), matching(&part.alphabet));
                quote!(#run(&mut rest, |byte| #belongs))
            }
        })
    }
}

/// Whether the first bytes distinguish all arms.
pub(crate) fn arms_differ(arms: &[(String, Vec<Seg>)]) -> bool {
    let shapes: Vec<ByteShape> = arms.iter().map(|(_, segs)| shape_of(segs)).collect();
    let differ = |(index, a): (usize, &ByteShape)| {
        shapes.iter().enumerate().all(|(other, b)| index == other || a.differs_at_start(b))
    };
    shapes.iter().enumerate().all(differ)
}

/// Generates an expression that tests whether bytes start like a part. No other part that can
/// follow starts like it.
pub(crate) fn starts(shape: &ByteShape, rest: &TokenStream) -> TokenStream {
    if shape.lead.is_empty() {
        let belongs = matching(&shape.first);
        return quote!(#rest.first().is_some_and(|&byte| #belongs));
    }
    let lead = Literal::byte_string(&shape.lead);
    quote!(#rest.starts_with(#lead))
}

/// Generates an expression that tests whether `byte` is in a set.
fn matching(set: &ByteSet) -> TokenStream {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in set.iter() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == byte => *last = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let patterns = ranges.iter().map(|(low, high)| {
        let (from, to) = (Literal::byte_character(*low), Literal::byte_character(*high));
        if low == high { quote!(#from) } else { quote!(#from..=#to) }
    });
    if ranges.is_empty() {
        return quote!(false);
    }
    quote!(matches!(byte, #(#patterns)|*))
}

/// Joins adjacent literals.
fn joined(segs: Vec<Seg>) -> Vec<Seg> {
    let mut joined: Vec<Seg> = Vec::new();
    for seg in segs {
        match (joined.last_mut(), &seg.kind) {
            (Some(Seg { shape, kind: SegKind::Literal(bytes) }), SegKind::Literal(more)) => {
                bytes.extend_from_slice(more);
                *shape = shape.clone().then(&seg.shape);
            }
            _ => joined.push(seg),
        }
    }
    joined
}
