//! Queues: transactions of subscriptions, and outputs of tokens.
//!
//! Adding and acknowledging a member are ordinary operations, which are rolled back with their
//! transaction or block. Claims, leases, attempts and dead members are not: programs use
//! [`SUBSCRIPTIONS`](crate::layout::txo::SUBSCRIPTIONS) and [`TOKENS`](crate::layout::txo::TOKENS)
//! to claim, extend, postpone, fail, bury and revive members.

use crate::{
    error::{Dotted, Error},
    layout::txo::{
        Outpoint, Score, Subscription, Subscriptions, SubscriptionsKey, TokenId, Tokens, TokensKey,
        Txid,
    },
    undo::{Recorder, Space, bytes_of, key_of},
};
use keyscape::{
    Acked, Claim, Pushed, Queue,
    store::Tx,
    traits::{Field, QueueKeyspace},
};

/// A queue of this module.
pub trait Work: QueueKeyspace<Score = Score, Member: Field<View<'static>: Send + Sync>> {
    /// Its number in the undo store.
    const SPACE: Space;

    /// Returns the transaction of a member.
    fn txid(member: &<Self::Member as Field>::View<'_>) -> Txid;

    /// Returns the display form of a member.
    fn shown(member: &<Self::Member as Field>::View<'_>) -> String;
}

impl Work for Subscriptions {
    const SPACE: Space = Space::Subscriptions;

    fn txid(member: &Txid) -> Txid {
        *member
    }

    fn shown(member: &Txid) -> String {
        member.to_string()
    }
}

impl Work for Tokens {
    const SPACE: Space = Space::Tokens;

    fn txid(member: &Outpoint) -> Txid {
        member.txid
    }

    fn shown(member: &Outpoint) -> String {
        Dotted(*member).to_string()
    }
}

/// Adds a transaction to the queue of a subscription.
///
/// # Errors
/// If the store fails.
pub fn enqueue_transaction(
    tx: &mut Tx<'_>,
    subscription: &Subscription<'_>,
    txid: Txid,
    score: Score,
) -> Result<Pushed, Error> {
    let key = SubscriptionsKey::from(Subscription::from(subscription));
    tx.attempt(|tx| push::<Subscriptions>(tx, &key, txid, score))
}

/// Adds an output to the queue of a token.
///
/// # Errors
/// If the store fails.
pub fn enqueue_output(
    tx: &mut Tx<'_>,
    token: TokenId,
    outpoint: Outpoint,
    score: Score,
) -> Result<Pushed, Error> {
    tx.attempt(|tx| push::<Tokens>(tx, &TokensKey::from(token), outpoint, score))
}

fn push<W: Work>(
    tx: &mut Tx<'_>,
    key: &W::Key<'_>,
    member: <W::Member as Field>::View<'static>,
    score: Score,
) -> Result<Pushed, Error> {
    record::<W, _>(tx, "enqueue", key, &member, |tx| {
        Queue::<W>::new().push(tx, key.clone(), member.clone(), score)
    })
}

/// Acknowledges the work on a member. Call it in the transaction that does the work: then both are
/// committed, or neither, and they are rolled back together.
///
/// # Errors
/// [`ClaimLost`](keyscape::ErrorKind::ClaimLost) if another worker holds the member.
pub fn ack<W: Work>(tx: &mut Tx<'_>, key: &W::Key<'_>, claim: &Claim<W>) -> Result<Acked, Error> {
    tx.attempt(|tx| {
        record::<W, _>(tx, "ack", key, &claim.member, |tx| {
            Queue::<W>::new().ack(tx, key.clone(), claim)
        })
    })
}

/// Runs an operation on a member, and records the previous score of its next claim if the score
/// changes.
fn record<W: Work, T>(
    tx: &mut Tx<'_>,
    operation: &'static str,
    key: &W::Key<'_>,
    member: &<W::Member as Field>::View<'static>,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, keyscape::Error>,
) -> Result<T, Error> {
    let next_score = |tx: &Tx<'_>| {
        let known = Queue::<W>::new().get(tx, key.clone(), member.clone())?;
        Ok::<_, Error>(known.map(|known| known.again.unwrap_or(known.score)))
    };
    let before = next_score(tx)?;
    let mut unit = Recorder::begin(tx, operation, W::txid(member));
    let result = run(unit.tx())?;
    if next_score(unit.state())? != before {
        let before = before.map(|score| bytes_of::<Score>(&score)).transpose()?;
        let member = bytes_of::<W::Member>(member)?;
        unit.note(<W as Work>::SPACE, key_of::<W>(key)?, member, before)?;
    }
    unit.finish()?;
    Ok(result)
}

/// The result of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatched {
    /// Whether the transaction left the queue, or is ready again because it was pushed during the
    /// work.
    pub acked: Acked,
    /// The outputs that were not queued, because they are dead in the queue of their token.
    /// [`Queue::revive`] queues them again.
    pub dead: Vec<(TokenId, Outpoint)>,
}

/// Adds the outputs of a claimed transaction to the queues of their tokens, with its score, and
/// acknowledges it, atomically. Outputs that are dead stay so and are reported.
///
/// # Errors
/// As [`ack`].
pub fn dispatch(
    tx: &mut Tx<'_>,
    subscription: &Subscription<'_>,
    claim: &Claim<Subscriptions>,
    outputs: &[(TokenId, u32)],
) -> Result<Dispatched, Error> {
    tx.attempt(|tx| {
        let mut dead = Vec::new();
        for (token, vout) in outputs {
            let outpoint = Outpoint { txid: claim.member, vout: *vout };
            if push::<Tokens>(tx, &TokensKey::from(*token), outpoint, claim.score)? == Pushed::Dead
            {
                dead.push((*token, outpoint));
            }
        }
        let key = SubscriptionsKey::from(Subscription::from(subscription));
        let acked = ack::<Subscriptions>(tx, &key, claim)?;
        Ok(Dispatched { acked, dead })
    })
}
