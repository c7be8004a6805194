//! A cache of codecs and automata. A layout that is read again with small changes builds only its
//! new parts.

use crate::Side;
use hashbrown::{HashMap, HashSet};
use keyscape_automata::{Budget, OverBudget};
use keyscape_codec::{Arg, BuildError, Call, Codec, Language, build};
use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
};

/// The cache is cleared above this number of transitions. The search for fixes reads thousands of
/// layouts, and most of their domains occur once.
const MAX_STEPS: usize = 1 << 24;

/// A cache of codecs and automata. Clones share it, even between threads. The cache affects only
/// the time of reading: equal calls build equal codecs, and codecs with the same text have the same
/// language.
#[derive(Clone, Debug, Default)]
pub struct Built(Arc<Mutex<Parts>>);

#[derive(Debug, Default)]
struct Parts {
    /// By the text of the call.
    codecs: HashMap<String, Priced<Arc<dyn Codec>>>,
    /// By the text of their codec.
    languages: HashMap<String, Priced<Language>>,
    /// A simplest word of each side of a language.
    simplest: HashMap<(String, Side), Vec<u8>>,
    /// The number of transitions of all languages.
    steps: usize,
}

/// A codec or automaton, and the units of work of building it.
type Priced<T> = (T, usize);

/// The work that reading one layout has charged. A cached codec or automaton charges the work of
/// building it, once per layout. The size limit of a layout therefore does not depend on other
/// layouts.
#[derive(Debug)]
pub(crate) struct Account<'t> {
    pub(crate) budget: Budget<'t>,
    paid: HashSet<String>,
    /// The account of the previous version of the layout.
    before: Paid,
}

/// The texts of the codecs and automata that a layout has charged.
pub(crate) type Paid = Arc<HashSet<String>>;

impl<'t> Account<'t> {
    pub(crate) fn new(budget: Budget<'t>, before: Paid) -> Self {
        Self { budget, paid: HashSet::new(), before }
    }

    /// Returns everything that has been charged.
    pub(crate) fn paid(self) -> Paid {
        if self.paid.is_empty() {
            return self.before;
        }
        let mut paid = self.paid;
        paid.extend(self.before.iter().cloned());
        Arc::new(paid)
    }

    /// Charges a cached codec or automaton. Returns `false` if too little work is left. Building it
    /// again then returns the error.
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
}

impl Built {
    fn with<T>(&self, use_parts: impl FnOnce(&mut Parts) -> T) -> T {
        use_parts(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the part with a text from one of the maps if the account pays for it. Otherwise
    /// builds the part, and stores it with the units of work.
    fn get_or_build<T: Clone, E>(
        &self,
        map: fn(&mut Parts) -> &mut HashMap<String, Priced<T>>,
        text: String,
        account: &mut Account<'_>,
        build: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some((known, units)) = self.with(|parts| map(parts).get(&text).cloned())
            && account.pays(&text, units)
        {
            return Ok(known);
        }
        let before = account.budget.left().unwrap_or(0);
        let built = build()?;
        let units = before - account.budget.left().unwrap_or(0);
        account.paid.insert(text.clone());
        self.with(|parts| map(parts).insert(text, (built.clone(), units)));
        Ok(built)
    }

    /// Returns the codec of a call.
    pub(crate) fn codec(
        &self,
        call: Call<'_>,
        account: &mut Account<'_>,
    ) -> Result<Arc<dyn Codec>, BuildError> {
        self.get_or_build(|parts| &mut parts.codecs, text(&call), account, || build(call))
    }

    /// Returns the language of a codec.
    pub(crate) fn language(
        &self,
        codec: &dyn Codec,
        account: &mut Account<'_>,
    ) -> Result<Language, OverBudget> {
        let budget = account.budget;
        self.get_or_build(
            |parts| &mut parts.languages,
            codec.text(),
            account,
            || {
                let language = codec.language(budget)?;
                // The lower automaton of an inexact language is rarely built.
                let steps = language.over().size();
                self.with(|parts| {
                    if parts.steps > MAX_STEPS {
                        *parts = Parts::default();
                    }
                    parts.steps += steps;
                });
                Ok(language)
            },
        )
    }

    /// Returns the simplest word of one side of a codec's language.
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
    // No codec has a text with a colon here, which separates charges of codecs and of languages.
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
