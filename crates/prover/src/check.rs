//! Decides all claims of a layout in order.

use crate::{
    accept, bounded,
    cache::{Cache, CacheView},
    context::Context,
    decide::{decide_pairs, subjects},
    fix, numeric,
    partner::PairVerdict,
    scan_forms::{self, Forms},
    verdict::{Claim, Report, Rule, Verdict},
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{Backend, Layout, model::KeyspaceId};

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
        let most = self.work.saturating_add(more);
        Total::new("units of work for all claims of the layout", most)
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
    let cache = CacheView::new(&cache);
    bounded::check(&Context::new(layout, config, &cache), keyspace, backend)
}

/// Decides every claim of a layout, with a cache that similar layouts share.
#[must_use]
pub fn check_with(layout: &Layout, config: Config, cache: &Cache) -> Report {
    let cache = CacheView::new(cache);
    let context = Context::new(layout, config, &cache);
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        let store = layout.keyspace(id).store;
        for (subject, span, path) in subjects(&context, id) {
            let scan = subject.scan.and_then(|scan| layout.keyspace(id).scans.get(scan));
            let decided = match (subject.rule, scan) {
                (Rule::ScanExact, Some(scan)) => {
                    Some((scan_forms::check_forms(&context, id, scan), Vec::new()))
                }
                _ => decide_pairs(&context, &subject)
                    .map(|PairVerdict { verdict, partners }| (Forms::of(verdict), partners)),
            };
            let Some((Forms { verdict, tight, plain }, partners)) = decided else { continue };
            let numeric = match verdict {
                Verdict::Proved => numeric::warnings(&context, &subject),
                _ => Vec::new(),
            };
            claims.push(Claim {
                rule: subject.rule,
                store,
                keyspace: id,
                scan: subject.scan,
                split: subject.split,
                field: path,
                tight,
                plain,
                numeric,
                span,
                partners,
                verdict,
                accepted: None,
                no_fix: None,
            });
        }
    }
    let fixes = if config.fixes { fix::offer(&context, &mut claims) } else { 0 };
    let idle_accepts = accept::apply(layout, &mut claims);
    Report { claims, idle_accepts, work: context.spent() + fixes }
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
