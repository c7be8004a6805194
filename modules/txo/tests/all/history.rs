//! Random histories over a small set of transactions.

use crate::world::{address, log_name, name, outpoint, subscription, token, txid};
use keyscape::{Backoff, store::Tx};
use keyscape_txo::{
    error::Error,
    keeper::{self, Admission, NewEvent, NewOutput, ProgressSource},
    layout::txo::{BLACKLIST, Event, MerkleState, SUBSCRIPTIONS, Score, Txid, WHITELIST},
    score, undo,
};
use proptest::prelude::*;
use serde_json::json;

/// An operation on transactions 0 to 4, outputs 0 and 1, topics, logs and tokens.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Save { tx: u8, vout: u32, score: Score, owner: u8, symbol: Option<String>, tag: bool },
    AddEvents { tx: u8, vout: u32, token: u8 },
    Spend { tx: u8, vout: u32, by: u8, score: Score },
    Confirm { tx: u8, at: MerkleState },
    Unconfirm { tx: u8, nanoseconds: u64 },
    Admit { topic: u8, tx: u8, vout: u32, inputs: u8, deps: u8 },
    Remove { topic: u8, tx: u8, vout: u32 },
    Apply { topic: u8, tx: u8, score: Score },
    Unapply { topic: u8, tx: u8 },
    State { topic: u8, tx: u8, vout: u32, state: u32 },
    Unset { topic: u8, tx: u8, vout: u32 },
    Log { log: u8, tx: u8, score: Score },
    Unlog { log: u8, tx: u8 },
    Enqueue { tx: u8, score: Score },
    EnqueueOutput { token: u8, tx: u8, vout: u32, score: Score },
    Work,
    Fail,
    Bury,
    Revive { tx: u8 },
    White { token: u8, on: bool },
    Black { token: u8, on: bool },
    Advance { height: u32 },
    Met { nanoseconds: u64 },
}

fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        (1..4_u32, 0..3_u64).prop_map(|(height, index)| score::confirmed(height, index)),
        (1..5_u64).prop_map(score::seen),
    ]
}

fn symbols() -> impl Strategy<Value = Option<String>> {
    let texts = ["PEPE", "FOO:spnd", "\0", "50%", ""];
    prop_oneof![
        Just(None),
        prop::sample::select(texts.map(str::to_owned).to_vec()).prop_map(Some),
        Just(Some("x".repeat(300))),
    ]
}

/// Draws operations; those of workers only on request, because leases are not rolled back.
pub(crate) fn op(workers: bool) -> impl Strategy<Value = Op> {
    let (tx, vout, topic) = (0..5_u8, 0..2_u32, 0..2_u8);
    let outputs = prop_oneof![
        4 => (tx.clone(), vout.clone(), scores(), 0..3_u8, symbols(), any::<bool>()).prop_map(
            |(tx, vout, score, owner, symbol, tag)| Op::Save { tx, vout, score, owner, symbol, tag }
        ),
        1 => (tx.clone(), vout.clone(), 0..2_u8)
            .prop_map(|(tx, vout, token)| Op::AddEvents { tx, vout, token }),
        4 => (tx.clone(), vout.clone(), tx.clone(), scores())
            .prop_map(|(tx, vout, by, score)| Op::Spend { tx, vout, by, score }),
        2 => (tx.clone(), 1..4_u32, 0..3_u64).prop_map(|(tx, height, index)| Op::Confirm {
            tx,
            at: MerkleState { height, index }
        }),
        1 => (tx.clone(), 1..5_u64).prop_map(|(tx, nanoseconds)| Op::Unconfirm { tx, nanoseconds }),
    ];
    let topics = prop_oneof![
        2 => (topic.clone(), tx.clone(), vout.clone(), 0..2_u8, 0..2_u8).prop_map(
            |(topic, tx, vout, inputs, deps)| Op::Admit { topic, tx, vout, inputs, deps }
        ),
        1 => (topic.clone(), tx.clone(), vout.clone())
            .prop_map(|(topic, tx, vout)| Op::Remove { topic, tx, vout }),
        1 => (topic.clone(), tx.clone(), scores())
            .prop_map(|(topic, tx, score)| Op::Apply { topic, tx, score }),
        1 => (topic.clone(), tx.clone()).prop_map(|(topic, tx)| Op::Unapply { topic, tx }),
        2 => (topic.clone(), tx.clone(), vout.clone(), 0..3_u32)
            .prop_map(|(topic, tx, vout, state)| Op::State { topic, tx, vout, state }),
        1 => (topic, tx.clone(), vout.clone())
            .prop_map(|(topic, tx, vout)| Op::Unset { topic, tx, vout }),
    ];
    let rest = prop_oneof![
        2 => (0..2_u8, tx.clone(), scores()).prop_map(|(log, tx, score)| Op::Log { log, tx, score }),
        1 => (0..2_u8, tx.clone()).prop_map(|(log, tx)| Op::Unlog { log, tx }),
        2 => (tx.clone(), scores()).prop_map(|(tx, score)| Op::Enqueue { tx, score }),
        1 => (0..2_u8, tx, vout, scores()).prop_map(|(token, tx, vout, score)| {
            Op::EnqueueOutput { token, tx, vout, score }
        }),
        1 => (0..2_u8, any::<bool>()).prop_map(|(token, on)| Op::White { token, on }),
        1 => (0..2_u8, any::<bool>()).prop_map(|(token, on)| Op::Black { token, on }),
        1 => (0..9_u32).prop_map(|height| Op::Advance { height }),
        1 => (0..9_u64).prop_map(|nanoseconds| Op::Met { nanoseconds }),
    ];
    let work = prop_oneof![
        4 => Just(Op::Work),
        2 => Just(Op::Fail),
        2 => Just(Op::Bury),
        1 => (0..5_u8).prop_map(|tx| Op::Revive { tx }),
        2 => (0..5_u8, scores()).prop_map(|(tx, score)| Op::Enqueue { tx, score }),
    ];
    let workers = if workers { 4 } else { 0 };
    prop_oneof![6 => outputs, 3 => topics, 3 => rest, workers => work]
}

impl Op {
    /// Returns its transaction, if any.
    pub(crate) fn owner(&self) -> Option<Txid> {
        match self {
            Op::Save { tx, .. }
            | Op::AddEvents { tx, .. }
            | Op::Confirm { tx, .. }
            | Op::Unconfirm { tx, .. }
            | Op::Admit { tx, .. }
            | Op::Remove { tx, .. }
            | Op::Apply { tx, .. }
            | Op::Unapply { tx, .. }
            | Op::State { tx, .. }
            | Op::Unset { tx, .. }
            | Op::Log { tx, .. }
            | Op::Unlog { tx, .. }
            | Op::Enqueue { tx, .. }
            | Op::EnqueueOutput { tx, .. } => Some(txid(*tx)),
            Op::Spend { by, .. } => Some(txid(*by)),
            Op::Work
            | Op::Fail
            | Op::Bury
            | Op::Revive { .. }
            | Op::White { .. }
            | Op::Black { .. }
            | Op::Advance { .. }
            | Op::Met { .. } => None,
        }
    }

    /// Runs the operation, and returns whether it was done; a rejection by rule is not a failure.
    pub(crate) fn run(&self, tx: &mut Tx<'_>) -> bool {
        match self.done(tx) {
            Ok(()) => true,
            Err(
                Error::OtherAmount { .. }
                | Error::AlreadySpent { .. }
                | Error::OwnOutput(_)
                | Error::UnknownOutput(_)
                | Error::UnknownTransaction(_)
                | Error::NotInTopic { .. }
                | Error::NotConfirmed(_)
                | Error::SpendBeforeOutput { .. }
                | Error::UnconfirmedParent { .. }
                | Error::Cycle { .. }
                | Error::MissingInput { .. }
                | Error::NoBlock { .. }
                | Error::NotReady { .. }
                | Error::Needed { .. }
                | Error::MerkleState { .. }
                | Error::Final(_),
            ) => false,
            Err(error) => panic!("{self:?}: {error}"),
        }
    }

    fn done(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let topic_name = |topic: u8| name(&format!("tm_{topic}"));
        let log = |log: u8| log_name(["tx:pending", "tx:done"][usize::from(log)]);
        match self.clone() {
            Op::Save { tx: number, vout, score, owner, symbol, tag } => {
                let mut new = NewOutput::new(
                    outpoint(number, vout),
                    u64::from(number) + 1,
                    own_position(score, number),
                );
                new.owners = vec![address(owner)];
                new.events.extend(symbol.map(|symbol| NewEvent::Text(format!("sym:{symbol}"))));
                new.data.extend(tag.then(|| ("bsv21".to_owned(), json!({"amt": owner}))));
                keeper::save_output(tx, &new).map(drop)
            }
            Op::AddEvents { tx: number, vout, token: of } => {
                let events = [Event::Id { token: token(of) }.into()];
                keeper::add_events(tx, outpoint(number, vout), &events, &[]).map(drop)
            }
            Op::Spend { tx: number, vout, by, score } => {
                keeper::save_spend(tx, outpoint(number, vout), txid(by), own_position(score, by))
                    .map(drop)
            }
            Op::Confirm { tx: number, at } => {
                let at = score::position(own_position(Score::Confirmed { at }, number)).unwrap();
                keeper::confirm(tx, txid(number), at).map(drop)
            }
            Op::Unconfirm { tx: number, nanoseconds } => {
                keeper::unconfirm(tx, txid(number), nanoseconds).map(drop)
            }
            Op::Admit { topic, tx: number, vout, inputs, deps } => {
                let admission = Admission {
                    inputs: (0..inputs).map(|n| outpoint(n, 0)).collect(),
                    deps: (0..deps).map(txid).collect(),
                };
                let (topic, outpoint) = (topic_name(topic), outpoint(number, vout));
                keeper::admit(tx, &topic, outpoint, &admission).map(drop)
            }
            Op::Remove { topic, tx: number, vout } => {
                keeper::remove_from_topic(tx, &topic_name(topic), outpoint(number, vout)).map(drop)
            }
            Op::Apply { topic, tx: number, score } => {
                keeper::apply(tx, &topic_name(topic), txid(number), own_position(score, number))
                    .map(drop)
            }
            Op::Unapply { topic, tx: number } => {
                keeper::unapply(tx, &topic_name(topic), txid(number)).map(drop)
            }
            Op::State { topic, tx: number, vout, state } => {
                let (topic, outpoint) = (topic_name(topic), outpoint(number, vout));
                keeper::set_merkle_state(tx, &topic, outpoint, state).map(drop)
            }
            Op::Unset { topic, tx: number, vout } => {
                keeper::reset_merkle_state(tx, &topic_name(topic), outpoint(number, vout)).map(drop)
            }
            Op::Log { log: of, tx: number, score } => {
                keeper::log(tx, &log(of), txid(number), own_position(score, number)).map(drop)
            }
            Op::Unlog { log: of, tx: number } => {
                keeper::unlog(tx, &log(of), txid(number)).map(drop)
            }
            Op::Enqueue { tx: number, score } => {
                keeper::enqueue_transaction(tx, &subscription("sub"), txid(number), score).map(drop)
            }
            Op::EnqueueOutput { token: of, tx: number, vout, score } => {
                keeper::enqueue_output(tx, token(of), outpoint(number, vout), score).map(drop)
            }
            Op::Work => {
                for claim in SUBSCRIPTIONS.claim(tx, subscription("sub"), 100, 10, 1)? {
                    keeper::dispatch(tx, &subscription("sub"), &claim, &[(token(0), 0)])?;
                }
                Ok(())
            }
            Op::Fail | Op::Bury => {
                // Failed members are ready again at once, and dead after two attempts.
                let backoff = Backoff { first: 0, max: 0, attempts: 2 };
                for claim in SUBSCRIPTIONS.claim(tx, subscription("sub"), 100, 10, 1)? {
                    // Pushed during its work, so a dead member has another score to keep.
                    let member = claim.member;
                    keeper::enqueue_transaction(tx, &subscription("sub"), member, score::seen(9))?;
                    match self {
                        Op::Bury => SUBSCRIPTIONS.bury(tx, subscription("sub"), &claim)?,
                        _ => drop(SUBSCRIPTIONS.fail(
                            tx,
                            subscription("sub"),
                            &claim,
                            100,
                            &backoff,
                        )?),
                    }
                }
                Ok(())
            }
            Op::Revive { tx: number } => {
                SUBSCRIPTIONS.revive(tx, subscription("sub"), txid(number))?;
                Ok(())
            }
            Op::White { token: of, on } => {
                let of = token(of);
                if on {
                    WHITELIST.add(tx, (), of)?
                } else {
                    WHITELIST.remove(tx, (), of)?
                };
                Ok(())
            }
            Op::Black { token: of, on } => {
                let of = token(of);
                if on {
                    BLACKLIST.add(tx, (), of)?
                } else {
                    BLACKLIST.remove(tx, (), of)?
                };
                Ok(())
            }
            Op::Advance { height } => {
                let source = ProgressSource::Subscription(subscription("sub"));
                keeper::advance(tx, &source, height).map(drop)
            }
            Op::Met { nanoseconds } => {
                let host = "https://a.example:8080".parse().unwrap();
                keeper::met_peer(tx, &name("tm_0"), &host, nanoseconds).map(drop)
            }
        }
    }
}

/// Returns a position that no other transaction has.
fn own_position(score: Score, number: u8) -> Score {
    match score {
        Score::Confirmed { at } => score::confirmed(at.height, at.index * 8 + u64::from(number)),
        seen => seen,
    }
}

/// Rolls a transaction back, if it has operations that are not final.
pub(crate) fn take_back(tx: &mut Tx<'_>, number: u8) -> Option<undo::RolledBack> {
    match undo::rollback(tx, txid(number)) {
        Ok(taken) => Some(taken),
        Err(Error::UnknownTransaction(_) | Error::Final(_)) => None,
        Err(error) => panic!("transaction {number}: {error}"),
    }
}
