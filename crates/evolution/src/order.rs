//! KS107: a scan returns rows in another order, or the cursor of a page points elsewhere.
//!
//! If every stored key is read as before (KS101, KS102, KS103 and KS105), rows keep their bytes and
//! their order, and cursors stay valid. Otherwise rows have to move, and their keys in both layouts
//! are compared. The segments after the leading fields can prove that the order does not change. If
//! they do not, sample rows are tried.

use crate::{
    access::counterpart,
    alike::same_bytes,
    compare::Direction,
    correspondence::Fields,
    diff::{Context, finding, undecided},
    report::{Fault, Finding, OrderFault, Rule, Unknown},
    sample,
};
use keyscape_layout::{
    Record,
    model::{Keyspace, KeyspaceId, Scan},
};
use keyscape_prover::Row;

/// `keys` are the findings about stored keys: of KS101, KS102, KS103 and KS105.
pub(crate) fn check(context: &Context<'_>, keys: &[Finding]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.old.keyspace_ids() {
        let Some(new) = context.correspondence.new_keyspace(id) else { continue };
        let (a, b) = (context.old.keyspace(id), context.new.keyspace(new));
        let pairs = context.fields(id, new);
        let scans: Vec<&Scan> =
            a.scans.iter().filter(|scan| counterpart(scan, &b.scans, &pairs).is_some()).collect();
        if scans.is_empty() {
            continue;
        }
        let ids = (Some(id), Some(new));
        let mut add = |fault| findings.push(finding(Rule::Order, ids, Fault::Order(fault), false));
        if a.name != b.name {
            add(OrderFault::Renamed);
        }
        let keeps_keys = !keys.iter().any(|finding| finding.old == Some(id))
            && context.same(Direction::Backward, id) == Some(new);
        if keeps_keys {
            continue;
        }
        let compared = Compared { context, id, new, a, b, pairs: &pairs };
        if compared.has_same_bytes() {
            continue;
        }
        let disorders: Vec<OrderFault> =
            scans.iter().filter_map(|scan| compared.disorder(scan)).collect();
        match compared.cursor() {
            _ if !disorders.is_empty() => disorders.into_iter().for_each(add),
            Some(fault) => add(fault),
            None => findings.push(undecided(Rule::Order, ids, Unknown::Order)),
        }
    }
    findings
}

struct Compared<'c> {
    context: &'c Context<'c>,
    id: KeyspaceId,
    new: KeyspaceId,
    a: &'c Keyspace,
    b: &'c Keyspace,
    pairs: &'c Fields,
}

impl Compared<'_> {
    /// Returns rows with their new keys. The rows vary in all fields except `except`.
    fn rows(&self, except: &[Vec<String>]) -> Vec<(Row, Vec<u8>)> {
        let records = sample::records(&self.context.comparison.old, self.id, except);
        let key = |record: Record| {
            let new = self.b.encode(&sample::renamed(&record, self.pairs)).ok()?;
            let key = self.a.encode(&record).ok()?;
            Some((Row { key, keyspace: self.id, fields: record }, new))
        };
        records.into_iter().filter_map(key).collect()
    }

    /// Returns two rows of a scan that change their order.
    fn disorder(&self, scan: &Scan) -> Option<OrderFault> {
        let mut rows = self.rows(&scan.leading);
        rows.sort_by(|(a, _), (b, _)| a.key.cmp(&b.key));
        let is_reversed = |pair: &&[(Row, Vec<u8>)]| match pair {
            [(a, x), (b, y)] => a.key < b.key && x > y,
            _ => false,
        };
        let found = rows.windows(2).find(is_reversed)?;
        let [(first, low), (second, high)] = found else { return None };
        Some(OrderFault::Order {
            scan: scan.name.clone(),
            first: first.clone(),
            second: second.clone(),
            new_keys: (low.clone(), high.clone()),
        })
    }

    /// Returns a row whose key changes.
    fn cursor(&self) -> Option<OrderFault> {
        let mut rows = self.rows(&[]);
        rows.sort_by_key(|(row, _)| row.key.len());
        let (row, new_key) = rows.into_iter().find(|(row, new)| row.key != *new)?;
        Some(OrderFault::Cursor { row, new_key })
    }

    /// Whether rows have the same bytes in both layouts, because the keys differ only in domains.
    fn has_same_bytes(&self) -> bool {
        self.context.same(Direction::Backward, self.id) == Some(self.new)
            && same_bytes(&self.a.key, &self.b.key, self.pairs)
    }
}
