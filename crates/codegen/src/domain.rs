//! Domains of text and bytes as tables.

use keyscape_automata::{Budget, DEAD, Dfa, StateId};
use keyscape_codec::{Description, LengthRange};
use keyscape_layout::model::Length;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::collections::HashMap;

/// The maximum number of steps of a table. Larger domains use the codec instead.
const MAX_STEPS: usize = 1 << 16;
/// The maximum work for deciding whether lengths can be checked separately.
const MAX_VISITED: usize = 1 << 16;

const ANY_LENGTH: LengthRange = LengthRange { min: 0, max: None };

/// The texts or bytes that are allowed.
#[derive(Clone, Debug)]
pub(crate) struct WordsDomain {
    pub(crate) length: Length,
    /// The automaton, unless lengths alone decide.
    pub(crate) table: Option<TableData>,
    /// The allowed values in messages.
    allowed: String,
}

/// An automaton as a table.
#[derive(Clone, Debug)]
pub(crate) struct TableData {
    ranges: Vec<(u8, u8, u8)>,
    width: usize,
    steps: Vec<u16>,
    accepting: Vec<bool>,
}

impl WordsDomain {
    /// Returns the domain of `text…` or `bytes…`, or `None` if it does not fit into a table.
    pub(crate) fn new(codec: &Description) -> Option<Self> {
        let LengthRange { min, max } = codec.length.unwrap_or(ANY_LENGTH);
        let allowed = codec.build(Budget::default()).ok()?.allowed();
        let (min, max) = (min as usize, max.map(|max| max as usize));
        if codec.args.is_empty() {
            return Some(Self { length: Length { min, max }, table: None, allowed });
        }
        let mut apart = codec.clone();
        apart.length = Some(ANY_LENGTH);
        let apart = apart.build(Budget::default()).ok()?;
        let language = apart.language(Budget::default()).ok()?;
        let apart = language.over();
        let min = min.max(apart.shortest()?);
        let max = max.into_iter().chain(apart.longest()).min();
        let table = match uncounted(apart, apart.shortest()?, apart.longest()) {
            Some(table) => table,
            None => TableData::new(apart)?,
        };
        Some(Self { length: Length { min, max }, table: Some(table), allowed })
    }

    /// Whether the domain contains all values.
    pub(crate) fn is_full(&self) -> bool {
        self.length == (Length { min: 0, max: None }) && self.table.is_none()
    }

    /// Returns a constant of type `rt::codec::domain::Domain`.
    pub(crate) fn tokens(&self) -> TokenStream {
        let min = Literal::usize_unsuffixed(self.length.min);
        let max = self.length.max.map_or(quote!(usize::MAX), |max| {
            let max = Literal::usize_unsuffixed(max);
            quote!(#max)
        });
        let table = self.table.as_ref().map_or(quote!(None), |table| {
            let table = table.tokens();
            quote!(Some(#table))
        });
        let allowed = &self.allowed;
        quote!(rt::codec::domain::Domain { min: #min, max: #max, table: #table, allowed: #allowed })
    }
}

impl TableData {
    fn new(dfa: &Dfa) -> Option<Self> {
        let next = |state: StateId, byte: u8| dfa.step(state, byte);
        Self::build(dfa.len(), dfa.classes(), next, |state| dfa.is_accepting(state))
    }

    /// Builds a table from states and steps. Bytes of one class lead to the same states.
    fn build(
        states: usize,
        classes: &[u8; 256],
        next: impl Fn(StateId, u8) -> StateId,
        accepting: impl Fn(StateId) -> bool,
    ) -> Option<Self> {
        let width = usize::from(*classes.iter().max()?) + 1;
        if states >= usize::from(u16::MAX) || states * width > MAX_STEPS {
            return None;
        }
        // The largest class becomes class 0, which contains all bytes outside the ranges.
        let size = |class: u8| classes.iter().filter(|c| **c == class).count();
        let largest = (0..width as u8).max_by_key(|class| (size(*class), u8::MAX - class))?;
        let order = |class: u8| match class {
            class if class == largest => 0,
            0 => largest,
            class => class,
        };
        let mut ranges: Vec<(u8, u8, u8)> = Vec::new();
        for byte in 0..=255_u8 {
            let class = order(classes[usize::from(byte)]);
            match ranges.last_mut() {
                Some((_, last, of)) if *of == class && *last + 1 == byte => *last = byte,
                _ => ranges.push((byte, byte, class)),
            }
        }
        ranges.retain(|(_, _, class)| *class != 0);
        let member = |class: u8| (0..=255).find(|b| order(classes[usize::from(*b)]) == class);
        let mut steps = Vec::with_capacity(states * width);
        for state in 0..states as StateId {
            for class in 0..width as u8 {
                let target = next(state, member(class)?);
                steps.push(if target == DEAD { u16::MAX } else { target as u16 });
            }
        }
        let accepting = (0..states as StateId).map(accepting).collect();
        Some(Self { ranges, width, steps, accepting })
    }

    fn tokens(&self) -> TokenStream {
        let ranges = self.ranges.iter().map(|(low, high, class)| {
            let (low, high) = (Literal::byte_character(*low), Literal::byte_character(*high));
            let class = Literal::u8_unsuffixed(*class);
            quote!((#low, #high, #class))
        });
        let width = Literal::usize_unsuffixed(self.width);
        let steps = self.steps.iter().map(|step| match *step {
            u16::MAX => quote!(rt::codec::domain::Table::DEAD),
            step => {
                let step = Literal::u16_unsuffixed(step);
                quote!(#step)
            }
        });
        let accepting = &self.accepting;
        quote! {
            rt::codec::domain::Table {
                classes: &rt::codec::domain::Table::classes(&[#(#ranges),*]),
                width: #width,
                steps: &[#(#steps),*],
                accepting: &[#(#accepting),*],
            }
        }
    }
}

/// Returns the automaton without its counting, if its states count nothing but the length:
/// `[a-z]{2,127}` is `[a-z]*` of 2 to 127 bytes. Returns `None` unless both have the same words of
/// these lengths.
fn uncounted(dfa: &Dfa, min: usize, max: Option<usize>) -> Option<TableData> {
    let max = max?;
    // States that continue with the same bytes form a block. A state that does not continue can be
    // in any block.
    let mut blocks: Vec<Vec<bool>> = Vec::new();
    let mut block_of = vec![None; dfa.len()];
    for state in dfa.states() {
        let live: Vec<bool> = (0..=255).map(|byte| dfa.step(state, byte) != DEAD).collect();
        if live.contains(&true) {
            let known = blocks.iter().position(|block| *block == live);
            block_of[state as usize] = Some(known.unwrap_or_else(|| {
                blocks.push(live);
                blocks.len() - 1
            }));
        }
    }
    let mut next: HashMap<(usize, u8), usize> = HashMap::new();
    let mut accepting = vec![false; blocks.len()];
    for state in dfa.states() {
        let Some(block) = block_of[state as usize] else { continue };
        accepting[block] |= dfa.is_accepting(state);
        for byte in 0..=255 {
            let target = dfa.step(state, byte);
            let Some(to) = (target != DEAD).then(|| block_of[target as usize]).flatten() else {
                continue;
            };
            if *next.entry((block, byte)).or_insert(to) != to {
                return None;
            }
        }
    }
    // A step to a state without a block stays in the same block.
    let step = |block: usize, byte: u8| {
        blocks[block][usize::from(byte)].then(|| next.get(&(block, byte)).copied().unwrap_or(block))
    };
    // Both automata must accept the same words of every length.
    let start = block_of[dfa.start() as usize]?;
    let mut seen = vec![(dfa.start(), start)];
    let mut visited = 0;
    for length in 0..=max + 1 {
        for &(state, block) in &seen {
            let counted = state != DEAD && dfa.is_accepting(state);
            let apart = accepting[block] && (min..=max).contains(&length);
            if counted != apart {
                return None;
            }
        }
        let mut after: Vec<(StateId, usize)> = Vec::new();
        for &(state, block) in &seen {
            for byte in 0..=255 {
                let target = if state == DEAD { DEAD } else { dfa.step(state, byte) };
                let Some(to) = step(block, byte) else {
                    if target != DEAD {
                        return None;
                    }
                    continue;
                };
                if !after.contains(&(target, to)) {
                    after.push((target, to));
                }
            }
        }
        visited += after.len();
        if visited > MAX_VISITED {
            return None;
        }
        seen = after;
    }
    let number = |block: usize| match block {
        block if block == start => 0,
        0 => start,
        block => block,
    };
    let to = |state: StateId, byte: u8| {
        step(number(state as usize), byte).map_or(DEAD, |to| number(to) as StateId)
    };
    TableData::build(blocks.len(), dfa.classes(), to, |state| accepting[number(state as usize)])
}
