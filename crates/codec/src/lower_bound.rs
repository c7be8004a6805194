//! Lower bounds of languages. They contain only encodings, but possibly not all.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::{fmt, ops::Deref};
use keyscape_automata::{Budget, Dfa, Lang, Total};
use once_cell::race::OnceBox;

/// Some encodings of a codec. A list of words is large and rarely needed, so the automaton is built
/// at first use.
#[derive(Clone)]
pub struct LowerBound(Kind);

#[derive(Clone)]
enum Kind {
    Built(Arc<Dfa>),
    Later(Arc<Later>),
}

struct Later {
    built: OnceBox<(Arc<Dfa>, usize)>,
    arms: Box<dyn Fn() -> Vec<Lang> + Send + Sync>,
    budget: Budget<'static>,
}

impl LowerBound {
    /// Creates a lower bound of the words of these languages. While it exceeds the budget, the
    /// second half of the languages is dropped. This is allowed, because a lower bound may omit
    /// words.
    pub(crate) fn later(
        budget: Budget,
        arms: impl Fn() -> Vec<Lang> + Send + Sync + 'static,
    ) -> Self {
        let (built, arms, budget) = (OnceBox::new(), Box::new(arms), budget.alone());
        Self(Kind::Later(Arc::new(Later { built, arms, budget })))
    }

    /// Returns the automaton.
    #[must_use]
    pub fn dfa(&self) -> &Arc<Dfa> {
        match &self.0 {
            Kind::Built(dfa) => dfa,
            Kind::Later(later) => &later.built().0,
        }
    }

    /// Returns the units of work of building the automaton, or 0 if it was not built lazily. Every
    /// user of the automaton charges this work, even if the automaton has been built before.
    #[must_use]
    pub fn work(&self) -> usize {
        match &self.0 {
            Kind::Built(_) => 0,
            Kind::Later(later) => later.built().1,
        }
    }
}

/// The maximum units of work for one attempt to build a lazy automaton.
const MAX_WORK: usize = 1 << 17;

impl Later {
    fn built(&self) -> &(Arc<Dfa>, usize) {
        self.built.get_or_init(|| Box::new(self.build()))
    }

    /// Builds the automaton. Returns it with the units of work.
    fn build(&self) -> (Arc<Dfa>, usize) {
        let total = Total::new("units of work", usize::MAX);
        let work = self.budget.work.min(MAX_WORK);
        let of_arms = Budget { work, total: Some(&total), ..self.budget };
        let mut arms = (self.arms)();
        loop {
            let half = arms.len() / 2;
            // The empty language never exceeds a budget.
            let budget = if arms.is_empty() { Budget::default() } else { of_arms };
            match Dfa::from_lang(&Lang::Alt(arms.clone()), budget) {
                Ok(dfa) => return (Arc::new(dfa), total.spent()),
                Err(_) => arms.truncate(half),
            }
        }
    }
}

impl From<Arc<Dfa>> for LowerBound {
    fn from(dfa: Arc<Dfa>) -> Self {
        Self(Kind::Built(dfa))
    }
}

impl Deref for LowerBound {
    type Target = Arc<Dfa>;

    fn deref(&self) -> &Arc<Dfa> {
        self.dfa()
    }
}

impl fmt::Debug for LowerBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Built(dfa) => dfa.fmt(f),
            Kind::Later(later) => match later.built.get() {
                Some((dfa, _)) => dfa.fmt(f),
                None => f.write_str("not built yet"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_too_large_loses_its_last_words() {
        let words = || [&b"aaaa"[..], b"bbbb", b"cccc", b"dddd"].map(Lang::literal).to_vec();
        let all = LowerBound::later(Budget::default(), words);
        let some = LowerBound::later(Budget { states: 12, ..Budget::default() }, words);
        assert!(all.accepts(b"dddd") && !some.accepts(b"dddd") && some.accepts(b"aaaa"));
        let none = LowerBound::later(Budget { states: 0, ..Budget::default() }, words);
        assert!(none.is_empty());
    }

    #[test]
    fn the_work_of_a_lazy_automaton_is_charged_each_time() {
        let words = || [&b"aaaa"[..], b"bbbb"].map(Lang::literal).to_vec();
        let later = LowerBound::later(Budget::default(), words);
        let first = later.work();
        assert!(first > 0 && later.work() == first);
        assert_eq!(LowerBound::from(later.dfa().clone()).work(), 0);
    }
}
