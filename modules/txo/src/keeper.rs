//! Operations. Each takes a transaction, is atomic (on an error it has written nothing), and can be
//! rolled back with [`undo`](crate::undo).

mod confirm;
mod lists;
mod logs;
mod merkle;
mod output;
mod progress;
mod queues;
mod spend;
mod topics;

pub use confirm::{Moved, confirm, transaction_score, unconfirm};
pub use lists::{
    Standing, blacklist, fee_balance, followed, is_active, standing, unblacklist, unwhitelist,
    whitelist,
};
pub use logs::{log, logged, unlog};
pub use merkle::{merkle_state, merkle_states, set_merkle_state, unset_merkle_state};
pub use output::{
    Found, NewOutput, Rejected, Saved, StoredOutput, add_events, events_of, output, outputs_of,
    save_output, score_of,
};
pub use progress::{Source, advance, last_met, met_peer, next_block, progress};
pub use queues::{
    Work, ack, bury, claim, dispatch, enqueue_output, enqueue_transaction, extend, fail, revive,
};
pub use spend::{Spend, save_spend, spender, spenders_of, spent_by};
pub use topics::{
    Admission, admission, admit, applied, apply, remove_from_topic, topic_count, topics_of, unapply,
};
