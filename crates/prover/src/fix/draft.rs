//! A changed layout.

use super::{
    change::{Change, apply},
    view::View,
};
use crate::{
    decide::decide,
    verdict::{Fault, Verdict},
};
use keyscape_layout::{Layout, Side, read_again};

/// The number of bytes of a layout that one unit of work parses.
const BYTES_PER_UNIT: usize = 2;

pub(super) struct Draft {
    pub(super) layout: Layout,
}

impl Draft {
    /// Creates the layout with some changes. Returns `None` if the result is not a layout, has
    /// other keyspaces, or exceeds the remaining work.
    pub(super) fn new(view: &View<'_>, changes: &[Change]) -> Option<Self> {
        let text = apply(view.layout.text(), changes)?;
        view.effort.total.take(text.len() / BYTES_PER_UNIT).ok()?;
        let layout = read_again(view.layout, &text, &view.effort.total).ok()?;
        let names = |layout: &Layout| -> Vec<(String, Vec<String>)> {
            let of = layout.keyspaces.iter();
            of.map(|k| (k.name.clone(), k.scans.iter().map(|s| s.name.clone()).collect())).collect()
        };
        (names(&layout) == names(view.layout)).then(|| Self { layout })
    }

    /// Returns the length of the longest key of the claim's keyspace, or `None` if the length is
    /// unbounded.
    pub(super) fn longest_key(&self, view: &View<'_>) -> Option<usize> {
        let machine = view.context(&self.layout).machine(&[view.subject.keyspace], Side::Over);
        machine.ok()?.longest()
    }

    pub(super) fn decide(&self, view: &View<'_>) -> Option<Verdict> {
        // A claim about one keyspace needs only the collisions of this keyspace.
        let context = view.context(&self.layout).focused(vec![view.subject.keyspace]);
        decide(&context, view.subject)
    }

    pub(super) fn proves(&self, view: &View<'_>) -> bool {
        matches!(self.decide(view), Some(Verdict::Proved))
    }

    /// Returns a view of this layout with the fault that refutes the claim in it.
    pub(super) fn view<'v>(&'v self, of: &View<'v>, fault: &'v Fault) -> View<'v> {
        View { layout: &self.layout, fault, ..*of }
    }
}
