//! Fixes of splits that cut at another occurrence.

use super::{change::Change, view::View};
use keyscape_layout::{
    fields,
    model::{Cut, Type},
};

/// Cuts at the first or the last occurrence, if the key has only one separator after its literal
/// prefix.
pub(super) fn other_cut(view: &View<'_>) -> Vec<Vec<Change>> {
    let Some(split) = view.split() else { return Vec::new() };
    let keyspace = view.keyspace();
    let prefix = keyspace.literal_prefix().len() as u32;
    let separators = split.separators(&keyspace.key);
    let is_repeated = fields(&keyspace.key).iter().any(|f| matches!(*f.ty, Type::List(_)));
    if is_repeated || separators.iter().filter(|place| place.0 >= prefix).count() != 1 {
        return Vec::new();
    }
    let cuts = [(Cut::First, "first"), (Cut::Last, "last")];
    let others = cuts.into_iter().filter(|(cut, _)| *cut != split.cut);
    let change = |word| Change::replace(split.span, format!("split at {word} {}", split.written));
    others.map(|(_, word)| vec![change(word)]).collect()
}
