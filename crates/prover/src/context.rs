//! State that the claims of a layout share.

use crate::{
    cache::CacheView,
    check::{Config, Decision},
    disjoint,
    lossless::{LeafField, leaf_fields},
    numeric, unambiguous,
    verdict::{Unknown, Verdict},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Decoded, Decoder, Layout, Side,
    machine::Machine,
    model::{KeyspaceId, SpaceId, SpaceKind},
};
use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

/// The units of work to replay a counterexample, and for each of its readings.
const UNITS_OF_REPLAY: usize = 32;
const UNITS_PER_READING: usize = 16;

/// The highest number of readings of one key that the replay of a counterexample examines.
const REPLAYED: usize = 4096;
/// The highest number of bytes of all readings of a long key together.
const REPLAYED_BYTES: usize = 1 << 22;
/// A key of more bytes than this is long.
const LONG: usize = 4096;

/// State that claims share: the layout, the budgets, and the built automata.
pub(crate) struct Context<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) config: Config,
    pub(crate) cache: &'a CacheView<'a>,
    /// The keyspaces whose collisions are searched. Empty for all.
    focus: Vec<KeyspaceId>,
    total: Rc<Total>,
    machines: RefCell<Machines>,
    space_machines: RefCell<HashMap<(SpaceId, Side), Rc<Machine>>>,
    disjoint: RefCell<HashMap<SpaceId, Rc<Decisions>>>,
    kinds: RefCell<HashMap<SpaceId, Rc<Decisions>>>,
    unambiguous: RefCell<HashMap<KeyspaceId, Verdict>>,
    /// The leaf fields of the keyspace of the last request.
    leaf_fields: RefCell<Option<(KeyspaceId, LeafFields)>>,
    literal_prefixes: OnceCell<Vec<Vec<u8>>>,
    pub(crate) numeric: numeric::Cache,
}

type LeafFields = Rc<[LeafField]>;

/// The decisions of a claim that is decided for a whole space at once.
pub(crate) type Decisions = HashMap<KeyspaceId, Decision>;

/// The results of building automata.
type Machines = HashMap<(Vec<KeyspaceId>, Side), Result<Rc<Machine>, OverBudget>>;

impl<'a> Context<'a> {
    pub(crate) fn new(layout: &'a Layout, config: Config, cache: &'a CacheView<'a>) -> Self {
        Self::within(layout, config, cache, Rc::new(config.total(layout)))
    }

    /// Creates a context whose constructions and searches draw from `total`.
    pub(crate) fn within(
        layout: &'a Layout,
        config: Config,
        cache: &'a CacheView<'a>,
        total: Rc<Total>,
    ) -> Self {
        Self {
            layout,
            config,
            cache,
            focus: Vec::new(),
            total,
            machines: RefCell::default(),
            space_machines: RefCell::default(),
            disjoint: RefCell::default(),
            kinds: RefCell::default(),
            unambiguous: RefCell::default(),
            leaf_fields: RefCell::default(),
            literal_prefixes: OnceCell::new(),
            numeric: numeric::Cache::default(),
        }
    }

    /// Creates a context for another layout in the same check.
    pub(crate) fn beside<'b>(&'b self, layout: &'b Layout) -> Context<'b> {
        Context::within(layout, self.config, self.cache, self.total.clone())
    }

    /// Restricts KS001 and KS008 to keys of the given keyspaces.
    pub(crate) fn focused(self, focus: Vec<KeyspaceId>) -> Self {
        Self { focus, ..self }
    }

    /// Returns the keyspaces whose collisions are searched. Empty for all.
    pub(crate) fn focus(&self) -> &[KeyspaceId] {
        &self.focus
    }

    /// Returns the budget of one construction or search.
    pub(crate) fn budget(&self) -> Budget<'_> {
        Budget { total: Some(&self.total), ..self.config.budget }
    }

    /// Returns the fields of a keyspace with a single value.
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

    /// Returns the remaining units of work.
    pub(crate) fn left(&self) -> usize {
        self.total.left()
    }

    /// Returns the error of an exhausted total.
    pub(crate) fn over(&self) -> OverBudget {
        self.total.over()
    }

    /// Charges work that cannot fail.
    pub(crate) fn charge(&self, units: usize) {
        // If too little is left, the total becomes zero, and the next search fails.
        let _ = self.total.take(units);
    }

    /// Returns the literal prefix of each keyspace.
    pub(crate) fn literal_prefixes(&self) -> &[Vec<u8>] {
        self.literal_prefixes.get_or_init(|| {
            self.layout.keyspaces.iter().map(|keyspace| keyspace.literal_prefix()).collect()
        })
    }

    /// Returns the charged units of work.
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

    /// Decides KS001 of all keyspaces of a space, restricted to the focus, once.
    pub(crate) fn disjoint(&self, space: SpaceId) -> Rc<Decisions> {
        if let Some(known) = self.disjoint.borrow().get(&space) {
            return known.clone();
        }
        let decisions = Rc::new(disjoint::check(self, &self.layout.space(space).keyspaces));
        self.disjoint.borrow_mut().insert(space, decisions.clone());
        decisions
    }

    /// Decides KS008 of all keyspaces in the store or family of a space, once. Returns `None` if
    /// the space does not contain structures.
    pub(crate) fn kinds(&self, space: SpaceId) -> Option<Rc<Decisions>> {
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
        let decisions = Rc::new(disjoint::check_kinds(self, &keyspaces));
        self.kinds.borrow_mut().extend(spaces.into_iter().map(|id| (id, decisions.clone())));
        Some(decisions)
    }

    /// Returns the automaton of the space of a keyspace.
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

    /// Returns the readings of a key in one keyspace.
    pub(crate) fn readings(&self, key: &[u8], keyspace: KeyspaceId) -> Decoded {
        self.machine(&[keyspace], Side::Over).map_or_else(
            |_| Decoded::default(),
            |machine| {
                let most = match key.len() {
                    0..=LONG => REPLAYED,
                    length => (REPLAYED_BYTES / length).max(2),
                };
                self.decode(Decoder::new(self.layout, &machine).with_limit(most), key)
            },
        )
    }

    /// Decodes a key and charges the work.
    fn decode(&self, mut decoder: Decoder<'_>, key: &[u8]) -> Decoded {
        let decoded = decoder.decode(key);
        let readings = decoded.readings.len().saturating_mul(UNITS_PER_READING);
        self.charge(UNITS_OF_REPLAY.saturating_add(readings).saturating_add(decoder.work()));
        decoded
    }

    /// Returns the readings of a key in one keyspace without verifying derived bytes.
    pub(crate) fn readings_unverified(&self, key: &[u8], keyspace: KeyspaceId) -> Decoded {
        self.machine(&[keyspace], Side::Over).map_or_else(
            |_| Decoded::default(),
            |machine| {
                let decoder = Decoder::new(self.layout, &machine).without_verifying();
                self.decode(decoder.with_limit(REPLAYED), key)
            },
        )
    }

    /// Returns the reason for which a counterexample of some keyspaces does not replay.
    pub(crate) fn unreplayed(&self, key: Vec<u8>, keyspaces: &[KeyspaceId]) -> Unknown {
        if keyspaces.iter().any(|&keyspace| self.readings(&key, keyspace).more) {
            return Unknown::Readings { key };
        }
        Unknown::Bug { key }
    }

    /// Returns the codecs of some keyspaces that have no exact automaton.
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
