//! Generates code that writes segments.

use crate::{
    compound::bound,
    names::ident,
    part_ops::{Operand, named, wrap_parts},
    parts::{DefKind, DerivedPart, FieldPart, Part, Parts, Seg, SegKind, fields, find_field},
};
use keyscape_layout::guard::Guard;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A function that returns the operand for a field.
pub(crate) type Operands<'f> = &'f dyn Fn(&FieldPart) -> Operand;

impl Parts<'_> {
    /// Generates code that appends all segments to `out`.
    pub(crate) fn encode(&self, segs: &[Seg], places: Operands<'_>) -> TokenStream {
        self.encode_list(segs, segs, places)
    }

    /// Generates code that appends segments to `out`. `scope` contains the fields of guards.
    pub(crate) fn encode_list(
        &self,
        segs: &[Seg],
        scope: &[Seg],
        places: Operands<'_>,
    ) -> TokenStream {
        segs.iter().map(|seg| self.encode_seg(seg, scope, places)).collect()
    }

    fn encode_seg(&self, seg: &Seg, scope: &[Seg], places: Operands<'_>) -> TokenStream {
        match &seg.kind {
            SegKind::Literal(bytes) => {
                let bytes = Literal::byte_string(bytes);
                quote!(out.put(#bytes);)
            }
            SegKind::Field(field) => self.put(&field.part, &places(field)),
            SegKind::Derived(part) => {
                let (derived, inputs) = (derived(part), self.inputs(part, scope, places));
                quote!(#derived.put(out, #inputs)?;)
            }
            SegKind::Option { segs, guard } => {
                self.encode_option(segs, guard.as_ref(), scope, places)
            }
        }
    }

    /// Generates a closure that writes the bytes to be hashed.
    pub(crate) fn inputs(
        &self,
        part: &DerivedPart,
        scope: &[Seg],
        places: Operands<'_>,
    ) -> TokenStream {
        let inputs = part.model.inputs.iter();
        let inputs = inputs.filter_map(|input| find_field(scope, &input.name));
        let puts = inputs.map(|field| self.put_declared(&field.part, &places(field)));
        quote!(|out| { #(#puts)* Ok(()) })
    }

    fn encode_option(
        &self,
        segs: &[Seg],
        guard: Option<&Guard>,
        scope: &[Seg],
        places: Operands<'_>,
    ) -> TokenStream {
        let direct: Vec<&FieldPart> = direct(segs);
        let Some((first, others)) = direct.split_first() else { return TokenStream::new() };
        let is_some = |field: &FieldPart| {
            let value = places(field).value;
            quote!(#value.is_some())
        };
        let (given, what) = (is_some(first), &first.part.what);
        let check = guard.map(|guard| {
            let holds = self.guard(guard, scope, places);
            quote!(rt::DomainError::check_part(#what, #given, #holds)?;)
        });
        // Either all fields of the part have a value, or none.
        let rest = others.iter().copied().chain(nested(segs));
        let absent = rest.map(|field| {
            let (what, given) = (&field.part.what, is_some(field));
            quote!(rt::DomainError::check_part(#what, #given, false)?;)
        });
        let bind = others.iter().map(|field| {
            let (what, local, reference) =
                (&field.part.what, &field.local, places(field).reference);
            quote! {
                let Some(#local) = #reference else {
                    return Err(rt::DomainError::outside(#what, "a value"));
                };
            }
        });
        let inside = |field: &FieldPart| {
            if direct.iter().any(|own| own.name == field.name) {
                bound(field)
            } else {
                places(field)
            }
        };
        let body = self.encode_list(segs, scope, &inside);
        let (local, reference) = (&first.local, places(first).reference);
        quote! {
            #check
            if let Some(#local) = #reference {
                #(#bind)*
                #body
            } else {
                #(#absent)*
            }
        }
    }

    /// Generates an expression that tests whether a guard holds.
    pub(crate) fn guard(&self, guard: &Guard, scope: &[Seg], places: Operands<'_>) -> TokenStream {
        match guard {
            Guard::Is { field: name, choices } => {
                let Some(field) = find_field(scope, name) else { return quote!(false) };
                let patterns = self.patterns(&field.part, choices);
                let value = places(field).value;
                quote!(matches!(#value, #(#patterns)|*))
            }
            Guard::In { field: name, range } => {
                let Some(field) = find_field(scope, name) else { return quote!(false) };
                let value = places(field).value;
                let Some((name, value)) = self.number(&field.part, &value) else {
                    return quote!(false);
                };
                let (low, high) = range.ends();
                let (low, high) = (name.literal(low), name.literal(high));
                quote!((#low..=#high).contains(&#value))
            }
            Guard::All(parts) | Guard::Any(parts) => {
                let parts = parts.iter().map(|part| self.guard(part, scope, places));
                match guard {
                    Guard::All(_) => quote!((#(#parts)&&*)),
                    _ => quote!((#(#parts)||*)),
                }
            }
        }
    }

    fn patterns(&self, part: &Part, choices: &[usize]) -> Vec<TokenStream> {
        let Some(def) = self.def_of(part) else { return Vec::new() };
        let names: Vec<&String> = match &def.kind {
            DefKind::Enum(variants) => variants.iter().map(|(name, _)| name).collect(),
            DefKind::Variant(arms) => arms.iter().map(|(name, _)| name).collect(),
            DefKind::Leaf(..) | DefKind::Composite(_) => Vec::new(),
        };
        let of = named(&part.view);
        let pattern = |index: &usize| {
            let name = ident(names.get(*index)?);
            Some(quote!(#of::#name { .. }))
        };
        choices.iter().filter_map(pattern).collect()
    }
}

/// Generates the definition of derived bytes.
pub(crate) fn derived(part: &DerivedPart) -> TokenStream {
    // Variants are shown by their names.
    let function = ident(&format!("{:?}", part.model.function));
    let length = Literal::usize_unsuffixed(part.model.length);
    let wraps = wrap_parts(&part.model.wraps);
    quote! {
        rt::wrap::Derived {
            function: rt::codec::hash::Function::#function,
            length: #length,
            wraps: #wraps,
        }
    }
}

/// Returns the fields that are directly in some segments.
pub(crate) fn direct(segs: &[Seg]) -> Vec<&FieldPart> {
    let field = |seg| match seg {
        &Seg { kind: SegKind::Field(ref field), .. } => Some(field),
        _ => None,
    };
    segs.iter().filter_map(field).collect()
}

/// Returns the fields of the optional parts among some segments.
pub(crate) fn nested(segs: &[Seg]) -> Vec<&FieldPart> {
    let inner = |seg| match seg {
        &Seg { kind: SegKind::Option { ref segs, .. }, .. } => fields(segs),
        _ => Vec::new(),
    };
    segs.iter().flat_map(inner).collect()
}
