//! Thompson's construction.

use crate::{Budget, ByteSet, Dfa, Lang, OverBudget};
use alloc::{vec, vec::Vec};

/// A non-deterministic automaton with silent steps. State ids are indices.
#[derive(Debug, Default)]
pub(crate) struct Nfa {
    pub(crate) states: Vec<NfaState>,
    pub(crate) start: usize,
    limit: usize,
}

#[derive(Debug, Default)]
pub(crate) struct NfaState {
    pub(crate) steps: Vec<(ByteSet, usize)>,
    pub(crate) silent: Vec<usize>,
    pub(crate) accepting: bool,
}

impl Nfa {
    pub(crate) fn new(budget: Budget) -> Self {
        // A state of the NFA is cheaper than one of the DFA, and long counts need many.
        Self { states: Vec::new(), start: 0, limit: budget.states.saturating_mul(16) }
    }

    pub(crate) fn from_lang(lang: &Lang, budget: Budget) -> Result<Self, OverBudget> {
        let mut nfa = Self::new(budget);
        let end = nfa.add()?;
        nfa.states[end].accepting = true;
        nfa.start = nfa.compile(lang, end)?;
        Ok(nfa)
    }

    pub(crate) fn add(&mut self) -> Result<usize, OverBudget> {
        if self.states.len() >= self.limit {
            return Err(OverBudget { what: "automaton states", limit: self.limit });
        }
        self.states.push(NfaState::default());
        Ok(self.states.len() - 1)
    }

    /// Adds the states of `lang` in front of `next` and returns where they start.
    fn compile(&mut self, lang: &Lang, next: usize) -> Result<usize, OverBudget> {
        match lang {
            Lang::Class(set) => {
                let state = self.add()?;
                self.states[state].steps.push((*set, next));
                Ok(state)
            }
            Lang::Join(parts) => {
                let mut at = next;
                for part in parts.iter().rev() {
                    at = self.compile(part, at)?;
                }
                Ok(at)
            }
            Lang::Alt(arms) => {
                let state = self.add()?;
                for arm in arms {
                    let start = self.compile(arm, next)?;
                    self.states[state].silent.push(start);
                }
                Ok(state)
            }
            Lang::Repeat { of, min, max } => {
                let mut at = match max {
                    None => {
                        let state = self.add()?;
                        let body = self.compile(of, state)?;
                        self.states[state].silent = vec![body, next];
                        state
                    }
                    Some(max) => {
                        let mut at = next;
                        for _ in *min..*max {
                            let state = self.add()?;
                            let body = self.compile(of, at)?;
                            self.states[state].silent = vec![body, next];
                            at = state;
                        }
                        at
                    }
                };
                for _ in 0..*min {
                    at = self.compile(of, at)?;
                }
                Ok(at)
            }
            Lang::Built(dfa) => self.embed(dfa, next),
        }
    }

    fn embed(&mut self, dfa: &Dfa, next: usize) -> Result<usize, OverBudget> {
        let base = self.states.len();
        for _ in 0..dfa.len() {
            self.add()?;
        }
        for state in dfa.states() {
            let here = base + state as usize;
            for (set, target) in dfa.steps(state) {
                self.states[here].steps.push((set, base + target as usize));
            }
            if dfa.is_accepting(state) {
                self.states[here].silent.push(next);
            }
        }
        Ok(base + dfa.start() as usize)
    }

    /// The automaton of the words of `dfa` read backwards.
    pub(crate) fn reversed(dfa: &Dfa, budget: Budget) -> Result<Self, OverBudget> {
        let mut nfa = Self::new(budget);
        for _ in 0..=dfa.len() {
            nfa.add()?;
        }
        let start = dfa.len();
        nfa.start = start;
        for state in dfa.states() {
            for (set, target) in dfa.steps(state) {
                nfa.states[target as usize].steps.push((set, state as usize));
            }
            if dfa.is_accepting(state) {
                nfa.states[start].silent.push(state as usize);
            }
        }
        nfa.states[dfa.start() as usize].accepting = true;
        Ok(nfa)
    }
}
