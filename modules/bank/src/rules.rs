//! The rules of a program: the configuration of a bank that is not part of its state.

use crate::{Address, Coins, Error, ErrorKind, Prefix, keeper};
use keyscape::store::{Read, Tx};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

/// The reason why a restriction or an account type rejects an operation.
pub type Reason = Box<dyn std::error::Error + Send + Sync>;

/// A restriction of transfers: it receives the sender, the recipient and the coins, and returns the
/// recipient, which may be another one, or a reason to reject the transfer.
pub type SendRestriction = dyn Fn(&dyn Read, &Address<'_>, &Address<'static>, &Coins) -> Result<Address<'static>, Reason>
    + Send
    + Sync;

/// A restriction of minting: it receives the module and the coins.
pub type MintRestriction = dyn Fn(&dyn Read, &str, &Coins) -> Result<(), Reason> + Send + Sync;

/// An account type that locks coins. Accounts of other types that the bank does not know lock
/// nothing, as in the Cosmos SDK.
pub trait AccountType: Send + Sync {
    /// Returns the locked coins of an account.
    ///
    /// # Errors
    /// If `message` is not an account of this type.
    fn locked(&self, message: &[u8], now: i64) -> Result<Coins, Reason>;

    /// Returns the account after a delegation. `balances` contains the balances of the delegated
    /// denominations before the delegation.
    ///
    /// # Errors
    /// If the coins cannot be delegated.
    fn delegated(
        &self,
        message: &[u8],
        now: i64,
        coins: &Coins,
        balances: &Coins,
    ) -> Result<Vec<u8>, Reason>;

    /// Returns the account after the end of a delegation.
    ///
    /// # Errors
    /// If `message` is not an account of this type.
    fn undelegated(&self, message: &[u8], coins: &Coins) -> Result<Vec<u8>, Reason>;
}

/// A message type of a program in genesis documents: an account type, or the type of a public key.
/// Protobuf JSON cannot be converted to bytes without the fields of the message.
pub trait MessageType: Send + Sync {
    /// Encodes the members of a JSON object as a message. `@type` is one of them.
    ///
    /// # Errors
    /// If the members do not fit the message.
    fn encode(&self, json: &Value) -> Result<Vec<u8>, Reason>;

    /// Decodes a message to a JSON object without `@type`.
    ///
    /// # Errors
    /// If the bytes are not a message of this type.
    fn decode(&self, message: &[u8]) -> Result<Value, Reason>;
}

/// A registered module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) address: Address<'static>,
    pub(crate) name: String,
    pub(crate) permissions: Vec<String>,
}

/// The rules of a program. [`Keeper`](crate::Keeper) and [`messages`](crate::messages) follow them.
///
/// ```
/// use keyscape_bank::{Rules, keeper};
///
/// let rules = Rules::default()
///     .with_module("mint", &["minter"])?
///     .with_blocked(keeper::module_address("mint")?)
///     .with_mint_restriction(|_, _, coins| match coins.len() {
///         1 => Ok(()),
///         _ => Err("only one denomination at a time".into()),
///     });
/// assert_eq!(rules.modules().collect::<Vec<_>>(), ["mint"]);
/// # Ok::<(), keyscape_bank::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Rules {
    blocked: BTreeSet<Address<'static>>,
    /// The registered modules by the bytes of their addresses.
    modules: BTreeMap<Vec<u8>, Module>,
    sends: Vec<Arc<SendRestriction>>,
    mints: Vec<Arc<MintRestriction>>,
    types: BTreeMap<String, Arc<dyn AccountType>>,
    messages: BTreeMap<String, Arc<dyn MessageType>>,
    prefix: Option<Prefix>,
}

/// The modules of the Cosmos SDK v0.50 (simapp) and of ibc-go, with their permissions.
const SDK_MODULES: [(&str, &[&str]); 9] = [
    ("fee_collector", &[]),
    ("distribution", &[]),
    ("mint", &["minter"]),
    ("bonded_tokens_pool", &["burner", "staking"]),
    ("not_bonded_tokens_pool", &["burner", "staking"]),
    (GOV, &["burner"]),
    ("nft", &[]),
    ("transfer", &["minter", "burner"]),
    ("interchainaccounts", &[]),
];

/// Users may send to this module, for the deposits of proposals.
const GOV: &str = "gov";

impl Rules {
    /// Returns rules with the modules of the Cosmos SDK and of ibc-go. All of them except `gov` are
    /// blocked.
    ///
    /// # Errors
    /// None in practice: the names are valid.
    pub fn sdk() -> Result<Rules, Error> {
        SDK_MODULES.iter().try_fold(Rules::default(), |rules, (name, permissions)| {
            let rules = rules.with_module(name, permissions)?;
            match *name {
                GOV => Ok(rules),
                name => Ok(rules.with_blocked(keeper::module_address(name)?)),
            }
        })
    }

    /// Adds an address that may not receive coins from users and from modules for users.
    #[must_use]
    pub fn with_blocked(mut self, address: Address<'static>) -> Rules {
        self.blocked.insert(address);
        self
    }

    /// Registers a module with its permissions. Its address is reserved: a transfer to it creates
    /// the module account, and no other account can be created there.
    ///
    /// # Errors
    /// [`ModuleName`](ErrorKind::ModuleName).
    pub fn with_module(mut self, name: &str, permissions: &[&str]) -> Result<Rules, Error> {
        let permissions = permissions.iter().map(ToString::to_string).collect();
        let address = keeper::module_address(name)?;
        let key = address.as_bytes().to_vec();
        self.modules.insert(key, Module { address, name: name.to_owned(), permissions });
        Ok(self)
    }

    /// Adds a restriction of transfers. Restrictions run in the order in which they were added, and
    /// each receives the recipient that the previous one returned.
    #[must_use]
    pub fn with_send_restriction(
        mut self,
        restriction: impl Fn(
            &dyn Read,
            &Address<'_>,
            &Address<'static>,
            &Coins,
        ) -> Result<Address<'static>, Reason>
        + Send
        + Sync
        + 'static,
    ) -> Rules {
        self.sends.push(Arc::new(restriction));
        self
    }

    /// Adds a restriction of minting.
    #[must_use]
    pub fn with_mint_restriction(
        mut self,
        restriction: impl Fn(&dyn Read, &str, &Coins) -> Result<(), Reason> + Send + Sync + 'static,
    ) -> Rules {
        self.mints.push(Arc::new(restriction));
        self
    }

    /// Registers an account type that locks coins, by the URL of its message.
    #[must_use]
    pub fn with_account_type(mut self, type_url: &str, of: impl AccountType + 'static) -> Rules {
        self.types.insert(type_url.to_owned(), Arc::new(of));
        self
    }

    /// Registers a message type for [genesis documents](crate::cosmos), by the URL of the message.
    /// The types of the Cosmos SDK, of interchain accounts, Ethermint and Injective are built in.
    #[must_use]
    pub fn with_message_type(mut self, type_url: &str, of: impl MessageType + 'static) -> Rules {
        self.messages.insert(type_url.to_owned(), Arc::new(of));
        self
    }

    /// Sets the prefix of addresses in the first account of a state; `cosmos` if it is not set.
    /// Later accounts have the prefix of the first one.
    #[must_use]
    pub fn with_prefix(mut self, prefix: Prefix) -> Rules {
        self.prefix = Some(prefix);
        self
    }

    pub(crate) fn prefix(&self) -> Option<&Prefix> {
        self.prefix.as_ref()
    }

    pub(crate) fn message_type(&self, type_url: &str) -> Option<&dyn MessageType> {
        self.messages.get(type_url).map(|of| &**of)
    }

    /// Returns the names of the registered modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.modules.values().map(|module| &*module.name)
    }

    pub(crate) fn registered(&self) -> impl Iterator<Item = &Module> {
        self.modules.values()
    }

    pub(crate) fn module_at(&self, address: &Address<'_>) -> Option<&Module> {
        self.modules.get(address.as_bytes())
    }

    pub(crate) fn account_type(&self, type_url: &str) -> Option<&dyn AccountType> {
        self.types.get(type_url).map(|of| &**of)
    }

    /// Checks that an address may receive coins.
    pub(crate) fn may_receive(&self, address: &Address<'_>) -> Result<(), Error> {
        if !self.blocked.is_empty() && self.blocked.contains(address) {
            return Err(ErrorKind::Blocked(address.clone().into_owned()).into());
        }
        Ok(())
    }

    /// Checks that no module has reserved an address.
    pub(crate) fn check_free(&self, address: &Address<'_>) -> Result<(), Error> {
        match self.module_at(address) {
            Some(module) => Err(ErrorKind::ModuleAddress {
                address: address.clone().into_owned(),
                module: module.name.clone(),
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Applies the restrictions of a transfer. Returns the recipient.
    pub(crate) fn recipient<'a>(
        &self,
        tx: &Tx<'_>,
        from: &Address<'_>,
        to: &'a Address<'a>,
        coins: &Coins,
    ) -> Result<Cow<'a, Address<'a>>, Error> {
        let Some((first, others)) = self.sends.split_first() else { return Ok(Cow::Borrowed(to)) };
        let mut to =
            first(tx, from, &to.clone().into_owned(), coins).map_err(ErrorKind::Restricted)?;
        for restriction in others {
            to = restriction(tx, from, &to, coins).map_err(ErrorKind::Restricted)?;
        }
        Ok(Cow::Owned(to))
    }

    /// Applies the restrictions of minting.
    pub(crate) fn may_mint(&self, tx: &Tx<'_>, module: &str, coins: &Coins) -> Result<(), Error> {
        let mut mints = self.mints.iter();
        Ok(mints.try_for_each(|mint| mint(tx, module, coins)).map_err(ErrorKind::Restricted)?)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("blocked", &self.blocked)
            .field("modules", &self.modules.values())
            .field("send restrictions", &self.sends.len())
            .field("mint restrictions", &self.mints.len())
            .field("account types", &self.types.keys())
            .field("message types", &self.messages.keys())
            .field("prefix", &self.prefix)
            .finish()
    }
}
