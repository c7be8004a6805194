//! The traversal of a key's structure, which yields every part with its path, place and type.

use crate::model::{
    Arm, Derived, Enum, Field, Leaf, List, Literal, OptionSegment, Place, Segment, Type,
};
use smallvec::SmallVec;
use std::vec::IntoIter;

/// Yields all parts of a key in source order, outer parts before inner ones.
#[must_use]
pub fn traverse(segments: &[Segment]) -> IntoIter<Item<'_>> {
    traverse_from(segments, Place(0))
}

/// Like [`traverse`], for segments that start at a place of a larger key.
#[must_use]
pub fn traverse_from(segments: &[Segment], start: Place) -> IntoIter<Item<'_>> {
    let mut traversal = Traversal { items: Vec::new(), place: start, path: Path::default() };
    traversal.segments(segments, Scope { segments, start }, None);
    traversal.items.into_iter()
}

/// Like [`traverse`], for a type outside a key, such as the type of a member.
#[must_use]
pub fn traverse_type(ty: &Type) -> IntoIter<Item<'_>> {
    let start = Place(0);
    let mut traversal = Traversal { items: Vec::new(), place: start, path: Path::default() };
    traversal.ty(ty, Scope { segments: &[], start }, None);
    traversal.items.into_iter()
}

/// A part of a key.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The enclosing fields, arms and elements. For a field or an arm, includes the part itself.
    pub path: Path<'a>,
    /// The first place of the part. An arm or a field has the places of its contents.
    pub place: Place,
    /// The place after the part and its contents.
    pub end: Place,
    /// The enclosing key, composite or arm, whose fields guards and derived bytes name.
    pub scope: Scope<'a>,
    /// The first place inside the innermost enclosing option, arm or element.
    pub choice: Option<Place>,
    /// The part itself.
    pub kind: ItemKind<'a>,
}

/// The kind of a part of a key.
#[derive(Clone, Copy, Debug)]
pub enum ItemKind<'a> {
    /// Fixed bytes.
    Literal {
        /// The bytes.
        literal: &'a Literal,
        /// The list of segments that contains the literal.
        list: &'a [Segment],
        /// Its index in the list.
        index: usize,
    },
    /// Bytes that are computed from fields.
    Derived(&'a Derived),
    /// A part that may be absent. Its segments follow.
    Option(&'a OptionSegment),
    /// A field. Its type follows. A composite is not a separate item, its segments follow.
    Field(&'a Field),
    /// A value of one codec.
    Leaf(&'a Leaf),
    /// One of some texts.
    Enum(&'a Enum),
    /// A list. The type of its elements follows once.
    List(&'a List),
    /// One of some arms, which follow.
    Variant(&'a [Arm]),
    /// An arm. Its segments follow.
    Arm(&'a Arm),
}

/// A list of segments that is a scope of field names.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The segments.
    pub segments: &'a [Segment],
    /// The place of the first segment.
    pub start: Place,
}

/// The enclosing fields, arms and elements of a part of a key, outermost first.
#[derive(Clone, Debug, Default)]
pub struct Path<'a>(SmallVec<[Step<'a>; 4]>);

/// One step of a [`Path`].
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Into a field.
    Field(&'a Field),
    /// Into an arm of a variant.
    Arm {
        /// The arms of the variant.
        arms: &'a [Arm],
        /// The index of the arm.
        index: usize,
    },
    /// Into an element of a list.
    Element,
}

impl<'a> Path<'a> {
    /// Returns the steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Step<'a>] {
        &self.0
    }

    /// Whether no arm and no element encloses the part. Every key then contains the part, unless an
    /// option is absent.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.0.iter().all(|step| matches!(step, Step::Field(_)))
    }

    /// Whether the path consists of nested fields with these names.
    #[must_use]
    pub fn is(&self, names: &[impl AsRef<str>]) -> bool {
        self.is_plain() && self.names().into_iter().eq(names.iter().map(AsRef::as_ref))
    }

    /// Returns the names of the fields and arms joined with dots. An element of a list has the path
    /// of the list.
    #[must_use]
    pub fn text(&self) -> String {
        self.joined("")
    }

    /// Returns the same text with `element` as the name of an element of a list.
    #[must_use]
    pub fn joined(&self, element: &str) -> String {
        let names = self.names().into_iter();
        names.fold(String::new(), |text, name| {
            join(&text, if name.is_empty() { element } else { name })
        })
    }

    /// Returns the names of the fields and arms. An element has an empty name.
    #[must_use]
    pub fn names(&self) -> Vec<&'a str> {
        let names = self.0.iter().map(|step| match step {
            Step::Field(field) => field.name.as_str(),
            Step::Arm { arms, index } => arms.get(*index).map_or("", |arm| &arm.name),
            Step::Element => "",
        });
        names.collect()
    }

    /// Returns the outermost field.
    #[must_use]
    pub fn outermost(&self) -> Option<&'a Field> {
        self.0.iter().find_map(|step| match step {
            Step::Field(field) => Some(*field),
            Step::Arm { .. } | Step::Element => None,
        })
    }
}

/// Appends a name to a path. Either may be empty.
#[must_use]
pub fn join(path: &str, name: &str) -> String {
    let dot = if path.is_empty() || name.is_empty() { "" } else { "." };
    format!("{path}{dot}{name}")
}

struct Traversal<'a> {
    items: Vec<Item<'a>>,
    /// The place of the next item.
    place: Place,
    path: Path<'a>,
}

impl<'a> Traversal<'a> {
    /// Adds an item with `size` places of its own, and returns its index.
    fn item(
        &mut self,
        kind: ItemKind<'a>,
        size: usize,
        scope: Scope<'a>,
        choice: Option<Place>,
    ) -> usize {
        let (path, place, end) = (self.path.clone(), self.place, Place(self.place.0 + size as u32));
        self.items.push(Item { path, place, end, scope, choice, kind });
        self.place = end;
        self.items.len() - 1
    }

    /// Ends an item whose contents have been added.
    fn end(&mut self, item: usize) {
        self.items[item].end = self.place;
    }

    fn segments(&mut self, list: &'a [Segment], scope: Scope<'a>, choice: Option<Place>) {
        for (index, segment) in list.iter().enumerate() {
            match segment {
                Segment::Literal(literal) => {
                    let kind = ItemKind::Literal { literal, list, index };
                    self.item(kind, literal.bytes.len(), scope, choice);
                }
                Segment::Derived(derived) => {
                    self.item(ItemKind::Derived(derived), 1, scope, choice);
                }
                Segment::Option(option) => {
                    let item = self.item(ItemKind::Option(option), 1, scope, choice);
                    self.segments(&option.segments, scope, Some(self.place));
                    self.end(item);
                }
                Segment::Field(field) => {
                    self.path.0.push(Step::Field(field));
                    let item = self.item(ItemKind::Field(field), 0, scope, choice);
                    self.ty(&field.ty, scope, choice);
                    self.end(item);
                    self.path.0.pop();
                }
            }
        }
    }

    fn ty(&mut self, ty: &'a Type, scope: Scope<'a>, choice: Option<Place>) {
        match ty {
            Type::Leaf(leaf) => {
                self.item(ItemKind::Leaf(leaf), 1, scope, choice);
            }
            Type::Enum(of) => {
                self.item(ItemKind::Enum(of), 1, scope, choice);
            }
            Type::Composite(segments) => {
                self.segments(segments, Scope { segments, start: self.place }, choice);
            }
            Type::List(list) => {
                let item = self.item(ItemKind::List(list), 1, scope, choice);
                self.path.0.push(Step::Element);
                self.ty(&list.element, scope, Some(self.place));
                self.path.0.pop();
                self.end(item);
            }
            Type::Variant(arms) => {
                let item = self.item(ItemKind::Variant(arms), 1, scope, choice);
                for (index, arm) in arms.iter().enumerate() {
                    self.path.0.push(Step::Arm { arms, index });
                    let item = self.item(ItemKind::Arm(arm), 0, scope, choice);
                    let (segments, start) = (&arm.segments[..], self.place);
                    self.segments(segments, Scope { segments, start }, Some(start));
                    self.end(item);
                    self.path.0.pop();
                }
                self.end(item);
            }
        }
    }
}
