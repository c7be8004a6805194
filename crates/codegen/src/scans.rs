//! Scans: functions that return a prefix with its leading fields. Proved claims determine their
//! form.

use crate::{
    access::{Access, is_structure},
    keyspaces::{KeyspacePart, RECORD},
    names::{Names, camel, ident, local, snake},
    part_ops::Operand,
    parts::{DefKind, FieldPart, Part, Parts, Seg, SegKind, fields, find_field},
};
use keyscape_codec::Direction;
use keyscape_layout::{
    fields as model_fields,
    guard::Guard,
    model::{Place, Scan, Segment, Type},
};
use keyscape_prover::{Rule, Verdict};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// A leading field as a parameter.
struct Param {
    /// The path of the field in the key.
    path: Vec<String>,
    local: Ident,
    part: Part,
    optional: bool,
}

/// A field that a scan can have bounds on.
struct Bounded {
    part: Part,
    after: Vec<u8>,
    last: bool,
    direction: Direction,
}

impl KeyspacePart {
    /// Returns the place at which the leading part of a scan ends, in the segments of the key.
    fn end(&self, scan: &Scan) -> Place {
        let record = if self.record { RECORD.len() as u32 } else { 0 };
        Place(scan.end.0 + record)
    }
}

impl Parts<'_> {
    /// Generates the scans of a keyspace.
    pub(crate) fn scan_items(&mut self, access: Access<'_>) -> TokenStream {
        let mut functions = TokenStream::new();
        let mut items = TokenStream::new();
        let mut names = Names::default();
        let mut left_out = Vec::new();
        for (index, scan) in access.keyspace.scans.iter().enumerate() {
            match self.scan(access, index, scan, &mut names) {
                Ok((function, more)) => {
                    functions.extend(function);
                    items.extend(more);
                }
                Err(why) => {
                    left_out.push(format!(" The scan `{}` has no function: {why}.", scan.name));
                }
            }
        }
        if functions.is_empty() && left_out.is_empty() {
            return items;
        }
        let of = &access.part.marker;
        quote!(#(#[doc = #left_out])* impl #of { #functions } #items)
    }

    fn scan(
        &mut self,
        access: Access<'_>,
        index: usize,
        scan: &Scan,
        names: &mut Names,
    ) -> Result<(TokenStream, TokenStream), String> {
        let keyspace = access.keyspace;
        let params = self.params(access, scan)?;
        let lead = self.lead(access, index, scan, &params)?;
        let name = names.claim(&snake(&scan.name.replace(',', "_")));
        let by = format!("{}{}", access.part.marker, camel(&name));
        let by = ident(&self.names(keyspace.store).claim(&by));
        let of = &access.part.marker;
        let (prefix, open) = (local(&format!("prefix_{name}")), local(&format!("scan_{name}")));
        let line = format!(" Returns the scan `{}` of `{}`.", scan.name, keyspace.name);
        let reads = format!(" Starts the scan `{}`.", scan.name);
        let declared = params.iter().map(Param::declared);
        let also_declared = params.iter().map(Param::declared);
        let given = params.iter().map(|param| &param.local);
        let borrows = params.iter().any(|param| param.part.view.traits().borrows);
        let lifetime = borrows.then(|| quote!(<'k>));
        let more = borrows.then(|| quote!(, 'k));
        let open = (!is_structure(keyspace.kind)).then(|| {
            quote! {
                #[doc = #reads]
                ///
                /// # Errors
                /// An error if a leading field is outside its domain, or if the store fails.
                pub fn #open<'t #more>(
                    &self,
                    state: &'t (impl rt::Read + ?Sized),
                    #(#also_declared),*
                ) -> Result<rt::Scan<'t, #of, #by>, rt::Error> {
                    self.#prefix(#(#given),*).scan(state)
                }
            }
        });
        let functions = quote! {
            #[doc = #line]
            pub fn #prefix #lifetime(&self, #(#declared),*) -> rt::Prefix<#of, #by> { #lead }
            #open
        };
        let described = self.described(access, index, scan, &by);
        Ok((functions, described))
    }

    /// Generates the implementations of the runtime traits for a scan.
    fn described(
        &mut self,
        access: Access<'_>,
        index: usize,
        scan: &Scan,
        by: &Ident,
    ) -> TokenStream {
        let keyspace = access.keyspace;
        let (of, name) = (&access.part.marker, &scan.name);
        let also: Vec<_> = scan
            .also
            .iter()
            .filter_map(|id| access.of(*id))
            .map(|part| {
                let marker = &part.marker;
                quote!(<#marker as rt::Keyspace>::decode(key).is_ok())
            })
            .collect();
        let passes = (!also.is_empty()).then(|| {
            quote! {
                const ALSO: bool = true;

                fn passes(key: &[u8]) -> bool {
                    #(#also)||*
                }
            }
        });
        let bounded = self.bounded(access, index, scan).map(|bounded| {
            let owner = format!("{by}By");
            let (field, items) = self.field_marker(&bounded.part, &owner, keyspace.store);
            let (after, last) = (Literal::byte_string(&bounded.after), bounded.last);
            let descending = (bounded.direction == Direction::Descending).then(|| {
                quote!(
                    const DESCENDING: bool = true;
                )
            });
            quote! {
                #items
                impl rt::By<#of> for #by {
                    type Field = #field;
                    const AFTER: &'static [u8] = #after;
                    const LAST: bool = #last;
                    #descending
                }
            }
        });
        let line = format!(" The scan `{name}` of `{}`.", keyspace.name);
        quote! {
            #[doc = #line]
            #[derive(Clone, Copy, Debug)]
            pub struct #by;

            impl rt::ScanRows<#of> for #by {
                const NAME: &'static str = #name;
                #passes
            }

            #bounded
        }
    }

    /// Returns the leading fields, or the reason why they cannot be parameters.
    fn params(&self, access: Access<'_>, scan: &Scan) -> Result<Vec<Param>, String> {
        let param = |path: &Vec<String>| {
            let field = self.field_at(&access.part.segs, path);
            let field = field
                .ok_or_else(|| format!("`{}` is not a field of a composite", path.join(".")))?;
            let is_optional = |len| {
                let outer = self.field_at(&access.part.segs, &path[..len]);
                outer.is_some_and(|outer| outer.optional)
            };
            if (1..path.len()).any(is_optional) {
                return Err(format!("`{}` is a part of an optional field", path.join(".")));
            }
            let (local, part) = (local(&path.join("_")), field.part.clone());
            Ok(Param { path: path.clone(), local, part, optional: field.optional })
        };
        scan.leading.iter().map(param).collect()
    }

    /// Returns the field at a path.
    fn field_at(&self, segs: &[Seg], path: &[String]) -> Option<FieldPart> {
        let (name, rest) = path.split_first()?;
        let field = find_field(segs, name)?.clone();
        if rest.is_empty() {
            return Some(field);
        }
        match &self.def_of(&field.part)?.kind {
            DefKind::Composite(segs) => self.field_at(segs, rest),
            _ => None,
        }
    }

    /// Returns the prefix of a scan as an expression, or the reason why a function cannot return
    /// it.
    fn lead(
        &mut self,
        access: Access<'_>,
        index: usize,
        scan: &Scan,
        params: &[Param],
    ) -> Result<TokenStream, String> {
        let (of, keyspace) = (&access.part.marker, access.keyspace);
        let convert: TokenStream = params.iter().filter_map(Param::converted).collect();
        let (segs, end) = (&access.part.segs, access.part.end(scan).0);
        let derived = self.until(segs, 0, end, params, &[]);
        let Some(asked) = &scan.asked else {
            let exact = access.scan_claim(Rule::ScanExact, index);
            let within = exact.and_then(|claim| claim.tight.as_ref()).map(|interval| {
                let low = Literal::byte_string(&interval.low);
                let high = interval.high.as_ref().map_or(quote!(None), |high| {
                    let high = Literal::byte_string(high);
                    quote!(Some(#high))
                });
                quote!(.within(#low, #high))
            });
            let prefix = quote! {
                rt::Prefix::new(|out: &mut <#of as rt::Keyspace>::Buffer| { #derived Ok(()) }) #within
            };
            return Ok(checked_prefix(&convert, &prefix));
        };
        let owner = format!("{}Asked", access.part.marker);
        let mut written = |segments: &[Segment]| {
            let segs = self.segs(segments, &owner, &keyspace.name, keyspace.store);
            for field in fields(&segs) {
                let param = params.iter().find(|param| param.path == [field.name.clone()]);
                if param.is_none_or(|param| param.part.view != field.part.view) {
                    let name = &field.name;
                    return Err(format!(
                        "its `as` gives `{name}` another Rust type than the key does"
                    ));
                }
            }
            let record = access.part.record.then(|| {
                let record = Literal::byte_string(RECORD);
                quote!(out.put(#record);)
            });
            let encode = self.encode(&segs, &by_path(params, &[]));
            Ok(quote!(#record #encode))
        };
        let start = written(&asked.start)?;
        let end = match &asked.end {
            None => None,
            Some(end) => Some(written(end)?),
        };
        let buffer = quote!(&mut <#of as rt::Keyspace>::Buffer);
        let prefix = match end {
            None => quote!(rt::Prefix::new(|out: #buffer| { #start Ok(()) })),
            Some(end) => quote! {
                rt::Prefix::<#of, _>::new(|out: #buffer| { #derived Ok(()) })
                    .between(|out| { #start Ok(()) }, |out| { #end Ok(()) })
            },
        };
        Ok(checked_prefix(&convert, &prefix))
    }

    /// Generates code that appends the segments from the place `at` up to the place `end`.
    fn until(
        &self,
        segs: &[Seg],
        mut at: u32,
        end: u32,
        params: &[Param],
        path: &[String],
    ) -> TokenStream {
        let mut written = TokenStream::new();
        for seg in segs {
            if at >= end {
                break;
            }
            let after = at + places(seg);
            if after <= end && !leads_inside(seg, params, path) {
                let places = by_path(params, path);
                let seg = known_guards(seg, params, path);
                written.extend(self.encode_list(std::slice::from_ref(&seg), segs, &places));
            } else {
                written.extend(self.until_inside(seg, at, end.min(after), params, path));
            }
            at = after;
        }
        written
    }

    /// Generates code that appends the part of a segment between the places `at` and `end`. The
    /// segment starts at `at`, and `end` is inside it, or its end.
    fn until_inside(
        &self,
        seg: &Seg,
        at: u32,
        end: u32,
        params: &[Param],
        path: &[String],
    ) -> TokenStream {
        match &seg.kind {
            SegKind::Literal(bytes) => {
                let bytes = Literal::byte_string(&bytes[..(end - at) as usize]);
                quote!(out.put(#bytes);)
            }
            // Derived bytes take one place, so no end is inside them.
            SegKind::Derived(_) => TokenStream::new(),
            SegKind::Field(field) => {
                let Some(inner) = self.inside(&field.part) else { return TokenStream::new() };
                let path = [path, std::slice::from_ref(&field.name)].concat();
                self.until(inner, at, end, params, &path)
            }
            SegKind::Option { segs, .. } => self.until(segs, at + 1, end, params, path),
        }
    }

    /// Returns the segments of a composite, wrapped if the part is wrapped.
    fn inside<'p>(&'p self, part: &'p Part) -> Option<&'p [Seg]> {
        match (&self.def_of(part)?.kind, &part.wrapped) {
            (DefKind::Composite(_), Some(wrapped)) => Some(&wrapped.segs),
            (DefKind::Composite(segs), None) => Some(segs),
            _ => None,
        }
    }

    /// Returns the field after the leading part, if bounds on it are exact: the order of the scan
    /// is proved, and all of the field goes in one direction.
    fn bounded(&self, access: Access<'_>, index: usize, scan: &Scan) -> Option<Bounded> {
        let order = access.scan_claim(Rule::Ordered, index);
        let is_ordered = order.is_some_and(|claim| matches!(claim.verdict, Verdict::Proved));
        if !is_ordered || scan.asked.is_some() {
            return None;
        }
        let (part, following) = self.part_at(&access.part.segs, 0, access.part.end(scan).0, &[])?;
        let (after, rest) = match following.split_first() {
            Some((Seg { kind: SegKind::Literal(bytes), .. }, rest)) => (bytes.clone(), rest),
            _ => (Vec::new(), following.as_slice()),
        };
        let last = rest.is_empty();
        let shape = crate::byte_shape::of_type(part.bytes());
        let ends = after.first().is_some_and(|byte| !shape.alphabet.contains(*byte));
        let exact = last || shape.length.is_fixed() || self.take(&part).is_some() || ends;
        let direction = direction(&part.ty).filter(|_| exact)?;
        Some(Bounded { part, after, last, direction })
    }

    /// Returns the part that starts at a place, and everything after it.
    fn part_at(
        &self,
        segs: &[Seg],
        start: u32,
        place: u32,
        rest: &[Seg],
    ) -> Option<(Part, Vec<Seg>)> {
        let mut at = start;
        for (index, seg) in segs.iter().enumerate() {
            let after = at + places(seg);
            let following = [&segs[index + 1..], rest].concat();
            match &seg.kind {
                SegKind::Field(field) if at == place => {
                    return Some((field.part.clone(), following));
                }
                SegKind::Field(field) if (at..after).contains(&place) => {
                    return self.part_at(self.inside(&field.part)?, at, place, &following);
                }
                _ => {}
            }
            at = after;
        }
        None
    }
}

impl Param {
    /// Whether the function takes any type that converts into the field.
    fn converts(&self) -> bool {
        !self.optional && self.part.view.converts()
    }

    fn declared(&self) -> TokenStream {
        let (local, ty) = (&self.local, self.part.view.tokens(&quote!('k)));
        if self.converts() {
            quote!(#local: impl rt::IntoField<#ty>)
        } else if self.optional {
            quote!(#local: Option<#ty>)
        } else {
            quote!(#local: #ty)
        }
    }

    fn converted(&self) -> Option<TokenStream> {
        let (local, ty, what) = (&self.local, self.part.view.tokens(&quote!('_)), &self.part.what);
        self.converts().then(|| {
            quote! {
                let #local: #ty =
                    #local.into_field().map_err(|error: rt::DomainError| error.at(#what))?;
            }
        })
    }
}

/// Generates a prefix whose reads report parameters outside their domains.
fn checked_prefix(convert: &TokenStream, prefix: &TokenStream) -> TokenStream {
    if convert.is_empty() {
        return prefix.clone();
    }
    quote!(rt::Prefix::defer_errors(|| { #convert Ok(#prefix) }))
}

/// Returns a function that returns the parameter of a field at a path.
fn by_path<'p>(params: &'p [Param], path: &'p [String]) -> impl Fn(&FieldPart) -> Operand + 'p {
    move |field| {
        let whole = [path, std::slice::from_ref(&field.name)].concat();
        let found = params.iter().find(|param| param.path == whole);
        let local = found.map_or_else(|| local(&whole.join("_")), |param| param.local.clone());
        Operand::local(&quote!(#local))
    }
}

/// Whether a parameter is a part of the field in a segment, not the field itself.
fn leads_inside(seg: &Seg, params: &[Param], path: &[String]) -> bool {
    let SegKind::Field(field) = &seg.kind else { return false };
    let whole = [path, std::slice::from_ref(&field.name)].concat();
    params.iter().any(|param| param.path.len() > whole.len() && param.path.starts_with(&whole))
}

/// Removes the guards in a segment that test a field after the prefix, which is not decided yet.
/// `path` leads to the composite that contains the segment.
fn known_guards(seg: &Seg, params: &[Param], path: &[String]) -> Seg {
    let mut seg = seg.clone();
    if let SegKind::Option { segs, guard } = &mut seg.kind {
        *segs = segs.iter().map(|seg| known_guards(seg, params, path)).collect();
        let is_param = |field: &str| {
            let whole = [path, &[field.to_owned()]].concat();
            params.iter().any(|param| param.path == whole)
        };
        let knows = |guard: &Guard| guard.conditions().iter().all(|(field, _)| is_param(field));
        if !guard.as_ref().is_some_and(knows) {
            *guard = None;
        }
    }
    seg
}

/// Returns the number of places that a segment takes, as the model counts them.
fn places(seg: &Seg) -> u32 {
    match &seg.kind {
        SegKind::Literal(bytes) => bytes.len() as u32,
        SegKind::Field(field) => field.part.bytes().places(),
        SegKind::Derived(_) => 1,
        SegKind::Option { segs, .. } => 1 + segs.iter().map(places).sum::<u32>(),
    }
}

/// Returns the direction in which keys hold the values of a type; `None` if parts of it go in
/// different directions. Absent parts, other arms and shorter lists come first in both directions.
fn direction(ty: &Type) -> Option<Direction> {
    let ascends = |ty: &Type| direction(ty) == Some(Direction::Ascending);
    match ty {
        Type::Leaf(leaf) => Some(leaf.codec.describe().direction()),
        Type::Enum(_) => Some(Direction::Ascending),
        Type::List(list) if list.min == list.max => direction(&list.element),
        Type::List(list) => ascends(&list.element).then_some(Direction::Ascending),
        Type::Composite(segments) => {
            let is_optional = segments.iter().any(|segment| matches!(segment, Segment::Option(_)));
            let mut directions = model_fields(segments).into_iter().map(|f| direction(&f.declared));
            let first = directions.next().unwrap_or(Some(Direction::Ascending))?;
            let is_one = directions.all(|other| other == Some(first));
            let fits = !is_optional || first == Direction::Ascending;
            (is_one && fits).then_some(first)
        }
        Type::Variant(arms) => {
            let mut inside = arms.iter().flat_map(|arm| model_fields(&arm.segments));
            inside.all(|field| ascends(&field.declared)).then_some(Direction::Ascending)
        }
    }
}
