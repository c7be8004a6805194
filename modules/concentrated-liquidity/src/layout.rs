//! The keyspaces of the module, from the layout in `layouts/osmosis-cl`.
//!
//! The keeper writes only through these keyspaces. They are public for tools and tests.

use crate::values::{
    AccumulatorContent, DecProto, IncentiveRecordBody, Lock, Params, Pool, Position, Record,
    TickInfo,
};

keyscape::layout!("../../layouts/osmosis-cl/sound.keys");

impl concentratedliquidity::OwnerPositionsFields for Position {
    fn owner(&self) -> keyscape::Extracted<concentratedliquidity::Owner<'_>> {
        Ok(self.owner.by_ref())
    }

    fn pool(&self) -> keyscape::Extracted<u64> {
        Ok(self.pool)
    }
}

impl concentratedliquidity::PoolPositionsFields for Position {
    fn pool(&self) -> keyscape::Extracted<u64> {
        Ok(self.pool)
    }
}
