//! Codecs and automata that have been built, so that a layout that is read once more with small
//! changes builds only what is new in it.

use crate::Side;
use hashbrown::HashMap;
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
    codecs: HashMap<String, Arc<dyn Codec>>,
    /// By the text of their codec.
    languages: HashMap<String, Language>,
    /// A simplest word of each side of a language.
    simplest: HashMap<(String, Side), Vec<u8>>,
    /// How many steps the languages have.
    steps: usize,
}

impl Built {
    fn with<T>(&self, use_parts: impl FnOnce(&mut Parts) -> T) -> T {
        use_parts(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The codec that a call means, or what `build` says.
    pub(crate) fn codec<E>(
        &self,
        call: Call<'_>,
        build: impl FnOnce(Call<'_>) -> Result<Arc<dyn Codec>, E>,
    ) -> Result<Arc<dyn Codec>, E> {
        let text = text(&call);
        if let Some(known) = self.with(|parts| parts.codecs.get(&text).cloned()) {
            return Ok(known);
        }
        let codec = build(call)?;
        self.with(|parts| parts.codecs.insert(text, codec.clone()));
        Ok(codec)
    }

    /// The language of the codec with this text, or what `build` says.
    pub(crate) fn language<E>(
        &self,
        text: &str,
        build: impl FnOnce() -> Result<Language, E>,
    ) -> Result<Language, E> {
        if let Some(known) = self.with(|parts| parts.languages.get(text).cloned()) {
            return Ok(known);
        }
        let language = build()?;
        // Of a language that is not exact, what is below is mostly not built at all.
        let (Language::Exact(dfa) | Language::Between { over: dfa, .. }) = &language;
        let steps = dfa.size();
        self.with(|parts| {
            if parts.steps > MOST_STEPS {
                *parts = Parts::default();
            }
            parts.steps += steps;
            parts.languages.insert(text.to_owned(), language.clone());
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

/// What tells two calls apart.
fn text(call: &Call<'_>) -> String {
    let mut text = call.name.to_owned();
    // Where each argument ends is said by its length; writing to a string does not fail.
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
