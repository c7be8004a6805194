//! What the claims of a layout share.

use crate::{
    check::Config,
    disjoint,
    lossless::{LeafField, leaf_fields},
    memory::Recall,
    partner::PairVerdict,
    unambiguous,
    verdict::{Unknown, Verdict},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Decoded, Decoder, Layout, Side,
    machine::Machine,
    model::{KeyspaceId, SpaceId, SpaceKind},
};
use std::{cell::RefCell, rc::Rc};

/// How many readings of one key are looked at to replay a counterexample.
const REPLAYED: usize = 4096;
/// How many bytes all readings of a long key may have together.
const REPLAYED_BYTES: usize = 1 << 22;
/// Above so many bytes a key is long.
const LONG: usize = 4096;

/// What the claims share: the layout, the budgets, and machines that have been built.
pub(crate) struct Context<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) config: Config,
    pub(crate) memory: &'a Recall<'a>,
    /// The keyspaces whose meetings with others are looked at; all if there are none.
    focus: Vec<KeyspaceId>,
    total: Rc<Total>,
    machines: RefCell<Machines>,
    space_machines: RefCell<HashMap<(SpaceId, Side), Rc<Machine>>>,
    disjoint: RefCell<HashMap<SpaceId, Rc<Verdicts>>>,
    kinds: RefCell<HashMap<SpaceId, Rc<Verdicts>>>,
    unambiguous: RefCell<HashMap<KeyspaceId, Verdict>>,
    /// The leaf fields of the keyspace that was asked for last.
    leaf_fields: RefCell<Option<(KeyspaceId, LeafFields)>>,
}

type LeafFields = Rc<[LeafField]>;

/// One verdict per keyspace: those that are decided for a whole space at once.
pub(crate) type Verdicts = HashMap<KeyspaceId, PairVerdict>;

/// Machines that have been built, or could not be.
type Machines = HashMap<(Vec<KeyspaceId>, Side), Result<Rc<Machine>, OverBudget>>;

impl<'a> Context<'a> {
    pub(crate) fn new(layout: &'a Layout, config: Config, memory: &'a Recall<'a>) -> Self {
        Self::within(layout, config, memory, Rc::new(config.total()))
    }

    /// Creates a context whose constructions and searches draw from `total`.
    pub(crate) fn within(
        layout: &'a Layout,
        config: Config,
        memory: &'a Recall<'a>,
        total: Rc<Total>,
    ) -> Self {
        Self {
            layout,
            config,
            memory,
            focus: Vec::new(),
            total,
            machines: RefCell::default(),
            space_machines: RefCell::default(),
            disjoint: RefCell::default(),
            kinds: RefCell::default(),
            unambiguous: RefCell::default(),
            leaf_fields: RefCell::default(),
        }
    }

    /// Creates a context of a layout that is a part of the same check.
    pub(crate) fn beside<'b>(&'b self, layout: &'b Layout) -> Context<'b> {
        Context::within(layout, self.config, self.memory, self.total.clone())
    }

    /// The same where KS001 and KS008 speak only of keys that one of some keyspaces shares.
    pub(crate) fn focused(self, focus: Vec<KeyspaceId>) -> Self {
        Self { focus, ..self }
    }

    /// The keyspaces whose meetings with others are looked at; all if there are none.
    pub(crate) fn focus(&self) -> &[KeyspaceId] {
        &self.focus
    }

    /// Returns the budget of one construction or search.
    pub(crate) fn budget(&self) -> Budget<'_> {
        Budget { total: Some(&self.total), ..self.config.budget }
    }

    /// Returns the budget of a search for claims about a whole space.
    pub(crate) fn space_budget(&self) -> Budget<'_> {
        let budget = self.budget();
        Budget { pairs: budget.pairs.saturating_mul(self.config.space_factor), ..budget }
    }

    /// Returns the fields of a keyspace that hold a single value.
    pub(crate) fn leaf_fields(&self, id: KeyspaceId) -> LeafFields {
        if let Some((known, fields)) = &*self.leaf_fields.borrow()
            && *known == id
        {
            return fields.clone();
        }
        let fields: LeafFields = leaf_fields(self.layout.keyspace(id)).into();
        self.leaf_fields.replace(Some((id, fields.clone())));
        fields
    }

    /// Returns the units of work that have been taken.
    pub(crate) fn spent(&self) -> usize {
        self.total.spent()
    }

    pub(crate) fn machine(
        &self,
        keyspaces: &[KeyspaceId],
        side: Side,
    ) -> Result<Rc<Machine>, OverBudget> {
        let key = (keyspaces.to_vec(), side);
        if let Some(known) = self.machines.borrow().get(&key) {
            return known.clone();
        }
        let built = Machine::build(self.layout, keyspaces, side, self.budget()).map(Rc::new);
        self.machines.borrow_mut().insert(key, built.clone());
        built
    }

    /// Decides KS002 of a keyspace, once.
    pub(crate) fn unambiguous(&self, keyspace: KeyspaceId) -> Verdict {
        if let Some(known) = self.unambiguous.borrow().get(&keyspace) {
            return known.clone();
        }
        let verdict = unambiguous::check(self, keyspace);
        self.unambiguous.borrow_mut().insert(keyspace, verdict.clone());
        verdict
    }

    /// KS001 of all keyspaces of a space, of those keys that a keyspace in focus has.
    pub(crate) fn disjoint(&self, space: SpaceId) -> Rc<Verdicts> {
        if let Some(known) = self.disjoint.borrow().get(&space) {
            return known.clone();
        }
        let verdicts: Rc<Verdicts> = Rc::new(disjoint::check(self, space).into_iter().collect());
        self.disjoint.borrow_mut().insert(space, verdicts.clone());
        verdicts
    }

    /// KS008 of all keyspaces that share a store or family of structures with those of a space;
    /// `None` if it is no space of structures.
    pub(crate) fn kinds(&self, space: SpaceId) -> Option<Rc<Verdicts>> {
        let all = self.layout.space(space);
        let SpaceKind::Structures { family, .. } = &all.kind else { return None };
        if let Some(known) = self.kinds.borrow().get(&space) {
            return Some(known.clone());
        }
        let mut spaces = Vec::new();
        let mut keyspaces = Vec::new();
        for (index, other) in self.layout.spaces.iter().enumerate() {
            if let SpaceKind::Structures { family: theirs, .. } = &other.kind
                && other.store == all.store
                && theirs == family
            {
                spaces.push(SpaceId(index as u32));
                keyspaces.extend(&other.keyspaces);
            }
        }
        let verdicts: Rc<Verdicts> =
            Rc::new(disjoint::check_kinds(self, &keyspaces).into_iter().collect());
        let mut known = self.kinds.borrow_mut();
        for space in spaces {
            known.insert(space, verdicts.clone());
        }
        Some(verdicts)
    }

    /// The machine of the space that a keyspace is in.
    pub(crate) fn space_machine(
        &self,
        keyspace: KeyspaceId,
        side: Side,
    ) -> Result<Rc<Machine>, OverBudget> {
        let space = self.layout.keyspace(keyspace).space;
        if let Some(known) = self.space_machines.borrow().get(&(space, side)) {
            return Ok(known.clone());
        }
        let machine = self.machine(&self.layout.space(space).keyspaces, side)?;
        self.space_machines.borrow_mut().insert((space, side), machine.clone());
        Ok(machine)
    }

    /// The readings that one keyspace has of a key.
    pub(crate) fn readings(&self, key: &[u8], keyspace: KeyspaceId) -> Decoded {
        self.machine(&[keyspace], Side::Over).map_or_else(
            |_| Decoded::default(),
            |machine| {
                let most = match key.len() {
                    0..=LONG => REPLAYED,
                    length => (REPLAYED_BYTES / length).max(2),
                };
                Decoder::new(self.layout, &machine).with_limit(most).decode(key)
            },
        )
    }

    /// The same if derived bytes could be anything.
    pub(crate) fn readings_unverified(&self, key: &[u8], keyspace: KeyspaceId) -> Decoded {
        self.machine(&[keyspace], Side::Over).map_or_else(
            |_| Decoded::default(),
            |machine| {
                let decoder = Decoder::new(self.layout, &machine).without_verifying();
                decoder.with_limit(REPLAYED).decode(key)
            },
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
