//! The keys of the reference, by the names of its builders. Operations use typed keyspaces instead;
//! these functions are for logs, tools and tests.

use crate::layout::txo::{
    self, Event, LogName, Name, Outpoint, ProgressPeerHost, SetName, Subscription, TokenId, Txid,
};
use keyscape::{DomainError, traits::Keyspace};

fn key<K: Keyspace>(key: &K::Key<'_>) -> Result<Vec<u8>, DomainError> {
    let mut out = Vec::new();
    K::encode(key, &mut out)?;
    Ok(out)
}

macro_rules! builder {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*) of $keyspace:ident = $key:expr) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// None in practice: values of these types always form a key of the layout.
        pub fn $name($($argument: $kind),*) -> Result<Vec<u8>, DomainError> {
            key::<txo::$keyspace>(&$key)
        }
    };
}

builder! {
    /// `h:sats`
    satoshis() of Satoshis = ()
}
builder! {
    /// `h:spnd`
    spends() of Spends = ()
}
builder! {
    /// `h:prog`
    progress() of Progress = ()
}
builder! {
    /// `z:{event}`
    event(event: &Event<'_>) of Events = Event::from(event).into()
}
builder! {
    /// `z:{event}:spnd`
    event_spent(event: &Event<'_>) of Spent = Event::from(event).into()
}
builder! {
    /// `z:tp:{topic}`
    topic_outputs(topic: &Name<'_>) of Topics = Name::from(topic).into()
}
builder! {
    /// `z:tp:{topic}:tx`
    topic_txs(topic: &Name<'_>) of TopicTxs = Name::from(topic).into()
}
builder! {
    /// `z:{log}`
    log(log: &LogName<'_>) of Logs = LogName::from(log).into()
}
builder! {
    /// `z:merkle:{topic}:{state}`
    merkle_state(topic: &Name<'_>, state: u32) of Merkle = (Name::from(topic), state).into()
}
builder! {
    /// `q:{subscription}`
    queue(subscription: &Subscription<'_>) of Subscriptions = Subscription::from(subscription).into()
}
builder! {
    /// `q:tok:{token}`
    token_queue(token: TokenId) of Tokens = token.into()
}
builder! {
    /// `s:{name}`. The names of the other sets are excluded, see [`whitelist`] and [`blacklist`].
    set(name: &SetName<'_>) of Sets = SetName::from(name).into()
}
builder! {
    /// `s:bsv21:whitelist`
    whitelist() of Whitelist = ()
}
builder! {
    /// `s:bsv21:blacklist`
    blacklist() of Blacklist = ()
}
builder! {
    /// `h:{outpoint}`
    output(outpoint: Outpoint) of Output = outpoint.into()
}
builder! {
    /// `peer:{topic}:{host}`, a field of `h:prog`
    peer_field(topic: &Name<'_>, host: &ProgressPeerHost<'_>) of ProgressPeer =
        (Name::from(topic), ProgressPeerHost::from(host)).into()
}

/// Returns `h:{txid}`, the common prefix of the keys of a transaction's outputs. It is not a key:
/// use the scan `outpoint.txid` of `output` for reading.
#[must_use]
pub fn txid_prefix(txid: Txid) -> Vec<u8> {
    [b"h:", &txid.0[..]].concat()
}
