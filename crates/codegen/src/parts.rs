//! The parts of keys with their Rust types: the input of all generators.

use crate::{
    byte_shape::{self, ByteShape},
    names::{KeyspaceNames, Names, camel, ident, local},
    rust_type::{LeafType, RustType, Traits},
};
use keyscape_codec::{Description, WrapPart};
use keyscape_layout::{
    Layout,
    guard::Guard,
    model::{Derived, Field, FromValue, Leaf, Segment, StoreId, Type},
};
use proc_macro2::Ident;
use std::{collections::HashMap, sync::Arc};

/// A typed part of a key or of a row: a field, a member, a score, a value.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The type in the layout.
    pub(crate) ty: Arc<Type>,
    /// The type in Rust.
    pub(crate) view: RustType,
    pub(crate) plain: Plain,
    /// The name in errors.
    pub(crate) what: String,
    /// The wraps around the part. The model wraps each leaf; generated code wraps the bytes of the
    /// declared type as a whole, with the same result.
    pub(crate) wrapped: Option<Box<Wrapped>>,
}

/// The wraps around a part.
#[derive(Clone, Debug)]
pub(crate) struct Wrapped {
    /// The wraps, the innermost first.
    pub(crate) wraps: Vec<WrapPart>,
    /// The type of the wrapped bytes.
    pub(crate) ty: Arc<Type>,
    /// The wrapped segments of a composite.
    pub(crate) segs: Vec<Seg>,
}

/// The kind of a part.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    /// A value of a generated type.
    Named,
    /// A leaf without a generated type.
    Leaf(Box<LeafType>),
    /// A list with elements of this kind.
    List(Box<Part>),
}

/// A segment of a key, an arm or a composite.
#[derive(Clone, Debug)]
pub(crate) struct Seg {
    pub(crate) shape: ByteShape,
    pub(crate) kind: SegKind,
}

/// The kind of a segment.
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
        /// The segments inside.
        segs: Vec<Seg>,
        /// The condition for its presence.
        guard: Option<Guard>,
    },
}

/// Bytes that are computed from fields.
#[derive(Clone, Debug)]
pub(crate) struct DerivedPart {
    pub(crate) model: Derived,
    /// The local that holds the bytes.
    pub(crate) local: Ident,
}

/// A field.
#[derive(Clone, Debug)]
pub(crate) struct FieldPart {
    /// The name in the layout.
    pub(crate) name: String,
    /// The name in Rust.
    pub(crate) ident: Ident,
    /// The local that holds the value.
    pub(crate) local: Ident,
    pub(crate) part: Part,
    /// Whether the field is inside an optional part.
    pub(crate) optional: bool,
    /// For an index, its source in the map's value.
    pub(crate) from_value: Option<FromValue>,
}

/// A generated type.
#[derive(Clone, Debug)]
pub(crate) struct Def {
    /// The type in the layout.
    pub(crate) ty: Arc<Type>,
    /// The name in Rust.
    pub(crate) name: String,
    /// The names of equal inline domains, which share this type.
    pub(crate) aliases: Vec<String>,
    /// The name in errors.
    pub(crate) what: String,
    /// The documentation in the layout.
    pub(crate) doc: Vec<String>,
    /// The store whose module defines the type.
    pub(crate) store: StoreId,
    /// The stores whose modules use the type.
    pub(crate) used_in: Vec<StoreId>,
    /// The traits that can be derived.
    pub(crate) traits: Traits,
    /// The form in Rust.
    pub(crate) kind: DefKind,
}

/// The form of a generated type.
#[derive(Clone, Debug)]
pub(crate) enum DefKind {
    /// A value of one codec.
    Leaf(Box<LeafType>),
    /// One of some texts, each with the name of its variant.
    Enum(Vec<(String, String)>),
    /// A struct.
    Composite(Vec<Seg>),
    /// An enum with fields: arms by the names of their variants.
    Variant(Vec<(String, Vec<Seg>)>),
}

/// The types and names of the generated code of a layout. Types are added when they are needed.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) layout: &'a Layout,
    /// The generated types; inner types precede those that use them.
    pub(crate) defs: Vec<Def>,
    /// The names of the module of each store.
    pub(crate) names: Vec<Names>,
    /// The names of declared types, in the order of the layout.
    type_names: Vec<String>,
    /// The names of the marker and the constant of each keyspace.
    pub(crate) keyspace_names: Vec<KeyspaceNames>,
    /// Whether keys are those of records. In a store of structures, the keys of plain rows then
    /// begin with a byte of their own, which keeps them apart from the records of structures.
    pub(crate) records: bool,
    /// The Rust types of leaves by codec: computing one builds automata.
    leaves: HashMap<Description, LeafType>,
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

    /// Returns the names of the module of a store.
    pub(crate) fn names(&mut self, store: StoreId) -> &mut Names {
        &mut self.names[store.0 as usize]
    }

    /// Returns the part for a type. `owner` names a generated type without a name; `what` is for
    /// errors.
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
                RustType::List(Box::new(element.view.clone())),
                Plain::List(Box::new(element)),
            );
        }
        if let Some(index) = self.defs.iter().position(|def| Arc::ptr_eq(&def.ty, ty)) {
            let view = self.used(index, store);
            return part(view, Plain::Named);
        }
        let named = layout.named(ty);
        if let (None, Type::Leaf(model)) = (named, &**ty) {
            let leaf = self.leaf(model);
            if leaf.is_full() {
                return part(leaf.view.clone(), Plain::Leaf(Box::new(leaf)));
            }
            if let Some(index) = self.inline_def(model, store) {
                let alias = self.names(store).claim(&camel(owner));
                self.defs[index].aliases.push(alias);
                let (view, ty) = (self.used(index, store), self.defs[index].ty.clone());
                return Part { ty, ..part(view, Plain::Named) };
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

    /// Returns the type of an equal inline domain in the same store.
    fn inline_def(&self, leaf: &Leaf, store: StoreId) -> Option<usize> {
        let described = leaf.codec.describe();
        self.defs.iter().position(|def| match &*def.ty {
            Type::Leaf(known) => {
                def.store == store
                    && self.layout.named(&def.ty).is_none()
                    && known.shown == leaf.shown
                    && known.codec.describe() == described
            }
            _ => false,
        })
    }

    /// Returns the Rust type of a leaf.
    fn leaf(&mut self, leaf: &Leaf) -> LeafType {
        let leaves = self.leaves.entry(leaf.codec.describe());
        let known = leaves.or_insert_with(|| LeafType::new(leaf)).clone();
        // The display form is not a part of the codec.
        LeafType { model: leaf.clone(), ..known }
    }

    /// Returns the view of a generated type and records that `store` uses it.
    fn used(&mut self, index: usize, store: StoreId) -> RustType {
        let def = &self.defs[index];
        let (name, view) = (def.name.clone(), def.view());
        if !def.used_in.contains(&store) {
            // The module of the store re-exports the type under its name. The names of declared
            // types are already claimed in every module.
            if self.layout.named(&def.ty).is_none() {
                self.names[store.0 as usize].claim(&name);
            }
            self.defs[index].used_in.push(store);
            self.use_inside(index, store);
        }
        view
    }

    /// Makes the types of the fields of a type available where the type is used.
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
                (DefKind::Leaf(Box::new(view)), traits)
            }
            Type::Enum(of) => {
                // A generated type has no wrap around it, so the texts are its bytes.
                // Every generated enum has a constant `ALL`.
                let mut names = Names::with_taken(&["ALL"]);
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
        let aliases = Vec::new();
        self.defs.push(Def {
            ty,
            name,
            aliases,
            what,
            doc,
            store,
            used_in: vec![store],
            traits,
            kind,
        });
        self.defs.len() - 1
    }

    /// Builds the segments of a key, a composite or an arm.
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
            let shape = byte_shape::of_segment(segment);
            // No other code distinguishes the kinds of segments.
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
                    from_value: field.from_value.clone(),
                }),
                Segment::Derived(derived) => SegKind::Derived(DerivedPart {
                    model: derived.clone(),
                    local: ident(&locals.claim("digest")),
                }),
                Segment::Option(option) => SegKind::Option {
                    segs: self.seg_list(&option.segments, owner, locals, true),
                    guard: option.guard.clone(),
                },
            };
            segs.push(Seg { shape, kind });
        }
        segs
    }

    /// Returns the part for a field: its declared type, with the wraps around it.
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

    /// Returns the generated type of a part.
    pub(crate) fn def_of(&self, part: &Part) -> Option<&Def> {
        match part.plain {
            Plain::Named => self.defs.iter().find(|def| Arc::ptr_eq(&def.ty, &part.ty)),
            Plain::Leaf(_) | Plain::List(_) => None,
        }
    }
}

impl Def {
    /// Returns the type in Rust.
    pub(crate) fn view(&self) -> RustType {
        RustType::Named(self.traits, self.name.clone())
    }
}

/// The owner of some segments.
#[derive(Clone, Copy, Debug)]
struct Owner<'a> {
    /// The beginning of the names of inner types.
    name: &'a str,
    /// The name in errors.
    what: &'a str,
    store: StoreId,
}

impl Part {
    /// Returns the type of the bytes: the wrapped one, if the part is wrapped.
    pub(crate) fn bytes(&self) -> &Type {
        self.wrapped.as_ref().map_or(&self.ty, |wrapped| &wrapped.ty)
    }
}

/// Returns all fields of some segments, including those of optional parts.
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

/// Returns the field with a name, which may be inside an option.
pub(crate) fn find_field<'a>(segs: &'a [Seg], name: &str) -> Option<&'a FieldPart> {
    fields(segs).into_iter().find(|field| field.name == name)
}

/// Returns the traits that can be derived for a struct of these segments.
pub(crate) fn traits(segs: &[Seg]) -> Traits {
    fields(segs).iter().fold(Traits::PLAIN, |all, field| all.and(field.part.view.traits()))
}

/// Returns the shape of some segments.
pub(crate) fn shape_of(segs: &[Seg]) -> ByteShape {
    segs.iter().fold(ByteShape::empty(), |shape, seg| shape.then(&seg.shape))
}
