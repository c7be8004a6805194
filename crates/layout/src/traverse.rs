//! The traversal of a key's structure, which yields every part with its path, place and type.

use crate::model::{
    Arm, Derived, Enum, Field, Leaf, List, Literal, OptionSegment, Place, Segment, Type, places,
};
use smallvec::SmallVec;

/// Yields all parts of a key in source order, outer parts before inner ones.
#[must_use]
pub fn traverse(segments: &[Segment]) -> Traversal<'_> {
    traverse_from(segments, Place(0))
}

/// Like [`traverse`], for segments that start at a place of a larger key.
#[must_use]
pub fn traverse_from(segments: &[Segment], start: Place) -> Traversal<'_> {
    let scope = Scope { segments, start };
    let list = Frame { rest: Rest::Segments { segments, next: 0 }, depth: 0, scope, choice: None };
    Traversal { stack: vec![list], place: start.0, path: Path::default(), inside: 0 }
}

/// Like [`traverse`], for a type outside a key, such as the type of a member.
#[must_use]
pub fn traverse_type(ty: &Type) -> Traversal<'_> {
    let scope = Scope { segments: &[], start: Place(0) };
    let ty = Frame { rest: Rest::Type(ty), depth: 0, scope, choice: None };
    Traversal { stack: vec![ty], place: 0, path: Path::default(), inside: 0 }
}

/// A part of a key.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The enclosing fields, arms and elements. For a field or an arm, includes the part itself.
    pub path: Path<'a>,
    /// The first place of the part. An arm or a field has the places of its contents.
    pub place: Place,
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
        let is_named = |(step, name): (&Step<'_>, &_)| matches!(step, Step::Field(field) if field.name == AsRef::<str>::as_ref(name));
        self.0.len() == names.len() && self.0.iter().zip(names).all(is_named)
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

impl Item<'_> {
    /// Returns the place after the part and its contents.
    #[must_use]
    pub fn end(&self) -> Place {
        let size = match self.kind {
            ItemKind::Literal { literal, .. } => literal.bytes.len() as u32,
            ItemKind::Derived(_) | ItemKind::Leaf(_) | ItemKind::Enum(_) => 1,
            ItemKind::Option(option) => 1 + places(&option.segments),
            ItemKind::Field(field) => field.ty.places(),
            ItemKind::List(list) => 1 + list.element.places(),
            ItemKind::Variant(arms) => {
                1 + arms.iter().map(|arm| places(&arm.segments)).sum::<u32>()
            }
            ItemKind::Arm(arm) => places(&arm.segments),
        };
        Place(self.place.0 + size)
    }
}

/// The iterator that [`traverse`] returns.
#[derive(Clone, Debug)]
pub struct Traversal<'a> {
    stack: Vec<Frame<'a>>,
    place: u32,
    path: Path<'a>,
    /// The length of the stack without the contents of the last item.
    inside: usize,
}

/// The rest of a list of segments, a type or a variant.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    rest: Rest<'a>,
    /// The length of the path.
    depth: usize,
    scope: Scope<'a>,
    choice: Option<Place>,
}

#[derive(Clone, Copy, Debug)]
enum Rest<'a> {
    Segments { segments: &'a [Segment], next: usize },
    Type(&'a Type),
    Arms { arms: &'a [Arm], next: usize },
}

impl<'a> Iterator for Traversal<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let frame = self.stack.pop()?;
            self.path.0.truncate(frame.depth);
            let item = match frame.rest {
                Rest::Segments { segments, next } => self.segment(frame, segments, next),
                Rest::Type(ty) => self.ty(frame, ty),
                Rest::Arms { arms, next } => self.arm(frame, arms, next),
            };
            if item.is_some() {
                return item;
            }
        }
    }
}

impl<'a> Traversal<'a> {
    /// Skips the contents of the last item.
    pub fn skip_contents(&mut self, item: &Item<'a>) {
        self.stack.truncate(self.inside);
        self.place = item.end().0;
    }

    /// Creates an item and advances by its own `size` places.
    fn item(&mut self, frame: Frame<'a>, size: usize, kind: ItemKind<'a>) -> Option<Item<'a>> {
        self.inside = self.stack.len();
        let place = Place(self.place);
        self.place += size as u32;
        let Frame { scope, choice, .. } = frame;
        Some(Item { path: self.path.clone(), place, scope, choice, kind })
    }

    /// Adds the contents of the item to return.
    fn enter(&mut self, rest: Rest<'a>, scope: Scope<'a>, choice: Option<Place>) {
        self.stack.push(Frame { rest, depth: self.path.0.len(), scope, choice });
    }

    fn segment(
        &mut self,
        frame: Frame<'a>,
        segments: &'a [Segment],
        next: usize,
    ) -> Option<Item<'a>> {
        let segment = segments.get(next)?;
        self.stack.push(Frame { rest: Rest::Segments { segments, next: next + 1 }, ..frame });
        match segment {
            Segment::Literal(literal) => {
                let kind = ItemKind::Literal { literal, list: segments, index: next };
                self.item(frame, literal.bytes.len(), kind)
            }
            Segment::Derived(derived) => self.item(frame, 1, ItemKind::Derived(derived)),
            Segment::Option(option) => {
                let item = self.item(frame, 1, ItemKind::Option(option));
                let rest = Rest::Segments { segments: &option.segments, next: 0 };
                self.enter(rest, frame.scope, Some(Place(self.place)));
                item
            }
            Segment::Field(field) => {
                self.path.0.push(Step::Field(field));
                let item = self.item(frame, 0, ItemKind::Field(field));
                self.enter(Rest::Type(&field.ty), frame.scope, frame.choice);
                item
            }
        }
    }

    fn ty(&mut self, frame: Frame<'a>, ty: &'a Type) -> Option<Item<'a>> {
        match ty {
            Type::Leaf(leaf) => self.item(frame, 1, ItemKind::Leaf(leaf)),
            Type::Enum(of) => self.item(frame, 1, ItemKind::Enum(of)),
            Type::Composite(segments) => {
                let scope = Scope { segments, start: Place(self.place) };
                self.enter(Rest::Segments { segments, next: 0 }, scope, frame.choice);
                None
            }
            Type::List(list) => {
                let item = self.item(frame, 1, ItemKind::List(list));
                self.path.0.push(Step::Element);
                self.enter(Rest::Type(&list.element), frame.scope, Some(Place(self.place)));
                item
            }
            Type::Variant(arms) => {
                let item = self.item(frame, 1, ItemKind::Variant(arms));
                self.enter(Rest::Arms { arms, next: 0 }, frame.scope, frame.choice);
                item
            }
        }
    }

    fn arm(&mut self, frame: Frame<'a>, arms: &'a [Arm], index: usize) -> Option<Item<'a>> {
        let arm = arms.get(index)?;
        self.stack.push(Frame { rest: Rest::Arms { arms, next: index + 1 }, ..frame });
        self.path.0.push(Step::Arm { arms, index });
        let start = Place(self.place);
        let item = self.item(frame, 0, ItemKind::Arm(arm));
        let scope = Scope { segments: &arm.segments, start };
        self.enter(Rest::Segments { segments: &arm.segments, next: 0 }, scope, Some(start));
        item
    }
}
