//! All claims of a layout, decided in order.

use crate::{
    accept, disjoint, fix, ordered, scan_exact, unambiguous,
    verdict::{Claim, Report, Rule, Unknown, Verdict},
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Decoded, Decoder, Layout, Side,
    machine::Machine,
    model::{KeyspaceId, SpaceId},
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// How far the prover may go.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// For one claim.
    pub budget: Budget,
    /// How many times the pairs of one claim a whole space may take.
    pub space_factor: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { budget: Budget::default(), space_factor: 2 }
    }
}

impl Config {
    pub(crate) fn store_budget(&self) -> Budget {
        Budget { pairs: self.budget.pairs.saturating_mul(self.space_factor), ..self.budget }
    }
}

/// Decides every claim of a layout.
#[must_use]
pub fn check(layout: &Layout, config: Config) -> Report {
    let context = Context::new(layout, config);
    let mut disjoint_verdicts: HashMap<KeyspaceId, Verdict> = HashMap::new();
    for index in 0..layout.spaces.len() {
        disjoint_verdicts.extend(disjoint::check(&context, SpaceId(index as u32)));
    }
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        let keyspace = layout.keyspace(id);
        let mut claim = |rule, scan, span, verdict| {
            let store = keyspace.store;
            claims.push(Claim { rule, store, keyspace: id, scan, span, verdict, accepted: None });
        };
        if let Some(verdict) = disjoint_verdicts.remove(&id) {
            claim(Rule::Disjoint, None, keyspace.name_span, verdict);
        }
        claim(Rule::Unambiguous, None, keyspace.name_span, unambiguous::check(&context, id));
        for (index, scan) in keyspace.scans.iter().enumerate() {
            let verdict = scan_exact::check(&context, id, scan);
            let verdict = fix::scan(&context, id, scan, verdict);
            claim(Rule::ScanExact, Some(index), scan.span, verdict);
            if let Some(span) = scan.by_span {
                let verdict = ordered::check(&context, id, scan);
                claim(Rule::Ordered, Some(index), span, verdict);
            }
        }
    }
    let idle_accepts = accept::apply(layout, &mut claims);
    Report { claims, idle_accepts }
}

/// How many readings of one key are looked at to replay a counterexample.
const REPLAYED: usize = 4096;

/// What the claims share: the layout, the budgets, and machines that have been built.
pub(crate) struct Context<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) config: Config,
    machines: RefCell<Machines>,
}

type Machines = HashMap<(Vec<KeyspaceId>, Side), Rc<Machine>>;

impl<'a> Context<'a> {
    pub(crate) fn new(layout: &'a Layout, config: Config) -> Self {
        Self { layout, config, machines: RefCell::new(HashMap::new()) }
    }

    pub(crate) fn machine(
        &self,
        keyspaces: &[KeyspaceId],
        side: Side,
    ) -> Result<Rc<Machine>, OverBudget> {
        let key = (keyspaces.to_vec(), side);
        if let Some(known) = self.machines.borrow().get(&key) {
            return Ok(known.clone());
        }
        let machine = Rc::new(Machine::build(self.layout, keyspaces, side, self.config.budget)?);
        self.machines.borrow_mut().insert(key, machine.clone());
        Ok(machine)
    }

    /// The machine of the space that a keyspace is in.
    pub(crate) fn space_machine(
        &self,
        keyspace: KeyspaceId,
        side: Side,
    ) -> Result<Rc<Machine>, OverBudget> {
        let space = self.layout.keyspace(keyspace).space;
        self.machine(&self.layout.space(space).keyspaces, side)
    }

    /// The readings that one keyspace has of a key.
    pub(crate) fn readings(&self, key: &[u8], keyspace: KeyspaceId) -> Decoded {
        self.machine(&[keyspace], Side::Over).map_or_else(
            |_| Decoded::default(),
            |machine| Decoder::new(self.layout, &machine).with_limit(REPLAYED).decode(key),
        )
    }

    /// Why a counterexample that some keyspaces should show does not replay.
    pub(crate) fn unreplayed(&self, key: Vec<u8>, keyspaces: &[KeyspaceId]) -> Unknown {
        if keyspaces.iter().any(|&keyspace| self.readings(&key, keyspace).more) {
            return Unknown::Readings { key };
        }
        Unknown::Bug { key }
    }

    /// The codecs of some keyspaces whose automata are not exact.
    pub(crate) fn inexact(&self, keyspaces: &[KeyspaceId]) -> Vec<String> {
        let mut codecs = Vec::new();
        for &keyspace in keyspaces {
            if let Ok(machine) = self.machine(&[keyspace], Side::Over) {
                for track in machine.tracks() {
                    codecs.extend(machine.inexact_codecs(track));
                }
            }
        }
        codecs.sort();
        codecs.dedup();
        codecs
    }
}
