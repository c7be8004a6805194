//! The events of a run over a key: where values begin and end, and which choices are taken.
//!
//! Two runs over the same bytes, one in each layout, read the same values in the same fields under
//! two conditions: they have the same events at the same offsets, and the codecs of each field
//! agree on its bytes. Literals, derived bytes and the presence of optional parts are not events. A
//! reading does not name them, or they follow from the values inside.

use crate::correspondence::{ELEMENT, Fields, is_unchanged};
use hashbrown::HashMap;
use keyscape_layout::{
    direct_field,
    machine::{Machine, Mark, Marks, NodeId, State, TrackId, Walk},
    model::{Derived, Enum, Leaf, List, Place, Segment, Type},
    traverse::{Item, ItemKind, join, traverse},
};
use std::{cell::RefCell, rc::Rc};

/// Numbers for texts and lists of events. All runs of a search share one interner.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: HashMap<String, u32>,
    events: HashMap<Vec<Event>, u32>,
}

impl Interner {
    pub(crate) fn text(&mut self, text: String) -> u32 {
        let next = self.texts.len() as u32;
        *self.texts.entry(text).or_insert(next)
    }

    fn events(&mut self, events: Vec<Event>) -> EventsId {
        let next = self.events.len() as u32;
        (!events.is_empty()).then(|| *self.events.entry(events).or_insert(next))
    }
}

/// The number of a list of events; `None` for the empty list.
pub(crate) type EventsId = Option<u32>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Event {
    /// The value of a field ends.
    End(u32),
    /// A text of an enum or an arm of a variant is taken.
    Choice(u32),
    /// The value of a field begins.
    Start(u32),
}

/// The layout of a key in a comparison, which decides how events name fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Naming<'a> {
    /// Fields have their own names.
    Old(&'a Fields),
    /// Fields have the names of their old counterparts. Added fields have names that no old field
    /// has.
    New(&'a Fields),
}

impl<'a> Naming<'a> {
    /// Returns the path of a field's counterpart in the other key.
    fn counterpart(self, path: &str) -> Option<&'a str> {
        match self {
            Naming::Old(fields) => fields.new_path(path),
            Naming::New(fields) => fields.old_path(path),
        }
    }
}

/// A place of a key that has events.
#[derive(Debug)]
enum Part<'a> {
    Leaf { path: u32, leaf: &'a Leaf },
    Choice { texts: Vec<u32> },
    Derived(&'a Derived),
}

/// The events of one keyspace's runs.
#[derive(Debug)]
pub(crate) struct Events<'a> {
    interner: Rc<RefCell<Interner>>,
    parts: HashMap<Place, Part<'a>>,
    cache: HashMap<(Marks, Option<NodeId>), EventsId>,
    /// Whether events sometimes leave open if a field is present.
    pub(crate) is_vague: bool,
    /// Whether every reading has a field that no reading of the other key has.
    pub(crate) is_never_same: bool,
}

impl<'a> Events<'a> {
    /// Creates the events of a key that is compared with `other`, a key of the other layout.
    pub(crate) fn new(
        key: &'a [Segment],
        other: &[Segment],
        naming: Naming<'_>,
        interner: Rc<RefCell<Interner>>,
    ) -> Self {
        let mut parts = HashMap::new();
        let (mut is_vague, mut is_never_same) = (false, false);
        for item in traverse(key) {
            let path = || {
                let path = item.path.joined(ELEMENT);
                match naming {
                    Naming::Old(_) => path,
                    Naming::New(fields) => {
                        fields.old_path(&path).map_or_else(|| format!("+{path}"), str::to_owned)
                    }
                }
            };
            let text = |text: String| interner.borrow_mut().text(text);
            let part = match item.kind {
                // Values of different kinds are never the same value.
                ItemKind::Leaf(leaf) => {
                    let path = text(format!("{}:{:?}", path(), leaf.codec.kind()));
                    Part::Leaf { path, leaf }
                }
                ItemKind::Enum(Enum { texts, .. }) => {
                    let texts = texts.iter().map(|name| text(format!("{}={name}", path())));
                    Part::Choice { texts: texts.collect() }
                }
                ItemKind::Variant(arms) => {
                    let texts = arms.iter().map(|arm| text(format!("{}|{}", path(), arm.name)));
                    Part::Choice { texts: texts.collect() }
                }
                ItemKind::Derived(derived) => Part::Derived(derived),
                ItemKind::List(list) => {
                    is_vague |=
                        may_be_silent(&list.element) || !shows_elements(&item, list, other, naming);
                    continue;
                }
                ItemKind::Field(field) => {
                    if may_be_silent(&field.ty) {
                        match presence(&item, other, naming) {
                            Presence::Alike => {}
                            Presence::Never => is_never_same = true,
                            Presence::Vague => is_vague = true,
                        }
                    }
                    continue;
                }
                ItemKind::Literal { .. } | ItemKind::Option(_) | ItemKind::Arm(_) => continue,
            };
            parts.insert(item.place, part);
        }
        Self { interner, parts, cache: HashMap::new(), is_vague, is_never_same }
    }

    /// Returns the events of a run that leaves `from` with these marks, without reading a byte, and
    /// enters `to`.
    pub(crate) fn of(
        &mut self,
        walk: &Walk<'_>,
        from: NodeId,
        marks: Marks,
        to: State,
    ) -> EventsId {
        // A run that stays inside a leaf has no events.
        let entered = (from != to.node()).then_some(to.node());
        if entered.is_none() && marks == Marks::NONE {
            return None;
        }
        if let Some(&cached) = self.cache.get(&(marks, entered)) {
            return cached;
        }
        let machine = walk.machine;
        let mut events = Vec::new();
        for &mark in walk.sequence(marks) {
            let (mark, place) = machine.mark(mark);
            match (mark, self.parts.get(&place)) {
                (Mark::End, Some(Part::Leaf { path, .. })) => events.push(Event::End(*path)),
                (Mark::Arm(index), Some(Part::Choice { texts })) => {
                    events.extend(texts.get(index as usize).copied().map(Event::Choice));
                }
                _ => {}
            }
        }
        if let (Some(_), Some(Part::Leaf { path, .. })) = (entered, self.part(machine, to)) {
            events.push(Event::Start(*path));
        }
        events.sort_unstable();
        let id = self.interner.borrow_mut().events(events);
        self.cache.insert((marks, entered), id);
        id
    }

    /// Returns the leaf whose bytes a state reads, as the layout declares it. Returns `None`
    /// outside leaves and inside derived bytes.
    pub(crate) fn leaf(&self, machine: &Machine, state: State) -> Option<&'a Leaf> {
        match self.part(machine, state)? {
            Part::Leaf { leaf, .. } => Some(leaf),
            Part::Choice { .. } | Part::Derived(_) => None,
        }
    }

    /// Returns the derived bytes that a state is in.
    pub(crate) fn derived(&self, machine: &Machine, state: State) -> Option<&'a Derived> {
        match self.part(machine, state)? {
            Part::Derived(derived) => Some(derived),
            Part::Leaf { .. } | Part::Choice { .. } => None,
        }
    }

    fn part(&self, machine: &Machine, state: State) -> Option<&Part<'a>> {
        machine.leaf_of(state)?;
        self.parts.get(&machine.place(only_track(machine)?, state))
    }
}

/// The presence of a field whose value may have no events, such as an empty list.
enum Presence {
    /// Readings of both keys have the field under the same conditions.
    Alike,
    /// Every reading has the field, and no reading of the other key has it.
    Never,
    /// Neither of the other two is certain.
    Vague,
}

fn presence(item: &Item<'_>, other: &[Segment], naming: Naming<'_>) -> Presence {
    let is_optional = |item: &Item<'_>| match item.kind {
        ItemKind::Field(field) => direct_field(item.scope.segments, &field.name).is_none(),
        _ => true,
    };
    if is_optional(item) {
        return Presence::Vague;
    }
    let path = item.path.joined(ELEMENT);
    let Some(path) = naming.counterpart(&path) else {
        let is_outermost = item.path.steps().len() == 1;
        return if is_outermost { Presence::Never } else { Presence::Vague };
    };
    let is_it = |item: &Item<'_>| {
        matches!(item.kind, ItemKind::Field(_)) && item.path.joined(ELEMENT) == path
    };
    match traverse(other).find(is_it) {
        Some(other) if !is_optional(&other) => Presence::Alike,
        _ => Presence::Vague,
    }
}

/// Whether events show where each element of a list begins. If both keys have the list, either its
/// types must be the same, or its elements must begin with the same value.
fn shows_elements(item: &Item<'_>, list: &List, other: &[Segment], naming: Naming<'_>) -> bool {
    let path = item.path.joined(ELEMENT);
    let list_at = |path: &str| {
        traverse(other).find_map(|item| match item.kind {
            ItemKind::List(list) if item.path.joined(ELEMENT) == path => Some(list),
            _ => None,
        })
    };
    let Some((their_path, theirs)) =
        naming.counterpart(&path).and_then(|path| Some((path, list_at(path)?)))
    else {
        return true;
    };
    let own_first = first_value(&list.element, join(&path, ELEMENT));
    let their_first = first_value(&theirs.element, join(their_path, ELEMENT));
    let (old, new) = match naming {
        Naming::Old(_) => (list, theirs),
        Naming::New(_) => (theirs, list),
    };
    let is_same =
        (old.min, old.max) == (new.min, new.max) && is_unchanged(&old.element, &new.element);
    is_same
        || own_first
            .as_deref()
            .zip(their_first.as_deref())
            .is_some_and(|(own, theirs)| naming.counterpart(own) == Some(theirs))
}

/// Returns the path of the value with which every value of a type begins, if it occurs only once.
fn first_value(ty: &Type, path: String) -> Option<String> {
    match ty {
        Type::Leaf(_) | Type::Enum(_) | Type::Variant(_) => Some(path),
        Type::List(_) => None,
        Type::Composite(segments) => {
            let mut parts = segments
                .iter()
                .filter(|segment| matches!(segment, Segment::Field(_) | Segment::Option(_)));
            match parts.next()? {
                Segment::Field(field) => first_value(&field.ty, join(&path, &field.name)),
                _ => None,
            }
        }
    }
}

/// Whether a value of a type may have no events.
fn may_be_silent(ty: &Type) -> bool {
    match ty {
        Type::Leaf(_) | Type::Enum(_) | Type::Variant(_) => false,
        Type::List(list) => list.min == 0 || may_be_silent(&list.element),
        Type::Composite(segments) => segments.iter().all(|segment| match segment {
            Segment::Literal(_) | Segment::Derived(_) | Segment::Option(_) => true,
            Segment::Field(field) => may_be_silent(&field.ty),
        }),
    }
}

/// Returns the only track of a machine for one keyspace.
pub(crate) fn only_track(machine: &Machine) -> Option<TrackId> {
    machine.tracks().next()
}
