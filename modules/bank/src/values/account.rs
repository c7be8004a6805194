//! Accounts: one type for several protobuf messages.

use super::{Any, BaseAccount, BaseVestingMessage, ModuleAccount, PeriodMessage, VestingMessage};
use crate::{
    CoinsError,
    vesting::{Period, Schedule, Vesting, VestingError},
};
use prost::{
    DecodeError, Message,
    bytes::{Buf, BufMut},
    encoding::{DecodeContext, WireType},
};

const BASE: &str = "/cosmos.auth.v1beta1.BaseAccount";
const MODULE: &str = "/cosmos.auth.v1beta1.ModuleAccount";
const CONTINUOUS: &str = "/cosmos.vesting.v1beta1.ContinuousVestingAccount";
const DELAYED: &str = "/cosmos.vesting.v1beta1.DelayedVestingAccount";
const PERIODIC: &str = "/cosmos.vesting.v1beta1.PeriodicVestingAccount";
const PERMANENT: &str = "/cosmos.vesting.v1beta1.PermanentLockedAccount";

/// An account in its stored form: a message and its type.
///
/// The message is decoded only by [kind](Account::kind). Only the account number, which an index
/// needs, is decoded at once. An account of an unknown type is stored byte for byte. Its number is
/// the number of the base account in its first field, up to two levels deep.
///
/// ```
/// use keyscape_bank::{Account, AccountKind, BaseAccount};
///
/// let base = BaseAccount { address: "cosmos1…".into(), account_number: 7, ..Default::default() };
/// let account = Account::base(&base);
/// assert_eq!(account.type_url(), "/cosmos.auth.v1beta1.BaseAccount");
/// assert_eq!(account.number(), 7);
/// assert_eq!(account.kind()?, AccountKind::Base(base));
/// # Ok::<(), keyscape_bank::BadAccount>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    any: Any,
    number: u64,
}

/// The decoded kind of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountKind {
    /// A plain account.
    Base(BaseAccount),
    /// A module account.
    Module(ModuleAccount),
    /// A vesting account.
    Vesting(VestingAccount),
    /// An account of an unknown type, which locks no coins unless the program registers the type.
    Unknown,
}

/// An account with coins that vest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VestingAccount {
    /// The base account.
    pub base: BaseAccount,
    /// The vesting state.
    pub vesting: Vesting,
}

/// The reason why bytes are not an account.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAccount {
    /// The message cannot be decoded.
    #[error("the message is not one of `{type_url}`")]
    Message {
        /// The expected type.
        type_url: String,
        /// The reason.
        #[source]
        source: DecodeError,
    },
    /// The message contains no base account.
    #[error("there is no base account in the message of `{type_url}`")]
    NoBase {
        /// Its type.
        type_url: String,
    },
    /// Invalid coins.
    #[error("the account contains invalid coins: {0}")]
    Coins(#[from] CoinsError),
    /// Inconsistent vesting data.
    #[error("the vesting data are inconsistent: {0}")]
    Vesting(#[from] VestingError),
    /// A field that would be lost if the account were written again.
    #[error("the message of `{type_url}` has fields that writing it again would lose")]
    Foreign {
        /// Its type.
        type_url: String,
    },
}

/// Only the number of an account, decoded without allocation.
#[derive(Clone, PartialEq, Message)]
struct Numbered {
    #[prost(uint64, tag = "3")]
    account_number: u64,
}

/// A message whose first field is another message.
#[derive(Clone, PartialEq, Message)]
struct Around<T: Message + Default + std::fmt::Debug> {
    #[prost(message, optional, tag = "1")]
    inner: Option<T>,
}

/// A message whose first field is any bytes.
#[derive(Clone, PartialEq, Message)]
struct FirstField {
    #[prost(bytes = "vec", tag = "1")]
    first: Vec<u8>,
}

impl Account {
    /// Creates a base account.
    #[must_use]
    pub fn base(base: &BaseAccount) -> Account {
        Account::of(BASE, base, base.account_number)
    }

    /// Creates a module account.
    ///
    /// # Errors
    /// [`BadAccount::NoBase`].
    pub fn module(module: &ModuleAccount) -> Result<Account, BadAccount> {
        let number = module.base_account.as_ref().map(|base| base.account_number);
        let number = number.ok_or_else(|| BadAccount::NoBase { type_url: MODULE.to_owned() })?;
        Ok(Account::of(MODULE, module, number))
    }

    /// Creates a vesting account.
    #[must_use]
    pub fn vesting(account: &VestingAccount) -> Account {
        let (type_url, message) = vesting_message(account);
        Account::of(type_url, &message, account.base.account_number)
    }

    /// Creates an account from a message of any account type.
    ///
    /// # Errors
    /// [`BadAccount`] if it contains no account number.
    pub fn from_any(any: Any) -> Result<Account, BadAccount> {
        let number = number(&any)?;
        Ok(Account { any, number })
    }

    fn of(type_url: &str, message: &impl Message, number: u64) -> Account {
        Account {
            any: Any { type_url: type_url.to_owned(), value: message.encode_to_vec() },
            number,
        }
    }

    /// Returns the type of the message.
    #[must_use]
    pub fn type_url(&self) -> &str {
        &self.any.type_url
    }

    /// Returns the account number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the base account in the message: the message itself, or the one nested in its first
    /// field, up to two levels deep. `None` if there is none.
    #[must_use]
    pub fn base_account(&self) -> Option<BaseAccount> {
        base_in(&self.any.value)
    }

    /// Returns the bytes of the message.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.any.value
    }

    /// Decodes the account if it is one of the four vesting accounts of the Cosmos SDK.
    ///
    /// # Errors
    /// As [`Account::kind`].
    pub fn vesting_account(&self) -> Result<Option<VestingAccount>, BadAccount> {
        match self.type_url() {
            CONTINUOUS | DELAYED | PERIODIC | PERMANENT => vesting(&self.any).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns an account of the same type with another message.
    ///
    /// # Errors
    /// [`BadAccount`] if the message contains no account number.
    pub(crate) fn with_message(&self, value: Vec<u8>) -> Result<Account, BadAccount> {
        Account::from_any(Any { type_url: self.any.type_url.clone(), value })
    }

    /// Decodes the account.
    ///
    /// # Errors
    /// [`BadAccount`] if the message cannot be decoded.
    pub fn kind(&self) -> Result<AccountKind, BadAccount> {
        Ok(match self.type_url() {
            BASE => AccountKind::Base(decode_as(&self.any)?),
            MODULE => AccountKind::Module(decode_as(&self.any)?),
            _ => self.vesting_account()?.map_or(AccountKind::Unknown, AccountKind::Vesting),
        })
    }

    /// Returns the account with a changed vesting state.
    ///
    /// # Errors
    /// [`BadAccount::Foreign`] if the account has fields that would be lost.
    pub(crate) fn with_vesting(
        &self,
        before: &VestingAccount,
        after: &VestingAccount,
    ) -> Result<Account, BadAccount> {
        if Account::vesting(before).any != self.any {
            return Err(BadAccount::Foreign { type_url: self.any.type_url.clone() });
        }
        Ok(Account::vesting(after))
    }
}

fn decode_as<T: Message + Default>(any: &Any) -> Result<T, BadAccount> {
    T::decode(&*any.value)
        .map_err(|source| BadAccount::Message { type_url: any.type_url.clone(), source })
}

fn number(any: &Any) -> Result<u64, BadAccount> {
    let no_base = || BadAccount::NoBase { type_url: any.type_url.clone() };
    let base = match &*any.type_url {
        BASE => return Ok(decode_as::<Numbered>(any)?.account_number),
        MODULE => decode_as::<Around<Numbered>>(any)?.inner,
        CONTINUOUS | DELAYED | PERIODIC | PERMANENT => {
            decode_as::<Around<Around<Numbered>>>(any)?.inner.and_then(|around| around.inner)
        }
        _ => base_in(&any.value).map(|base| Numbered { account_number: base.account_number }),
    };
    base.map(|base| base.account_number).ok_or_else(no_base)
}

/// Returns the base account that a message of any type contains. A base account is recognised by
/// its first field: an address consists of letters and digits, a message begins with a tag.
fn base_in(value: &[u8]) -> Option<BaseAccount> {
    let mut value = value.to_vec();
    for _ in 0..3 {
        let first = FirstField::decode(&*value).ok()?.first;
        if !first.is_empty() && first.iter().all(u8::is_ascii_alphanumeric) {
            return BaseAccount::decode(&*value).ok();
        }
        value = first;
    }
    None
}

fn vesting(any: &Any) -> Result<VestingAccount, BadAccount> {
    let no_base = || BadAccount::NoBase { type_url: any.type_url.clone() };
    let message: VestingMessage = decode_as(any)?;
    let inside = message.base_vesting_account.ok_or_else(no_base)?;
    let (start, end) = (message.start_time, inside.end_time);
    let schedule = match &*any.type_url {
        CONTINUOUS => Schedule::Continuous { start, end },
        DELAYED => Schedule::Delayed { end },
        PERIODIC => {
            let period = |period: &PeriodMessage| {
                let amount = period.amount.as_slice().try_into()?;
                Ok(Period { length: period.length, amount })
            };
            let periods = message.vesting_periods.iter().map(period);
            Schedule::Periodic { start, periods: periods.collect::<Result<_, CoinsError>>()? }
        }
        _ => Schedule::Permanent,
    };
    let vesting = Vesting::stored(
        inside.original_vesting.as_slice().try_into()?,
        inside.delegated_free.as_slice().try_into()?,
        inside.delegated_vesting.as_slice().try_into()?,
        schedule,
        end,
    )?;
    Ok(VestingAccount { base: inside.base_account.ok_or_else(no_base)?, vesting })
}

fn vesting_message(account: &VestingAccount) -> (&'static str, VestingMessage) {
    let vesting = &account.vesting;
    let base = BaseVestingMessage {
        base_account: Some(account.base.clone()),
        original_vesting: vesting.original().into(),
        delegated_free: vesting.delegated_free().into(),
        delegated_vesting: vesting.delegated_vesting().into(),
        end_time: vesting.end(),
    };
    let (type_url, start_time, periods) = match vesting.schedule() {
        Schedule::Continuous { start, .. } => (CONTINUOUS, *start, &[][..]),
        Schedule::Delayed { .. } => (DELAYED, 0, &[][..]),
        Schedule::Periodic { start, periods } => (PERIODIC, *start, &**periods),
        Schedule::Permanent => (PERMANENT, 0, &[][..]),
    };
    let period =
        |period: &Period| PeriodMessage { length: period.length, amount: (&period.amount).into() };
    let vesting_periods = periods.iter().map(period).collect();
    (type_url, VestingMessage { base_vesting_account: Some(base), start_time, vesting_periods })
}

/// Encodes and decodes an account as the message that it is. Decoding also finds its number, and
/// rejects a message without one.
impl Message for Account {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        self.any.encode_raw(buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        self.any.merge_field(tag, wire_type, buf, ctx)
    }

    fn encoded_len(&self) -> usize {
        self.any.encoded_len()
    }

    fn clear(&mut self) {
        *self = Account::default();
    }

    fn decode(buf: impl Buf) -> Result<Account, DecodeError> {
        let any = Any::decode(buf)?;
        let number = number(&any).map_err(|bad| match bad {
            BadAccount::Message { source, .. } => source,
            _ => no_number(),
        })?;
        Ok(Account { any, number })
    }
}

/// Returns the error of a message without a base account.
#[expect(deprecated, reason = "prost has no other way for a message of one's own to refuse bytes")]
fn no_number() -> DecodeError {
    DecodeError::new("there is no base account in it")
}
