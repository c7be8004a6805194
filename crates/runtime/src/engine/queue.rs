//! Queues as records. A member has one item, and one record in the family of the item's state.

use super::{Edge, Span, StructureRecords, StructureReport};
use crate::{
    Acked, BadValue, Error, Pushed,
    record::{self, Family, Item, State},
};
use keyscape_codec::fixed;
use keyscape_store::{Read, Tx};
use std::{
    borrow::Cow,
    collections::{BTreeSet, VecDeque},
};

/// The records of one queue.
#[derive(Debug)]
pub struct QueueRecords {
    /// All records of the queue.
    pub records: StructureRecords,
    /// The length of all encoded scores, if they have the same length.
    pub score_width: Option<usize>,
}

/// A claim of a member. Member and score are encoded.
#[derive(Clone, Debug)]
pub struct ClaimBytes {
    /// The claimed member.
    pub member: Vec<u8>,
    /// Its score.
    pub score: Vec<u8>,
    /// The token that proves the claim.
    pub token: u64,
    /// The number of claims since the member was pushed, including this one.
    pub attempts: u32,
}

impl QueueRecords {
    /// Adds a member, or changes its score.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn push(&self, tx: &mut Tx<'_>, member: &[u8], score: &[u8]) -> Result<Pushed, Error> {
        let score = Cow::Owned(score.to_vec());
        let Some(mut item) = self.item(tx, member)? else {
            let item = Item { state: State::Ready, attempts: 0, token: 0, score, again: None };
            tx.attempt(|tx| self.write(tx, member, &item))?;
            return Ok(Pushed::New);
        };
        let pushed = match item.state {
            State::Dead => return Ok(Pushed::Dead),
            State::Leased(_) => Pushed::Again,
            State::Ready | State::Waiting(_) => Pushed::Updated,
        };
        self.change(tx, member, &mut item, |item| match pushed {
            Pushed::Again => item.again = Some(score),
            _ => item.score = score,
        })?;
        Ok(pushed)
    }

    /// Claims up to `max` members until `deadline`. Members that are ready and members that are
    /// overdue at `now` take turns.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn claim(
        &self,
        tx: &mut Tx<'_>,
        now: u64,
        deadline: u64,
        max: usize,
    ) -> Result<Vec<ClaimBytes>, Error> {
        let mut claimable = Claimable::find(tx, self, now, max)?;
        if claimable.ready.is_empty() && claimable.overdue.is_empty() {
            return Ok(Vec::new());
        }
        let mut token = self.records.number(tx, Family::Token)?;
        let mut claims = Vec::new();
        tx.attempt(|tx| {
            while claims.len() < max {
                let none = || self.records.inconsistent(Family::Token, &[], "no token is left");
                let next = token.checked_add(1).ok_or_else(none)?;
                let Some((member, mut item)) = claimable.next(tx, self, next)? else { break };
                token = next;
                self.change(tx, &member, &mut item, |item| {
                    end_lease(item, State::Leased(deadline));
                    item.token = token;
                    item.attempts = item.attempts.saturating_add(1);
                })?;
                let (score, attempts) = (item.score.into_owned(), item.attempts);
                claims.push(ClaimBytes { member, score, token, attempts });
            }
            self.records.set_number(tx, Family::Token, token)
        })?;
        Ok(claims)
    }

    /// Ends a claim whose work is done. The member is removed, or ready again if it was pushed in
    /// the meantime.
    ///
    /// # Errors
    /// [`ClaimLost`](crate::ErrorKind::ClaimLost) if the token is not that of the newest claim.
    pub fn ack(&self, tx: &mut Tx<'_>, member: &[u8], token: u64) -> Result<Acked, Error> {
        let mut item = self.claimed(tx, member, token)?;
        let Some(again) = item.again.take() else {
            self.erase(tx, member, &item)?;
            return Ok(Acked::Done);
        };
        self.change(tx, member, &mut item, |item| {
            (item.state, item.attempts, item.score) = (State::Ready, 0, again);
        })?;
        Ok(Acked::Again)
    }

    /// Ends a claim whose work failed. The member waits until `due`.
    ///
    /// # Errors
    /// As [`ack`](Self::ack).
    pub fn retry(&self, tx: &mut Tx<'_>, member: &[u8], token: u64, due: u64) -> Result<(), Error> {
        self.change_claimed(tx, member, token, |item| end_lease(item, State::Waiting(due)))
    }

    /// Ends a claim whose work could not begin. The member waits until `due`, and the claim does
    /// not count as an attempt.
    ///
    /// # Errors
    /// As [`ack`](Self::ack).
    pub fn postpone(
        &self,
        tx: &mut Tx<'_>,
        member: &[u8],
        token: u64,
        due: u64,
    ) -> Result<(), Error> {
        self.change_claimed(tx, member, token, |item| {
            end_lease(item, State::Waiting(due));
            item.attempts = item.attempts.saturating_sub(1);
        })
    }

    /// Ends a claim and makes the member dead: it cannot be claimed until it is revived.
    ///
    /// # Errors
    /// As [`ack`](Self::ack).
    pub fn bury(&self, tx: &mut Tx<'_>, member: &[u8], token: u64) -> Result<(), Error> {
        self.change_claimed(tx, member, token, |item| end_lease(item, State::Dead))
    }

    /// Moves the end of the lease to `deadline`.
    ///
    /// # Errors
    /// As [`ack`](Self::ack).
    pub fn extend(
        &self,
        tx: &mut Tx<'_>,
        member: &[u8],
        token: u64,
        deadline: u64,
    ) -> Result<(), Error> {
        self.change_claimed(tx, member, token, |item| item.state = State::Leased(deadline))
    }

    /// Makes a dead member ready, as if it were new. Returns whether it was dead.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn revive(&self, tx: &mut Tx<'_>, member: &[u8]) -> Result<bool, Error> {
        let Some(mut item) = self.item(tx, member)?.filter(|item| item.state == State::Dead) else {
            return Ok(false);
        };
        self.change(tx, member, &mut item, |item| {
            (item.state, item.attempts) = (State::Ready, 0);
        })?;
        Ok(true)
    }

    /// Removes a member in any state. Returns whether it existed.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn remove(&self, tx: &mut Tx<'_>, member: &[u8]) -> Result<bool, Error> {
        let Some(item) = self.item(tx, member)? else { return Ok(false) };
        self.erase(tx, member, &item)?;
        Ok(true)
    }

    /// Reads the item of a member.
    pub(crate) fn item(
        &self,
        state: &(impl Read + ?Sized),
        member: &[u8],
    ) -> Result<Option<Item<'static>>, Error> {
        let Some(value) = self.records.get(state, Family::Item, member)? else { return Ok(None) };
        let item = Item::read(&value, self.score_width)
            .map_err(|source| self.records.corrupt(Family::Item, member, BadValue::from(source)))?;
        Ok(Some(Item {
            score: Cow::Owned(item.score.into_owned()),
            again: item.again.map(|again| Cow::Owned(again.into_owned())),
            ..item
        }))
    }

    /// Reads the item of a claim.
    fn claimed(&self, tx: &Tx<'_>, member: &[u8], token: u64) -> Result<Item<'static>, Error> {
        let lost = |why| self.records.claim_lost(member, why);
        let item = self.item(tx, member)?.ok_or_else(|| lost("the member was removed"))?;
        match item.state {
            _ if item.token != token => Err(lost("another worker has claimed the member since")),
            State::Leased(_) => Ok(item),
            State::Ready => Err(lost("the claim has ended, and the member is ready again")),
            State::Waiting(_) => Err(lost("the claim has ended, and the member waits")),
            State::Dead => Err(lost("the claim has ended, and the member is dead")),
        }
    }

    /// Reads the item of a member that another record lists in this state.
    fn item_in(&self, tx: &Tx<'_>, member: &[u8], state: State) -> Result<Item<'static>, Error> {
        let broken = |what| self.records.inconsistent(Family::Item, member, what);
        match self.item(tx, member)? {
            Some(item) if item.state == state => Ok(item),
            Some(_) => Err(broken("it is listed in a state that it is not in")),
            None => Err(broken("it is listed, but missing")),
        }
    }

    /// Changes an item, and moves its record to the family of the new state.
    fn change<'i>(
        &self,
        tx: &mut Tx<'_>,
        member: &[u8],
        item: &mut Item<'i>,
        change: impl FnOnce(&mut Item<'i>),
    ) -> Result<(), Error> {
        tx.attempt(|tx| {
            self.records.delete(tx, item.state.family(), &self.state_rest(item, member))?;
            change(item);
            self.write(tx, member, item)
        })
    }

    /// Changes the item of a claim.
    fn change_claimed(
        &self,
        tx: &mut Tx<'_>,
        member: &[u8],
        token: u64,
        change: impl FnOnce(&mut Item<'static>),
    ) -> Result<(), Error> {
        let mut item = self.claimed(tx, member, token)?;
        self.change(tx, member, &mut item, change)
    }

    fn write(&self, tx: &mut Tx<'_>, member: &[u8], item: &Item<'_>) -> Result<(), Error> {
        self.records.put(tx, item.state.family(), &self.state_rest(item, member), &[])?;
        self.records.put(tx, Family::Item, member, &item.bytes(self.score_width))
    }

    /// Deletes an item and the record of its state.
    fn erase(&self, tx: &mut Tx<'_>, member: &[u8], item: &Item<'_>) -> Result<(), Error> {
        tx.attempt(|tx| {
            self.records.delete(tx, item.state.family(), &self.state_rest(item, member))?;
            self.records.delete(tx, Family::Item, member)
        })
    }

    /// Returns the rest of the record of an item's state.
    fn state_rest(&self, item: &Item<'_>, member: &[u8]) -> Vec<u8> {
        let mut rest = Vec::with_capacity(16 + item.score.len() + member.len());
        match item.state {
            State::Ready => record::put_score(&item.score, self.score_width, &mut rest),
            State::Waiting(at) | State::Leased(at) => fixed::put_be(at, &mut rest),
            State::Dead => {}
        }
        rest.extend_from_slice(member);
        rest
    }

    /// Puts an item with the record of its state. For copies of queues.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
    pub fn restore(&self, tx: &mut Tx<'_>, member: &[u8], item: &Item<'_>) -> Result<(), Error> {
        tx.attempt(|tx| {
            self.write(tx, member, item)?;
            let last = self.records.number(tx, Family::Token)?;
            self.records.set_number(tx, Family::Token, last.max(item.token))
        })
    }

    /// Checks that each member has an item, is listed once in its state, and has a token that was
    /// given out. Finds equal tokens among the first items only, to bound the memory.
    ///
    /// # Errors
    /// Errors of the store. Faults are in the report.
    pub fn check(
        &self,
        state: &(impl Read + ?Sized),
        is_member: impl Fn(&[u8]) -> bool,
        is_score: impl Fn(&[u8]) -> bool,
    ) -> Result<StructureReport, Error> {
        let records = &self.records;
        let mut report = StructureReport::default();
        let stored_token = records.get(state, Family::Token, &[])?;
        report.records += u64::from(stored_token.is_some());
        let last_token = stored_token.map_or(Some(0), |bytes| fixed::parse_be(&bytes).ok());
        if last_token.is_none() {
            report.fault(records, Family::Token, &[], "it is not a number");
        }
        let last_token = last_token.unwrap_or(u64::MAX);
        let mut tokens = BTreeSet::new();
        records.for_each(state, Family::Item, |member, value| {
            report.records += 1;
            if !is_member(member) {
                report.fault(records, Family::Item, member, "it is not a member");
            }
            let Ok(item) = Item::read(value, self.score_width) else {
                report.fault(records, Family::Item, member, "its value is not an item");
                return Ok(());
            };
            let (family, rest) = (item.state.family(), self.state_rest(&item, member));
            if !records.contains(state, family, &rest)? {
                let what = "an item is in this state, but not listed";
                report.partner(records, family, &rest, what);
            }
            let mut fault = |what| report.fault(records, Family::Item, member, what);
            if !item.again.iter().chain([&item.score]).all(|score| is_score(score)) {
                fault("its score is not a score");
            }
            if item.token > last_token {
                fault("its token was not given out");
            }
            let leased = matches!(item.state, State::Leased(_));
            if leased && (item.token == 0 || item.attempts == 0) {
                fault("it is leased without a claim");
            }
            if !leased && item.again.is_some() {
                fault("it is queued again without a lease");
            }
            if item.token > 0 && tokens.len() < MAX_TOKENS && !tokens.insert(item.token) {
                fault("another item has its token");
            }
            Ok(())
        })?;
        for family in [Family::Ready, Family::Waiting, Family::Leased, Family::Dead] {
            records.for_each(state, family, |rest, _| {
                report.records += 1;
                if !self.is_listed_rightly(state, family, rest)? {
                    report.partner(records, family, rest, "no item is in this state");
                }
                Ok(())
            })?;
        }
        report.finish(records, state)
    }

    /// Whether the member of a record has an item in the state of the record.
    fn is_listed_rightly(
        &self,
        state: &(impl Read + ?Sized),
        family: Family,
        rest: &[u8],
    ) -> Result<bool, Error> {
        let mut member = rest;
        let is_split = match family {
            Family::Ready => record::take_score(&mut member, self.score_width).is_ok(),
            Family::Waiting | Family::Leased => fixed::take_be::<u64>(&mut member).is_ok(),
            _ => true,
        };
        let value = self.records.get(state, Family::Item, member)?;
        let item = value.as_deref().and_then(|value| Item::read(value, self.score_width).ok());
        Ok(is_split
            && item.is_some_and(|item| {
                item.state.family() == family && self.state_rest(&item, member) == rest
            }))
    }
}

/// The maximum number of tokens that a check compares with each other.
const MAX_TOKENS: usize = 1 << 16;

/// Ends a lease. A push during the lease is served by the next work on the member.
fn end_lease(item: &mut Item<'_>, state: State) {
    item.state = state;
    if let Some(again) = item.again.take() {
        item.score = again;
    }
}

/// Members that can be claimed.
struct Claimable {
    /// The rests of the ready records with the lowest scores.
    ready: VecDeque<Vec<u8>>,
    /// Members that are due or whose lease has ended, the longest overdue first.
    overdue: VecDeque<(State, Vec<u8>)>,
}

impl Claimable {
    /// Finds at most `max` of each. Records later than `now` are not read, so work on them does not
    /// conflict.
    fn find(tx: &Tx<'_>, queue: &QueueRecords, now: u64, max: usize) -> Result<Self, Error> {
        let mut overdue = Vec::new();
        let span = Span { end: Edge::After(now.to_be_bytes().to_vec()), ..Span::default() };
        for family in [Family::Waiting, Family::Leased] {
            for rest in queue.records.first(tx, family, &span, max)? {
                let mut member = &rest[..];
                let at: u64 = fixed::take_be(&mut member)
                    .map_err(|source| queue.records.corrupt(family, &rest, source))?;
                overdue.push((at, family, member.to_vec()));
            }
        }
        overdue.sort();
        overdue.truncate(max);
        let overdue = overdue.into_iter().map(|(at, family, member)| match family {
            Family::Waiting => (State::Waiting(at), member),
            _ => (State::Leased(at), member),
        });
        let ready = queue.records.first(tx, Family::Ready, &Span::default(), max)?.into();
        Ok(Self { ready, overdue: overdue.collect() })
    }

    /// Returns the next member to claim. Ready and overdue members get every second token as long
    /// as both exist, so neither failing members nor a stream of new ones starve the others.
    fn next(
        &mut self,
        tx: &Tx<'_>,
        queue: &QueueRecords,
        token: u64,
    ) -> Result<Option<(Vec<u8>, Item<'static>)>, Error> {
        let is_turn_of_overdue = token.is_multiple_of(2) || self.ready.is_empty();
        if is_turn_of_overdue && let Some((state, member)) = self.overdue.pop_front() {
            let item = queue.item_in(tx, &member, state)?;
            return Ok(Some((member, item)));
        }
        let Some(rest) = self.ready.pop_front() else { return Ok(None) };
        let mut member = &rest[..];
        let score = record::take_score(&mut member, queue.score_width)
            .map_err(|source| queue.records.corrupt(Family::Ready, &rest, source))?;
        let item = queue.item_in(tx, member, State::Ready)?;
        if item.score != score {
            let what = "its item has another score";
            return Err(queue.records.inconsistent(Family::Ready, &rest, what));
        }
        Ok(Some((member.to_vec(), item)))
    }
}
