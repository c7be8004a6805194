//! The parts of keys with their Rust types: what all generated code is made from.

use crate::{
    names::{KeyspaceNames, Names, camel, ident, local},
    shape::{self, Shape},
    view::{LeafView, Traits, View},
};
use keyscape_codec::Description;
use keyscape_codec::{Shown, WrapPart, hash::Function};
use keyscape_layout::{
    Layout,
    guard::Guard,
    model::{Derived, Field, Leaf, Segment, StoreId, Type},
};
use proc_macro2::Ident;
use std::{collections::HashMap, sync::Arc};

/// Something that has values: a field, a member, a score, a value of a row.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its type in the layout.
    pub(crate) ty: Arc<Type>,
    /// Its type in Rust.
    pub(crate) view: View,
    /// How it is written and read, if no generated type does that.
    pub(crate) plain: Plain,
    /// What errors call it.
    pub(crate) what: String,
    /// The wraps around it. What the language changes leaf by leaf is here the declared type, whose
    /// bytes are changed as a whole: a wrap makes the same of both.
    pub(crate) wrapped: Option<Box<Wrapped>>,
}

/// What wraps make of a part.
#[derive(Clone, Debug)]
pub(crate) struct Wrapped {
    /// The wraps, the innermost first.
    pub(crate) wraps: Vec<WrapPart>,
    /// The type as they change it.
    pub(crate) ty: Arc<Type>,
    /// The segments of a composite as they change them.
    pub(crate) segs: Vec<Seg>,
}

/// What a part is that is not of a generated type.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    /// It is of a generated type.
    Named,
    /// A leaf.
    Leaf(Box<LeafView>),
    /// A list of such parts.
    List(Box<Part>),
}

/// A segment of a key, an arm or a composite.
#[derive(Clone, Debug)]
pub(crate) struct Seg {
    /// What is known of its bytes.
    pub(crate) shape: Shape,
    /// What it is.
    pub(crate) kind: SegKind,
}

/// What a segment is.
#[derive(Clone, Debug)]
pub(crate) enum SegKind {
    /// Fixed bytes.
    Literal(Vec<u8>),
    /// A field.
    Field(FieldPart),
    /// Bytes that are computed from fields.
    Derived(DerivedPart),
    /// A part that may be absent.
    Option {
        /// What may be absent.
        segs: Vec<Seg>,
        /// When it is present.
        guard: Option<Guard>,
    },
}

/// Bytes that are computed from fields.
#[derive(Clone, Debug)]
pub(crate) struct DerivedPart {
    /// The hash function.
    pub(crate) function: Function,
    /// How many bytes of the digest are kept.
    pub(crate) length: usize,
    /// The names of the fields that are hashed, without the wraps around them.
    pub(crate) inputs: Vec<String>,
    /// The wraps around the digest, the innermost first.
    pub(crate) wraps: Vec<WrapPart>,
    /// The local that holds the bytes.
    pub(crate) local: Ident,
}

/// A field.
#[derive(Clone, Debug)]
pub(crate) struct FieldPart {
    /// Its name in the layout.
    pub(crate) name: String,
    /// Its name in Rust.
    pub(crate) ident: Ident,
    /// The local that holds it.
    pub(crate) local: Ident,
    /// What it holds.
    pub(crate) part: Part,
    /// Whether it stands in an optional part.
    pub(crate) optional: bool,
    /// Whether an index takes it from the map's value.
    pub(crate) from_value: bool,
}

/// A generated type.
#[derive(Clone, Debug)]
pub(crate) struct Def {
    /// What it is in the layout.
    pub(crate) ty: Arc<Type>,
    /// Its name in Rust.
    pub(crate) name: String,
    /// What errors call it.
    pub(crate) what: String,
    /// What the layout says about it.
    pub(crate) doc: Vec<String>,
    /// The store in whose module it stands.
    pub(crate) store: StoreId,
    /// The stores that use it.
    pub(crate) used_in: Vec<StoreId>,
    /// What can be derived.
    pub(crate) traits: Traits,
    /// What it is in Rust.
    pub(crate) kind: DefKind,
}

/// What a generated type is.
#[derive(Clone, Debug)]
pub(crate) enum DefKind {
    /// A value of one codec.
    Leaf(Box<LeafView>, Option<Shown>),
    /// One of some texts, each with the name of its variant.
    Enum(Vec<(String, String)>),
    /// A struct.
    Composite(Vec<Seg>),
    /// An enum with fields: arms by the names of their variants.
    Variant(Vec<(String, Vec<Seg>)>),
}

/// Everything that is generated from a layout, as it becomes known.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) layout: &'a Layout,
    /// Inner types stand before those that use them.
    pub(crate) defs: Vec<Def>,
    /// The names of the module of each store.
    pub(crate) names: Vec<Names>,
    /// The names of declared types, in the order of the layout.
    type_names: Vec<String>,
    /// The names of the marker and the constant of each keyspace.
    pub(crate) keyspace_names: Vec<KeyspaceNames>,
    /// Whether keys are those of records: in a store of structures, plain rows then stand behind a
    /// byte of their own, so that they never meet the records of structures.
    pub(crate) records: bool,
    /// What leaves are in Rust, by codec: finding it builds automata.
    leaves: HashMap<Description, LeafView>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(layout: &'a Layout, records: bool) -> Self {
        let mut taken = Names::of_module();
        let type_names =
            layout.types.iter().map(|named| taken.claim(&camel(&named.name))).collect();
        let mut names = vec![taken; layout.stores.len()];
        let keyspace_names = KeyspaceNames::of_all(layout, &mut names);
        let (defs, leaves) = (Vec::new(), HashMap::new());
        Self { layout, defs, names, type_names, keyspace_names, records, leaves }
    }

    /// The names of the module of a store.
    pub(crate) fn names(&mut self, store: StoreId) -> &mut Names {
        &mut self.names[store.0 as usize]
    }

    /// What a type becomes. `owner` names it if it needs a name and has none; `what` is for errors.
    pub(crate) fn part(&mut self, ty: &Arc<Type>, owner: &str, what: &str, store: StoreId) -> Part {
        let layout = self.layout;
        let part = |view, plain| Part {
            ty: ty.clone(),
            view,
            plain,
            what: what.to_owned(),
            wrapped: None,
        };
        if let Type::List(list) = &**ty {
            let element = self.part(&list.element, &format!("{owner}Item"), what, store);
            return part(
                View::List(Box::new(element.view.clone())),
                Plain::List(Box::new(element)),
            );
        }
        if let Some(index) = self.defs.iter().position(|def| Arc::ptr_eq(&def.ty, ty)) {
            let view = self.used(index, store);
            return part(view, Plain::Named);
        }
        let named = layout.named(ty);
        if let (None, Type::Leaf(leaf)) = (named, &**ty) {
            let leaf = self.leaf(leaf);
            if leaf.is_full() {
                return part(leaf.view.clone(), Plain::Leaf(Box::new(leaf)));
            }
        }
        let declared = layout.types.iter().position(|named| Arc::ptr_eq(&named.ty, ty));
        let name = match declared.and_then(|index| self.type_names.get(index)) {
            Some(name) => name.clone(),
            None => self.names(store).claim(&camel(owner)),
        };
        let what = named.map_or(what, |named| &named.name);
        let doc = named.map_or_else(Vec::new, |named| named.doc.clone());
        let index = self.define(ty, name, what, doc, store);
        let view = self.used(index, store);
        part(view, Plain::Named)
    }

    /// What a leaf is in Rust.
    fn leaf(&mut self, leaf: &Leaf) -> LeafView {
        self.leaves.entry(leaf.codec.describe()).or_insert_with(|| LeafView::new(leaf)).clone()
    }

    /// The view of a generated type, which `store` uses from now on.
    fn used(&mut self, index: usize, store: StoreId) -> View {
        let def = &self.defs[index];
        let (name, traits) = (def.name.clone(), def.traits);
        if !def.used_in.contains(&store) {
            // It is used under its own name there, so the name is taken; that of a declared type is everywhere.
            if self.layout.named(&def.ty).is_none() {
                self.names[store.0 as usize].claim(&name);
            }
            self.defs[index].used_in.push(store);
            self.use_inside(index, store);
        }
        View::Named(traits, name)
    }

    /// Types inside a type come with it, so that its values can be made.
    fn use_inside(&mut self, index: usize, store: StoreId) {
        let lists: Vec<Vec<Seg>> = match &self.defs[index].kind {
            DefKind::Leaf(..) | DefKind::Enum(_) => Vec::new(),
            DefKind::Composite(segs) => vec![segs.clone()],
            DefKind::Variant(arms) => arms.iter().map(|(_, segs)| segs.clone()).collect(),
        };
        for field in lists.iter().flat_map(|segs| fields(segs)) {
            let mut part = &field.part;
            while let Plain::List(element) = &part.plain {
                part = element;
            }
            if let Some(inner) = self.defs.iter().position(|def| Arc::ptr_eq(&def.ty, &part.ty)) {
                self.used(inner, store);
            }
        }
    }

    fn define(
        &mut self,
        ty: &Arc<Type>,
        name: String,
        what: &str,
        doc: Vec<String>,
        store: StoreId,
    ) -> usize {
        let (kind, traits) = match &**ty {
            Type::Leaf(leaf) => {
                let view = self.leaf(leaf);
                let traits = view.view.traits();
                (DefKind::Leaf(Box::new(view), leaf.shown.clone()), traits)
            }
            Type::Enum(of) => {
                // A generated type has no wrap around it, so the texts are its bytes.
                let mut names = Names::default();
                let variants =
                    of.texts.iter().map(|text| (names.claim(&camel(text)), text.clone()));
                (DefKind::Enum(variants.collect()), Traits::PLAIN)
            }
            Type::Composite(segments) => {
                let segs = self.segs(segments, &name, what, store);
                let traits = traits(&segs);
                (DefKind::Composite(segs), traits)
            }
            Type::Variant(arms) => {
                let mut names = Names::default();
                let mut whole = Traits::PLAIN;
                let mut built = Vec::new();
                for arm in arms {
                    let variant = names.claim(&camel(&arm.name));
                    let (owner, what) =
                        (format!("{name}{variant}"), format!("{what}.{}", arm.name));
                    let segs = self.segs(&arm.segments, &owner, &what, store);
                    whole = whole.and(traits(&segs));
                    built.push((variant, segs));
                }
                (DefKind::Variant(built), whole)
            }
            // A list is never a generated type: it is a vector.
            Type::List(_) => (DefKind::Composite(Vec::new()), Traits::PLAIN),
        };
        let (ty, what) = (ty.clone(), what.to_owned());
        self.defs.push(Def { ty, name, what, doc, store, used_in: vec![store], traits, kind });
        self.defs.len() - 1
    }

    /// The segments of a key, a composite or an arm.
    pub(crate) fn segs(
        &mut self,
        segments: &[Segment],
        owner: &str,
        what: &str,
        store: StoreId,
    ) -> Vec<Seg> {
        let mut locals = Names::default();
        for field in keyscape_layout::fields(segments) {
            locals.claim(&local(&field.name).to_string());
        }
        self.seg_list(segments, Owner { name: owner, what, store }, &mut locals, false)
    }

    fn seg_list(
        &mut self,
        segments: &[Segment],
        owner: Owner<'_>,
        locals: &mut Names,
        optional: bool,
    ) -> Vec<Seg> {
        let mut segs: Vec<Seg> = Vec::new();
        for segment in segments {
            let shape = shape::of_segment(segment);
            // Every sort of segment that the language has is told apart here and nowhere else.
            let kind = match segment {
                Segment::Literal(literal) => {
                    if let Some(Seg { shape: before, kind: SegKind::Literal(bytes) }) =
                        segs.last_mut()
                    {
                        bytes.extend_from_slice(&literal.bytes);
                        *before = before.clone().then(&shape);
                        continue;
                    }
                    SegKind::Literal(literal.bytes.clone())
                }
                Segment::Field(field) => SegKind::Field(FieldPart {
                    name: field.name.clone(),
                    ident: ident(&field.name),
                    local: local(&field.name),
                    part: self.field_part(field, owner),
                    optional,
                    from_value: field.from_value,
                }),
                Segment::Derived(derived) => SegKind::Derived(DerivedPart::new(derived, locals)),
                Segment::Option(option) => SegKind::Option {
                    segs: self.seg_list(&option.segments, owner, locals, true),
                    guard: option.guard.clone(),
                },
            };
            segs.push(Seg { shape, kind });
        }
        segs
    }

    /// What a field becomes: a part of its declared type, with the wraps around it.
    fn field_part(&mut self, field: &Field, owner: Owner<'_>) -> Part {
        let Owner { name, what, store } = owner;
        let (name, what) =
            (format!("{name}{}", camel(&field.name)), format!("{what}.{}", field.name));
        let mut part = self.part(&field.declared, &name, &what, store);
        if !field.wraps.is_empty() {
            let segs = match &*field.ty {
                Type::Composite(segments) => self.segs(segments, &name, &what, store),
                _ => Vec::new(),
            };
            let (wraps, ty) = (field.wraps.clone(), field.ty.clone());
            part.wrapped = Some(Box::new(Wrapped { wraps, ty, segs }));
        }
        part
    }

    /// The generated type that a part is of.
    pub(crate) fn def_of(&self, part: &Part) -> Option<&Def> {
        match part.plain {
            Plain::Named => self.defs.iter().find(|def| Arc::ptr_eq(&def.ty, &part.ty)),
            Plain::Leaf(_) | Plain::List(_) => None,
        }
    }
}

/// What segments belong to.
#[derive(Clone, Copy, Debug)]
struct Owner<'a> {
    /// What types are called after it.
    name: &'a str,
    /// What errors call it.
    what: &'a str,
    store: StoreId,
}

impl Part {
    /// Its type, as the wraps around it change it: what is known of its bytes.
    pub(crate) fn bytes(&self) -> &Type {
        self.wrapped.as_ref().map_or(&self.ty, |wrapped| &wrapped.ty)
    }
}

impl DerivedPart {
    fn new(derived: &Derived, locals: &mut Names) -> Self {
        Self {
            function: derived.function,
            length: derived.length,
            inputs: derived.inputs.iter().map(|input| input.name.clone()).collect(),
            wraps: derived.wraps.clone(),
            local: ident(&locals.claim("digest")),
        }
    }
}

/// All fields of some segments, those of optional parts included.
pub(crate) fn fields(segs: &[Seg]) -> Vec<&FieldPart> {
    let mut found = Vec::new();
    for seg in segs {
        match &seg.kind {
            SegKind::Literal(_) | SegKind::Derived(_) => {}
            SegKind::Field(field) => found.push(field),
            SegKind::Option { segs, .. } => found.extend(fields(segs)),
        }
    }
    found
}

/// What can be derived for a struct of these segments.
pub(crate) fn traits(segs: &[Seg]) -> Traits {
    fields(segs).iter().fold(Traits::PLAIN, |all, field| all.and(field.part.view.traits()))
}

/// The shape of some segments.
pub(crate) fn shape_of(segs: &[Seg]) -> Shape {
    segs.iter().fold(Shape::empty(), |shape, seg| shape.then(&seg.shape))
}
