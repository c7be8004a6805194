//! The protobuf messages of rows, with the names and numbers of the Cosmos SDK.
//!
//! Writing them gives the bytes that the SDK writes: fields in order of their numbers, defaults left out.

use crate::{Coin, Coins, CoinsError, Denom};
use keyscape::{BadValue, U256, ValueForm, forms::Dec};
use prost::Message;

/// `cosmos.base.v1beta1.Coin`: a denomination and an amount as decimal text. It is what accounts
/// hold, and what balances were before v0.46.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CoinMessage {
    /// The denomination.
    #[prost(string, tag = "1")]
    pub denom: String,
    /// The amount.
    #[prost(string, tag = "2")]
    pub amount: String,
}

/// Why a coin is not taken for an amount: it has to be of the denomination that its key names, and
/// typed access shows the value alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is a coin, as balances were before v0.46, and only with its key an amount; the operations of the keeper read it"
)]
pub struct NeedsKey;

/// Refuses: the layout names the older form of balances, and the keeper reads it beside its key.
impl TryFrom<CoinMessage> for U256 {
    type Error = NeedsKey;

    fn try_from(_: CoinMessage) -> Result<U256, NeedsKey> {
        Err(NeedsKey)
    }
}

/// The amount of a balance under a key with this denomination: text, or before v0.46 a coin, which names
/// its denomination once more.
pub(crate) fn balance(denom: &Denom<'_>, value: &[u8]) -> Result<U256, BadValue> {
    let bad = match <Dec>::decode(value) {
        Ok(amount) => return Ok(amount),
        Err(bad) => bad,
    };
    match CoinMessage::decode(value) {
        Ok(coin) if coin.denom == denom.as_str() => {
            crate::coins::amount(&coin.amount).map_err(BadValue::new)
        }
        Ok(coin) => {
            let (stated, denom) = (coin.denom, denom.as_str());
            Err(BadValue::new(format!("it is a coin of `{stated}` in a row of `{denom}`")))
        }
        Err(also) => Err(BadValue::new(format!("{bad}; and as a coin: {also}")).because(also)),
    }
}

impl TryFrom<&CoinMessage> for Coin {
    type Error = CoinsError;

    fn try_from(message: &CoinMessage) -> Result<Coin, CoinsError> {
        let denom = Denom::new(message.denom.clone()).map_err(CoinsError::Denom)?;
        Ok(Coin { denom, amount: crate::coins::amount(&message.amount)? })
    }
}

impl From<&Coin> for CoinMessage {
    fn from(coin: &Coin) -> CoinMessage {
        CoinMessage { denom: coin.denom.as_str().to_owned(), amount: coin.amount.to_string() }
    }
}

impl From<&Coins> for Vec<CoinMessage> {
    fn from(coins: &Coins) -> Vec<CoinMessage> {
        coins.iter().map(CoinMessage::from).collect()
    }
}

impl TryFrom<&[CoinMessage]> for Coins {
    type Error = CoinsError;

    fn try_from(messages: &[CoinMessage]) -> Result<Coins, CoinsError> {
        Coins::new(messages.iter().map(Coin::try_from).collect::<Result<Vec<_>, _>>()?)
    }
}

/// `google.protobuf.Any`: a message and the name of its type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Any {
    /// The type, such as `/cosmos.auth.v1beta1.BaseAccount`.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The bytes of the message.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// `cosmos.auth.v1beta1.BaseAccount`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BaseAccount {
    /// The address, as text.
    #[prost(string, tag = "1")]
    pub address: String,
    /// The key that signs for it, once it has signed.
    #[prost(message, optional, tag = "2")]
    pub pub_key: Option<Any>,
    /// The number of the account, which no other has.
    #[prost(uint64, tag = "3")]
    pub account_number: u64,
    /// How often it has signed.
    #[prost(uint64, tag = "4")]
    pub sequence: u64,
}

/// `cosmos.auth.v1beta1.ModuleAccount`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ModuleAccount {
    /// What every account has.
    #[prost(message, optional, tag = "1")]
    pub base_account: Option<BaseAccount>,
    /// The module, from whose name the address comes.
    #[prost(string, tag = "2")]
    pub name: String,
    /// What the module may do: `minter`, `burner`, `staking`.
    #[prost(string, repeated, tag = "3")]
    pub permissions: Vec<String>,
}

/// `cosmos.vesting.v1beta1.BaseVestingAccount`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BaseVestingMessage {
    /// What every account has.
    #[prost(message, optional, tag = "1")]
    pub base_account: Option<BaseAccount>,
    /// What vests.
    #[prost(message, repeated, tag = "2")]
    pub original_vesting: Vec<CoinMessage>,
    /// What was free when it was delegated.
    #[prost(message, repeated, tag = "3")]
    pub delegated_free: Vec<CoinMessage>,
    /// What was locked when it was delegated.
    #[prost(message, repeated, tag = "4")]
    pub delegated_vesting: Vec<CoinMessage>,
    /// When everything has vested, in seconds of Unix time; 0 for never.
    #[prost(int64, tag = "5")]
    pub end_time: i64,
}

/// All of `cosmos.vesting.v1beta1`'s accounts: continuous ones have a start, periodic ones periods as
/// well, delayed and permanently locked ones neither. The type that stands beside it says which one
/// it is.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct VestingMessage {
    /// What every vesting account has.
    #[prost(message, optional, tag = "1")]
    pub base_vesting_account: Option<BaseVestingMessage>,
    /// When vesting begins, in seconds of Unix time.
    #[prost(int64, tag = "2")]
    pub start_time: i64,
    /// The parts in which it vests.
    #[prost(message, repeated, tag = "3")]
    pub vesting_periods: Vec<PeriodMessage>,
}

/// `cosmos.vesting.v1beta1.Period`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PeriodMessage {
    /// How long it lasts, in seconds.
    #[prost(int64, tag = "1")]
    pub length: i64,
    /// What has vested when it is over.
    #[prost(message, repeated, tag = "2")]
    pub amount: Vec<CoinMessage>,
}

/// `cosmos.auth.v1beta1.Params`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AuthParams {
    /// The longest memo, in characters.
    #[prost(uint64, tag = "1")]
    pub max_memo_characters: u64,
    /// The most signatures of a transaction.
    #[prost(uint64, tag = "2")]
    pub tx_sig_limit: u64,
    /// Gas for each byte of a transaction.
    #[prost(uint64, tag = "3")]
    pub tx_size_cost_per_byte: u64,
    /// Gas for a signature of ed25519.
    #[prost(uint64, tag = "4")]
    pub sig_verify_cost_ed25519: u64,
    /// Gas for a signature of secp256k1.
    #[prost(uint64, tag = "5")]
    pub sig_verify_cost_secp256k1: u64,
}

/// `cosmos.bank.v1beta1.Params`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Params {
    /// What may be sent, as it was kept before v0.47. It is kept as it is and asked for nothing.
    #[prost(message, repeated, tag = "1")]
    pub send_enabled: Vec<SendEnabledMessage>,
    /// Whether a denomination without a row of its own may be sent.
    #[prost(bool, tag = "2")]
    pub default_send_enabled: bool,
}

/// `cosmos.bank.v1beta1.SendEnabled`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SendEnabledMessage {
    /// The denomination.
    #[prost(string, tag = "1")]
    pub denom: String,
    /// Whether it may be sent.
    #[prost(bool, tag = "2")]
    pub enabled: bool,
}

/// `cosmos.bank.v1beta1.DenomUnit`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DenomUnit {
    /// The name of the unit.
    #[prost(string, tag = "1")]
    pub denom: String,
    /// One of it is ten to this power of the smallest unit.
    #[prost(uint32, tag = "2")]
    pub exponent: u32,
    /// Other names of it.
    #[prost(string, repeated, tag = "3")]
    pub aliases: Vec<String>,
}

/// `cosmos.bank.v1beta1.Metadata`: what a denomination is called, and how its units relate.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Metadata {
    /// What it is.
    #[prost(string, tag = "1")]
    pub description: String,
    /// Its units, the smallest first.
    #[prost(message, repeated, tag = "2")]
    pub denom_units: Vec<DenomUnit>,
    /// The smallest unit: the denomination itself.
    #[prost(string, tag = "3")]
    pub base: String,
    /// The unit to be shown.
    #[prost(string, tag = "4")]
    pub display: String,
    /// Its name.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Its symbol on exchanges.
    #[prost(string, tag = "6")]
    pub symbol: String,
    /// Where more is written about it.
    #[prost(string, tag = "7")]
    pub uri: String,
    /// The SHA-256 of what is written there.
    #[prost(string, tag = "8")]
    pub uri_hash: String,
}
