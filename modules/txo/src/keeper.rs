//! Operations. Each takes a transaction, is atomic (on an error it has written nothing), and can be
//! rolled back with [`undo`](crate::undo).

mod confirm;
mod lists;
mod merkle;
mod output;
mod progress;
mod queues;
mod spend;
mod topics;
mod transactions;

pub use confirm::{Moved, confirm, transaction_score, unconfirm};
pub(crate) use confirm::{is_after, orphan};
pub use lists::{Standing, fee_balance, followed, is_active, standing};
pub use merkle::{
    IMMUTABLE, INVALIDATED, UNMINED, VALIDATED, merkle_state, merkle_states, reset_merkle_state,
    set_merkle_state,
};
pub(crate) use merkle::{contradiction, merkle_entry};
pub use output::{
    NewEvent, NewOutput, Rejected, Saved, StoredOutput, add_events, events_of, output, outputs_of,
    save_output, score_of,
};
pub use progress::{
    Peer, ProgressSource, advance, last_met, met_peer, next_block, peers, progress, sources,
};
pub use queues::{Dispatched, Work, ack, dispatch, enqueue_output, enqueue_transaction};
pub(crate) use spend::with_descendants;
pub use spend::{Spend, save_spend, spender, spenders_of, spent_by};
pub use topics::{
    Admission, admission, admit, applied, apply, dependents_of, missing_dependencies,
    missing_inputs, remove_from_topic, topic_count, topics, topics_of, unapply,
};
pub(crate) use topics::{remove_released, unapply_released};
pub(crate) use transactions::{each_transaction, erase, listing_score};
pub use transactions::{log, logged, unlog};
