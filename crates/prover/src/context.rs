//! State that the claims of a layout share.

use crate::{
    cache::CacheView,
    check::{Config, Decision},
    disjoint,
    lossless::{LeafField, leaf_fields},
    numeric,
    reader::KeyReader,
    unambiguous,
    verdict::{Unknown, Verdict},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Layout, Side,
    machine::Machine,
    model::{KeyspaceId, SpaceId, SpaceKind},
};
use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

/// State that claims share: the layout, the budgets, and the built automata.
pub(crate) struct Context<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) reader: KeyReader<'a>,
    pub(crate) config: Config,
    pub(crate) cache: &'a CacheView<'a>,
    /// The keyspaces whose collisions are searched. Empty for all.
    pub(crate) focus: Vec<KeyspaceId>,
    /// The work of all constructions and searches.
    pub(crate) total: &'a Total,
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

impl<'a> Context<'a> {
    /// Creates a context whose constructions and searches draw from `total`.
    pub(crate) fn new(
        layout: &'a Layout,
        config: Config,
        cache: &'a CacheView<'a>,
        total: &'a Total,
    ) -> Self {
        let budget = Budget { total: Some(total), ..config.budget };
        Self {
            layout,
            reader: KeyReader::new(layout, budget),
            config,
            cache,
            focus: Vec::new(),
            total,
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
        Context::new(layout, self.config, self.cache, self.total)
    }

    /// Restricts KS001 and KS008 to keys of the given keyspaces.
    pub(crate) fn focused(self, focus: Vec<KeyspaceId>) -> Self {
        Self { focus, ..self }
    }

    /// Returns the budget of one construction or search.
    pub(crate) const fn budget(&self) -> Budget<'a> {
        self.reader.budget
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
        let machine = self.reader.machine(&self.layout.space(space).keyspaces, side)?;
        self.space_machines.borrow_mut().insert((space, side), machine.clone());
        Ok(machine)
    }

    /// Returns the reason for which a counterexample of some keyspaces does not replay.
    pub(crate) fn unreplayed(&self, key: Vec<u8>, keyspaces: &[KeyspaceId]) -> Unknown {
        if keyspaces.iter().any(|&id| self.reader.has_more_readings(&key, id)) {
            return Unknown::Readings { key };
        }
        Unknown::Bug { key }
    }
}
