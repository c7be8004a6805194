//! The keyspaces of the module, from the layout in `layouts/paw`.
//!
//! The keeper writes only through these keyspaces. They are public for tools and tests.

use crate::values::{
    AggregateVote, Average, CircuitBreaker, ComputeParams, DexParams, EmergencyPause, Escrow,
    JobResult, JobStatus, OracleParams, PacketState, Pool, PoolLock, Position, Prevote, Price,
    Provider, ProviderNonce, Request, Slash, Snapshot, Validator, Vote,
};

keyscape::layout!("../../layouts/paw/sound.keys");
