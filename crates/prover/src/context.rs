//! State that the claims of a layout share.

use crate::{
    cache::CacheView,
    check::{Config, Decision},
    disjoint,
    lossless::{LeafField, leaf_fields},
    memo::Memo,
    numeric::Examples,
    reader::KeyReader,
    unambiguous,
    verdict::{Rule, Unknown, Verdict},
};
use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Layout, Side,
    machine::Machine,
    model::{KeyspaceId, Space, SpaceId, SpaceKind, StoreId},
};
use std::{cell::OnceCell, rc::Rc};

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
    disjoint: Memo<SpaceId, Rc<Decisions>>,
    /// By store and family.
    kinds: Memo<(StoreId, Option<String>), Rc<Decisions>>,
    /// The automata of whole spaces, whose keyspaces are too many to look them up by.
    space_machines: Memo<(SpaceId, Side), Result<Rc<Machine>, OverBudget>>,
    unambiguous: Memo<KeyspaceId, Verdict>,
    leaf_fields: Memo<KeyspaceId, LeafFields>,
    literal_prefixes: OnceCell<Vec<Vec<u8>>>,
    pub(crate) examples: Examples,
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
            disjoint: Memo::default(),
            kinds: Memo::default(),
            space_machines: Memo::default(),
            unambiguous: Memo::default(),
            leaf_fields: Memo::default(),
            literal_prefixes: OnceCell::new(),
            examples: Examples::default(),
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
        self.leaf_fields.get_or(id, || leaf_fields(self.layout.keyspace(id)).into())
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
        self.unambiguous.get_or(keyspace, || unambiguous::check(self, keyspace))
    }

    /// Decides KS001 of all keyspaces of a space, restricted to the focus, once.
    pub(crate) fn disjoint(&self, space: SpaceId) -> Rc<Decisions> {
        self.disjoint.get_or(space, || {
            let keyspaces = &self.layout.space(space).keyspaces;
            Rc::new(disjoint::check(self, keyspaces, Rule::Disjoint))
        })
    }

    /// Decides KS008 of all keyspaces in the store or family of a space, once. Returns `None` if
    /// the space does not contain structures.
    pub(crate) fn kinds(&self, space: SpaceId) -> Option<Rc<Decisions>> {
        let all = self.layout.space(space);
        let SpaceKind::Structures { family, .. } = &all.kind else { return None };
        let is_beside = |other: &&Space| {
            other.store == all.store
                && matches!(&other.kind, SpaceKind::Structures { family: f, .. } if f == family)
        };
        Some(self.kinds.get_or((all.store, family.clone()), || {
            let spaces = self.layout.spaces.iter().filter(is_beside);
            let keyspaces: Vec<KeyspaceId> =
                spaces.flat_map(|space| space.keyspaces.iter().copied()).collect();
            Rc::new(disjoint::check(self, &keyspaces, Rule::StructureTyped))
        }))
    }

    /// Returns the automaton of the space of a keyspace.
    pub(crate) fn space_machine(
        &self,
        keyspace: KeyspaceId,
        side: Side,
    ) -> Result<Rc<Machine>, OverBudget> {
        let space = self.layout.keyspace(keyspace).space;
        self.space_machines.get_or((space, side), || {
            self.reader.machine(&self.layout.space(space).keyspaces, side)
        })
    }

    /// Returns the reason for which a counterexample of some keyspaces does not replay.
    pub(crate) fn unreplayed(&self, key: Vec<u8>, keyspaces: &[KeyspaceId]) -> Unknown {
        if keyspaces.iter().any(|&id| self.reader.has_more_readings(&key, id)) {
            return Unknown::Readings { key };
        }
        Unknown::Bug { key }
    }
}
