//! Queues compared with a simple model.

use crate::structures::{engines, sound, txo::*};
use keyscape_runtime::{Acked, Claim, Error, ErrorKind, Pushed, QueueCounts, record::State};
use keyscape_store::{Db, Mode, Tx};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Step {
    Push(u8, u64),
    Claim { lease: u64, max: usize },
    Ack(usize),
    Retry(usize, u64),
    Extend(usize, u64),
    Bury(usize),
    Revive(u8),
    Remove(u8),
    Pass(u64),
    Delete,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let any_claim = || 0_usize..40;
    let step = prop_oneof![
        8 => (0_u8..12, 0_u64..6).prop_map(|(member, score)| Step::Push(member, score)),
        8 => (0_u64..12, 0_usize..4).prop_map(|(lease, max)| Step::Claim { lease, max }),
        5 => any_claim().prop_map(Step::Ack),
        4 => (any_claim(), 0_u64..12).prop_map(|(claim, delay)| Step::Retry(claim, delay)),
        2 => (any_claim(), 0_u64..12).prop_map(|(claim, lease)| Step::Extend(claim, lease)),
        2 => any_claim().prop_map(Step::Bury),
        2 => (0_u8..12).prop_map(Step::Revive),
        1 => (0_u8..12).prop_map(Step::Remove),
        6 => (0_u64..8).prop_map(Step::Pass),
        1 => Just(Step::Delete),
    ];
    prop::collection::vec(step, 0..120)
}

#[derive(Clone, Debug)]
struct Entry {
    score: u64,
    state: State,
    attempts: u32,
    token: u64,
    again: Option<u64>,
}

/// A model of a queue without records.
#[derive(Default)]
struct Model {
    entries: BTreeMap<u8, Entry>,
    last_token: u64,
    now: u64,
}

impl Model {
    fn push(&mut self, member: u8, score: u64) -> Pushed {
        let Some(entry) = self.entries.get_mut(&member) else {
            let state = State::Ready;
            let entry = Entry { score, state, attempts: 0, token: 0, again: None };
            self.entries.insert(member, entry);
            return Pushed::New;
        };
        match entry.state {
            State::Ready | State::Waiting(_) => {
                entry.score = score;
                Pushed::Updated
            }
            State::Leased(_) => {
                entry.again = Some(score);
                Pushed::Again
            }
            State::Dead => Pushed::Dead,
        }
    }

    fn claim(&mut self, lease: u64, max: usize) -> Vec<(u8, u64, u64, u32)> {
        let mut overdue: Vec<(u64, bool, u8)> = self
            .entries
            .iter()
            .filter_map(|(member, entry)| match entry.state {
                State::Waiting(at) if at <= self.now => Some((at, true, *member)),
                State::Leased(at) if at <= self.now => Some((at, false, *member)),
                _ => None,
            })
            .collect();
        overdue.sort();
        overdue.truncate(max);
        let mut ready: Vec<(u64, u8)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.state == State::Ready)
            .map(|(member, entry)| (entry.score, *member))
            .collect();
        ready.sort();
        ready.truncate(max);
        let mut claims = Vec::new();
        while claims.len() < max {
            // Even tokens are for overdue members, odd tokens for ready ones.
            let token = self.last_token + 1;
            let of_overdue = !overdue.is_empty() && (token.is_multiple_of(2) || ready.is_empty());
            let member = match (of_overdue, ready.is_empty()) {
                (true, _) => overdue.remove(0).2,
                (false, false) => ready.remove(0).1,
                (false, true) => break,
            };
            self.leave(member, State::Leased(self.now + lease));
            self.last_token = token;
            let entry = self.entries.get_mut(&member).expect("it was found");
            (entry.token, entry.attempts) = (token, entry.attempts + 1);
            claims.push((member, entry.score, token, entry.attempts));
        }
        claims
    }

    fn leave(&mut self, member: u8, state: State) {
        let entry = self.entries.get_mut(&member).expect("it is there");
        entry.score = entry.again.take().unwrap_or(entry.score);
        entry.state = state;
    }

    fn holds(&self, member: u8, token: u64) -> bool {
        self.entries
            .get(&member)
            .is_some_and(|entry| matches!(entry.state, State::Leased(_)) && entry.token == token)
    }

    fn ack(&mut self, member: u8) -> Acked {
        let entry = self.entries.get_mut(&member).expect("it is held");
        match entry.again.take() {
            Some(score) => {
                (entry.score, entry.state, entry.attempts) = (score, State::Ready, 0);
                Acked::Again
            }
            None => {
                self.entries.remove(&member);
                Acked::Done
            }
        }
    }
}

fn member(number: u8) -> Name<'static> {
    // The names sort like the numbers.
    Name::new(format!("m{number:03}")).expect("a good name")
}

fn number(name: &Name<'_>) -> u8 {
    name.as_str()[1..].parse().expect("a name of ours")
}

/// Returns the answer, or `None` if the claim is lost.
fn held<T>(outcome: Result<T, Error>) -> Result<Option<T>, Error> {
    match outcome {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if matches!(error.kind(), ErrorKind::ClaimLost { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn run(
    tx: &mut Tx<'_>,
    model: &mut Model,
    claims: &mut Vec<Claim<Jobs>>,
    step: &Step,
) -> Result<(), Error> {
    let at = |claim: usize| claims.get(claim % claims.len().max(1)).cloned();
    let now = model.now;
    match step {
        Step::Push(who, score) => {
            assert_eq!(JOBS.push(tx, 1, member(*who), *score)?, model.push(*who, *score));
        }
        Step::Claim { lease, max } => {
            let found = JOBS.claim(tx, 1, now, *lease, *max)?;
            let shown = found.iter().map(|c| (number(&c.member), c.score, c.token, c.attempts));
            assert!(shown.eq(model.claim(*lease, *max)));
            claims.extend(found);
        }
        Step::Ack(claim) => {
            let Some(claim) = at(*claim) else { return Ok(()) };
            let who = number(&claim.member);
            let expected = model.holds(who, claim.token).then(|| model.ack(who));
            assert_eq!(held(JOBS.ack(tx, 1, &claim))?, expected);
        }
        Step::Retry(claim, delay) => {
            let Some(claim) = at(*claim) else { return Ok(()) };
            let who = number(&claim.member);
            let due = now + delay;
            let expected = model.holds(who, claim.token).then(|| {
                model.leave(who, State::Waiting(due));
                due
            });
            assert_eq!(held(JOBS.retry(tx, 1, &claim, now, *delay))?, expected);
        }
        Step::Extend(claim, lease) => {
            let Some(claim) = at(*claim) else { return Ok(()) };
            let who = number(&claim.member);
            let deadline = now + lease;
            let expected = model.holds(who, claim.token).then(|| {
                let entry = model.entries.get_mut(&who).expect("it is held");
                entry.state = State::Leased(deadline);
                deadline
            });
            assert_eq!(held(JOBS.extend(tx, 1, &claim, now, *lease))?, expected);
        }
        Step::Bury(claim) => {
            let Some(claim) = at(*claim) else { return Ok(()) };
            let who = number(&claim.member);
            let expected = model.holds(who, claim.token).then(|| model.leave(who, State::Dead));
            assert_eq!(held(JOBS.bury(tx, 1, &claim))?, expected);
        }
        Step::Revive(who) => {
            let entry = model.entries.get_mut(who).filter(|entry| entry.state == State::Dead);
            assert_eq!(JOBS.revive(tx, 1, member(*who))?, entry.is_some());
            if let Some(entry) = entry {
                (entry.state, entry.attempts) = (State::Ready, 0);
            }
        }
        Step::Remove(who) => {
            let was = model.entries.remove(who).is_some();
            assert_eq!(JOBS.remove(tx, 1, member(*who))?, was);
        }
        Step::Pass(time) => model.now += time,
        Step::Delete => {
            let members = model.entries.len() as u64;
            model.entries.clear();
            assert_eq!(JOBS.delete(tx, 1)?, 2 * members);
        }
    }
    Ok(())
}

fn compare(tx: &Tx<'_>, model: &Model) -> Result<(), Error> {
    let mut counts = QueueCounts::default();
    for (who, entry) in &model.entries {
        let known = JOBS.get(tx, 1, member(*who))?.expect("it is known");
        assert_eq!(
            (known.score, known.state, known.attempts),
            (entry.score, entry.state, entry.attempts)
        );
        assert_eq!(known.again, entry.again);
        *match entry.state {
            State::Ready => &mut counts.ready,
            State::Waiting(_) => &mut counts.waiting,
            State::Leased(_) => &mut counts.leased,
            State::Dead => &mut counts.dead,
        } += 1;
    }
    assert_eq!(JOBS.counts(tx, 1)?, counts);
    let times = model.entries.values().filter_map(|entry| match entry.state {
        State::Waiting(at) | State::Leased(at) => Some(at),
        State::Ready | State::Dead => None,
    });
    assert_eq!(JOBS.next_time(tx, 1)?, times.min());
    assert_eq!(JOBS.is_empty(tx, 1)?, model.entries.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn queues_agree_with_a_model(engine in engines(), steps in steps(), optimistic: bool) {
        let fail = |error: &dyn std::fmt::Display| TestCaseError::fail(error.to_string());
        let db = Db::from(engine());
        let mode = if optimistic { Mode::Optimistic } else { Mode::Write };
        let (mut model, mut claims) = (Model::default(), Vec::new());
        for step in &steps {
            let mut tx = db.begin(mode).map_err(|error| fail(&error))?;
            run(&mut tx, &mut model, &mut claims, step).map_err(|error| fail(&error))?;
            compare(&tx, &model).map_err(|error| fail(&error))?;
            let report = JOBS.check(&tx, 1).map_err(|error| fail(&error))?;
            sound(&report).map_err(|error| fail(&error))?;
            tx.commit().map_err(|error| fail(&error))?;
        }
        prop_assert!(claims.iter().map(|claim| claim.token).is_sorted());
    }
}
