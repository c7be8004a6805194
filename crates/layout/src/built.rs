//! Codecs and automata that have been built, so that a layout that is read once more with small
//! changes builds only what is new in it.

use crate::Side;
use hashbrown::{HashMap, HashSet};
use keyscape_automata::{Budget, OverBudget};
use keyscape_codec::{Arg, Call, Codec, Language};
use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

/// Above so many steps of automata everything is forgotten: looking for fixes reads thousands of
/// layouts, and most of their domains are met once.
const MOST_STEPS: usize = 1 << 24;

/// Codecs and automata that layouts have in common; clones share them, also between threads. It
/// changes nothing but how long reading takes: equal calls build equal codecs, and codecs of one text
/// have one language.
#[derive(Clone, Debug, Default)]
pub struct Built(Arc<Mutex<Parts>>);

#[derive(Debug, Default)]
struct Parts {
    /// By how they are called.
    codecs: HashMap<String, Priced<Arc<dyn Codec>>>,
    /// By the text of their codec.
    languages: HashMap<String, Priced<Language>>,
    /// A simplest word of each side of a language.
    simplest: HashMap<(String, Side), Vec<u8>>,
    /// The number of steps of all languages.
    steps: usize,
}

/// A codec or automaton, and the units of work that it took.
type Priced<T> = (T, usize);

/// The codecs and automata that one reading of a layout has paid for. A shared one costs what
/// building it cost, once. So the size limit of a layout does not depend on other layouts.
#[derive(Debug)]
pub(crate) struct Account<'t> {
    pub(crate) budget: Budget<'t>,
    paid: HashSet<String>,
    /// The account of the layout that is read once more with changes.
    before: Paid,
}

/// The codecs and automata that a layout has paid for.
pub(crate) type Paid = Arc<HashSet<String>>;

impl<'t> Account<'t> {
    pub(crate) fn new(budget: Budget<'t>, before: Paid) -> Self {
        Self { budget, paid: HashSet::new(), before }
    }

    /// Returns all that has been paid for.
    pub(crate) fn paid(self) -> Paid {
        if self.paid.is_empty() {
            return self.before;
        }
        let mut paid = self.paid;
        paid.extend(self.before.iter().cloned());
        Arc::new(paid)
    }

    /// Pays for something that has been built. Returns `false` if too little is left: building it
    /// again then says what is missing.
    fn pays(&mut self, text: &str, units: usize) -> bool {
        if self.before.contains(text) || self.paid.contains(text) {
            return true;
        }
        let pays = self
            .budget
            .total
            .is_none_or(|total| total.left() >= units && total.take(units).is_ok());
        if pays {
            self.paid.insert(text.to_owned());
        }
        pays
    }

    /// Builds something and returns it with its price.
    fn build<T, E>(
        &mut self,
        text: &str,
        build: impl FnOnce(Budget<'t>) -> Result<T, E>,
    ) -> Result<Priced<T>, E> {
        let before = self.budget.left().unwrap_or(0);
        let built = build(self.budget)?;
        self.paid.insert(text.to_owned());
        Ok((built, before - self.budget.left().unwrap_or(0)))
    }
}

impl Built {
    fn with<T>(&self, use_parts: impl FnOnce(&mut Parts) -> T) -> T {
        use_parts(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The codec that a call means, or what `build` says.
    pub(crate) fn codec<'c, 't: 'c, E>(
        &self,
        call: Call<'c>,
        account: &mut Account<'t>,
        build: impl FnOnce(Call<'c>) -> Result<Arc<dyn Codec>, E>,
    ) -> Result<Arc<dyn Codec>, E> {
        let text = text(&call);
        if let Some((known, units)) = self.with(|parts| parts.codecs.get(&text).cloned())
            && account.pays(&text, units)
        {
            return Ok(known);
        }
        let (codec, units) = account.build(&text, |budget| build(Call { budget, ..call }))?;
        self.with(|parts| parts.codecs.insert(text, (codec.clone(), units)));
        Ok(codec)
    }

    /// Returns the language of a codec.
    pub(crate) fn language(
        &self,
        codec: &dyn Codec,
        account: &mut Account<'_>,
    ) -> Result<Language, OverBudget> {
        let text = &codec.text();
        if let Some((known, units)) = self.with(|parts| parts.languages.get(text).cloned())
            && account.pays(text, units)
        {
            return Ok(known);
        }
        let (language, units) = account.build(text, |budget| codec.language(budget))?;
        // Of a language that is not exact, what is below is mostly not built at all.
        let (Language::Exact(dfa) | Language::Between { over: dfa, .. }) = &language;
        let steps = dfa.size();
        self.with(|parts| {
            if parts.steps > MOST_STEPS {
                *parts = Parts::default();
            }
            parts.steps += steps;
            parts.languages.insert(text.clone(), (language.clone(), units));
        });
        Ok(language)
    }

    /// The simplest word of a side of the language of the codec with this text.
    pub(crate) fn simplest(
        &self,
        text: &str,
        side: Side,
        find: impl FnOnce() -> Vec<u8>,
    ) -> Vec<u8> {
        let key = (text.to_owned(), side);
        if let Some(known) = self.with(|parts| parts.simplest.get(&key).cloned()) {
            return known;
        }
        let word = find();
        self.with(|parts| parts.simplest.insert(key, word.clone()));
        word
    }
}

/// Returns a text that is different for different calls.
fn text(call: &Call<'_>) -> String {
    // No codec has such a text, so that what is paid for codecs is not taken for their languages.
    let mut text = format!("{}:", call.name);
    // The length of each argument marks its end. Writing to a string does not fail.
    for arg in &call.args {
        let arg = match arg {
            Arg::Codec(codec) => codec.text(),
            other => format!("{other:?}"),
        };
        let _ = write!(text, "({}:{arg})", arg.len());
    }
    if call.length.is_some() || call.domain.is_some() {
        let _ = write!(text, " {:?}{:?}", call.length, call.domain);
    }
    text
}
