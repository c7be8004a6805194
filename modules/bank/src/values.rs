//! The values of rows.
//!
//! Balances and supplies are decimal text; before v0.46, a balance was a `Coin` message. All other
//! values are protobuf messages with the names and field numbers of Cosmos SDK v0.50. Encoding
//! gives the bytes that the SDK writes: fields in order of their numbers, defaults omitted.

mod account;

pub use account::{Account, AccountKind, BadAccount, VestingAccount};

use crate::{Coin, Coins, CoinsError, Denom, layout::bank::Balances};
use keyscape::{
    BadValue, U256,
    traits::{Keyspace, Upgrade},
};
use std::collections::BTreeSet;

/// `cosmos.base.v1beta1.Coin`: a denomination and an amount as decimal text. Accounts contain
/// coins, and balances were coins before v0.46.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CoinMessage {
    /// The denomination.
    #[prost(string, tag = "1")]
    pub denom: String,
    /// The amount.
    #[prost(string, tag = "2")]
    pub amount: String,
}

/// The amount of a balance from before v0.46, which was a coin of the denomination in its key.
impl Upgrade<U256> for CoinMessage {
    fn upgrade(self, key: &[u8]) -> Result<U256, BadValue> {
        let key = Balances::decode(key)?;
        let (stated, denom) = (&self.denom, key.denom.as_str());
        if stated != denom {
            return Err(BadValue::new(format!("it is a coin of `{stated}` in a row of `{denom}`")));
        }
        crate::coins::amount(&self.amount).map_err(BadValue::new)
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
    /// The signing key, after the first signature.
    #[prost(message, optional, tag = "2")]
    pub pub_key: Option<Any>,
    /// The unique number of the account.
    #[prost(uint64, tag = "3")]
    pub account_number: u64,
    /// The number of signatures so far.
    #[prost(uint64, tag = "4")]
    pub sequence: u64,
}

/// `cosmos.auth.v1beta1.ModuleAccount`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ModuleAccount {
    /// The base account.
    #[prost(message, optional, tag = "1")]
    pub base_account: Option<BaseAccount>,
    /// The name of the module, which determines the address.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The permissions of the module: `minter`, `burner`, `staking`.
    #[prost(string, repeated, tag = "3")]
    pub permissions: Vec<String>,
}

/// `cosmos.vesting.v1beta1.BaseVestingAccount`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BaseVestingMessage {
    /// The base account.
    #[prost(message, optional, tag = "1")]
    pub base_account: Option<BaseAccount>,
    /// The vesting coins.
    #[prost(message, repeated, tag = "2")]
    pub original_vesting: Vec<CoinMessage>,
    /// The delegated coins that were free at the time of delegation.
    #[prost(message, repeated, tag = "3")]
    pub delegated_free: Vec<CoinMessage>,
    /// The delegated coins that were locked at the time of delegation.
    #[prost(message, repeated, tag = "4")]
    pub delegated_vesting: Vec<CoinMessage>,
    /// The time at which everything has vested, in seconds of Unix time; 0 for never.
    #[prost(int64, tag = "5")]
    pub end_time: i64,
}

/// All vesting accounts of `cosmos.vesting.v1beta1`: continuous ones have a start, periodic ones a
/// start and periods, delayed and permanently locked ones neither. The type next to the message
/// selects the kind.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct VestingMessage {
    /// The part that all vesting accounts share.
    #[prost(message, optional, tag = "1")]
    pub base_vesting_account: Option<BaseVestingMessage>,
    /// The start of vesting, in seconds of Unix time.
    #[prost(int64, tag = "2")]
    pub start_time: i64,
    /// The periods.
    #[prost(message, repeated, tag = "3")]
    pub vesting_periods: Vec<PeriodMessage>,
}

/// `cosmos.vesting.v1beta1.Period`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PeriodMessage {
    /// The duration in seconds.
    #[prost(int64, tag = "1")]
    pub length: i64,
    /// The coins that vest at its end.
    #[prost(message, repeated, tag = "2")]
    pub amount: Vec<CoinMessage>,
}

/// `cosmos.auth.v1beta1.Params`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AuthParams {
    /// The maximum length of a memo, in characters.
    #[prost(uint64, tag = "1")]
    pub max_memo_characters: u64,
    /// The maximum number of signatures of a transaction.
    #[prost(uint64, tag = "2")]
    pub tx_sig_limit: u64,
    /// The gas per byte of a transaction.
    #[prost(uint64, tag = "3")]
    pub tx_size_cost_per_byte: u64,
    /// The gas per ed25519 signature.
    #[prost(uint64, tag = "4")]
    pub sig_verify_cost_ed25519: u64,
    /// The gas per secp256k1 signature.
    #[prost(uint64, tag = "5")]
    pub sig_verify_cost_secp256k1: u64,
}

impl AuthParams {
    /// Returns the default parameters of the SDK.
    #[must_use]
    pub fn sdk_default() -> AuthParams {
        AuthParams {
            max_memo_characters: 256,
            tx_sig_limit: 7,
            tx_size_cost_per_byte: 10,
            sig_verify_cost_ed25519: 590,
            sig_verify_cost_secp256k1: 1_000,
        }
    }
}

/// `cosmos.bank.v1beta1.Params`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Params {
    /// The send settings of versions before v0.47. Kept unchanged and not used.
    #[prost(message, repeated, tag = "1")]
    pub send_enabled: Vec<SendEnabledMessage>,
    /// Whether a denomination without its own row may be sent.
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
    /// One unit is ten to this power of the smallest unit.
    #[prost(uint32, tag = "2")]
    pub exponent: u32,
    /// Other names.
    #[prost(string, repeated, tag = "3")]
    pub aliases: Vec<String>,
}

/// `cosmos.bank.v1beta1.Metadata`: name, symbol and units of a denomination.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Metadata {
    /// A description for users.
    #[prost(string, tag = "1")]
    pub description: String,
    /// Its units, the smallest first.
    #[prost(message, repeated, tag = "2")]
    pub denom_units: Vec<DenomUnit>,
    /// The smallest unit: the denomination itself.
    #[prost(string, tag = "3")]
    pub base: String,
    /// The unit for display.
    #[prost(string, tag = "4")]
    pub display: String,
    /// Its name.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Its symbol on exchanges.
    #[prost(string, tag = "6")]
    pub symbol: String,
    /// A link to more information.
    #[prost(string, tag = "7")]
    pub uri: String,
    /// The SHA-256 of the linked document.
    #[prost(string, tag = "8")]
    pub uri_hash: String,
}

impl Metadata {
    /// Returns the denomination of valid metadata, which is their base. The conditions are those of
    /// `Metadata.Validate` of the Cosmos SDK.
    ///
    /// Name and symbol are not blank. The units begin with the base, which has exponent 0, and
    /// their exponents increase. Units are denominations, and no unit or alias occurs twice. The
    /// displayed unit is one of them.
    ///
    /// # Errors
    /// The violated condition.
    pub fn validate(&self) -> Result<Denom<'static>, &'static str> {
        let denom = |text: &str| Denom::new(text.to_owned());
        if is_blank(&self.name) {
            return Err("the name is blank");
        }
        if is_blank(&self.symbol) {
            return Err("the symbol is blank");
        }
        let base = denom(&self.base).map_err(|_| "the base is not a denomination")?;
        match self.denom_units.first() {
            Some(unit) if unit.denom == self.base && unit.exponent == 0 => {}
            _ => return Err("the first unit is not the base with exponent 0"),
        }
        let mut names = BTreeSet::new();
        let mut last = None;
        for unit in &self.denom_units {
            if last.is_some_and(|last| last >= unit.exponent) {
                return Err("the exponents of the units do not increase");
            }
            last = Some(unit.exponent);
            if denom(&unit.denom).is_err() {
                return Err("a unit is not a denomination");
            }
            if !names.insert(&*unit.denom) {
                return Err("two units have the same name");
            }
            aliases(unit)?;
        }
        if !names.contains(&*self.display) {
            return Err("the displayed unit is not one of the units");
        }
        Ok(base)
    }
}

fn aliases(unit: &DenomUnit) -> Result<(), &'static str> {
    let mut seen = BTreeSet::new();
    for alias in &unit.aliases {
        if is_blank(alias) {
            return Err("an alias is blank");
        }
        if !seen.insert(alias) {
            return Err("a unit has an alias twice");
        }
    }
    Ok(())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
