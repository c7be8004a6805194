//! Accounts: messages of several types behind one.

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

/// An account as its row holds it: a message and its type.
///
/// What is inside is read when somebody asks for its [kind](Account::kind); only the account's number,
/// which an index is made of, is read at once. An account of a type that the bank does not know is
/// kept byte for byte. It has a number if the message holds a base account where such messages have one:
/// as its first field, or as the first field of that.
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

/// What an account is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountKind {
    /// One that anybody can have.
    Base(BaseAccount),
    /// That of a module.
    Module(ModuleAccount),
    /// One with coins that vest.
    Vesting(VestingAccount),
    /// One of a type that the bank does not know. It cannot know either what is locked in it.
    Unknown,
}

/// An account with coins that vest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VestingAccount {
    /// What every account has.
    pub base: BaseAccount,
    /// What vests and when.
    pub vesting: Vesting,
}

/// Why bytes are not an account.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAccount {
    /// The message cannot be read.
    #[error("the message is not one of `{type_url}`")]
    Message {
        /// The type that it should be of.
        type_url: String,
        /// What is wrong with it.
        #[source]
        source: DecodeError,
    },
    /// There is no base account in it.
    #[error("there is no base account in the message of `{type_url}`")]
    NoBase {
        /// Its type.
        type_url: String,
    },
    /// Coins in it are none.
    #[error("coins in it are none")]
    Coins(#[from] CoinsError),
    /// What it says of vesting does not fit together.
    #[error("what it says of vesting does not fit together")]
    Vesting(#[from] VestingError),
    /// Something in it would be lost if it were written again.
    #[error("the message of `{type_url}` has fields that writing it again would lose")]
    Foreign {
        /// Its type.
        type_url: String,
    },
}

/// The number of an account, and nothing else: reading it allocates nothing.
#[derive(Clone, PartialEq, Message)]
struct Numbered {
    #[prost(uint64, tag = "3")]
    account_number: u64,
}

/// A message whose first field is another one.
#[derive(Clone, PartialEq, Message)]
struct Around<T: Message + Default + std::fmt::Debug> {
    #[prost(message, optional, tag = "1")]
    inner: Option<T>,
}

/// A message whose first field is bytes, whatever they mean.
#[derive(Clone, PartialEq, Message)]
struct FirstField {
    #[prost(bytes = "vec", tag = "1")]
    first: Vec<u8>,
}

impl Account {
    /// A base account.
    #[must_use]
    pub fn base(base: &BaseAccount) -> Account {
        Account::of(BASE, base, base.account_number)
    }

    /// The account of a module.
    ///
    /// # Errors
    /// [`BadAccount::NoBase`].
    pub fn module(module: &ModuleAccount) -> Result<Account, BadAccount> {
        let number = module.base_account.as_ref().map(|base| base.account_number);
        let number = number.ok_or_else(|| BadAccount::NoBase { type_url: MODULE.to_owned() })?;
        Ok(Account::of(MODULE, module, number))
    }

    /// An account with coins that vest.
    #[must_use]
    pub fn vesting(account: &VestingAccount) -> Account {
        let (type_url, message) = written(account);
        Account::of(type_url, &message, account.base.account_number)
    }

    /// A message of any type of accounts.
    ///
    /// # Errors
    /// [`BadAccount`] if no account number can be read from it.
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

    /// The type of the message.
    #[must_use]
    pub fn type_url(&self) -> &str {
        &self.any.type_url
    }

    /// The number of the account.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether coins can be locked in it. Answered by its type alone.
    #[must_use]
    pub fn can_lock(&self) -> bool {
        !matches!(self.type_url(), BASE | MODULE)
    }

    /// What the account is.
    ///
    /// # Errors
    /// [`BadAccount`] if the message cannot be read.
    pub fn kind(&self) -> Result<AccountKind, BadAccount> {
        Ok(match self.type_url() {
            BASE => AccountKind::Base(read(&self.any)?),
            MODULE => AccountKind::Module(read(&self.any)?),
            CONTINUOUS | DELAYED | PERIODIC | PERMANENT => {
                AccountKind::Vesting(vesting(&self.any)?)
            }
            _ => AccountKind::Unknown,
        })
    }

    /// The same account with a changed state of vesting.
    ///
    /// # Errors
    /// [`BadAccount::Foreign`] if this one has fields that would be lost.
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

fn read<T: Message + Default>(any: &Any) -> Result<T, BadAccount> {
    T::decode(&*any.value)
        .map_err(|source| BadAccount::Message { type_url: any.type_url.clone(), source })
}

fn number(any: &Any) -> Result<u64, BadAccount> {
    let no_base = || BadAccount::NoBase { type_url: any.type_url.clone() };
    let base = match &*any.type_url {
        BASE => return Ok(read::<Numbered>(any)?.account_number),
        MODULE => read::<Around<Numbered>>(any)?.inner,
        CONTINUOUS | DELAYED | PERIODIC | PERMANENT => {
            read::<Around<Around<Numbered>>>(any)?.inner.and_then(|around| around.inner)
        }
        _ => return number_of_unknown(&any.value).ok_or_else(no_base),
    };
    base.map(|base| base.account_number).ok_or_else(no_base)
}

/// The number in a base account that a message is, or has as its first field, or that field has. A base
/// account is known by its first field: an address is letters and digits, a message has its tag.
fn number_of_unknown(value: &[u8]) -> Option<u64> {
    let mut value = value.to_vec();
    for _ in 0..3 {
        let first = FirstField::decode(&*value).ok()?.first;
        if !first.is_empty() && first.iter().all(u8::is_ascii_alphanumeric) {
            return BaseAccount::decode(&*value).ok().map(|base| base.account_number);
        }
        value = first;
    }
    None
}

fn vesting(any: &Any) -> Result<VestingAccount, BadAccount> {
    let no_base = || BadAccount::NoBase { type_url: any.type_url.clone() };
    let message: VestingMessage = read(any)?;
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

fn written(account: &VestingAccount) -> (&'static str, VestingMessage) {
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

/// An account is written and read as the message that it is; reading also finds its number, and
/// refuses a message that has none.
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

/// The error of a message without a base account.
#[expect(deprecated, reason = "prost has no other way for a message of one's own to refuse bytes")]
fn no_number() -> DecodeError {
    DecodeError::new("there is no base account in it")
}
