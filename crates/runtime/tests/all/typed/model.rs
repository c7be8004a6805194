//! Random programs, compared with simple maps. Every write first runs with a failure at some
//! operation, which must leave no changes.

use crate::typed::{
    FailAt, engines, order,
    shop::{
        Order,
        layout::{BY_ORDER, BY_TICKET, MOTTO, NUMBERS, ORDERS},
    },
    ticket,
};
use keyscape_runtime::{Error, ErrorKind, PageCursor};
use keyscape_store::{Checkpoint, Db, Mode, Tx};
use proptest::{collection::vec, prelude::*, sample::select};
use std::{
    collections::BTreeMap,
    ops::{Bound, RangeBounds},
    sync::Arc,
};

pub(crate) type Key = (u64, u32);
type Bounds = (Bound<u32>, Bound<u32>);

/// The expected contents of the database.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) orders: BTreeMap<Key, Order>,
    motto: Option<String>,
    pub(crate) number: u64,
}

impl Model {
    fn ticket_of(&self, ticket: &str) -> Option<Key> {
        let mut owners = self.orders.iter().filter(|(_, order)| order.ticket.as_str() == ticket);
        owners.next().map(|(key, _)| *key)
    }

    pub(crate) fn put(&mut self, key: Key, order: &Order) -> bool {
        let free = self.ticket_of(order.ticket.as_str()).is_none_or(|owner| owner == key);
        if free {
            self.orders.insert(key, order.clone());
        }
        free
    }

    pub(crate) fn of_user(&self, user: u64, scan: &Ask) -> Vec<Key> {
        let mut keys: Vec<Key> = self
            .orders
            .keys()
            .copied()
            .filter(|(owner, number)| *owner == user && scan.bounds.contains(number))
            .collect();
        if scan.backward {
            keys.reverse();
        }
        keys.truncate(scan.limit as usize);
        keys
    }
}

/// The parameters of a scan of one user's orders.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    bounds: Bounds,
    backward: bool,
    limit: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Put(Key, &'static str, u64),
    Delete(Key),
    Take(Key),
    Update(Key, Option<&'static str>),
    DeleteScan(u64, Ask),
    Walk(u64, Ask),
    Scan(u64, Ask),
    Pages(u64, Ask, usize, Vec<(Key, &'static str)>),
    Motto(Option<&'static str>),
    Next,
    Set(u64),
    Checkpoint,
    Rollback(usize),
    Release(usize),
    Commit,
    Abort,
}

fn key() -> impl Strategy<Value = Key> {
    (select(vec![0, 1, 2, u64::MAX]), select(vec![0, 1, 2, 3, 255, 256, u32::MAX]))
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "aa", "ab", "b", "ba", "c", "d", "zzzzzzzz"])
}

fn ask() -> impl Strategy<Value = Ask> {
    let bound = || {
        let number = select(vec![0, 1, 2, 3, 255, 256, u32::MAX]);
        (number, 0..5).prop_map(|(number, kind)| match kind {
            0 | 1 => Bound::Included(number),
            2 | 3 => Bound::Excluded(number),
            _ => Bound::Unbounded,
        })
    };
    let limit = select(vec![0, 1, 2, 5, 100, u64::MAX]);
    (bound(), bound(), any::<bool>(), limit).prop_map(|(start, end, backward, limit)| Ask {
        bounds: (start, end),
        backward,
        limit,
    })
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let user = || select(vec![0, 1, 2, u64::MAX]);
    prop_oneof![
        12 => (key(), name(), 0..9_u64).prop_map(|(key, name, amount)| Step::Put(key, name, amount)),
        3 => key().prop_map(Step::Delete),
        1 => key().prop_map(Step::Take),
        2 => (key(), proptest::option::of(name())).prop_map(|(key, name)| Step::Update(key, name)),
        1 => (user(), ask()).prop_map(|(user, ask)| Step::DeleteScan(user, ask)),
        1 => (user(), ask()).prop_map(|(user, ask)| Step::Walk(user, ask)),
        5 => (user(), ask()).prop_map(|(user, ask)| Step::Scan(user, ask)),
        2 => (user(), ask(), 1..4_usize, vec((key(), name()), 0..4))
            .prop_map(|(user, ask, size, between)| Step::Pages(user, ask, size, between)),
        1 => proptest::option::of(name()).prop_map(Step::Motto),
        2 => Just(Step::Next),
        1 => (0..3_u64).prop_map(Step::Set),
        2 => Just(Step::Checkpoint),
        1 => (0..3_usize).prop_map(Step::Rollback),
        1 => (0..3_usize).prop_map(Step::Release),
        2 => Just(Step::Commit),
        1 => Just(Step::Abort),
    ]
}

/// A transaction, with the expected contents of the transaction and of the database.
struct Run<'db> {
    db: &'db Db,
    tx: Tx<'db>,
    model: Model,
    committed: Model,
    checkpoints: Vec<(Checkpoint, Model)>,
    /// The number of the operation at which writes first fail.
    fail_at: u64,
}

fn begin(db: &Db) -> Tx<'_> {
    db.begin(Mode::Write).expect("a transaction")
}

/// Returns the pending changes of the transaction.
fn written(tx: &Tx<'_>) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let changes = tx.changes().iter();
    changes.map(|change| (change.key.to_vec(), change.value.map(<[u8]>::to_vec))).collect()
}

fn not_unique<T>(outcome: Result<T, Error>) -> Option<T> {
    match outcome {
        Ok(answer) => Some(answer),
        Err(error) if matches!(error.kind(), ErrorKind::NotUnique { index, .. } if index == "by_ticket") => {
            None
        }
        Err(error) => panic!("{error}"),
    }
}

impl<'db> Run<'db> {
    fn new(db: &'db Db, fail_at: u64) -> Self {
        let (model, committed) = Default::default();
        Self { db, tx: begin(db), model, committed, checkpoints: Vec::new(), fail_at }
    }

    /// Runs a write. Returns `None` if a unique index rejects it.
    fn write<T>(&mut self, mut write: impl FnMut(&mut Tx<'_>) -> Result<T, Error>) -> Option<T> {
        let before = written(&self.tx);
        self.tx.set_meter(Some(Arc::new(FailAt::new(self.fail_at))));
        let answer = write(&mut self.tx);
        self.tx.set_meter(None);
        let over_budget =
            matches!(&answer, Err(error) if matches!(error.kind(), ErrorKind::Store(_)));
        if !over_budget {
            let answer = not_unique(answer);
            if answer.is_none() {
                assert_eq!(written(&self.tx), before);
            }
            return answer;
        }
        assert_eq!(written(&self.tx), before, "a write that failed left something");
        let answer = not_unique(write(&mut self.tx));
        if answer.is_none() {
            assert_eq!(written(&self.tx), before);
        }
        answer
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Put(key, name, amount) => {
                let order = order(name, *amount);
                let done = self.write(|tx| ORDERS.put(tx, *key, &order)).is_some();
                assert_eq!(done, self.model.put(*key, &order));
            }
            Step::Delete(key) => {
                self.write(|tx| ORDERS.delete(tx, *key));
                self.model.orders.remove(key);
            }
            Step::Take(key) => {
                let taken = self.write(|tx| ORDERS.take(tx, *key));
                assert_eq!(taken, Some(self.model.orders.remove(key)));
            }
            Step::Update(key, name) => self.update(*key, *name),
            Step::DeleteScan(user, ask) => {
                let keys = self.model.of_user(*user, ask);
                let deleted = self.write(|tx| asked(*user, ask).delete(tx));
                assert_eq!(deleted, Some(keys.len() as u64));
                keys.iter().for_each(|key| drop(self.model.orders.remove(key)));
            }
            Step::Walk(user, ask) => self.walk(*user, ask),
            Step::Scan(user, ask) => self.scan(*user, ask),
            Step::Pages(user, ask, size, between) => self.pages(*user, ask, *size, between),
            Step::Motto(motto) => {
                self.write(|tx| match motto {
                    Some(motto) => MOTTO.put(tx, motto),
                    None => MOTTO.delete(tx),
                });
                self.model.motto = motto.map(str::to_owned);
            }
            Step::Next => {
                assert_eq!(self.write(|tx| NUMBERS.next(tx)), Some(self.model.number));
                self.model.number += 1;
            }
            Step::Set(number) => {
                self.write(|tx| NUMBERS.set(tx, *number));
                self.model.number = *number;
            }
            Step::Checkpoint => {
                let checkpoint = self.tx.checkpoint();
                self.checkpoints.push((checkpoint, self.model.clone()));
            }
            Step::Rollback(place) => {
                if let Some((checkpoint, model)) = self.checkpoints.get(*place).cloned() {
                    self.tx.rollback_to(checkpoint).expect("live");
                    self.model = model;
                    self.checkpoints.truncate(place + 1);
                }
            }
            Step::Release(place) => {
                if let Some((checkpoint, _)) = self.checkpoints.get(*place) {
                    self.tx.release(*checkpoint).expect("live");
                    self.checkpoints.truncate(*place);
                }
            }
            Step::Commit | Step::Abort => self.end(matches!(step, Step::Commit)),
        }
    }

    fn update(&mut self, key: Key, name: Option<&'static str>) {
        let before = self.model.orders.get(&key).cloned();
        let after =
            name.map(|name| order(name, before.as_ref().map_or(0, |order| order.amount + 1)));
        let done = self.write(|tx| {
            ORDERS.update(tx, key, |order| {
                assert_eq!(order, before);
                Ok::<_, Error>(after.clone())
            })
        });
        match &after {
            Some(order) => assert_eq!(done.is_some(), self.model.put(key, order)),
            None => drop(self.model.orders.remove(&key)),
        }
    }

    /// Doubles the amounts of the rows in a scan.
    fn walk(&mut self, user: u64, ask: &Ask) {
        let keys = self.model.of_user(user, ask);
        let mut walked = Vec::new();
        let count = asked(user, ask).walk(&mut self.tx, |tx, row| {
            walked.push((row.key.user, row.key.order));
            let order = row.value()?;
            ORDERS.put(tx, row.key, &Order { amount: order.amount * 2, ..order })
        });
        assert_eq!((count.expect("a walk"), &walked), (keys.len() as u64, &keys));
        for key in keys {
            self.model.orders.entry(key).and_modify(|order| order.amount *= 2);
        }
    }

    fn scan(&self, user: u64, ask: &Ask) {
        let keys = self.model.of_user(user, ask);
        let mut scan = asked(user, ask).scan(&self.tx).expect("a scan");
        for key in &keys {
            let row = scan.next_row().expect("a row").expect("one more");
            assert_eq!((row.key.user, row.key.order), *key);
            assert_eq!(row.value().expect("a value"), self.model.orders[key]);
        }
        assert!(scan.next_row().expect("the end").is_none());
        assert_eq!(asked(user, ask).count(&self.tx).expect("a count"), keys.len() as u64);
    }

    /// Reads page by page, with one write between pages.
    fn pages(&mut self, user: u64, ask: &Ask, size: usize, between: &[(Key, &'static str)]) {
        let ask = Ask { limit: u64::MAX, ..ask.clone() };
        let mut throughout = self.model.of_user(user, &ask);
        let mut read: Vec<Key> = Vec::new();
        let mut cursor: Option<PageCursor> = None;
        let mut writes = between.iter();
        loop {
            let prefix = match &cursor {
                Some(cursor) => asked(user, &ask).after(cursor),
                None => asked(user, &ask),
            };
            let page = prefix.page(&self.tx, size).expect("a page");
            assert!(page.rows.len() <= size);
            read.extend(page.rows.iter().map(|(key, _)| (key.user, key.order)));
            if let Some(cursor) = &page.next {
                assert_eq!(page.rows.len(), size);
                let other = asked(user ^ 1, &ask).after(cursor).scan(&self.tx);
                assert!(other.is_err(), "a cursor of another user was taken");
            }
            let Some(next) = page.next else { break };
            cursor = Some(next.to_string().parse().expect("a cursor"));
            if let Some((key, name)) = writes.next() {
                if self.model.orders.contains_key(key) {
                    self.step(&Step::Delete(*key));
                } else {
                    self.step(&Step::Put(*key, name, 1));
                }
                let now = self.model.of_user(user, &ask);
                throughout.retain(|key| now.contains(key));
            }
        }
        let mut once = read.clone();
        once.dedup();
        assert_eq!(once, read, "a row came twice");
        let mut sorted = read.clone();
        sorted.sort_unstable();
        if ask.backward {
            sorted.reverse();
        }
        assert_eq!(sorted, read, "pages are out of order");
        assert!(throughout.iter().all(|key| read.contains(key)), "a row was left out");
    }

    fn end(&mut self, commit: bool) {
        self.compare();
        self.checkpoints.clear();
        // Only one write transaction can exist, so this one ends before the next begins.
        let db = self.db;
        let tx =
            std::mem::replace(&mut self.tx, db.begin(Mode::Optimistic).expect("a placeholder"));
        if commit {
            tx.commit().expect("a commit");
            self.committed = self.model.clone();
        } else {
            drop(tx);
            self.model = self.committed.clone();
        }
        self.tx = begin(db);
    }

    /// Checks that all reads agree with the model.
    fn compare(&self) {
        let Self { tx, model, .. } = self;
        let rows = ORDERS.scan_all(tx).expect("a scan");
        let rows: BTreeMap<Key, Order> = rows
            .map(|row| row.expect("a row"))
            .map(|(key, order)| ((key.user, key.order), order))
            .collect();
        assert_eq!(rows, model.orders);
        let reports =
            [BY_ORDER.check(tx), BY_TICKET.check(tx)].map(|report| report.expect("a check"));
        for report in reports {
            assert!(report.is_sound(), "{report:?}");
            assert_eq!((report.rows, report.entries), (rows.len() as u64, rows.len() as u64));
        }
        for name in ["a", "aa", "ab", "b", "ba", "c", "d", "zzzzzzzz"] {
            let owner = BY_TICKET.owner(tx, ticket(name)).expect("a read");
            assert_eq!(owner.map(|key| (key.user, key.order)), model.ticket_of(name));
        }
        for number in [0, 256] {
            let mut users: Vec<u64> = Vec::new();
            let mut scan = BY_ORDER.scan_order(tx, number).expect("a scan");
            while let Some(row) = scan.next_row().expect("an entry") {
                users.push(row.owner().expect("an owner").user);
            }
            let expected = model.orders.keys().filter(|(_, other)| *other == number);
            assert_eq!(users, expected.map(|(user, _)| *user).collect::<Vec<_>>());
        }
        assert_eq!(MOTTO.get(tx).expect("a read"), model.motto);
        assert_eq!(NUMBERS.peek(tx).expect("a read"), model.number);
    }
}

pub(crate) fn asked(
    user: u64,
    ask: &Ask,
) -> keyscape_runtime::Prefix<
    crate::typed::shop::layout::Orders,
    crate::typed::shop::layout::OrdersUser,
> {
    let prefix = ORDERS.prefix_user(user).range(ask.bounds).limit(ask.limit);
    if ask.backward { prefix.reverse() } else { prefix }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_agree_with_plain_maps(
        engine in engines(),
        steps in vec(step(), 1..60),
        fail_at in 0..9_u64,
    ) {
        let db = Db::from(engine());
        let mut run = Run::new(&db, fail_at);
        for step in &steps {
            run.step(step);
        }
        run.end(true);
        run.compare();
    }
}
