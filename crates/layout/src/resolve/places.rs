//! The places of a key that scans use.

use crate::{
    model::{Place, Segment, Type},
    traverse::{Item, ItemKind, traverse},
};

/// Returns the place after `place` and all directly following literal bytes.
pub(super) fn skip_literals(key: &[Segment], place: Place) -> Place {
    let literals = traverse(key)
        .filter(|item| matches!(item.kind, ItemKind::Literal { .. }) && item.path.is_plain());
    literals.fold(
        place,
        |at, item| if (item.place..item.end()).contains(&at) { item.end() } else { at },
    )
}

/// Whether a place is inside an option. A key without this part does not reach the place.
pub(super) fn inside_option(key: &[Segment], place: Place) -> bool {
    traverse(key).any(|item| {
        matches!(item.kind, ItemKind::Option(_))
            && item.path.is_plain()
            && item.place < place
            && place < item.end()
    })
}

/// The field that follows a place.
pub(super) struct NextField<'k> {
    /// The names of the enclosing composites, outermost first, and its own name.
    pub(super) path: Vec<&'k str>,
    pub(super) ty: &'k Type,
    pub(super) start: Place,
}

/// Returns the outermost field that starts at a place or after it. Skips literals before the field,
/// except at the start of a composite, which then is the next field itself.
pub(super) fn next_field(key: &[Segment], place: Place) -> Option<NextField<'_>> {
    let starts_there = |item: &Item<'_>| item.place >= place && item.path.is_plain();
    traverse(key).filter(starts_there).find_map(|item| match item.kind {
        ItemKind::Field(field) => {
            Some(NextField { path: item.path.names(), ty: &field.ty, start: item.place })
        }
        _ => None,
    })
}
