//! The messages of genesis documents as data: fields with their numbers, names and types.

/// A field of a message.
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_list: bool,
}

/// The type of a field.
pub(super) enum Kind {
    Text,
    /// Bytes, which are base64 in JSON.
    Bytes,
    Bool,
    U32,
    /// A 64-bit integer, which is text in JSON.
    U64,
    I64,
    Message(&'static [Field]),
    /// A message with the name of its type.
    Any,
}

const fn one(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: false }
}

const fn list(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: true }
}

pub(super) const COIN: &[Field] = &[one(1, "denom", Kind::Text), one(2, "amount", Kind::Text)];

pub(super) const AUTH_PARAMS: &[Field] = &[
    one(1, "max_memo_characters", Kind::U64),
    one(2, "tx_sig_limit", Kind::U64),
    one(3, "tx_size_cost_per_byte", Kind::U64),
    one(4, "sig_verify_cost_ed25519", Kind::U64),
    one(5, "sig_verify_cost_secp256k1", Kind::U64),
];

pub(super) const SEND_ENABLED: &[Field] =
    &[one(1, "denom", Kind::Text), one(2, "enabled", Kind::Bool)];

pub(super) const BANK_PARAMS: &[Field] = &[
    list(1, "send_enabled", Kind::Message(SEND_ENABLED)),
    one(2, "default_send_enabled", Kind::Bool),
];

const DENOM_UNIT: &[Field] =
    &[one(1, "denom", Kind::Text), one(2, "exponent", Kind::U32), list(3, "aliases", Kind::Text)];

pub(super) const METADATA: &[Field] = &[
    one(1, "description", Kind::Text),
    list(2, "denom_units", Kind::Message(DENOM_UNIT)),
    one(3, "base", Kind::Text),
    one(4, "display", Kind::Text),
    one(5, "name", Kind::Text),
    one(6, "symbol", Kind::Text),
    one(7, "uri", Kind::Text),
    one(8, "uri_hash", Kind::Text),
];

const BASE_ACCOUNT: &[Field] = &[
    one(1, "address", Kind::Text),
    one(2, "pub_key", Kind::Any),
    one(3, "account_number", Kind::U64),
    one(4, "sequence", Kind::U64),
];

const MODULE_ACCOUNT: &[Field] = &[
    one(1, "base_account", Kind::Message(BASE_ACCOUNT)),
    one(2, "name", Kind::Text),
    list(3, "permissions", Kind::Text),
];

const BASE_VESTING: &[Field] = &[
    one(1, "base_account", Kind::Message(BASE_ACCOUNT)),
    list(2, "original_vesting", Kind::Message(COIN)),
    list(3, "delegated_free", Kind::Message(COIN)),
    list(4, "delegated_vesting", Kind::Message(COIN)),
    one(5, "end_time", Kind::I64),
];

/// A delayed or permanently locked account.
const VESTING: &[Field] = &[one(1, "base_vesting_account", Kind::Message(BASE_VESTING))];

const CONTINUOUS: &[Field] =
    &[one(1, "base_vesting_account", Kind::Message(BASE_VESTING)), one(2, "start_time", Kind::I64)];

const PERIOD: &[Field] = &[one(1, "length", Kind::I64), list(2, "amount", Kind::Message(COIN))];

const PERIODIC: &[Field] = &[
    one(1, "base_vesting_account", Kind::Message(BASE_VESTING)),
    one(2, "start_time", Kind::I64),
    list(3, "vesting_periods", Kind::Message(PERIOD)),
];

const INTERCHAIN_ACCOUNT: &[Field] =
    &[one(1, "base_account", Kind::Message(BASE_ACCOUNT)), one(2, "account_owner", Kind::Text)];

const ETH_ACCOUNT: &[Field] =
    &[one(1, "base_account", Kind::Message(BASE_ACCOUNT)), one(2, "code_hash", Kind::Text)];

/// Unlike Ethermint, Injective has a hash of bytes.
const INJECTIVE_ACCOUNT: &[Field] =
    &[one(1, "base_account", Kind::Message(BASE_ACCOUNT)), one(2, "code_hash", Kind::Bytes)];

const KEY: &[Field] = &[one(1, "key", Kind::Bytes)];

const MULTISIG: &[Field] = &[one(1, "threshold", Kind::U32), list(2, "public_keys", Kind::Any)];

const CREDENTIAL: &[Field] =
    &[one(1, "module_name", Kind::Text), list(2, "derivation_keys", Kind::Bytes)];

/// The messages that `Any` can contain, by the URLs of their types.
const TYPES: &[(&str, &[Field])] = &[
    ("/cosmos.auth.v1beta1.BaseAccount", BASE_ACCOUNT),
    ("/cosmos.auth.v1beta1.ModuleAccount", MODULE_ACCOUNT),
    ("/cosmos.auth.v1beta1.ModuleCredential", CREDENTIAL),
    ("/cosmos.vesting.v1beta1.BaseVestingAccount", BASE_VESTING),
    ("/cosmos.vesting.v1beta1.ContinuousVestingAccount", CONTINUOUS),
    ("/cosmos.vesting.v1beta1.DelayedVestingAccount", VESTING),
    ("/cosmos.vesting.v1beta1.PeriodicVestingAccount", PERIODIC),
    ("/cosmos.vesting.v1beta1.PermanentLockedAccount", VESTING),
    ("/ibc.applications.interchain_accounts.v1.InterchainAccount", INTERCHAIN_ACCOUNT),
    ("/ethermint.types.v1.EthAccount", ETH_ACCOUNT),
    ("/injective.types.v1beta1.EthAccount", INJECTIVE_ACCOUNT),
    ("/cosmos.crypto.ed25519.PubKey", KEY),
    ("/cosmos.crypto.secp256k1.PubKey", KEY),
    ("/cosmos.crypto.secp256r1.PubKey", KEY),
    ("/ethermint.crypto.v1.ethsecp256k1.PubKey", KEY),
    ("/injective.crypto.v1beta1.ethsecp256k1.PubKey", KEY),
    ("/cosmos.crypto.multisig.LegacyAminoPubKey", MULTISIG),
];

/// Returns the fields of a type.
pub(super) fn fields_of(type_url: &str) -> Option<&'static [Field]> {
    TYPES.iter().find(|(url, _)| *url == type_url).map(|(_, fields)| *fields)
}
