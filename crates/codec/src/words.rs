//! `text` and `bytes`: values that are their own encoding, in a declared language.

use crate::{
    Arg, BuildError, BuildReason, Codec, Comparison, Description, Kind, Language, LengthRange,
    Malformed, Order, Value, ValueError, Values, description::quoted, order,
    sample_words::sample_words,
};
use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::cmp::Ordering;
use keyscape_automata::{Budget, Dfa, Lang, Lengths, OverBudget, regex};

/// The automaton counts lengths up to this; longer limits are compared separately.
const COUNTED: u32 = 4096;

/// If lengths are not counted, the lower bound contains the words up to this length.
const SHORT: u32 = 64;

/// Whether values are text or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    Text,
    Bytes,
}

/// `text(r"…")`, `bytes[32]` and so on.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    flavour: Flavour,
    dfa: Arc<Dfa>,
    /// The maximum length, if the automaton does not count that far.
    max_length: Option<usize>,
    described: Description,
    allowed: String,
}

impl Words {
    pub(crate) fn new(
        flavour: Flavour,
        usage: &'static str,
        args: &[Arg],
        length: Option<LengthRange>,
        budget: Budget,
    ) -> Result<Self, BuildError> {
        let mut domain = Domain { flavour, usage, budget, dfa: None };
        let mut described = Description::new(flavour.name(), Values::Words);
        described.length = length;
        let mut clauses = Vec::new();
        let length = length.map(|length| length.checked()).transpose()?;
        for (index, arg) in args.iter().enumerate() {
            let (arg, clause) =
                domain.argument(arg).map_err(|reason| BuildError::at(index, reason))?;
            described.args.push(arg);
            clauses.push(clause);
        }
        let stated = args.iter().any(|arg| matches!(arg, Arg::Regex { negated: false, .. }));
        if !stated && length.is_none() {
            return Err(flavour.unstated().into());
        }
        let mut max_length = None;
        if let Some(length) = length {
            let counted = length.max.filter(|max| *max <= COUNTED || *max == length.min);
            if counted.is_none() {
                max_length = length.max.map(|max| max as usize);
            }
            domain.change(|dfa, budget| dfa.with_length(length.min, counted, budget))?;
        }
        let dfa = domain.finish()?;
        // A bounded language needs no other limit.
        let max_length = max_length
            .filter(|max_length| dfa.longest().is_none_or(|longest| longest > *max_length));
        if dfa.is_empty() || max_length.is_some_and(|max_length| dfa.shortest() > Some(max_length))
        {
            return Err(BuildReason::Declaration(format!(
                "`{described}` has no values: no value satisfies all conditions"
            ))
            .into());
        }
        let allowed = flavour.allowed(length, &clauses);
        Ok(Self { flavour, dfa: Arc::new(dfa), max_length, described, allowed })
    }

    /// Returns the codec of arbitrary bytes of one length.
    pub(crate) fn of_length(length: u32, budget: Budget) -> Result<Self, BuildError> {
        let length = LengthRange { min: length, max: Some(length) };
        Self::new(Flavour::Bytes, "bytes[32]", &[], Some(length), budget)
    }

    fn fits(&self, bytes: &[u8]) -> bool {
        self.max_length.is_none_or(|max_length| bytes.len() <= max_length)
    }

    /// Returns the short words of a language that is not fully counted, or its shortest words.
    fn short(&self, budget: Budget) -> Result<Dfa, OverBudget> {
        let shortest = u32::try_from(self.dfa.shortest().unwrap_or(0)).unwrap_or(u32::MAX);
        self.dfa.with_length(shortest, Some(shortest.max(SHORT)), budget)
    }

    fn value(&self, bytes: &[u8]) -> Option<Value> {
        Some(match self.flavour {
            Flavour::Bytes => Value::Bytes(bytes.to_vec()),
            Flavour::Text => Value::Text(core::str::from_utf8(bytes).ok()?.to_string()),
        })
    }

    fn bytes<'v>(&self, value: &'v Value) -> Option<&'v [u8]> {
        match (self.flavour, value) {
            (Flavour::Bytes, Value::Bytes(bytes)) => Some(bytes),
            (Flavour::Text, Value::Text(text)) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// Returns the error for `bytes` outside the language, with the position.
    fn wrong(&self, bytes: &[u8]) -> ValueError {
        let text = core::str::from_utf8(bytes).ok().filter(|_| self.flavour == Flavour::Text);
        let wrong = ValueError::at(self.dfa.readable(bytes), bytes, text, &self.allowed);
        wrong.unwrap_or_else(|| match self.fits(bytes) {
            true => ValueError::Incomplete { allowed: self.allowed.clone() },
            false => ValueError::Outside { allowed: self.allowed.clone() },
        })
    }
}

/// The language while the arguments narrow it.
struct Domain<'t> {
    flavour: Flavour,
    usage: &'static str,
    budget: Budget<'t>,
    dfa: Option<Dfa>,
}

impl Domain<'_> {
    /// Narrows the language by an argument. Returns its description and a clause for messages.
    fn argument(&mut self, arg: &Arg) -> Result<(Arg<Box<Description>>, String), BuildReason> {
        match arg {
            &Arg::Regex { ref pattern, bytes, negated } => {
                let lang = self.parse(pattern, bytes)?;
                let not = if negated { "not " } else { "" };
                if negated { self.drop(&lang) } else { self.keep(&lang) }?;
                let clause = format!("{not}matching `{pattern}`");
                Ok((Arg::Regex { pattern: pattern.clone(), bytes, negated }, clause))
            }
            Arg::NotLiteral(literal) => {
                let around = Lang::anything();
                self.drop(&Lang::Join(Vec::from([
                    around.clone(),
                    Lang::literal(literal),
                    around,
                ])))?;
                let clause = format!("without {}", quoted(literal).replace('"', "`"));
                Ok((Arg::NotLiteral(literal.clone()), clause))
            }
            _ => Err(BuildReason::usage(self.flavour.name(), self.usage)),
        }
    }

    fn parse(&self, pattern: &str, bytes: bool) -> Result<Lang, BuildReason> {
        let parsed = match (self.flavour, bytes) {
            (Flavour::Text, false) => regex::parse_text(pattern),
            (Flavour::Bytes, true) => regex::parse_bytes(pattern),
            (flavour, _) => {
                let (name, expected) = (flavour.name(), flavour.pattern());
                return Err(BuildReason::Declaration(format!(
                    "`{name}` takes a regular expression over {expected}"
                )));
            }
        };
        parsed.map_err(BuildReason::Regex)
    }

    /// Intersects the language with a pattern. Every pattern contains only text, or only bytes, so
    /// the first one replaces the universe.
    fn keep(&mut self, lang: &Lang) -> Result<(), BuildReason> {
        let with = Dfa::from_lang(lang, self.budget)?;
        if self.dfa.is_none() {
            self.dfa = Some(with);
            return Ok(());
        }
        self.change(|dfa, budget| dfa.intersect(&with, budget))
    }

    fn drop(&mut self, lang: &Lang) -> Result<(), BuildReason> {
        let without = Dfa::from_lang(lang, self.budget)?;
        self.change(|dfa, budget| dfa.without(&without, budget))
    }

    fn change(
        &mut self,
        change: impl Fn(&Dfa, Budget) -> Result<Dfa, OverBudget>,
    ) -> Result<(), BuildReason> {
        let dfa = match self.dfa.take() {
            Some(dfa) => dfa,
            None => self.universe()?,
        };
        self.dfa = Some(change(&dfa, self.budget)?);
        Ok(())
    }

    /// Returns the language of all bytes, or of all UTF-8 text.
    fn universe(&self) -> Result<Dfa, BuildReason> {
        let lang = match self.flavour {
            Flavour::Bytes => Lang::anything(),
            Flavour::Text => regex::parse_text("(?s:.)*").map_err(BuildReason::Regex)?,
        };
        Ok(Dfa::from_lang(&lang, self.budget)?)
    }

    fn finish(self) -> Result<Dfa, BuildReason> {
        match self.dfa {
            Some(dfa) => Ok(dfa),
            None => self.universe(),
        }
    }
}

impl Flavour {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bytes => "bytes",
        }
    }

    const fn pattern(self) -> &'static str {
        match self {
            Self::Text => r#"text, r"…""#,
            Self::Bytes => r#"bytes, br"…""#,
        }
    }

    fn unstated(self) -> BuildReason {
        let example = match self {
            Self::Text => r#"`text(r"[a-z]+")` or `text[1..=64]`"#,
            Self::Bytes => r#"`bytes(br"[\x01-\xff]+")` or `bytes[32]`"#,
        };
        let name = self.name();
        BuildReason::Declaration(format!(
            "`{name}` must declare its domain: a regular expression or a length, such as {example}"
        ))
    }

    fn allowed(self, length: Option<LengthRange>, clauses: &[String]) -> String {
        let mut allowed = match (self, length) {
            (_, None) => String::from(self.name()),
            (Self::Text, Some(length)) => format!("text of {}", length.words()),
            (Self::Bytes, Some(LengthRange { min: 0, max: None })) => {
                "bytes of any length".to_string()
            }
            (Self::Bytes, Some(length)) => length.words(),
        };
        for clause in clauses {
            allowed.push(' ');
            allowed.push_str(clause);
        }
        allowed
    }
}

impl Codec for Words {
    fn describe(&self) -> Description {
        self.described.clone()
    }

    fn kind(&self) -> Kind {
        match self.flavour {
            Flavour::Text => Kind::Text,
            Flavour::Bytes => Kind::Bytes,
        }
    }

    fn allowed(&self) -> String {
        self.allowed.clone()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let bytes = self.bytes(value);
        let bytes = bytes.ok_or_else(|| ValueError::Kind { expected: self.allowed() })?;
        if !self.fits(bytes) || !self.dfa.accepts(bytes) {
            return Err(self.wrong(bytes));
        }
        out.extend_from_slice(bytes);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let accepted = self.fits(bytes) && self.dfa.accepts(bytes);
        let value = accepted.then(|| self.value(bytes)).flatten();
        value.ok_or(Malformed {
            reason: match self.flavour {
                Flavour::Text => "text is outside the domain of its field",
                Flavour::Bytes => "bytes are outside the domain of their field",
            },
        })
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let dfa = Arc::clone(&self.dfa);
        Ok(match self.max_length {
            None => Language::Exact(dfa),
            Some(_) => {
                let (prefix_free, under) =
                    (dfa.is_prefix_free(), Arc::new(self.short(budget)?).into());
                Language::Between { over: dfa, under, prefix_free }
            }
        })
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        if comparison != Comparison::LengthFirst {
            return order::by(self, comparison, budget);
        }
        let short = match self.dfa.longest() {
            Some(_) => None,
            None => self.short(budget).ok(),
        };
        let counted = short.as_ref().unwrap_or(&self.dfa);
        match counted.below_although_longer(budget) {
            Ok(Some((lower, higher))) => {
                // A pair with a word that is not short has more bytes than this and the shortest
                // word.
                let least = counted.longest().unwrap_or(0) + counted.shortest().unwrap_or(0);
                let minimal = short.is_none() || lower.len() + higher.len() <= least;
                order::PairSearch::Pair { lower, higher, minimal }.into_order(self)
            }
            Ok(None) if short.is_none() => order::ORDERED,
            Ok(None) | Err(_) => order::by(self, comparison, budget),
        }
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        self.bytes(a).cmp(&self.bytes(b))
    }

    fn longest(&self) -> Option<usize> {
        self.max_length.or(self.dfa.longest())
    }

    fn lengths(&self, cap: u64, budget: Budget) -> Result<Lengths, OverBudget> {
        self.dfa.lengths(self.max_length.map(|max_length| max_length as u64), cap, budget)
    }

    fn is_cut(&self) -> bool {
        true
    }

    fn simplest(&self) -> Option<Value> {
        let word = self.dfa.shortest_from(self.dfa.start());
        let first = self.fits(&word).then(|| self.value(&word)).flatten();
        first.or_else(|| self.samples().into_iter().next())
    }

    fn samples(&self) -> Vec<Value> {
        let words = sample_words(&self.dfa);
        words.iter().filter(|word| self.fits(word)).filter_map(|word| self.value(word)).collect()
    }
}
