//! Builds non-deterministic automata with Thompson's construction.

use crate::{Budget, ByteSet, Dfa, Lang, OverBudget, budget::Meter};
use alloc::{vec, vec::Vec};

/// A non-deterministic automaton with silent steps. State ids are indices.
#[derive(Debug)]
pub(crate) struct Nfa<'t> {
    pub(crate) states: Vec<NfaState>,
    pub(crate) start: usize,
    pub(crate) meter: Meter<'t>,
}

/// The number of non-deterministic states that are allowed per deterministic state. They are
/// smaller, and long counts need many.
const STATES_PER_STATE: usize = 16;

/// The number of elementary steps for creating a state.
const STEPS_PER_STATE: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct NfaState {
    pub(crate) steps: Vec<(ByteSet, usize)>,
    pub(crate) silent: Vec<usize>,
    pub(crate) accepting: bool,
}

impl<'t> Nfa<'t> {
    pub(crate) const fn new(budget: Budget<'t>) -> Self {
        Self { states: Vec::new(), start: 0, meter: Meter::new(budget) }
    }

    pub(crate) fn from_lang(lang: &Lang, budget: Budget<'t>) -> Result<Self, OverBudget> {
        let mut nfa = Self::new(budget);
        let end = nfa.add()?;
        nfa.states[end].accepting = true;
        nfa.start = nfa.compile(lang, end)?;
        Ok(nfa)
    }

    pub(crate) fn add(&mut self) -> Result<usize, OverBudget> {
        self.meter.states(self.states.len() / STATES_PER_STATE)?;
        self.meter.steps(STEPS_PER_STATE)?;
        self.states.push(NfaState::default());
        Ok(self.states.len() - 1)
    }

    /// Adds the states of `lang` that lead to `next`, and returns their start.
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
        self.meter.steps(256 * dfa.len())?;
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

    /// Builds the automaton of the reversed words of `dfa`.
    pub(crate) fn reversed(dfa: &Dfa, budget: Budget<'t>) -> Result<Self, OverBudget> {
        let mut nfa = Self::new(budget);
        for _ in 0..=dfa.len() {
            nfa.add()?;
        }
        let start = dfa.len();
        nfa.start = start;
        nfa.meter.steps(256 * dfa.len())?;
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
