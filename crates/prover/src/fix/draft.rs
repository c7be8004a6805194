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

/// The number of bytes of a layout that one unit of work reads again.
const BYTES_PER_UNIT: usize = 2;

pub(super) struct Draft {
    pub(super) layout: Layout,
}

impl Draft {
    /// The layout with some changes; `None` if it is no layout, names something else, or costs more
    /// than is left.
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

    /// The length of the longest key of the keyspace that the claim is about; `None` if there is no
    /// longest.
    pub(super) fn longest_key(&self, view: &View<'_>) -> Option<usize> {
        let machine = view.context(&self.layout).machine(&[view.subject.keyspace], Side::Over);
        machine.ok()?.longest()
    }

    pub(super) fn decide(&self, view: &View<'_>) -> Option<Verdict> {
        // A claim about one keyspace asks for the keys that it shares, not for those of others.
        let context = view.context(&self.layout).focused(vec![view.subject.keyspace]);
        decide(&context, view.subject)
    }

    pub(super) fn proves(&self, view: &View<'_>) -> bool {
        matches!(self.decide(view), Some(Verdict::Proved))
    }

    /// This layout, with what refutes the claim in it.
    pub(super) fn view<'v>(&'v self, of: &View<'v>, fault: &'v Fault) -> View<'v> {
        View { layout: &self.layout, fault, ..*of }
    }
}
