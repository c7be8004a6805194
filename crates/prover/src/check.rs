//! Decides the claims of a layout.

use crate::{
    accept::{self, Partner},
    allocated, bounded,
    cache::{Cache, CacheView},
    context::Context,
    fix, indexed, lossless, numeric, ordered,
    replay::ScanClaim,
    scan_forms,
    scan_query::Interval,
    splittable,
    verdict::{Claim, Counterexample, Report, Rule, Verdict},
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{Backend, Layout, Span, model::KeyspaceId};

/// The limits of the prover.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The limits of one construction or search.
    pub budget: Budget<'static>,
    /// The units of work of all claims of a layout together, without fixes. One search may use half
    /// of them, so one claim cannot leave all others unknown. A layout of more than 100,000 bytes,
    /// including imported files, gets proportionally more.
    pub work: usize,
    /// A backend that replaces the backends of all stores.
    pub backend: Option<&'static Backend>,
    /// Whether to search for fixes of refuted claims.
    pub fixes: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { budget: Budget::default(), work: 1 << 24, backend: None, fixes: true }
    }
}

/// The length of a layout up to which its claims share [`Config::work`].
const BYTES_PER_WORK: usize = 100_000;

impl Config {
    /// Returns the total work of all claims of a layout.
    pub(crate) fn total(&self, layout: &Layout) -> Total {
        let bytes: usize = layout.sources.files().iter().map(|source| source.text.len()).sum();
        let more = bytes.saturating_sub(BYTES_PER_WORK).saturating_mul(self.work / BYTES_PER_WORK);
        Total::new("units of work for all claims of the layout", self.work.saturating_add(more))
    }
}

/// Decides every claim of a layout.
#[must_use]
pub fn check(layout: &Layout, config: Config) -> Report {
    check_with(layout, config, &Cache::default())
}

/// Decides KS006 of one keyspace for a given backend instead of the one in the layout.
#[must_use]
pub fn decide_bounded(
    layout: &Layout,
    keyspace: KeyspaceId,
    backend: &'static Backend,
    config: Config,
) -> Verdict {
    let cache = Cache::default();
    let (cache, total) = (CacheView::new(&cache), config.total(layout));
    bounded::check(&Context::new(layout, config, &cache, &total), keyspace, backend)
}

/// Decides every claim of a layout, with a cache that similar layouts share.
#[must_use]
pub fn check_with(layout: &Layout, config: Config, cache: &Cache) -> Report {
    let (cache, total) = (CacheView::new(cache), config.total(layout));
    let context = Context::new(layout, config, &cache, &total);
    let (mut claims, mut decided) = (Vec::new(), Vec::new());
    for id in layout.keyspace_ids() {
        for (subject, span, field) in subjects(&context, id) {
            let Some(decision) = decide(&context, &subject) else { continue };
            let Decision { verdict, partners, tight, plain } = decision;
            let numeric = match verdict {
                Verdict::Proved => numeric::warnings(&context, &subject),
                _ => Vec::new(),
            };
            claims.push(Claim {
                rule: subject.rule,
                store: layout.keyspace(id).store,
                keyspace: id,
                scan: subject.scan,
                split: subject.split,
                field,
                tight,
                plain,
                numeric,
                span,
                partners,
                verdict,
                accepted: None,
                no_fix: None,
            });
            decided.push(subject);
        }
    }
    let idle_accepts = accept::apply(layout, &mut claims);
    let fixes = match config.fixes {
        true => fix::offer(&context, &decided, &mut claims, &idle_accepts),
        false => 0,
    };
    Report { claims, idle_accepts, work: total.spent() + fixes }
}

/// The subject of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) rule: Rule,
    pub(crate) keyspace: KeyspaceId,
    /// An index into the keyspace's scans.
    pub(crate) scan: Option<usize>,
    /// An index into the keyspace's splits.
    pub(crate) split: Option<usize>,
    /// An index into the keyspace's [leaf fields](lossless::leaf_fields).
    pub(crate) field: Option<usize>,
}

impl Subject {
    /// Creates the subject of a claim about a whole keyspace.
    pub(crate) const fn new(rule: Rule, keyspace: KeyspaceId) -> Self {
        Self { rule, keyspace, scan: None, split: None, field: None }
    }
}

/// A verdict, with what a [`Claim`] shows beside it.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) partners: Vec<Partner>,
    pub(crate) tight: Option<Interval>,
    pub(crate) plain: Option<Box<Counterexample>>,
}

impl From<Verdict> for Decision {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, partners: Vec::new(), tight: None, plain: None }
    }
}

/// Returns the possible claims about a keyspace with their places and fields, in the order of
/// reports.
pub(crate) fn subjects(
    context: &Context<'_>,
    id: KeyspaceId,
) -> Vec<(Subject, Span, Option<String>)> {
    let keyspace = context.layout.keyspace(id);
    let name = keyspace.name_span;
    let about = |rule| Subject::new(rule, id);
    let mut found =
        vec![(about(Rule::Disjoint), name, None), (about(Rule::Unambiguous), name, None)];
    for (index, scan) in keyspace.scans.iter().enumerate() {
        let of = |rule| Subject { scan: Some(index), ..about(rule) };
        found.push((of(Rule::ScanExact), scan.span, None));
        found.extend(scan.by_span.map(|span| (of(Rule::Ordered), span, None)));
    }
    for (index, field) in context.leaf_fields(id).iter().enumerate() {
        let subject = Subject { field: Some(index), ..about(Rule::Lossless) };
        found.push((subject, field.span, Some(field.path.clone())));
    }
    for rule in [Rule::Bounded, Rule::Allocated, Rule::StructureTyped, Rule::Indexed] {
        found.push((about(rule), name, None));
    }
    for (index, split) in keyspace.splits.iter().enumerate() {
        let subject = Subject { split: Some(index), ..about(Rule::Splittable) };
        found.push((subject, split.span, None));
    }
    found
}

/// Decides a claim. Returns `None` if the layout does not make it.
pub(crate) fn decide(context: &Context<'_>, subject: &Subject) -> Option<Decision> {
    let id = subject.keyspace;
    let keyspace = context.layout.keyspaces.get(id.0 as usize)?;
    let scan = || {
        let scan = keyspace.scans.get(subject.scan?)?;
        Some(ScanClaim { context, keyspace: id, scan })
    };
    let verdict = match subject.rule {
        Rule::Disjoint => return context.disjoint(keyspace.space).get(&id).cloned(),
        Rule::StructureTyped => return context.kinds(keyspace.space)?.get(&id).cloned(),
        Rule::Allocated => return allocated::check(context, id),
        Rule::ScanExact => return Some(scan_forms::check(scan()?)),
        Rule::Unambiguous => context.unambiguous(id),
        Rule::Ordered => {
            let claim = scan()?;
            claim.scan.by_span?;
            ordered::check(claim)
        }
        Rule::Lossless => {
            let fields = context.leaf_fields(id);
            lossless::check(&fields.get(subject.field?)?.leaf)
        }
        Rule::Bounded => {
            let of_store = context.layout.store(keyspace.store).backend;
            let backend = context.config.backend.or(of_store)?;
            if keyspace.hash.is_some() {
                return None;
            }
            bounded::check(context, id, backend)
        }
        Rule::Indexed => indexed::check(context, id)?,
        Rule::Splittable => splittable::check(context, id, keyspace.splits.get(subject.split?)?),
    };
    Some(verdict.into())
}

/// Whether a claim is proved.
pub(crate) fn is_proved(context: &Context<'_>, subject: &Subject) -> bool {
    decide(context, subject).is_some_and(|decision| matches!(decision.verdict, Verdict::Proved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_layout::{NoImports, read};

    #[test]
    fn a_layout_of_more_text_may_take_more_work() {
        let left = |bytes: usize| {
            let text = format!("store s\nmap m = {{x: u8}} -> empty\n//{}", "x".repeat(bytes));
            let layout = read("long.keys", &text, &mut NoImports).unwrap();
            Config { work: 1_000_000, ..Config::default() }.total(&layout).left()
        };
        assert_eq!(left(10), 1_000_000);
        let more = left(300_000);
        assert!((3_000_000..3_001_000).contains(&more), "{more}");
    }
}
