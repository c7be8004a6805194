//! The sound layouts of the project.

#![expect(unreachable_pub, reason = "value types are as public as the generated modules")]

use crate::agree::harness::Agreement;

/// Empty messages for the names in layouts.
macro_rules! messages {
    ($($name:ident)*) => {$(
        #[derive(Clone, PartialEq, prost::Message)]
        pub struct $name {
            #[prost(uint64, tag = "1")]
            pub number: u64,
        }
    )*};
}

/// Generates a module from a layout, and a test that compares all of its keyspaces.
macro_rules! system {
    ($system:ident, $path:literal, messages { $($message:ident)* }, $(forms { $($form:ident)* },)? keyspaces { $($store:ident: $($marker:ident)*;)* }) => {
        mod $system {
            #[allow(unused_imports, reason = "not every system has such values")]
            use super::{Agreement, Position};

            messages!($($message)*);
            $($(pub type $form = keyscape::forms::Proto<super::Held>;)*)?
            keyscape::layout!($path);

            #[test]
            fn generated_code_agrees() {
                let mut agreement = Agreement::of_file($path);
                $($(agreement.check::<$store::$marker>(stringify!($store));)*)*
                agreement.finish();
            }
        }
    };
}

system!(cosmos, "../../layouts/bank/sound.keys",
    messages { Account AuthParams Coin Metadata Params },
    keyspaces {
        bank: Supply Metadata Balances Holders SendEnabled Params;
        acc: AuthParams Accounts NextAccountNumber AccountNumbers UnorderedNonces;
    }
);

impl cosmos::acc::AccountNumbersFields for cosmos::Account {
    fn number(&self) -> keyscape::Extracted<u64> {
        Ok(self.number)
    }
}

// Balances were messages in older versions.
impl From<cosmos::Coin> for keyscape::U256 {
    fn from(coin: cosmos::Coin) -> Self {
        coin.number.into()
    }
}

system!(bitbadges, "../../layouts/bitbadges/sound.keys",
    messages { AddressList ApprovalTracker BadgeCollection DynamicStore UserBalanceStore },
    keyspaces {
        badges: Collections Balances NextCollection ChallengeTrackers AddressLists ApprovalTrackers
            NextAddressList ApprovalVersions DynamicStores NextDynamicStore DynamicValues;
    }
);

system!(onesat, "../../layouts/onesat/sound.keys",
    messages { Unit Row },
    keyspaces {
        txo: Events Spent Topics TopicTxs Logs Merkle SpentBy Subscriptions Tokens Sets Whitelist
            Blacklist Listed Admitted Dependents Output OutputEvents OutputMerkle OutputData
            OutputDeps OutputInputs Satoshis SatoshisAmount Spends SpendsSpender Progress
            ProgressSubscription ProgressOwner ProgressPeer;
        txo_undo: NextUnit Units Rows OfTxid Blocks Floor;
    }
);

system!(osmosis, "../../layouts/osmosis-cl/sound.keys",
    messages {
        AccumulatorContent DecProto IncentiveRecordBody Lock Params Pool Record TickInfo
    },
    keyspaces {
        concentratedliquidity: Ticks OwnerPositions Pools Incentives NextPosition Positions
            PoolPositions Accumulators SpreadPositions UptimePositions PositionLocks FullRange
            BalancerFullRange LockPositions TotalLiquidity NextIncentive IncentiveScaleFrom
            SpreadScaleFrom;
        lockup: Locks NextLock;
        params: ClParams;
    }
);

/// A row with indexed fields.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Held {
    #[prost(uint64, tag = "1")]
    number: u64,
}

/// A value form of the program, not of the language.
pub type Position = keyscape::forms::Proto<Held>;

impl osmosis::concentratedliquidity::OwnerPositionsFields for Held {
    fn owner(&self) -> keyscape::Extracted<osmosis::concentratedliquidity::Owner<'_>> {
        Ok(osmosis::concentratedliquidity::Owner::new(vec![1]).unwrap())
    }

    fn pool(&self) -> keyscape::Extracted<u64> {
        Ok(self.number)
    }
}

impl osmosis::concentratedliquidity::PoolPositionsFields for Held {
    fn pool(&self) -> keyscape::Extracted<u64> {
        Ok(self.number)
    }
}

system!(paw, "../../layouts/paw/sound.keys",
    messages { },
    forms {
        AggregateVote Average CircuitBreaker ComputeParams DexParams EmergencyPause Escrow JobResult
        JobStatus OracleParams PacketState Pool PoolLock Prevote Price Provider ProviderNonce Request
        Slash Snapshot Validator Vote
    },
    keyspaces {
        paw: ComputeParams Requests Providers Escrows JobStatus Nonces Results NextRequest Proofs
            ProviderNonces RequestsByRequester RequestsByProvider EscrowsByExpiry JobsByStatus
            ProviderNoncesByHeight ProvidersByRank ComputePackets ComputeSent ComputePacketsByTime
            Pools NextPool PoolByTokens Liquidity DexParams CircuitBreakers LastActions Locks
            PoolFees ProtocolFees Shares DexPackets DexSent DexPacketsByTime OracleParams Prices
            Validators Feeders Misses AggregateVotes Prevotes Votes Delegates Slashes Averages
            Pause SnapshotsByHeight OraclePackets OracleSent OraclePacketsByTime Snapshots;
    }
);

impl paw::paw::RequestsByRequesterFields for Held {
    fn requester(&self) -> keyscape::Extracted<paw::paw::Party<'_>> {
        Ok(paw::paw::Party::new(vec![1]).unwrap())
    }
}

impl paw::paw::RequestsByProviderFields for Held {
    fn provider(&self) -> keyscape::Extracted<paw::paw::Party<'_>> {
        Ok(paw::paw::Party::new(vec![2]).unwrap())
    }
}

impl paw::paw::PoolByTokensFields for Held {
    fn token_a(&self) -> keyscape::Extracted<paw::paw::Token<'_>> {
        Ok(paw::paw::Token::new("aaa").unwrap())
    }

    fn token_b(&self) -> keyscape::Extracted<paw::paw::Token<'_>> {
        Ok(paw::paw::Token::new("bbb").unwrap())
    }
}

/// Indexes of PAW by a number of the value.
macro_rules! by_number {
    ($($index:ident $field:ident $type:ty;)*) => {$(
        impl paw::paw::$index for Held {
            fn $field(&self) -> keyscape::Extracted<$type> {
                Ok(self.number as $type)
            }
        }
    )*};
}

by_number! {
    EscrowsByExpiryFields expires u64;
    JobsByStatusFields status u8;
    ProviderNoncesByHeightFields height u64;
    ProvidersByRankFields rank u16;
    ComputePacketsByTimeFields seen u64;
    DexPacketsByTimeFields seen u64;
    OraclePacketsByTimeFields seen u64;
}
