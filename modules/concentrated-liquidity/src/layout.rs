//! The keyspaces of the module, from the layout in `layouts/osmosis-cl`.
//!
//! The keeper writes only through these keyspaces. They are public for tools and tests.

use crate::values::{
    AccumulatorContent, DecProto, IncentiveRecordBody, Lock, Params, Pool, Position, Record,
    TickInfo,
};

keyscape::layout!("../../layouts/osmosis-cl/sound.keys");

impl concentratedliquidity::OwnerPositionsFields for Position {
    fn owner(&self) -> concentratedliquidity::Owner<'_> {
        self.owner.by_ref()
    }

    fn pool(&self) -> u64 {
        self.pool
    }
}

impl concentratedliquidity::PoolPositionsFields for Position {
    fn pool(&self) -> u64 {
        self.pool
    }
}
