//! All claims of a layout, decided in order.

use crate::{
    Interval, accept, allocated, bounded, disjoint, fix, indexed, lossless, ordered, scan_exact,
    scan_query::Query,
    unambiguous,
    verdict::{Claim, Report, Rule, Unknown, Verdict},
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Backend, Decoded, Decoder, EncodeError, Layout, Record, Side, Span, encode_segments,
    machine::Machine,
    model::{KeyspaceId, Scan, Segment, SpaceId, SpaceKind, StoreId},
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// How far the prover may go.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// For one claim.
    pub budget: Budget,
    /// How many times the pairs of one claim a whole space may take.
    pub space_factor: usize,
    /// A backend whose limits count for all stores, whatever the layout says.
    pub backend: Option<&'static Backend>,
}

impl Default for Config {
    fn default() -> Self {
        Self { budget: Budget::default(), space_factor: 2, backend: None }
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
    let mut kind_verdicts: HashMap<KeyspaceId, Verdict> = HashMap::new();
    for keyspaces in structures(layout) {
        kind_verdicts.extend(disjoint::check_kinds(&context, &keyspaces));
    }
    let mut claims = Claims { context: &context, list: Vec::new() };
    for id in layout.keyspace_ids() {
        let name = layout.keyspace(id).name_span;
        if let Some(verdict) = disjoint_verdicts.remove(&id) {
            claims.add(id, Rule::Disjoint, name, verdict);
        }
        claims.add(id, Rule::Unambiguous, name, unambiguous::check(&context, id));
        claims.scans(id);
        claims.fields(id);
        claims.limits(id);
        if let Some(verdict) = kind_verdicts.remove(&id) {
            claims.add(id, Rule::StructureTyped, name, verdict);
        }
        if let Some(verdict) = indexed::check(&context, id) {
            claims.add(id, Rule::Indexed, name, verdict);
        }
    }
    let mut claims = claims.list;
    let idle_accepts = accept::apply(layout, &mut claims);
    Report { claims, idle_accepts }
}

/// What the scans of each keyspace read: what they declare, or a tighter interval where only that
/// one is exact. `None` for a scan that asks with other bytes than the key's.
#[must_use]
pub fn scan_queries(layout: &Layout, config: Config) -> Vec<Vec<Option<Query>>> {
    let context = Context::new(layout, config);
    let of = |id: KeyspaceId| {
        let scans = layout.keyspace(id).scans.iter();
        scans.map(|scan| scan_exact::reads(&context, id, scan)).collect()
    };
    layout.keyspace_ids().map(of).collect()
}

/// The keyspaces of each store or family of structures, whatever their kind.
fn structures(layout: &Layout) -> Vec<Vec<KeyspaceId>> {
    let mut groups: Vec<((StoreId, &Option<String>), Vec<KeyspaceId>)> = Vec::new();
    for space in &layout.spaces {
        if let SpaceKind::Structures { family, .. } = &space.kind {
            let key = (space.store, family);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, keyspaces)) => keyspaces.extend(&space.keyspaces),
                None => groups.push((key, space.keyspaces.clone())),
            }
        }
    }
    groups.into_iter().map(|(_, keyspaces)| keyspaces).collect()
}

/// The claims of a layout as they are decided.
struct Claims<'a> {
    context: &'a Context<'a>,
    list: Vec<Claim>,
}

impl Claims<'_> {
    fn add(
        &mut self,
        keyspace: KeyspaceId,
        rule: Rule,
        span: Span,
        verdict: Verdict,
    ) -> &mut Claim {
        let store = self.context.layout.keyspace(keyspace).store;
        let (scan, field, tight, accepted) = (None, None, None, None);
        let at = self.list.len();
        self.list.push(Claim {
            rule,
            store,
            keyspace,
            scan,
            field,
            tight,
            span,
            verdict,
            accepted,
        });
        &mut self.list[at]
    }

    fn scans(&mut self, id: KeyspaceId) {
        let context = self.context;
        for (index, scan) in context.layout.keyspace(id).scans.iter().enumerate() {
            let (verdict, tight) = scan_exact::check_forms(context, id, scan);
            let verdict = fix::scan(context, id, scan, verdict);
            let claim = self.add(id, Rule::ScanExact, scan.span, verdict);
            (claim.scan, claim.tight) = (Some(index), tight);
            if let Some(span) = scan.by_span {
                let verdict = ordered::check(context, id, scan);
                self.add(id, Rule::Ordered, span, verdict).scan = Some(index);
            }
        }
    }

    fn fields(&mut self, id: KeyspaceId) {
        let context = self.context;
        for field in lossless::leaf_fields(context.layout.keyspace(id)) {
            let verdict = lossless::check(field.leaf);
            self.add(id, Rule::Lossless, field.span, verdict).field = Some(field.path);
        }
    }

    fn limits(&mut self, id: KeyspaceId) {
        let context = self.context;
        let keyspace = context.layout.keyspace(id);
        let backend = context.config.backend.or(context.layout.store(keyspace.store).backend);
        if let Some(backend) = backend.filter(|_| keyspace.hash.is_none()) {
            let verdict = bounded::check(context, id, backend);
            self.add(id, Rule::Bounded, keyspace.name_span, verdict);
        }
        if let Some(verdict) = allocated::check(context, id) {
            self.add(id, Rule::Allocated, keyspace.name_span, verdict);
        }
    }
}

/// What a scan reads for these leading fields, as an interval of keys: everything that starts with
/// its leading part, its tight form where only that is exact, or what its `as` asks for.
///
/// # Errors
/// [`EncodeError`] names the field that is missing or wrong.
pub fn scan_interval(
    layout: &Layout,
    keyspace: KeyspaceId,
    scan: &Scan,
    leading: &Record,
) -> Result<Interval, EncodeError> {
    if let Some(asked) = &scan.asked {
        let bytes = |segments: &[Segment]| {
            let mut bytes = Vec::new();
            encode_segments(segments, leading, &mut bytes).map(|()| bytes)
        };
        let low = bytes(&asked.start)?;
        return Ok(match &asked.end {
            None => Interval::starting_with(&low),
            Some(end) => Interval { low, high: Some(bytes(end)?) },
        });
    }
    let prefix = layout.keyspace(keyspace).encode_until(leading, scan.end)?;
    let context = Context::new(layout, Config::default());
    let (_, tight) = scan_exact::check_forms(&context, keyspace, scan);
    Ok(tight.map_or_else(|| Interval::starting_with(&prefix), |form| form.behind(&prefix)))
}

/// How many readings of one key are looked at to replay a counterexample.
const REPLAYED: usize = 4096;

/// What the claims share: the layout, the budgets, and machines that have been built.
pub(crate) struct Context<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) config: Config,
    machines: RefCell<Machines>,
    space_machines: RefCell<HashMap<(SpaceId, Side), Rc<Machine>>>,
}

/// Machines that have been built, or could not be.
type Machines = HashMap<(Vec<KeyspaceId>, Side), Result<Rc<Machine>, OverBudget>>;

impl<'a> Context<'a> {
    pub(crate) fn new(layout: &'a Layout, config: Config) -> Self {
        let (machines, space_machines) = (RefCell::default(), RefCell::default());
        Self { layout, config, machines, space_machines }
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
        let built = Machine::build(self.layout, keyspaces, side, self.config.budget).map(Rc::new);
        self.machines.borrow_mut().insert(key, built.clone());
        built
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
